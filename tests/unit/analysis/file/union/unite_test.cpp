#include "analysis/file/union/unite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "analysis/file/columns.hpp"
#include "analysis/file/union/input.hpp"
#include "core/failure.hpp"
#include "store/merge/finish.hpp"
#include "store/read/study_parts.hpp"
#include "store/segments/output.hpp"
#include "support/failure_of.hpp"
#include "support/stored_texts.hpp"
#include "unit/analysis/synthetic_study.hpp"

namespace scalesweep::analysis {
namespace {

using test::failure_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::names;
using testing::TemporaryFolder;
using testing::TestPoint;
using testing::TestStudy;
using testing::values;

TestPoint point(std::vector<std::int32_t> axes, double compute_s, std::uint8_t status = 0) {
  TestPoint result;
  result.axes = std::move(axes);
  result.charges_s[0] = compute_s;
  result.energy_j = 10.0 * compute_s;
  result.tensor_parallel = 4;
  result.status = status;
  return result;
}

TestStudy on_logic() {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"}), values("power", {500.0, 700.0}, "W")};
  study.points = {point({0, 0}, 4.0), point({0, 1}, 3.0), point({1, 0}, 2.0, 1),
                  point({1, 1}, 1.0)};
  return study;
}

// Another node, an axis more, a column more and one less.
TestStudy on_memories() {
  TestStudy study;
  study.axes = {names("logic", {"N5", "N3"}), values("power", {600.0, 700.0}, "W"),
                names("memory", {"HBM3"})};
  study.points = {point({0, 0, 0}, 8.0), point({1, 1, 0}, 6.0)};
  study.points.front().chunks = 3;
  study.points.back().chunks = 1;
  study.drop_columns = {"energy_per_step"};
  return study;
}

class Unite : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }

  Union unite(const std::vector<TestStudy>& studies) {
    const std::vector<std::string> stems = {"a", "b", "c"};
    std::vector<std::filesystem::path> files;
    for (std::size_t i = 0; i < studies.size(); ++i) {
      files.push_back(file(stems[i] + ".h5"));
      studies[i].write(files.back());
    }
    return unite_studies(files, file("all.h5"), {});
  }
  store::StudyReader all() const { return store::StudyReader(file("all.h5")); }

  TemporaryFolder folder_;
};

// A value as people read it: labels of names and of axes, numbers else.
std::string text_of(const store::StudyReader& reader, const std::string& name, std::int64_t row) {
  const double stored = reader.read({name}, row, row + 1).number(0, 0);
  const ColumnMeaning meaning = meaning_of(*find_column(reader.schema(), name), reader.axes());
  if (!meaning.labels.empty()) {
    return meaning.labels.at(static_cast<std::size_t>(stored));
  }
  return std::isnan(stored) ? "nan" : std::to_string(stored);
}

TEST_F(Unite, every_row_is_found_again_with_equal_values) {
  const std::vector<TestStudy> studies = {on_logic(), on_memories()};
  const Union made = unite(studies);
  EXPECT_THAT(made.names, ElementsAre("a", "b"));
  EXPECT_EQ(made.points, 6);
  EXPECT_EQ(made.rows, 6);
  EXPECT_THAT(made.notes, ElementsAre(HasSubstr("the objectives are those of a: ")));
  const store::StudyReader whole = all();
  std::int64_t row = 0;
  for (const std::string name : {"a", "b"}) {
    const store::StudyReader part(file(name + ".h5"));
    for (std::int64_t own = 0; own < part.rows(); ++own, ++row) {
      EXPECT_EQ(text_of(whole, "study", row), name);
      EXPECT_EQ(whole.read({"study_point_id"}, row, row + 1).number(0, 0),
                part.read({"point_id"}, own, own + 1).number(0, 0));
      EXPECT_EQ(whole.read({"point_id"}, row, row + 1).number(0, 0), static_cast<double>(row));
      for (const store::Column& column : part.schema()) {
        if (column.name != "point_id") {
          EXPECT_EQ(text_of(whole, column.name, row), text_of(part, column.name, own))
              << column.name << " of row " << row;
        }
      }
    }
  }
}

TEST_F(Unite, what_a_study_lacks_is_told_as_such) {
  unite({on_logic(), on_memories()});
  const store::StudyReader whole = all();
  EXPECT_EQ(text_of(whole, "memory", 0), "-");
  EXPECT_EQ(text_of(whole, "memory", 5), "HBM3");
  EXPECT_EQ(text_of(whole, "energy_per_step", 5), "nan");
  EXPECT_EQ(text_of(whole, "chunks", 0), "1.000000");  // the default of the column
  EXPECT_EQ(text_of(whole, "chunks", 4), "3.000000");
}

TEST_F(Unite, an_axis_of_numbers_that_a_study_lacks_has_no_number_there) {
  TestStudy other = on_memories();
  other.axes[1] = names("package", {"one", "two"});
  unite({on_logic(), other});
  const store::StudyReader whole = all();
  const store::AxisValues& power = *find_axis(whole.axes(), "power");
  EXPECT_THAT(power.labels, ElementsAre("500 W", "700 W", "-"));
  EXPECT_TRUE(std::isnan(power.values.back()));
  EXPECT_EQ(text_of(whole, "power", 4), "-");
}

TEST_F(Unite, values_that_mean_the_same_are_one) {
  unite({on_logic(), on_memories()});
  const store::StudyReader whole = all();
  EXPECT_THAT(find_axis(whole.axes(), "study")->labels, ElementsAre("a", "b"));
  EXPECT_THAT(find_axis(whole.axes(), "logic")->labels, ElementsAre("N7", "N5", "N3"));
  EXPECT_THAT(find_axis(whole.axes(), "power")->labels, ElementsAre("500 W", "600 W", "700 W"));
  EXPECT_THAT(find_axis(whole.axes(), "power")->values, ElementsAre(500.0, 600.0, 700.0));
}

TEST_F(Unite, counts_add_up) {
  unite({on_logic(), on_memories()});
  const auto counts = all().counts();
  EXPECT_EQ(counts.at("ok"), 5);
  EXPECT_EQ(counts.at("does_not_fit"), 1);
}

TEST_F(Unite, points_find_the_study_that_they_are_from) {
  unite({on_logic(), on_memories()});
  const std::vector<store::StudyPart> parts = store::parts_of(all());
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].ids, (IdRange{0, 4}));
  EXPECT_EQ(parts[1].ids, (IdRange{4, 6}));
  EXPECT_EQ(parts[1].file, "b.h5");
  EXPECT_EQ(parts[1].identity, store::StudyReader(file("b.h5")).identity());
  const auto found = store::part_with(parts, 5);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "b");
  EXPECT_EQ(found->own_id(5), 1);
  EXPECT_FALSE(store::part_with(parts, 6));
  EXPECT_THAT(store::parts_of(store::StudyReader(file("a.h5"))), IsEmpty());
}

TEST_F(Unite, texts_of_each_study_are_kept) {
  TestStudy one = on_logic();
  TestStudy other = on_logic();
  one.spec = "one";
  other.spec = "other";
  unite({one, other});
  const std::vector<store::StudyPart> parts = store::parts_of(all());
  EXPECT_EQ(parts[0].provenance.at("spec"), "one");
  EXPECT_EQ(parts[1].provenance.at("spec"), "other");
  EXPECT_FALSE(all().provenance().contains("spec"));
}

TEST_F(Unite, many_chunks_go_over_from_one_study_to_the_next) {
  TestStudy one = testing::scaling_study(2, 2, 40);
  TestStudy other = one;
  one.chunk_rows = other.chunk_rows = 7;
  one.points.resize(one.points.size() - 3);
  const Union made = unite({one, other});
  const auto rows = static_cast<std::int64_t>(one.points.size() + other.points.size());
  ASSERT_EQ(made.rows, rows);
  const store::StudyReader whole = all();
  const store::StudyReader first(file("a.h5"));
  const store::StudyReader second(file("b.h5"));
  const store::Table times = whole.read({"step_time"}, 0, rows);
  const store::Table before = first.read({"step_time"}, 0, first.rows());
  const store::Table after = second.read({"step_time"}, 0, second.rows());
  for (std::int64_t row = 0; row < rows; ++row) {
    const bool is_first = row < first.rows();
    const auto own = static_cast<std::size_t>(is_first ? row : row - first.rows());
    ASSERT_EQ(times.number(0, static_cast<std::size_t>(row)),
              (is_first ? before : after).number(0, own))
        << row;
  }
}

struct KeepCase {
  const char* one;
  const char* other;
  const char* all;
};

TEST_F(Unite, what_all_studies_keep_is_kept) {
  const std::vector<KeepCase> cases = {
      {"all", "all", "all"},
      {"all", "feasible", "feasible"},
      {"feasible", "best 2 per logic", "best 2 per study, logic"},
      {"best 3 per logic", "best 1 per logic, power", "best 1 per study, logic"},
      {"frontier per logic", "frontier per power", "frontier per study"},
      {"frontier", "best 1", "several rules"}};  // as files of version 2 said it
  for (const KeepCase& one : cases) {
    TestStudy from = on_logic();
    TestStudy to = on_logic();
    from.root_attributes["keep"] = test::as_stored("keep", one.one);
    to.root_attributes["keep"] = test::as_stored("keep", one.other);
    unite({from, to});
    EXPECT_EQ(all().root_attributes().at("keep"), test::as_stored("keep", one.all))
        << one.one << ", " << one.other;
    for (const char* name : {"a.h5", "b.h5", "all.h5"}) {
      std::filesystem::remove(file(name));
    }
  }
}

TEST_F(Unite, studies_that_cannot_be_one_name_both_files) {
  TestStudy other = on_memories();
  other.axes[1] = values("power", {600.0, 700.0}, "kg");
  EXPECT_THAT(failure_of([&] {
                unite({on_logic(), other});
              }).what(),
              ::testing::AllOf(HasSubstr("the axis 'power' is in W in "), HasSubstr("a.h5"),
                               HasSubstr("and in kg in "), HasSubstr("b.h5")));
  EXPECT_FALSE(std::filesystem::exists(file("all.h5")));
}

TEST_F(Unite, studies_of_other_kinds_are_not_one) {
  TestStudy other = on_memories();
  other.renamed = {{"step_time", "latency"}};
  EXPECT_THAT(failure_of([&] {
                unite({on_logic(), other});
              }).what(),
              HasSubstr("studies of different kinds of work answer different questions"));
}

TEST_F(Unite, wrong_files_are_refused) {
  on_logic().write(file("a.h5"));
  on_memories().write(file("b.h5"));
  const auto refusal = [&](const std::vector<std::filesystem::path>& files, const char* output) {
    return std::string(failure_of([&] { unite_studies(files, file(output), {}); }).what());
  };
  EXPECT_THAT(refusal({file("a.h5")}, "c.h5"), HasSubstr("two studies or more"));
  EXPECT_THAT(refusal({file("a.h5"), file("a.h5")}, "c.h5"), HasSubstr("is given twice"));
  EXPECT_THAT(refusal({file("a.h5"), file("b.h5")}, "a.h5"), HasSubstr("is there already"));
  EXPECT_THAT(refusal({file("a.h5"), file("none.h5")}, "c.h5"), HasSubstr("none.h5"));
  unite_studies({file("a.h5"), file("b.h5")}, file("c.h5"), {});
  EXPECT_THAT(refusal({file("a.h5"), file("c.h5")}, "d.h5"),
              HasSubstr("is a union of studies already (a, b); give the files that it was made"));
}

TEST_F(Unite, an_unfinished_study_is_refused) {
  on_logic().write(file("a.h5"));
  store::prepare_output(file("b.h5"), on_memories().description());
  EXPECT_THAT(failure_of([&] {
                unite_studies({file("a.h5"), file("b.h5")}, file("c.h5"), {});
              }).what(),
              HasSubstr("the study is not finished"));
}

TEST_F(Unite, files_of_one_name_are_told_apart) {
  std::filesystem::create_directory(file("x"));
  on_logic().write(file("a.h5"));
  on_memories().write(file("x") / "a.h5");
  const Union made = unite_studies({file("a.h5"), file("x") / "a.h5"}, file("c.h5"), {});
  EXPECT_THAT(made.names, ElementsAre("a", "a-2"));
}

TEST(Union, names_of_several) {
  EXPECT_EQ(name_of_several({"x/a.h5", "b.h5"}), "a+b");
  EXPECT_EQ(name_of_several({"a.h5", "b.h5", "c.h5", "d.h5"}), "a+3_more");
}

TEST(Union, lists_keep_their_orders) {
  const auto joined = [](std::vector<std::string> all, const std::vector<std::string>& more) {
    add_in_order(all, more);
    return all;
  };
  EXPECT_THAT(joined({"N7", "N3"}, {"N5", "N3"}), ElementsAre("N7", "N5", "N3"));
  EXPECT_THAT(joined({"N7", "N3"}, {"N7", "N5"}), ElementsAre("N7", "N5", "N3"));
  EXPECT_THAT(joined({"ok", "none"}, {"ok", "x", "none"}), ElementsAre("ok", "x", "none"));
  EXPECT_THAT(joined({"a"}, {"b", "c"}), ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace scalesweep::analysis

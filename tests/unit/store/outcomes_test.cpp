// What was counted by group: its numbers, its sums, and how files hold it.
#include "store/read/outcomes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "store/merge/compact.hpp"
#include "store/merge/finish.hpp"
#include "store/read/reader.hpp"
#include "store/segments/output.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

using scalesweep::test::TemporaryFolder;
using testing::ElementsAre;
using testing::IsEmpty;

const double none = std::nan("");

// By memory, by memory and degree, and of all points; of the second status less is nearer, of the
// third more.
StudyDescription counting_study() {
  StudyDescription study = test::sample_study(300, 64);
  study.schema[4].better = "larger";
  study.outcomes.tables = {
      {"memory", {"memory"}}, {"both", {"memory", "tensor_parallel"}}, {"questions", {}}};
  study.outcomes.nearest = {"", "step_time", "dram_time", ""};
  return study;
}

void write(const std::filesystem::path& file, const StudyDescription& study, IdRange ids,
           const std::optional<Outcomes>& outcomes) {
  write_segment(file, study, ids, test::sample_rows(study, ids, test::keep_all),
                test::sample_counts(ids, test::keep_all), Durability::scratch, outcomes);
}

TEST(Outcomes, EveryGroupAndStatusHasANumber) {
  const StudyDescription study = counting_study();
  const OutcomeNumbers numbers(study);
  EXPECT_EQ(numbers.cells(), (2 + 2 * 4 + 1) * 4);
  std::int64_t next = 0;
  for (std::size_t table = 0; table < numbers.tables(); ++table) {
    const auto count = [&](std::size_t axis) {
      const auto& axes = study.outcomes.tables[table].axes;
      return axis < axes.size() ? (axes[axis] == "memory" ? 2 : 4) : 1;
    };
    for (std::int32_t memory = 0; memory < count(0); ++memory) {
      for (std::int32_t degree = 0; degree < count(1); ++degree) {
        EXPECT_EQ(numbers.first_cell(table, std::vector{memory, degree}), next);
        const OutcomeNumbers::Place place = numbers.place(next + 3);
        EXPECT_EQ(place.table, table);
        EXPECT_EQ(place.status, 3);
        EXPECT_EQ(place.values.size(), study.outcomes.tables[table].axes.size());
        next += 4;
      }
    }
  }
  EXPECT_EQ(next, numbers.cells());
}

TEST(Outcomes, PartsAddUpAndTheLeastIsTheNearest) {
  Outcomes all = {{0, 1, none}, {5, 2, 3.0}, {7, 1, 2.0}};
  add_outcomes(all, {{1, 4, none}, {5, 1, none}, {7, 2, 1.0}});
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1].points, 4);
  EXPECT_EQ(all[2].points, 3);
  EXPECT_EQ(all[2].nearest, 3.0);
  EXPECT_EQ(all[3].points, 3);
  EXPECT_EQ(all[3].nearest, 1.0);
  EXPECT_TRUE(std::isnan(all[0].nearest));
}

TEST(Outcomes, AFileHoldsWhatItsSegmentsCounted) {
  const TemporaryFolder folder;
  const StudyDescription study = counting_study();
  const auto file = folder / "a.h5";
  prepare_output(file, study, Durability::scratch);
  // Of the third status what is larger is nearer: segments hold its negative.
  write(file, study, {0, 128}, Outcomes{{1, 100, 4.0}, {2, 28, -6.0}});
  write(file, study, {128, 256}, Outcomes{{1, 28, 3.0}, {2, 100, -8.0}});
  write(file, study, {256, 300}, Outcomes{{7, 44, none}});
  ASSERT_TRUE(compact_segments(file, study, {0, 256}, std::nullopt, Durability::scratch));
  const auto rows_by_memory = [](const StudyReader& reader) {
    return reader.outcomes().at(0).rows;
  };
  {
    const StudyReader unfinished(file, Unfinished::read);
    EXPECT_EQ(rows_by_memory(unfinished).size(), 3U);
  }
  finish(file, study, std::nullopt, {.durability = Durability::scratch});
  const StudyReader reader(file);
  const std::vector<OutcomeRow> rows = rows_by_memory(reader);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[0].values, ElementsAre(0));
  EXPECT_EQ(rows[0].status, 1);
  EXPECT_EQ(rows[0].points, 128);
  EXPECT_EQ(rows[0].nearest, 3.0);
  EXPECT_EQ(rows[1].points, 128);
  EXPECT_EQ(rows[1].nearest, 8.0);
  EXPECT_THAT(rows[2].values, ElementsAre(1));
  EXPECT_TRUE(std::isnan(rows[2].nearest));
  EXPECT_THAT(reader.outcomes().at(2).table.axes, IsEmpty());
}

// One of a version that did not count.
TEST(Outcomes, WithASegmentThatHasNoneNothingIsSaid) {
  const TemporaryFolder folder;
  const StudyDescription study = counting_study();
  const auto file = folder / "a.h5";
  prepare_output(file, study, Durability::scratch);
  write(file, study, {0, 128}, std::nullopt);
  write(file, study, {128, 300}, Outcomes{{1, 172, 3.0}});
  EXPECT_THAT(StudyReader(file, Unfinished::read).outcomes(), IsEmpty());
  finish(file, study, std::nullopt, {.durability = Durability::scratch});
  EXPECT_THAT(StudyReader(file).outcomes(), IsEmpty());
  EXPECT_EQ(StudyReader(file).counts().at("ok"), 100);
}

TEST(Outcomes, ASegmentOfOtherGroupsDoesNotCount) {
  const TemporaryFolder folder;
  StudyDescription other = counting_study();
  const auto file = folder / "a.h5";
  prepare_output(file, other, Durability::scratch);
  write(file, other, {0, 300}, Outcomes{{43, 300, none}});
  other.outcomes.tables.pop_back();
  const OutputReport report = inspect_output(file, other);
  EXPECT_THAT(report.segments, IsEmpty());
  EXPECT_THAT(
      report.ignored,
      ElementsAre("000000000000-000000000300.h5: its outcomes are not those of this study"));
}

}  // namespace
}  // namespace scalesweep::store

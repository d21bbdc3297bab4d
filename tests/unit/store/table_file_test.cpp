#include "store/read/table_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/failure.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

using scalesweep::test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Compares what was read with what was written: places of numbers have become the numbers.
void expect_numbers_of(const NamedTable& read, const Table& written, const Schema& schema) {
  Schema stored = schema;
  for (Column& column : stored) {
    column.type = stored_type(column);
  }
  Table expected(stored);
  expected.resize(written.rows());
  for (std::size_t c = 0; c < schema.size(); ++c) {
    if (!schema[c].numbers) {
      std::memcpy(expected.data(c), written.data(c), written.rows() * stored_bytes(schema[c]));
      continue;
    }
    for (std::size_t row = 0; row < written.rows(); ++row) {
      const auto place = static_cast<std::size_t>(written.number(c, row));
      expected.values<double>(c)[row] = schema[c].numbers->values()[place];
    }
  }
  test::expect_equal(read.table, expected, stored);
}

TEST(TableFile, HoldsSeveralTablesAndTexts) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 16);
  const Table rows = test::sample_rows(study, {0, 100}, test::keep_all);
  TableFile file(folder / "a.analysis.h5", "scalesweep-analysis", 3, {{"title", "Sample"}});
  file.add_table("frontier", study.schema, rows, {{"description", "The frontier."}});
  file.add_table("best/by_node", {study.schema[3]}, [&] {
    Table one({study.schema[3]});
    one.values<double>(0) = {1.5, 2.5};
    return one;
  }());
  file.add_table("nothing", study.schema, Table(study.schema));
  file.add_text("provenance/study", "quick.h5");
  EXPECT_THAT(test::folder_names(folder.path()), ElementsAre("a.analysis.h5.partial"));
  file.commit();
  EXPECT_THAT(test::folder_names(folder.path()), ElementsAre("a.analysis.h5"));

  const NamedTable frontier = read_table(folder / "a.analysis.h5", "frontier");
  expect_numbers_of(frontier, rows, study.schema);
  EXPECT_EQ(frontier.schema[7].units, "W");
  EXPECT_EQ(frontier.attributes.at("description"), "The frontier.");
  EXPECT_EQ(frontier.schema[2].labels, study.schema[2].labels);
  EXPECT_EQ(frontier.schema[3].units, "s");
  const NamedTable best = read_table(folder / "a.analysis.h5", "best/by_node");
  EXPECT_THAT(best.table.values<double>(0), ElementsAre(1.5, 2.5));
  EXPECT_EQ(read_table(folder / "a.analysis.h5", "nothing").table.rows(), 0U);
}

// Parts that end within chunks, of which a table may have many.
TEST(TableFile, ATableMayComeInParts) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(50'000, 16);
  Table whole(study.schema);
  TableFile file(folder / "a.h5", "scalesweep-query", 1, {});
  file.begin_table("rows", study.schema);
  for (const std::int64_t first : {0, 1, 7000, 41'000}) {
    const std::int64_t last = first == 0 ? 1 : first == 1 ? 7000 : first == 7000 ? 41'000 : 50'000;
    const Table part = test::sample_rows(study, {first, last}, test::keep_all);
    whole.append(part);
    file.add_rows(part);
  }
  file.end_table({{"description", "In parts."}});
  file.begin_table("nothing", study.schema);
  file.end_table();
  file.commit();
  const NamedTable rows = read_table(folder / "a.h5", "rows");
  expect_numbers_of(rows, whole, study.schema);
  EXPECT_EQ(rows.attributes.at("description"), "In parts.");
  EXPECT_EQ(read_table(folder / "a.h5", "nothing").table.rows(), 0U);
}

TEST(TableFile, WithoutCommitLeavesNothing) {
  const TemporaryFolder folder;
  {
    TableFile file(folder / "a.h5", "scalesweep-analysis", 1, {});
    file.add_text("x", "y");
  }
  EXPECT_THAT(test::folder_names(folder.path()), IsEmpty());
}

TEST(TableFile, ReplacesItsOwnKindAndNothingElse) {
  const TemporaryFolder folder;
  TableFile(folder / "a.h5", "scalesweep-analysis", 1, {}).commit();
  TableFile second(folder / "a.h5", "scalesweep-analysis", 1, {});
  second.add_table("t", {{"x", ColumnType::f64, "s", "x", "X.", {}}},
                   Table({{"x", ColumnType::f64, "s", "x", "X.", {}}}));
  second.commit();
  EXPECT_NO_THROW(read_table(folder / "a.h5", "t"));

  const auto refusal = [&](const std::string& name) {
    try {
      const TableFile file(folder / name, "scalesweep-analysis", 1, {});
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ExitCode::cannot_create);
      return std::string(failure.what());
    }
    return std::string("no failure");
  };
  test::write_bytes(folder / "t.h5", "text");
  EXPECT_THAT(refusal("t.h5"),
              HasSubstr("t.h5: a file that is no scalesweep-analysis stands here (it is not an "
                        "HDF5 file); it is left as it is"));
  EXPECT_EQ(test::file_bytes(folder / "t.h5"), "text");
  test::write_study(folder / "s.h5", test::sample_study(10, 4), {0, 10}, test::keep_all);
  EXPECT_THAT(refusal("s.h5"), HasSubstr("(it is a scalesweep-study)"));
  EXPECT_THAT(refusal("no/a.h5"), HasSubstr("a.h5.partial: cannot create: "));
}

TEST(TableFile, ReadingWhatIsNotThereSaysSo) {
  const TemporaryFolder folder;
  TableFile(folder / "a.h5", "scalesweep-analysis", 1, {}).commit();
  EXPECT_THROW(read_table(folder / "b.h5", "t"), Failure);
  try {
    read_table(folder / "a.h5", "t");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::bad_input);
    EXPECT_THAT(failure.what(), HasSubstr("a.h5: cannot open group 't'"));
  }
}

}  // namespace
}  // namespace scalesweep::store

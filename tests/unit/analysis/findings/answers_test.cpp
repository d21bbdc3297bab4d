// Studies of requests: other times than that of a step, limits that nothing meets, operators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/findings/analyze.hpp"
#include "analysis/findings/closest.hpp"
#include "analysis/selection/slice.hpp"
#include "analysis/show/text_report.hpp"
#include "store/merge/finish.hpp"
#include "store/read/reader.hpp"
#include "store/read/study_file.hpp"
#include "store/segments/output.hpp"
#include "support/stored_texts.hpp"
#include "unit/analysis/synthetic_study.hpp"

namespace scalesweep::analysis {
namespace {

using store::ColumnType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TemporaryFolder;

const std::vector<std::string> statuses = {"ok", "does_not_fit", "misses_limits"};

// With the words of real studies, but without roles: as files were before columns had them.
store::Column number(const std::string& name, ColumnType type, const std::string& units) {
  const std::string words = name == "time_per_output_token"      ? "time per output token"
                            : name == "device_seconds_per_token" ? "device time per output token"
                                                                 : name;
  return {name, type, units, words, "test column", {}};
}

// A study along two devices, one point each unless `row_count` says more.
struct SmallStudy {
  std::vector<store::Column> columns;  // after point_id, device, tensor_parallel, status
  struct Row {
    std::int32_t device = 0;
    std::uint8_t status = 0;
    std::vector<double> values;
  };
  std::vector<Row> rows;
  std::string objectives = {};  // "": the study does not say

  void write(const std::filesystem::path& file) const {
    store::StudyDescription study;
    study.identity = "test-identity";
    study.identity_parts = {{"test", "1"}};
    study.points = static_cast<std::int64_t>(rows.size());
    study.chunk_rows = 1024;
    study.axes = {testing::names("device", {"old", "new"})};
    study.count_names = statuses;
    study.root_attributes = {{"title", "A test study"}};
    if (!objectives.empty()) {
      study.root_attributes["objectives"] = test::as_stored("objectives", objectives);
    }
    study.schema = {number("point_id", ColumnType::i64, "1"),
                    {"device", ColumnType::i32, "", "device", "axis", {"old", "new"}},
                    number("tensor_parallel", ColumnType::i32, "1"),
                    {"status", ColumnType::u8, "", "status", "status", statuses}};
    study.schema.insert(study.schema.end(), columns.begin(), columns.end());
    store::Table table(study.schema);
    store::Counts counts(statuses.size(), 0);
    for (std::size_t id = 0; id < rows.size(); ++id) {
      table.values<std::int64_t>(0).push_back(static_cast<std::int64_t>(id));
      table.values<std::int32_t>(1).push_back(rows[id].device);
      table.values<std::int32_t>(2).push_back(1 << id);
      table.values<std::uint8_t>(3).push_back(rows[id].status);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].type == ColumnType::u8) {
          table.values<std::uint8_t>(4 + i).push_back(
              static_cast<std::uint8_t>(rows[id].values[i]));
        } else {
          table.values<double>(4 + i).push_back(rows[id].values[i]);
        }
      }
      ++counts[rows[id].status];
    }
    store::prepare_output(file, study);
    store::write_segment(file, study, {0, study.points}, table, counts);
    store::finish(file, study, std::nullopt);
  }
};

SmallStudy service() {
  SmallStudy study;
  for (const char* name : {"time_per_output_token", "charge_dram", "charge_tensor_compute",
                           "device_seconds_per_token", "miss"}) {
    study.columns.push_back(number(name, ColumnType::f64, "s"));
  }
  // The second has the longer time per token, and is the better one all the same.
  study.rows = {{0, 0, {0.010, 0.008, 0.002, 0.0040, 0.0}},
                {0, 0, {0.030, 0.010, 0.020, 0.0020, 0.0}},
                {1, 0, {0.020, 0.015, 0.005, 0.0010, 0.0}},
                {1, 2, {0.005, 0.004, 0.001, 0.0001, 0.5}}};
  return study;
}

AnalysisResult analysed(const SmallStudy& study) {
  const TemporaryFolder folder;
  study.write(folder.path() / "study.h5");
  return analyze(folder.path() / "study.h5", {});
}

std::vector<std::string> closest_of(const SmallStudy& study) {
  const TemporaryFolder folder;
  study.write(folder.path() / "study.h5");
  const store::StudyReader reader(folder.path() / "study.h5");
  return closest_points(reader);
}

TEST(Services, TheBestTakesTheLeastOfTheDevices) {
  SmallStudy study = service();
  study.objectives = "device_seconds_per_token, time_per_output_token";
  const AnalysisResult result = analysed(study);
  EXPECT_EQ(result.time, "time per output token");
  EXPECT_EQ(result.better, "device_seconds_per_token");
  EXPECT_THAT(integers(result[tables::best].table, result[tables::best].schema, "point_id"),
              ElementsAre(1, 2));
  EXPECT_THAT(columns_of(result.objectives),
              ElementsAre("device_seconds_per_token", "time_per_output_token"));
  const std::string text = format_analysis(result, Format::text);
  EXPECT_THAT(text, HasSubstr("Bottleneck and its share of the time per output token at the best"));
  EXPECT_THAT(text, HasSubstr("compute 67%"));
  EXPECT_THAT(text, HasSubstr("Best device time per output token (s)"));
  EXPECT_THAT(text, HasSubstr("Best device time per output token: 0.002 s at old, 0.001 s at new"));
  EXPECT_THAT(text, Not(HasSubstr("step time")));
}

TEST(Batches, AreReadByTheirLatency) {
  SmallStudy study = service();
  study.columns[0].name = study.columns[0].long_name = "latency";
  study.columns[3].name = "time_per_output_token";
  const AnalysisResult result = analysed(study);
  EXPECT_EQ(result.time, "latency");
  EXPECT_THAT(integers(result[tables::best].table, result[tables::best].schema, "point_id"),
              ElementsAre(0, 2));
  EXPECT_THAT(result[tables::best].description, HasSubstr("the least latency"));
}

TEST(Closest, IsSaidWhereNothingMeetsTheLimits) {
  SmallStudy study = service();
  for (std::size_t i = 0; i < study.rows.size(); ++i) {
    study.rows[i].status = 2;
    study.rows[i].values[4] = 0.9 - 0.2 * static_cast<double>(i);
  }
  study.rows[3].status = 1;
  study.rows[3].values[4] = std::nan("");
  EXPECT_THAT(closest_of(study),
              ElementsAre("no point meets the limits; closest, 50 % beyond them, is point 2: "
                          "device new, tensor_parallel 4"));
  const AnalysisResult result = analysed(study);
  EXPECT_THAT(result.notes, ::testing::Contains(HasSubstr("closest, 50 % beyond them")));
}

TEST(Closest, IsTimesTheLimitWhereItIsFarFromIt) {
  SmallStudy study = service();
  for (SmallStudy::Row& row : study.rows) {
    row.status = 2;
    row.values[4] = 83.0;
  }
  EXPECT_THAT(closest_of(study), ElementsAre(HasSubstr("closest, 84 times what they allow, is ")));
}

TEST(Closest, IsNothingWhereAPointMeetsThem) {
  EXPECT_THAT(closest_of(service()), IsEmpty());
}

TEST(Closest, TellsTheLargestBatchThatWouldFit) {
  SmallStudy study = service();
  study.columns[4].name = "largest_batch";
  for (std::size_t i = 0; i < study.rows.size(); ++i) {
    study.rows[i].status = 1;
    study.rows[i].values[4] = i == 1 ? 12.0 : 3.0;
  }
  EXPECT_THAT(closest_of(study),
              ElementsAre("no batch of the study fits; the largest that would, 12 requests, is "
                          "that of point 1: device old, tensor_parallel 2"));
  for (SmallStudy::Row& row : study.rows) {
    row.values[4] = 0.0;
  }
  EXPECT_THAT(closest_of(study), ElementsAre(HasSubstr("not even the weights fit anywhere")));
}

SmallStudy with_operators() {
  SmallStudy study = service();
  study.columns[0].name = study.columns[0].long_name = "latency";
  study.columns[3].name = "other_time";
  const std::vector<std::string> bounds = {"tensor_compute", "dram", "none"};
  for (const char* name : {"decode_mlp_up", "prefill_mlp_up"}) {
    for (const char* figure : {"time", "flop", "bytes", "intensity"}) {
      study.columns.push_back(number(std::string(name) + "_" + figure, ColumnType::f64, "1"));
    }
    study.columns.push_back(
        {std::string(name) + "_bound", ColumnType::u8, "", "bound", "bound", bounds});
  }
  for (SmallStudy::Row& row : study.rows) {
    row.values.insert(row.values.end(), {20e-6, 4e6, 2e6, 2.0, 1.0});
    // One device has no such operator.
    const double nan = std::nan("");
    row.values.insert(row.values.end(),
                      row.device == 0 ? std::initializer_list<double>{nan, nan, nan, nan, 2.0}
                                      : std::initializer_list<double>{1e-3, 8e9, 2e6, 4e3, 0.0});
  }
  return study;
}

TEST(Operators, AreATableOfTheBestPoints) {
  const AnalysisResult result = analysed(with_operators());
  const ResultTable& table = result["operators"];
  EXPECT_EQ(table.name, "operators");
  EXPECT_EQ(tables_of(result).back(), &table);
  ASSERT_EQ(table.table.rows(), 3U);  // one on the old device, two on the new one
  EXPECT_EQ(cell_text(result.axes, table, column_of(table, "operator"), 0), "decode mlp up");
  EXPECT_EQ(cell_text(result.axes, table, column_of(table, "bound"), 0), "dram");
  EXPECT_EQ(cell_text(result.axes, table, column_of(table, "device"), 1), "new");
  EXPECT_EQ(cell_text(result.axes, table, column_of(table, "operator"), 2), "prefill mlp up");
  EXPECT_EQ(table.table.number(column_of(table, "flop"), 2), 8e9);
  EXPECT_EQ(cell_text(result.axes, table, column_of(table, "bound"), 2), "tensor_compute");
  const std::string text = format_analysis(result, Format::text);
  EXPECT_THAT(text, HasSubstr("Operators of the best points"));
  EXPECT_THAT(text, HasSubstr("20 DRAM"));
  EXPECT_THAT(text, HasSubstr("1000 tensor"));
}

TEST(Operators, AreNoTableWhereTheStudyHasNone) {
  const AnalysisResult result = analysed(service());
  EXPECT_TRUE(result["operators"].schema.empty());
  for (const ResultTable* table : tables_of(result)) {
    EXPECT_NE(table->name, "operators");
  }
  EXPECT_THAT(format_analysis(result, Format::text), Not(HasSubstr("Operators")));
}

}  // namespace
}  // namespace scalesweep::analysis

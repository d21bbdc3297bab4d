// Strategies along a batch and along devices, where replicas and micro-batches follow.
#include "analysis/file/columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/diff/diff.hpp"
#include "analysis/diff/output.hpp"
#include "analysis/show/text_report.hpp"
#include "parallel/fields.hpp"
#include "unit/analysis/analysed_study.hpp"

namespace scalesweep::analysis {
namespace {

using testing::analysed;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::numbers_of;
using testing::point;
using testing::TemporaryFolder;
using testing::TestPoint;
using testing::TestStudy;
using testing::texts_of;
using testing::values;

// TP1 and TP2, each with one micro-batch size: what is left of the devices are replicas, what is
// left of the batch are micro-batches.
struct Laid {
  int devices = 1;
  int batch = 1;
  int tensor_parallel = 1;
  int micro_batch = 1;
  double seconds = 1.0;
};

TestPoint laid_out(std::vector<std::int32_t> axes, const Laid& laid) {
  TestPoint result = point(std::move(axes), laid.seconds, 0.0, 0.0, laid.tensor_parallel);
  result.data_parallel = laid.devices / laid.tensor_parallel;
  result.micro_batch = laid.micro_batch;
  result.micro_batches = laid.batch / result.data_parallel / laid.micro_batch;
  return result;
}

// On 8 devices TP2 is best at first, TP1 at the last batch.
TestStudy along_batch() {
  TestStudy study;
  study.axes = {values("global_batch", {16, 32, 64}, "")};
  study.points = {laid_out({0}, {8, 16, 1, 2, 5.0}), laid_out({0}, {8, 16, 2, 2, 4.0}),
                  laid_out({1}, {8, 32, 1, 2, 7.0}), laid_out({1}, {8, 32, 2, 2, 6.0}),
                  laid_out({2}, {8, 64, 1, 2, 9.0}), laid_out({2}, {8, 64, 2, 2, 12.0})};
  return study;
}

// The same batch on 2, 4 and 8 devices: TP1 is best at first, TP2 on 8.
TestStudy along_devices() {
  TestStudy study;
  study.axes = {values("accelerators", {2, 4, 8}, "")};
  study.points = {laid_out({0}, {2, 16, 1, 2, 8.0}), laid_out({0}, {2, 16, 2, 2, 9.0}),
                  laid_out({1}, {4, 16, 1, 2, 4.0}), laid_out({1}, {4, 16, 2, 2, 5.0}),
                  laid_out({2}, {8, 16, 1, 2, 4.0}), laid_out({2}, {8, 16, 2, 2, 3.0})};
  return study;
}

// One micro-batch a stage: of one stage, the whole batch of a replica.
TestStudy inference_batches() {
  TestStudy study;
  study.axes = {values("batch", {1, 2, 4}, "")};
  for (std::int32_t i = 0; i < 3; ++i) {
    const int batch = 1 << i;
    study.points.push_back(laid_out({i}, {2, batch, 2, batch, 1.0 + i}));
  }
  study.kind = parallel::WorkloadKind::inference;
  return study;
}

AnalyzeOptions holding() {
  AnalyzeOptions options;
  options.hold = true;
  return options;
}

TEST(StrategyFields, ALargerBatchAloneIsNoOtherStrategy) {
  const AnalysisResult result = analysed(along_batch());

  const ResultTable& t = result[tables::strategy_changes];
  EXPECT_THAT(texts_of(result, t, "from_tensor_parallel"), ElementsAre("2"));
  EXPECT_THAT(numbers_of(t, "kept_time"), ElementsAre(12.0));
  EXPECT_THAT(numbers_of(t, "saving"), ElementsAre(0.25));
  EXPECT_THAT(numbers_of(t, "from_micro_batches"), ElementsAre(4.0));
  EXPECT_THAT(result.findings,
              Contains("The best strategy changes once: tensor parallel in 1, data parallel in "
                       "1; the change saves 25 % at most (32 -> 64)"));
  EXPECT_THAT(format_analysis(result, Format::text), HasSubstr("25%    TP2 DP4 -> TP1 DP8"));
}

TEST(StrategyFields, MoreReplicasAloneAreNoOtherStrategy) {
  const AnalysisResult result = analysed(along_devices());

  const ResultTable& t = result[tables::strategy_changes];
  EXPECT_THAT(texts_of(result, t, "to_tensor_parallel"), ElementsAre("2"));
  EXPECT_THAT(numbers_of(t, "kept_point_id"), ElementsAre(4.0));
  EXPECT_THAT(numbers_of(t, "saving"), ElementsAre(0.25));
  EXPECT_THAT(result.findings, Contains("The best strategy changes once: tensor parallel in 1; "
                                        "the change saves 25 % at most (4 -> 8)"));
  EXPECT_THAT(format_analysis(result, Format::text), HasSubstr("25%    TP1 -> TP2"));
}

TEST(StrategyFields, AreHeldAlongABatchAndAlongDevices) {
  const AnalysisResult batches = analysed(along_batch(), holding());
  const AnalysisResult devices = analysed(along_devices(), holding());

  EXPECT_THAT(numbers_of(batches[tables::best], "point_id"), ElementsAre(1.0, 3.0, 5.0));
  EXPECT_THAT(numbers_of(batches[tables::best], "micro_batches"), ElementsAre(2.0, 4.0, 8.0));
  EXPECT_THAT(numbers_of(devices[tables::best], "point_id"), ElementsAre(0.0, 2.0, 4.0));
  EXPECT_THAT(numbers_of(devices[tables::best], "data_parallel"), ElementsAre(2.0, 4.0, 8.0));
  EXPECT_THAT(batches.notes, Each(Not(HasSubstr("not feasible"))));
  EXPECT_THAT(devices.notes, Each(Not(HasSubstr("not feasible"))));
}

// A micro-batch is chosen: another one is another strategy, which may not be there.
TEST(StrategyFields, AMicroBatchIsHeld) {
  TestStudy study = along_batch();
  study.points = {laid_out({0}, {8, 16, 1, 2, 5.0}), laid_out({1}, {8, 32, 1, 1, 6.0}),
                  laid_out({1}, {8, 32, 1, 2, 7.0}), laid_out({2}, {8, 64, 1, 4, 8.0})};

  const AnalysisResult held = analysed(study, holding());
  const AnalysisResult free = analysed(study);

  EXPECT_THAT(numbers_of(held[tables::best], "point_id"), ElementsAre(0.0, 2.0));
  EXPECT_THAT(held.notes, Contains("the strategy that is held is not feasible in 1 of 3 "
                                   "combinations (not in the file 1)"));
  EXPECT_THAT(numbers_of(free[tables::strategy_changes], "from_micro_batch"),
              ElementsAre(2.0, 1.0));
}

// Where nothing follows from the axis, all fields are compared: here replicas alone differ.
TEST(StrategyFields, AlongOtherAxesAllFieldsAreCompared) {
  TestStudy study;
  study.axes = {testing::names("logic", {"N7", "N5"})};
  study.points = {laid_out({0}, {8, 16, 1, 2, 5.0}), laid_out({1}, {4, 16, 1, 2, 4.0})};

  const AnalysisResult result = analysed(study);

  EXPECT_EQ(result.compared, result.strategy);
  EXPECT_THAT(numbers_of(result[tables::strategy_changes], "to_data_parallel"), ElementsAre(4.0));
  EXPECT_THAT(texts_of(result, result[tables::strategy_changes], "kept_status"),
              ElementsAre("not_in_file"));
}

TEST(StrategyFields, OfSeveralAxesThatAdvanceTogetherEachCounts) {
  TestStudy study;
  study.axes = {testing::names("logic", {"N7", "N5"}), values("accelerators", {4, 8}, "")};
  study.points = {laid_out({0, 0}, {4, 16, 1, 2, 5.0}), laid_out({0, 1}, {8, 16, 1, 2, 4.0}),
                  laid_out({1, 0}, {4, 16, 1, 2, 3.0}), laid_out({1, 1}, {8, 16, 1, 2, 2.0})};
  AnalyzeOptions options = holding();
  options.along = "logic,accelerators";

  EXPECT_THAT(numbers_of(analysed(study, options)[tables::best], "point_id"),
              ElementsAre(0.0, 3.0));
}

TEST(StrategyFields, OfInferenceBatchesTheMicroBatchFollowsToo) {
  const AnalysisResult free = analysed(inference_batches());
  const AnalysisResult held = analysed(inference_batches(), holding());

  EXPECT_EQ(free[tables::strategy_changes].table.rows(), 0u);
  EXPECT_THAT(free.findings, Each(Not(HasSubstr("strategy changes"))));
  EXPECT_THAT(numbers_of(held[tables::best], "micro_batch"), ElementsAre(1.0, 2.0, 4.0));
}

TEST(StrategyFields, MicroBatchesThatTheSpecNamesAreChosen) {
  TestStudy named = inference_batches();
  named.kind = parallel::WorkloadKind::training;  // where the column does not say that it follows

  EXPECT_EQ(analysed(named)[tables::strategy_changes].table.rows(), 2u);
}

store::Column size(const std::string& name) {
  return {name, store::ColumnType::i32, "1", name, "", {}};
}

// A field that no program knows by name is written and compared as its column says.
TEST(StrategyFields, AreWhatTheirColumnsSay) {
  store::Column fold = size("fold");
  EXPECT_FALSE(is_strategy_column(fold));
  fold.role = "strategy";
  fold.attributes = {{"short_name", "F"}, {"default", "1"}};
  store::Column mode = {"mode", store::ColumnType::u8, "", "mode", "", {"plain", "quick"}};
  mode.role = "strategy";
  mode.attributes = {{"short_name", "no-Q, Q"}, {"default", "plain"}};

  EXPECT_THAT(strategy_columns({size("step"), fold, mode}), ElementsAre("fold", "mode"));
  EXPECT_EQ(label_word("fold", fold, 8, "8"), "F8");
  EXPECT_EQ(label_word("fold", fold, 1, "1"), "");
  EXPECT_EQ(label_word("mode", mode, 1, "quick"), "Q");
  EXPECT_EQ(label_word("mode", mode, 0, "plain"), "");
  EXPECT_EQ(default_of(mode), "plain");
  EXPECT_EQ(find_column({size("step"), fold}, "f")->name, "fold");
  EXPECT_EQ(find_column({size("step"), fold}, "F")->name, "fold");
  EXPECT_EQ(find_column({fold, mode}, "q"), nullptr);
  mode.labels = {"off", "on"};
  EXPECT_EQ(find_column({fold, mode}, "q")->name, "mode");
}

// A filter and a condition are one language.
TEST(StrategyFields, HaveTheShortNamesThatFiltersKnow) {
  store::Schema schema;
  for (const parallel::Field& field : parallel::strategy_fields()) {
    store::Column column = size(std::string(field.name));
    column.labels.assign(field.words.begin(), field.words.end());
    column.role = "strategy";
    column.attributes = parallel::column_attributes(field, {});
    schema.push_back(column);
  }
  int found = 0;
  for (const parallel::Field& field : parallel::strategy_fields()) {
    const std::string name(field.short_name);
    const parallel::Field* const in_filter = parallel::find_field(name);
    const store::Column* const in_condition = find_column(schema, name);
    ASSERT_EQ(in_filter == nullptr, in_condition == nullptr) << name;
    if (in_filter != nullptr) {
      EXPECT_EQ(in_condition->name, in_filter->name);
      ++found;
    }
  }
  EXPECT_EQ(found, 9);  // tp, pp, dp, cp, dcp, ep, afd, sp, z
}

TEST(StrategyFields, OfFilesWithoutRolesAreKnownByName) {
  const store::Column tensor = size("tensor_parallel");
  EXPECT_THAT(strategy_columns({size("step_time"), tensor}), ElementsAre("tensor_parallel"));
  EXPECT_EQ(label_word("tensor_parallel", size("from_tensor_parallel"), 8, "8"), "TP8");
  EXPECT_EQ(default_of(size("shard_group")), "0");
}

StudyDiff diff_of(const TestStudy& from, const TestStudy& to) {
  const TemporaryFolder folder;
  from.write(folder.path() / "a.h5");
  to.write(folder.path() / "b.h5");
  return diff_studies((folder.path() / "a.h5").string(), (folder.path() / "b.h5").string(), {});
}

// `devices` of one number, and a device that is no other in both studies.
TestStudy on_devices(int devices, int tensor_parallel) {
  TestStudy study;
  study.axes = {testing::names("logic", {"N7"}),
                values("accelerators", {static_cast<double>(devices)}, "")};
  study.points = {laid_out({0, 0}, {devices, 16, 1, 2, tensor_parallel == 1 ? 2.0 : 4.0}),
                  laid_out({0, 0}, {devices, 16, 2, 2, 3.0})};
  study.objectives = "step_time";
  return study;
}

TEST(StrategyFields, MoreDevicesAloneAreNoOtherStrategyInADiff) {
  EXPECT_THAT(diff_of(on_devices(4, 1), on_devices(8, 1)).answers, IsEmpty());

  const StudyDiff found = diff_of(on_devices(4, 1), on_devices(8, 2));
  EXPECT_THAT(diff_text(found, "a", "b", 0), HasSubstr("TP1 PP1 DP4 b2 no-rc -> TP2 PP1 DP4 b2"));
}

TEST(StrategyFields, PointsOfADiffMatchAcrossAMicroBatchThatFollows) {
  TestStudy from = inference_batches();
  TestStudy to = inference_batches();
  from.axes = {values("batch", {1}, "")};
  from.points.resize(1);
  to.axes = {values("batch", {4}, "")};
  to.points = {laid_out({0}, {2, 4, 2, 4, 3.0})};

  EXPECT_EQ(diff_of(from, to).matched, 1);
  to.kind = parallel::WorkloadKind::training;  // chosen in one of them
  EXPECT_EQ(diff_of(from, to).matched, 0);
}

}  // namespace
}  // namespace scalesweep::analysis

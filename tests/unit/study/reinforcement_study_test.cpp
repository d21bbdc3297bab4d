// Studies of reinforcement learning: from a spec to rows, and what a wrong one is told.
#include <gmock/gmock.h>

#include "estimator/reinforcement/reinforcement.hpp"
#include "study/kinds/workload_kind.hpp"
#include "unit/study/study_fixture.hpp"
#include "workload/framework.hpp"

namespace scalesweep::study {
namespace {

using ::testing::HasSubstr;

std::string spec_with(const std::string& workload = "", const std::string& rest = "") {
  return R"(schema = 1
title = "A policy"
[workload]
kind = "reinforcement_learning"
model = "llama-3-8b"
prompts = 64
samples = 4
prompt = 512
output = 1024
most_output = 4096
output_spread = 0.8
)" + workload +
         R"([system]
accelerators = [16, 32]
device = "h100-sxm"
[strategy]
tensor_parallel = [1, 2]
pipeline_parallel = 1
micro_batch = 1
zero = 3
recompute = "full"
sequence_parallel = false
)" + rest;
}

std::string separate(const std::string& more = "") {
  return "placement = [\"colocated\", \"separate\"]\nrollout_share = [0.5, 0.75]\n" + more;
}

TEST(ReinforcementStudy, GoesFromASpecToRows) {
  const Study study = test::load_good(spec_with(separate()));
  const engine::RangeResult result = test::evaluate_all(study);
  const store::Schema& schema = study.description().schema;
  const auto number = [&](const char* column, std::size_t row) {
    return result.rows.number(column_named(schema, column), row);
  };
  ASSERT_GT(study.space().size(), 8);
  for (PointId id = 0; id < study.space().size(); ++id) {
    const Point point = study.point_at(id);
    const auto& job = work_of<estimator::ReinforcementJob>(point.job);
    const auto estimate =
        estimator::estimate_reinforcement(job, *point.system.system, point.strategy);
    const auto row = static_cast<std::size_t>(id);
    const double time_s = estimate.iteration_s();
    EXPECT_DOUBLE_EQ(number("iteration_time", row), time_s);
    EXPECT_NEAR(number("tokens_per_second", row) * time_s / (256.0 * 1024.0), 1.0, 1e-6);
    EXPECT_NEAR(number("samples_per_second", row) * time_s / 256.0, 1.0, 1e-6);
    EXPECT_NEAR(number("rollout_time", row), estimate.rollout_s, 1e-6 * estimate.rollout_s);
    EXPECT_NEAR(number("training_time", row), estimate.training_s, 1e-6 * estimate.training_s);
    EXPECT_NEAR(number("device_hours", row) * 3600.0 / time_s / point.accelerators, 1.0, 1e-6);
    EXPECT_NEAR(number("memory_short", row), estimate.memory.short_bytes(),
                1e-6 * estimate.memory.total_bytes());
    EXPECT_GT(number("cost_per_iteration", row), 0.0);
    EXPECT_EQ(number("training_devices", row), static_cast<double>(point.strategy.devices()));
    const double devices = number("training_devices", row) + number("rollout_devices", row);
    EXPECT_EQ(devices, (job.is_separate() ? 1.0 : 2.0) * point.accelerators);
  }
  EXPECT_EQ(study.description().root_attributes.at("objectives"),
            R"([{"minimize":"iteration_time"},)"
            R"({"minimize":"energy_per_token"},{"minimize":"accelerators"}])");
}

TEST(ReinforcementStudy, AxesArriveInTheJob) {
  const Study study = test::load_good(test::replaced(
      spec_with("critic = \"llama-3-8b\"\nreward = \"qwen2.5-7b\"\nreference = \"none\"\n"
                "updates = 2\nepochs = 3\nplacement = \"separate\"\nrollout_share = 0.75\n"
                "staleness = 2\nidle_states = \"kept\"\nprecision = \"fp8\"\n"
                "rollout_precision = \"fp8\"\nframework = \"verl\"\n"
                "rollout_framework = \"sglang\"\n"),
      "[16, 32]", "32"));
  const Point point = study.point_at(0);
  const auto& job = work_of<estimator::ReinforcementJob>(point.job);
  ASSERT_TRUE(job.critic && job.reward);
  EXPECT_EQ(job.critic->name, "llama-3-8b");
  EXPECT_EQ(job.reward->name, "qwen2.5-7b");
  EXPECT_FALSE(job.has_reference);
  EXPECT_EQ(job.updates, 2);
  EXPECT_EQ(job.epochs, 3);
  EXPECT_EQ(job.staleness, 2);
  EXPECT_TRUE(job.is_separate() && job.keeps_states);
  EXPECT_EQ(point.strategy.devices(), 8);
  EXPECT_EQ(job.devices, 32);
  EXPECT_EQ(job.training.precision.linear, technology::Precision::fp8);
  EXPECT_EQ(job.rollouts.precision.weights, technology::Precision::fp8);
  const workload::Framework& trainer = study.catalog().framework("verl");
  EXPECT_EQ(job.training.stack, trainer.training);
  EXPECT_EQ(job.stack, trainer.reinforcement);
  EXPECT_EQ(job.rollouts.stack, study.catalog().framework("sglang").serving);
  EXPECT_EQ(point.job.work_units, 256.0 * 1024.0);
}

TEST(ReinforcementStudy, ColocatedPointsAreNeverStale) {
  const Study study = test::load_good(spec_with(separate("staleness = [0, 1]\n")));
  const engine::RangeResult result = test::evaluate_all(study);
  std::int64_t refused = 0;
  for (PointId id = 0; id < study.space().size(); ++id) {
    const Point point = study.point_at(id);
    const auto& job = work_of<estimator::ReinforcementJob>(point.job);
    refused += !job.is_separate() && job.staleness > 0 ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(result.counts[index_of(own_status(0))], refused);
  EXPECT_EQ(study.description().count_names.back(), "not_separate");
}

TEST(ReinforcementStudy, SaysByHowMuchItDoesNotFit) {
  const Study study = test::load_good(
      test::replaced(test::replaced(spec_with(), "llama-3-8b", "llama-3-405b"), "[16, 32]", "16"));
  const Point point = study.point_at(0);
  const auto estimator = reinforcement_kind().estimator(point.job, point.system, {}, nullptr);
  EXPECT_EQ(estimator->estimate(point.strategy).status, Status::does_not_fit);
  EXPECT_THAT(estimator->reason(), HasSubstr("a device of training lacks"));
}

TEST(ReinforcementStudy, MistakesHaveTheirPlace) {
  const auto messages = [](const std::string& workload) {
    return test::load_text(spec_with(workload)).messages;
  };
  EXPECT_EQ(messages(""), "");
  EXPECT_THAT(messages("updates = 3\n"),
              HasSubstr("spec.toml:12:11: error: 3 updates do not share 256 samples (64 prompts "
                        "with 4 each) evenly"));
  EXPECT_THAT(messages("critic = \"llama-9\"\n"), HasSubstr("the catalog has no model 'llama-9'"));
  EXPECT_THAT(messages("critic = \"\"\n"), HasSubstr("spec.toml:12:10: error"));
  EXPECT_THAT(messages("reward = \"none\"\n"), HasSubstr("the catalog has no model 'none'"));
  EXPECT_THAT(messages("rollout_framework = \"fsdp\"\n"),
              HasSubstr("how 'fsdp' serves requests is not in the catalog; choose one of "));
  EXPECT_THAT(messages("framework = \"vllm\"\n"),
              HasSubstr("how 'vllm@0.14' trains is not in the catalog; choose one of "));
  EXPECT_THAT(messages("rollout_precision = \"fp15\"\n"),
              HasSubstr("there is no precision 'fp15'"));
  EXPECT_THAT(messages("sequence = 2048\n"), HasSubstr("'sequence' goes with kind = \"training\""));
  EXPECT_THAT(
      test::load_text(test::replaced(spec_with(), "most_output = 4096", "most_output = 1000"))
          .messages,
      HasSubstr("answers of 1024 tokens in the mean are more than their limit, "
                "most_output = 1000"));
}

}  // namespace
}  // namespace scalesweep::study

// Pipelines of inference and serving whose stages hold different numbers of layers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "estimator/inference/inference.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/passes/iteration.hpp"
#include "estimator/inference/service/serving.hpp"
#include "estimator/parts/stages.hpp"
#include "support/examples.hpp"
#include "support/small_service.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Strategy;

// Of 60 layers in four stages each has 15, of 64 each has 16, of 62 the two in the middle have 16.
ServingJob service_of(std::int64_t layers, std::int64_t experts = 0) {
  ServingJob job = test::small_service(1000);
  job.inference.model.layers = layers;
  if (experts > 0) {
    job.inference.model.experts = {
        .count = experts, .top_k = 4, .ffn = 2048, .shared_ffn = 2048, .dense_layers = 3};
  }
  job.inference.prompt = 1000;
  job.inference.output = 200;
  return job;
}

Strategy four_stages() {
  Strategy strategy = test::layout_of(2, 1, 4, 4);
  strategy.micro_batch = 8;
  return strategy;
}

void expect_between(double value, double one, double other) {
  EXPECT_GT(value, std::min(one, other));
  EXPECT_LT(value, std::max(one, other));
}

InferenceEstimate batch_of(std::int64_t layers) {
  InferenceJob job = service_of(layers).inference;
  job.batch = 32;
  return estimate_inference(job, test::example_system(), four_stages());
}

ServingEstimate loop_of(ServingJob job) {
  job.concurrency = 64.0;
  return estimate_serving(job, test::example_system(), four_stages());
}

double slowest_stage_s(std::int64_t layers) {
  const ServingJob job = service_of(layers);
  const InferenceSetting setting(job.inference, test::example_system());
  return iteration_cost({setting, four_stages()}, {{}, {8.0, 1.0, 1000.0}}).slowest_stage.total_s();
}

TEST(UnevenStages, AreNoOthersWhereLayersDivide) {
  for (const std::int64_t layers : {4, 60, 64}) {
    const ServingJob job = service_of(layers);
    const InferenceSetting setting(job.inference, test::example_system());
    EXPECT_EQ((Replica{setting, four_stages()}).stages(), 4.0) << layers;
  }
  const ServingJob job = service_of(62);
  const InferenceSetting setting(job.inference, test::example_system());
  EXPECT_EQ((Replica{setting, four_stages()}).stages(), 62.0 / 16.0);
}

TEST(UnevenStages, LieBetweenTheEvenOnesBeside) {
  const InferenceEstimate few = batch_of(60), some = batch_of(62), many = batch_of(64);
  expect_between(some.latency_s(), few.latency_s(), many.latency_s());
  expect_between(some.time_to_first_token_s(), few.time_to_first_token_s(),
                 many.time_to_first_token_s());
  const ServingEstimate a = loop_of(service_of(60)), b = loop_of(service_of(62)),
                        c = loop_of(service_of(64));
  expect_between(b.tokens_per_s, c.tokens_per_s, a.tokens_per_s);
  expect_between(b.time_per_output_token_s, a.time_per_output_token_s, c.time_per_output_token_s);
  expect_between(b.energy.total_j() / b.tokens_per_s, a.energy.total_j() / a.tokens_per_s,
                 c.energy.total_j() / c.tokens_per_s);
}

// The stage with the most layers is what the others wait for, and the head is a part of the last.
TEST(UnevenStages, TheSlowestSetsTheRhythm) {
  const ServingJob job = service_of(62);
  const InferenceSetting setting(job.inference, test::example_system());
  const Replica replica = {setting, four_stages()};
  const PassParts parts = pass_parts(replica, {{}, {8.0, 1.0, 1000.0}});
  const double layer_s = parts.layer.total().time.total_s();
  const double last_s = 15.0 * layer_s + parts.head.total().time.total_s();
  const double send_s = slowest_stage_s(64) - 16.0 * layer_s -
                        parts.head.total().time.total_s();  // its last stage is the slowest
  EXPECT_NEAR(slowest_stage_s(62), std::max(16.0 * layer_s, last_s) + send_s, 1e-12);
  // Groups take turns: without waits each is back when the slowest stage is done with all four.
  const ServingEstimate loop = loop_of(job);
  EXPECT_GE(loop.iteration_s(), 4.0 * 16.0 * layer_s);
}

TEST(UnevenStages, HoldTheModelTogetherAndTheFullestDecides) {
  for (const std::int64_t experts : {0, 16}) {
    const InferenceJob job = service_of(61, experts).inference;
    const Strategy strategy = four_stages();
    const StageShares stages = stage_shares(job.model, strategy, workload::StageBalance::layers);
    double parameters = 0.0;
    double most_bytes = 0.0;
    double layers = 0.0;
    const double cache_bytes = layer_cache_bytes(job, job.model, strategy, 1200.0);
    for (const StageShare& share : stages.kinds()) {
      const double of_stage = stage_parameters(job.model, strategy, share).total();
      parameters += static_cast<double>(share.count) * strategy.tensor_parallel * of_stage;
      layers += static_cast<double>(share.count) * share.all_layers();
      most_bytes = std::max(most_bytes, 2.0 * of_stage + 32.0 * share.all_layers() * cache_bytes);
    }
    EXPECT_EQ(layers, 61.0);
    const double last_norm = static_cast<double>(job.model.hidden);  // of no stage
    EXPECT_NEAR((parameters + last_norm) / job.model.parameters(), 1.0, 1e-12) << experts;
    const InferenceMemory memory = inference_memory(job, test::example_system(), strategy);
    EXPECT_NEAR((memory.weights_bytes + memory.cache_bytes) / most_bytes, 1.0, 1e-12) << experts;
  }
}

// Each device that decodes takes the cache of its own layers; the one with the most takes longest.
TEST(UnevenStages, TheFullestTakesTheCacheOfAPromptLongest) {
  const auto gap_s = [](std::int64_t layers) {
    ServingJob job = service_of(layers);
    job.batching = Batching::disaggregated;
    job.concurrency = 1.0;
    job.requests.front().output = 2.0;
    Strategy strategy = four_stages();
    strategy.data_parallel = 2;
    const ServingEstimate estimate = estimate_serving(job, test::example_system(), strategy);
    return estimate.time_per_output_token_s - estimate.median_token_gap_s;
  };
  EXPECT_NEAR(gap_s(62) / gap_s(64), 1.0, 1e-9) << "16 layers";
  EXPECT_LT(gap_s(60), 0.99 * gap_s(62));
}

}  // namespace
}  // namespace scalesweep::estimator

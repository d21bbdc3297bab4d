// Which traits jobs and layouts have.
#include "estimator/traits.hpp"
#include "estimator/inference/job.hpp"
#include "estimator/training/job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace scalesweep::estimator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

technology::System two_domains() {
  technology::System system;
  system.scale_up_domain() = 8;
  return system;
}

TrainingJob dense() {
  TrainingJob job;
  job.model.layers = 8;
  job.sequence = 4096;
  return job;
}

TrainingJob with_experts() {
  TrainingJob job = dense();
  job.model.experts.count = 16;
  return job;
}

std::vector<std::string> traits(const TrainingJob& job, const parallel::Strategy& strategy) {
  const technology::System system = two_domains();
  const auto names = technology::names_of(traits_of({job, system, strategy}));
  return {names.begin(), names.end()};
}

TEST(Traits, APlainLayoutHasNone) {
  EXPECT_THAT(traits(dense(), {.tensor_parallel = 8, .data_parallel = 4, .zero = 1}), IsEmpty());
}

TEST(Traits, ExpertsAreSpreadOrWhole) {
  EXPECT_THAT(traits(with_experts(), {.data_parallel = 8}),
              ElementsAre("experts without expert parallelism"));
  EXPECT_THAT(traits(with_experts(), {.expert_parallel = 8, .data_parallel = 8}),
              ElementsAre("expert parallelism"));
  EXPECT_THAT(traits(with_experts(), {.tensor_parallel = 2,
                                      .expert_parallel = 8,
                                      .experts_over_tensor = true,
                                      .data_parallel = 4}),
              ElementsAre("experts over tensor-parallel ranks"));
}

TEST(Traits, OfPipelines) {
  EXPECT_THAT(traits(dense(), {.pipeline_parallel = 4}), ElementsAre("pipeline parallelism"));
  EXPECT_THAT(traits(dense(), {.pipeline_parallel = 4, .chunks = 2}),
              ElementsAre("pipeline parallelism", "interleaved pipelines"));
  EXPECT_THAT(
      traits(dense(), {.schedule = parallel::Schedule::zero_bubble, .pipeline_parallel = 4}),
      ElementsAre("pipeline parallelism", "zero-bubble pipelines"));
  EXPECT_THAT(traits(dense(), {.schedule = parallel::Schedule::dual_pipe}), IsEmpty())
      << "one stage has no schedule";
}

TEST(Traits, OfGroupsAndShards) {
  EXPECT_THAT(traits(dense(), {.tensor_parallel = 16, .context_parallel = 2}),
              ElementsAre("context parallelism", "tensor parallelism between domains"));
  EXPECT_THAT(traits(dense(), {.data_parallel = 16, .zero = 3}), ElementsAre("sharded weights"));
  EXPECT_THAT(traits(dense(), {.data_parallel = 16, .zero = 3, .shard_group = 8}),
              ElementsAre("sharded weights", "hybrid sharding"));
  EXPECT_THAT(traits(dense(), {.data_parallel = 16, .zero = 3, .shard_group = 16}),
              ElementsAre("sharded weights"));
  EXPECT_THAT(traits(dense(), {.offload_optimizer = true}), ElementsAre("offload to hosts"));
}

TEST(Traits, OfFormatsAndLengths) {
  TrainingJob job = dense();
  job.precision = mixed_precision(technology::Precision::fp8);
  job.sequence = 65536;
  EXPECT_THAT(traits(job, {}), ElementsAre("8-bit operands", "sequences beyond 32 Ki tokens"));
}

TEST(Traits, OfRequests) {
  InferenceJob job;
  job.precision.weights = technology::Precision::int8;
  job.speculation.draft = 3;
  job.adapters.count = job.adapters.rank = 4;
  job.prefixes.host_hits = 0.5;
  const auto named = [&] {
    const auto names = technology::names_of(traits_of(job, two_domains(), {}, 1024.0, true));
    return std::vector<std::string>(names.begin(), names.end());
  };
  EXPECT_THAT(named(), ElementsAre("weights narrower than operands", "speculative decoding",
                                   "prefixes in hosts or storage", "adapters",
                                   "separate pools for prefill and decode"));
}

// gpt-oss on Blackwell, then without experts.
TEST(Traits, OfFormatsOfSomeLinearLayers) {
  InferenceJob job;
  job.model.experts.count = 16;
  job.precision.experts = technology::Precision::fp8;
  job.precision.expert_weights = technology::Precision::mxfp4;
  const auto named = [&] {
    const auto names = technology::names_of(traits_of(job, two_domains(), {}, 1024.0, false));
    return std::vector<std::string>(names.begin(), names.end());
  };
  EXPECT_THAT(named(), ElementsAre("experts without expert parallelism", "8-bit operands",
                                   "weights narrower than operands"));
  job.model.experts.count = 0;
  EXPECT_THAT(named(), IsEmpty());
  job.precision.attention = technology::Precision::mxfp4;
  EXPECT_THAT(named(), ElementsAre("4-bit operands"));
}

}  // namespace
}  // namespace scalesweep::estimator

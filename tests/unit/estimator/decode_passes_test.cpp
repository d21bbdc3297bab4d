// Passes of decoding that are met again are those that would be computed anew.
#include "estimator/inference/service/decode_passes.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::RankOrder;
using parallel::Strategy;

void expect_same(const Cost& a, const Cost& b) {
  EXPECT_EQ(a.time.values, b.time.values);
  EXPECT_EQ(a.work.values, b.work.values);
}

InferenceJob job_with_experts() {
  InferenceJob job;
  job.model = test::llama(1024, 8, 8, 8, 4096, 32000);
  job.model.experts.count = 64;
  job.model.experts.top_k = 8;
  job.model.experts.ffn = 512;
  job.model.experts.dense_layers = 2;
  return job;
}

// Layouts that share the parts of their passes, and others beside them.
std::vector<Strategy> layouts() {
  std::vector<Strategy> all;
  for (const RankOrder order : {RankOrder::tp_cp_ep_dp_pp, RankOrder::tp_pp_cp_ep_dp}) {
    for (const std::int32_t stages : {1, 2}) {
      for (const std::int32_t replicas : {8, 16}) {
        for (const std::int32_t experts : {1, 8}) {
          for (const std::int32_t groups : {1, 2}) {
            Strategy strategy;
            strategy.tensor_parallel = 2;
            strategy.expert_parallel = experts;
            strategy.rank_order = order;
            strategy.pipeline_parallel = stages;
            strategy.data_parallel = replicas;
            strategy.micro_batches = groups;
            all.push_back(strategy);
          }
        }
      }
    }
  }
  return all;
}

TEST(DecodePasses, AreThoseThatWouldBeComputedAnew) {
  technology::System system = test::example_system();
  system.scale_up_domain() = 4;
  const InferenceSetting plain(job_with_experts(), system);
  const InferenceSetting keeping = plain.keeping(0.5);
  DecodePasses passes;
  for (int round = 0; round < 2; ++round) {
    for (const InferenceSetting* setting : {&plain, &keeping}) {
      for (const Strategy& strategy : layouts()) {
        for (const double sequences : {0.5, 1.0, 48.0}) {
          const Replica replica = {*setting, strategy};
          const workload::TokenGroup decode = {sequences, 1.0, 900.0};
          const IterationCost known = passes.at(replica, decode);
          const IterationCost anew = iteration_cost(replica, {{}, decode});
          expect_same(known.total(), anew.total());
          expect_same(known.communication, anew.communication);
          expect_same(known.pipeline, anew.pipeline);
          EXPECT_EQ(known.slowest_stage.values, anew.slowest_stage.values);
        }
      }
    }
  }
}

}  // namespace
}  // namespace scalesweep::estimator

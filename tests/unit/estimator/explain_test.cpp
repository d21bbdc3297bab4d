#include "estimator/explain/explain_training.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "estimator/training/job.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Strategy;

double sum_of(const Explanation& explanation, const std::string& group = "") {
  double sum_s = 0.0;
  for (const Term& term : explanation.terms) {
    sum_s += group.empty() || term.group == group ? term.step_s() : 0.0;
  }
  return sum_s;
}

double phase(const Explanation& explanation, Phase which) {
  return explanation.estimate.phase_s[static_cast<std::size_t>(which)];
}

// Sixteen devices, eight micro-batches.
struct Case {
  technology::System system = test::example_system();
  TrainingJob job;
  Strategy strategy;

  Case() {
    job.model = test::llama(2048, 24, 16, 16, 8192, 102400);
    job.global_batch = 128;
    job.stack.replicas.hides_data_communication = false;
    strategy.data_parallel = 16;
    strategy.micro_batches = 8;
  }
  Explanation explain() const { return explain_training({job, system, strategy}); }
};

void expect_all_explained(const Explanation& explanation) {
  EXPECT_NEAR(sum_of(explanation) / explanation.estimate.step_time_s(), 1.0, 1e-12);
}

TEST(ExplainTerms, OfExperts) {
  Case experts;
  experts.job.model.experts = {.count = 64, .top_k = 8, .ffn = 1408, .dense_layers = 1};
  experts.strategy.expert_parallel = 8;
  for (const parallel::Recompute recompute :
       {parallel::Recompute::none, parallel::Recompute::full}) {
    experts.strategy.recompute = recompute;
    const Explanation explanation = experts.explain();
    expect_all_explained(explanation);
    EXPECT_GT(phase(explanation, Phase::expert_communication), 0.0);
    EXPECT_NEAR(sum_of(explanation, "expert communication"),
                phase(explanation, Phase::expert_communication), 1e-12);
  }
  const auto terms = experts.explain().terms;
  EXPECT_TRUE(std::any_of(terms.begin(), terms.end(), [](const Term& term) {
    return term.group == "expert layer forward" && term.name == "router" && term.times == 23.0 * 8;
  }));
}

TEST(ExplainTerms, OfContextParallelism) {
  Case context;
  context.strategy.context_parallel = 4;
  context.strategy.context_exchange = parallel::ContextExchange::all_to_all;
  const Explanation explanation = context.explain();
  expect_all_explained(explanation);
  EXPECT_GT(phase(explanation, Phase::context_communication), 0.0);
  EXPECT_NEAR(sum_of(explanation, "context communication"),
              phase(explanation, Phase::context_communication), 1e-12);
}

TEST(ExplainTerms, OfShardedWeights) {
  Case sharded;
  sharded.strategy.zero = 3;
  const Explanation explanation = sharded.explain();
  expect_all_explained(explanation);
  EXPECT_GT(phase(explanation, Phase::data_communication), 0.0);
  EXPECT_NEAR(sum_of(explanation, "data communication"),
              phase(explanation, Phase::data_communication), 1e-12);
}

TEST(ExplainTerms, OfOffload) {
  Case offload;
  offload.system.device.host_bandwidth = BytesPerSecond::si(1e9);
  offload.strategy.offload_activations = true;
  const Explanation explanation = offload.explain();
  expect_all_explained(explanation);
  EXPECT_GT(phase(explanation, Phase::offload), 0.0);
  EXPECT_NEAR(sum_of(explanation, "offload"), phase(explanation, Phase::offload), 1e-12);
}

TEST(ExplainTerms, OfAHostThatBlendsWithTheDevice) {
  Case waits;
  waits.job.stack.issue_interval_s = 60e-6;
  waits.job.stack.backward_issue_interval_s = 40e-6;
  waits.job.stack.issue_blend = 3.0;
  waits.strategy.recompute = parallel::Recompute::full;
  const Explanation explanation = waits.explain();
  expect_all_explained(explanation);
  EXPECT_GT(sum_of(explanation, "waiting for the host"), 0.0);
}

TEST(ExplainTerms, OfStagesThatDiffer) {
  Case stages;
  stages.job.model.layers = 22;
  stages.job.stack.stage_balance = workload::StageBalance::blocks;
  stages.strategy.data_parallel = 4;
  stages.strategy.pipeline_parallel = 4;
  stages.strategy.micro_batches = 32;
  const Explanation explanation = stages.explain();
  expect_all_explained(explanation);
  EXPECT_NEAR(sum_of(explanation, "pipeline bubble"), phase(explanation, Phase::bubble), 1e-12);
}

TEST(ExplainTerms, OfLayersWithAState) {
  Case states;
  states.job.model.local = {.window = 512, .layers = 3};
  states.job.model.linear = {
      .layers = 18, .heads = 32, .key_heads = 16, .key_dim = 128, .value_dim = 64};
  states.job.model.linear.chunk = 128;
  states.job.model.bare_layers = 6;
  states.strategy.data_parallel = 4;
  states.strategy.tensor_parallel = 2;
  states.strategy.context_parallel = 2;
  states.strategy.micro_batches = 32;
  for (const parallel::Recompute recompute :
       {parallel::Recompute::none, parallel::Recompute::selective, parallel::Recompute::full}) {
    states.strategy.recompute = recompute;
    expect_all_explained(states.explain());
  }
  const auto terms = states.explain().terms;
  const auto times = [&](const std::string& group, const std::string& name) {
    double sum = 0.0;
    for (const Term& term : terms) {
      sum += term.group == group && term.name == name ? term.times : 0.0;
    }
    return sum / 32;
  };
  // Three of four layers have a state and three of four an MLP; half of the others a window.
  EXPECT_DOUBLE_EQ(times("linear layer forward", "linear attention"), 13.5);
  EXPECT_DOUBLE_EQ(times("linear layer without MLP forward", "linear attention"), 4.5);
  EXPECT_DOUBLE_EQ(times("layer forward", "flash attention"), 2.25);
  EXPECT_DOUBLE_EQ(times("layer forward", "window attention"), 2.25);
  EXPECT_DOUBLE_EQ(times("layer without MLP backward", "d window attention"), 0.75);
}

TEST(ExplainTerms, OfAnIndexer) {
  Case sparse;
  sparse.job.model.sparse = {.index_heads = 16, .index_dim = 64, .top_k = 512};
  sparse.strategy.recompute = parallel::Recompute::selective;
  expect_all_explained(sparse.explain());
}

TEST(ExplainTerms, OfPredictionModules) {
  Case prediction;
  prediction.job.model.prediction_layers = 2;
  expect_all_explained(prediction.explain());
  const double with_s = prediction.explain().estimate.step_time_s();
  prediction.job.model.prediction_layers = 0;
  EXPECT_GT(with_s, prediction.explain().estimate.step_time_s());
}

}  // namespace
}  // namespace scalesweep::estimator

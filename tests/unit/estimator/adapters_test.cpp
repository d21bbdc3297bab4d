// Adapters beside linear layers: their parameters, how many of them a batch uses, what they cost.
#include "estimator/reuse/adapters.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "estimator/explain/iteration_operators.hpp"
#include "estimator/inference/inference.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/passes/iteration.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using workload::LayerKind;

InferenceJob llama_with(std::int64_t count, std::int64_t rank) {
  InferenceJob job;
  job.model = test::llama(4096, 32, 32, 8, 14336, 128256);
  job.prompt = 500;
  job.output = 100;
  job.batch = 8;
  job.adapters = {.count = count, .rank = rank};
  return job;
}

parallel::Strategy devices(int tensor_parallel, int micro_batch = 8) {
  parallel::Strategy strategy;
  strategy.tensor_parallel = tensor_parallel;
  strategy.micro_batch = micro_batch;
  return strategy;
}

TEST(Adapters, ParametersOfALlamaLayerAreThoseOfTheClosedForm) {
  constexpr double h = 4096, kv = 1024, ffn = 14336, rank = 16;
  const double attention = rank * (2.0 * (h + h) + 2.0 * (h + kv));
  const double mlp = rank * 3.0 * (h + ffn);
  InferenceJob job = llama_with(1, 16);
  const auto parameters = [&](int tp) {
    return adapter_parameters(job, devices(tp), LayerKind::dense);
  };
  EXPECT_DOUBLE_EQ(parameters(1), attention + mlp);
  // What training libraries print for Llama 3 8B with rank 16 on all linear layers.
  EXPECT_DOUBLE_EQ(32.0 * parameters(1), 41943040.0);
  // Each rank has the whole A of what is cut by columns and the whole B of what is cut by rows.
  EXPECT_DOUBLE_EQ(parameters(4), rank * (3.0 * h + (h + 2.0 * kv) / 4.0 + h / 4.0 + h + 2.0 * h +
                                          2.0 * ffn / 4.0 + ffn / 4.0 + h));
  job.adapters.layers = workload::AdapterLayers::attention;
  EXPECT_DOUBLE_EQ(parameters(1), attention);
  job.adapters.layers = workload::AdapterLayers::mlp;
  EXPECT_DOUBLE_EQ(parameters(1), mlp);
}

TEST(Adapters, RoutedExpertsHaveNone) {
  InferenceJob job = llama_with(1, 16);
  job.model.experts.count = 8;
  job.model.experts.top_k = 2;
  job.model.experts.ffn = 14336;
  constexpr double attention = 16 * (2.0 * (4096 + 4096) + 2.0 * (4096 + 1024));
  EXPECT_DOUBLE_EQ(adapter_parameters(job, devices(1), LayerKind::experts), attention);
  job.model.experts.shared_ffn = 2048;
  EXPECT_DOUBLE_EQ(adapter_parameters(job, devices(1), LayerKind::experts),
                   attention + 16 * 3.0 * (4096 + 2048));
}

double exactly_distinct(const AdapterSet& adapters, double sequences) {
  double all = 0.0, distinct = 0.0;
  for (std::int64_t i = 1; i <= adapters.count; ++i) {
    all += std::pow(static_cast<double>(i), -adapters.skew);
  }
  for (std::int64_t i = 1; i <= adapters.count; ++i) {
    const double chance = std::pow(static_cast<double>(i), -adapters.skew) / all;
    distinct += 1.0 - std::pow(1.0 - chance, sequences);
  }
  return distinct;
}

TEST(Adapters, DistinctOnesAreTheSumOverTheirPopularity) {
  for (const std::int64_t count : {1, 7, 64, 1000, 20000}) {
    for (const double skew : {0.0, 0.5, 1.0, 1.3}) {
      for (const double sequences : {1.0, 8.0, 200.0, 3000.0}) {
        const AdapterSet adapters = {.count = count, .rank = 8, .skew = skew};
        const double exact = exactly_distinct(adapters, sequences);
        EXPECT_NEAR(distinct_adapters(adapters, sequences), exact, 0.01 * exact)
            << count << " " << skew << " " << sequences;
      }
    }
  }
  EXPECT_DOUBLE_EQ(distinct_adapters({.count = 9, .rank = 8}, 0.5), 1.0);
}

TEST(Adapters, MultiplyEachTokenByBothMatricesAndReadThoseInUse) {
  const InferenceJob job = llama_with(20, 16);
  workload::InferenceSlice slice;
  slice.decode = {.sequences = 30.0, .new_tokens = 1.0, .cached_tokens = 100.0};
  const auto operators =
      adapter_operators(job, slice, inference_layer_operators(job.model, slice, LayerKind::dense));
  ASSERT_EQ(operators.size(), 8U);  // of four linear layers
  double flop = 0.0, weights = 0.0;
  for (const workload::Operator& op : operators) {
    const auto* matmul = op.as<workload::MatMul>();
    ASSERT_NE(matmul, nullptr);
    flop += matmul->flop();
    weights += matmul->batch * matmul->n * matmul->k;
  }
  const double parameters = adapter_parameters(job, devices(1), LayerKind::dense);
  EXPECT_NEAR(flop, 2.0 * 30.0 * parameters, 1e-6 * flop);
  EXPECT_NEAR(weights, distinct_adapters(job.adapters, 30.0) * parameters, 1e-6 * weights);
}

TEST(Adapters, TakeMemoryAndTimeOrNothing) {
  const technology::System system = test::example_system();
  const InferenceJob plain = llama_with(0, 0);
  const InferenceJob adapted = llama_with(100, 16);
  const auto memory = inference_memory(plain, system, devices(1));
  const auto more = inference_memory(adapted, system, devices(1));
  EXPECT_EQ(memory.adapter_bytes, 0.0);
  EXPECT_DOUBLE_EQ(more.adapter_bytes, 100.0 * 41943040.0 * 2.0);
  EXPECT_DOUBLE_EQ(more.weights_bytes, memory.weights_bytes + more.adapter_bytes);
  EXPECT_LT(more.largest_batch, memory.largest_batch);
  // Two stages: half of them each.
  parallel::Strategy stages = devices(1);
  stages.pipeline_parallel = 2;
  EXPECT_DOUBLE_EQ(inference_memory(adapted, system, stages).adapter_bytes,
                   0.5 * more.adapter_bytes);

  const auto decode_s = [&](std::int64_t count, std::int64_t rank) {
    const InferenceSetting setting(llama_with(count, rank), system);
    return decode_cost({setting, devices(1)}, 64.0, 500.0, 600.0).total().time.total_s();
  };
  EXPECT_GT(decode_s(1, 64), decode_s(0, 0));
  EXPECT_GT(decode_s(100, 64), decode_s(1, 64));  // more of them are read
}

TEST(Adapters, AreAmongTheOperatorsThatAreShown) {
  const InferenceSetting setting(llama_with(20, 16), test::example_system());
  const Replica replica = {setting, devices(2)};
  Iteration iteration;
  iteration.prefill = {.sequences = 1.0, .new_tokens = 500.0, .cached_tokens = 0.0};
  iteration.decode = {.sequences = 12.0, .new_tokens = 1.0, .cached_tokens = 300.0};
  double shown_s = 0.0, adapters_s = 0.0;
  for (const IterationOperator& op : iteration_operators(replica, iteration)) {
    shown_s += op.times * op.once.time.total_s();
    adapters_s += op.name.starts_with("adapters") ? op.times * op.once.time.total_s() : 0.0;
  }
  const IterationCost cost = iteration_cost(replica, iteration);
  EXPECT_NEAR(shown_s,
              (cost.linear + cost.attention + cost.other + cost.communication).time.total_s(),
              1e-9 * shown_s);
  const InferenceSetting none(llama_with(0, 0), test::example_system());
  EXPECT_NEAR(cost.total().time.total_s(),
              iteration_cost({none, devices(2)}, iteration).total().time.total_s() + adapters_s,
              1e-9 * shown_s);
}

}  // namespace
}  // namespace scalesweep::estimator

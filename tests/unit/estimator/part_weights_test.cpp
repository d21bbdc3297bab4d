// Memory and traffic of weights where checkpoints narrow some linear layers.
#include "estimator/inference/part_weights.hpp"

#include <gtest/gtest.h>

#include "estimator/inference/drafter.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/passes/iteration.hpp"
#include "support/example_system.hpp"
#include "unit/workload/operator_sums.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Strategy;
using technology::Precision;

InferenceJob deepseek_job(const InferencePrecision& precision) {
  InferenceJob job;
  job.model = workload::test::deepseek_v3();
  job.precision = precision;
  return job;
}

double weights_bytes(const InferencePrecision& precision, const Strategy& strategy = {}) {
  return inference_memory(deepseek_job(precision), test::example_system(), strategy).weights_bytes;
}

// Latent projections in 16 bits, as published checkpoints of four bits keep them.
TEST(PartWeights, AttentionInSixteenBitsTakesMore) {
  const workload::TransformerModel model = workload::test::deepseek_v3();
  const InferencePrecision four = quantised(Precision::fp4);
  InferencePrecision published = four;
  published.attention = Precision::bf16;
  const double attention = 61.0 * model.attention_parameters();
  EXPECT_NEAR(weights_bytes(published) - weights_bytes(four), attention * (2.0 - 0.5625), 1e3);
  Strategy cut;
  cut.tensor_parallel = 8;
  EXPECT_NEAR(weights_bytes(published, cut) - weights_bytes(four, cut),
              attention / 8.0 * (2.0 - 0.5625), 1e3);
}

TEST(PartWeights, ExpertsAloneMayBeNarrow) {
  const workload::TransformerModel model = workload::test::deepseek_v3();
  InferencePrecision precision;
  precision.expert_weights = Precision::mxfp4;
  const double routed = 58.0 * model.routed_expert_parameters();
  EXPECT_NEAR(weights_bytes({}) - weights_bytes(precision), routed * (2.0 - 0.53125), 1e4);
  Strategy spread;
  spread.expert_parallel = spread.data_parallel = 8;
  EXPECT_NEAR(weights_bytes({}, spread) - weights_bytes(precision, spread),
              routed / 8.0 * (2.0 - 0.53125), 1e4);
  precision.shared = Precision::fp8;
  InferencePrecision without = precision;
  without.shared.reset();
  EXPECT_NEAR(weights_bytes(without) - weights_bytes(precision),
              58.0 * model.shared_expert_parameters(), 1e3);
}

TEST(PartWeights, OfOneFormatAreTheSameHoweverTheyAreSaid) {
  InferencePrecision said = quantised(Precision::fp8);
  said.experts = said.expert_weights = said.shared = said.attention = Precision::fp8;
  EXPECT_EQ(weights_bytes(said), weights_bytes(quantised(Precision::fp8)));
}

TEST(PartWeights, DraftersHaveTheFormatsOfTheirModel) {
  InferenceJob job = deepseek_job(quantised(Precision::fp8));
  job.model.prediction_layers = 1;
  job.speculation = {.draft = 1, .acceptance = 0.8, .drafter = prediction_drafter(job.model)};
  const double all = drafter_weights_bytes(job, {});
  job.precision.attention = Precision::bf16;
  EXPECT_NEAR(drafter_weights_bytes(job, {}) - all, job.model.attention_parameters(), 1.0);
}

// Decode reads all weights of attention, and of experts those that are reached.
TEST(PartWeights, AreReadAsTheyAreStored) {
  const auto read_bytes = [](const InferencePrecision& precision) {
    const InferenceSetting setting(deepseek_job(precision), test::example_system());
    return iteration_cost({setting, {}}, {{}, {1.0, 1.0, 1000.0}}).linear.work[Amount::dram_bytes];
  };
  const workload::TransformerModel model = workload::test::deepseek_v3();
  InferencePrecision precision;
  const double wide = read_bytes(precision);
  precision.attention = Precision::fp8;
  const double attention = 61.0 * model.attention_parameters();
  EXPECT_LT(read_bytes(precision), wide - 0.5 * attention)
      << "decode multiplies latents as they are";
  EXPECT_GT(read_bytes(precision), wide - attention);
  precision = {};
  precision.expert_weights = Precision::mxfp4;
  const double reached = 58.0 * model.routed_expert_parameters() * 8.0 / 256.0;
  EXPECT_NEAR(wide - read_bytes(precision), reached * (2.0 - 0.53125), 0.02 * reached);
}

// Units that multiply fewer bits are faster.
TEST(PartWeights, RatesAreThoseOfTheOperandsOfEachPart) {
  InferencePrecision precision = quantised(Precision::fp8);
  precision.attention = Precision::bf16;
  technology::System system = test::example_system();
  system.device.tensor_peak[technology::index_of(Precision::fp8)] *= 2.0;
  const InferenceSetting setting(deepseek_job(precision), system);
  EXPECT_EQ(setting.of(workload::LinearPart::attention).precision, Precision::bf16);
  EXPECT_EQ(setting.of(workload::LinearPart::experts).precision, Precision::fp8);
  EXPECT_EQ(setting.of(workload::LinearPart::mlp).precision, Precision::fp8);
  EXPECT_LT(setting.of(workload::LinearPart::attention).tensor_flop_per_s,
            setting.of(workload::LinearPart::mlp).tensor_flop_per_s);
}

}  // namespace
}  // namespace scalesweep::estimator

// Static batches: first token and the others, memory by hand, what fits.
#include "estimator/inference/inference.hpp"
#include "estimator/inference/drafter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/passes/iteration.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Strategy;

InferenceJob llama_job(std::int64_t batch = 1) {
  InferenceJob job;
  job.model = test::llama(4096, 32, 32, 8, 14336, 128256);
  job.prompt = 500;
  job.output = 201;
  job.batch = batch;
  return job;
}

Strategy batch_of(std::int32_t sequences, std::int32_t groups = 1) {
  Strategy strategy;
  strategy.micro_batch = sequences;
  strategy.micro_batches = groups;
  return strategy;
}

InferenceEstimate estimate(const InferenceJob& job, const Strategy& strategy) {
  return estimate_inference(job, test::example_system(), strategy);
}

double phase(const InferenceEstimate& estimate, InferencePhase which) {
  return estimate.phase_s[static_cast<std::size_t>(which)];
}

TEST(Inference, TheChunkOfAllRanksIsDividedAmongThem) {
  InferenceJob job = llama_job();
  job.stack.prefill_chunk = 8192.0;
  Strategy spread = batch_of(1);
  spread.data_parallel = spread.expert_parallel = 32;
  EXPECT_EQ(job.chunk_tokens(spread), 8192.0);
  job.stack.chunk_of_all_ranks = true;
  EXPECT_EQ(job.chunk_tokens(spread), 256.0);
  spread.expert_parallel = 1;
  EXPECT_EQ(job.chunk_tokens(spread), 8192.0) << "replicas that share nothing";
  spread.expert_parallel = 32;
  job.prefill_chunk = 512;
  EXPECT_EQ(job.chunk_tokens(spread), 512.0) << "what is said is that of one";
}

TEST(Inference, WeightsThatAreMultipliedWithScalesHaveThemInMemory) {
  InferenceJob job = llama_job();
  const auto bytes = [&](const InferencePrecision& precision) {
    job.precision = precision;
    return job.weight_bytes();
  };
  using technology::Precision;
  EXPECT_EQ(bytes(quantised(Precision::fp4)), 0.5 + 1.0 / 16.0);
  EXPECT_EQ(bytes(weight_only(Precision::fp4)), 0.5) << "scales of groups are left out";
  EXPECT_EQ(bytes(quantised(Precision::mxfp8)), 1.0 + 1.0 / 32.0);
  EXPECT_EQ(bytes(quantised(Precision::mxfp4)), 0.5 + 1.0 / 32.0);
  EXPECT_EQ(bytes(weight_only(Precision::mxfp4)), 0.5 + 1.0 / 32.0) << "of the format itself";
  EXPECT_EQ(bytes(quantised(Precision::fp8)), 1.0);
  EXPECT_EQ(bytes({}), 2.0);
}

TEST(Inference, PartsThatSayNothingAreLikeTheOtherLinearLayers) {
  using technology::Precision;
  using workload::LinearPart;
  InferencePrecision precision = quantised(Precision::fp8);
  EXPECT_TRUE(precision.is_uniform());
  precision.expert_weights = Precision::fp4;
  EXPECT_EQ(precision.operands_of(LinearPart::experts), Precision::fp8);
  EXPECT_EQ(precision.weights_of(LinearPart::experts), Precision::fp4);
  precision.experts = Precision::mxfp8;
  EXPECT_EQ(precision.operands_of(LinearPart::experts), Precision::mxfp8);
  EXPECT_EQ(precision.weights_of(LinearPart::experts), Precision::fp4);
  precision.expert_weights.reset();
  EXPECT_EQ(precision.weights_of(LinearPart::experts), Precision::mxfp8);
  precision.attention = Precision::bf16;
  EXPECT_EQ(precision.operands_of(LinearPart::attention), Precision::bf16);
  EXPECT_EQ(precision.weights_of(LinearPart::attention), Precision::bf16);
  for (const LinearPart part : {LinearPart::mlp, LinearPart::shared_experts}) {
    EXPECT_EQ(precision.operands_of(part), Precision::fp8);
    EXPECT_EQ(precision.weights_of(part), Precision::fp8);
  }
  EXPECT_FALSE(precision.is_uniform());
}

TEST(Inference, IsTheFirstTokenAndTheOthers) {
  const InferenceJob job = llama_job(8);
  const InferenceEstimate e = estimate(job, batch_of(8));
  const InferenceSetting setting(job, test::example_system());
  const Replica model = {setting, batch_of(8)};
  const double first_s = prefill_cost(model, 8, 500, 0, 0).total().time.total_s();
  const double others_s = decode_cost(model, 8, 500, 700).total().time.total_s();
  EXPECT_NEAR(e.time_to_first_token_s(), first_s, 1e-12);
  EXPECT_NEAR(e.latency_s(), first_s + others_s, 1e-12);
  EXPECT_NEAR(e.time_per_output_token_s(), others_s / 200.0, 1e-12);
  EXPECT_NEAR(e.tokens_per_s, 8 * 201 / e.latency_s(), 1e-9);
}

TEST(Inference, OneTokenIsThePrompt) {
  InferenceJob job = llama_job();
  job.output = 1;
  const InferenceEstimate e = estimate(job, batch_of(1));
  EXPECT_DOUBLE_EQ(e.latency_s(), e.time_to_first_token_s());
  EXPECT_EQ(e.time_per_output_token_s(), 0.0);
  EXPECT_EQ(phase(e, InferencePhase::decode_linear), 0.0);
}

TEST(Inference, WeightsAreReadOnceForEveryToken) {
  const InferenceEstimate e = estimate(llama_job(), batch_of(1));
  const double bytes = 2.0 * 8.03e9;
  EXPECT_GT(e.time_per_output_token_s(), bytes / (2e12 * 0.8));
  EXPECT_LT(e.time_per_output_token_s(), 1.3 * bytes / (2e12 * 0.8));
  EXPECT_EQ(dominant(e.latency), Resource::dram);
}

// 16 GB of weights in a scratchpad of 44 GB that reads at 20 TB/s.
TEST(Inference, WeightsThatFitInL2AreReadThere) {
  technology::System system = test::example_system();
  system.device.l2.capacity = Bytes::si(44e9);
  system.device.l2.bandwidth = BytesPerSecond::si(20e12);
  system.device.l2.sustained = 1.0;
  const InferenceEstimate e = estimate_inference(llama_job(), system, batch_of(1));
  EXPECT_EQ(e.kept_in_l2, 1.0);
  EXPECT_EQ(e.latency[Resource::dram], 0.0);
  const double bytes = 2.0 * 8.03e9;
  EXPECT_GT(e.time_per_output_token_s(), bytes / 20e12);
  EXPECT_LT(e.time_per_output_token_s(),
            0.5 * estimate(llama_job(), batch_of(1)).time_per_output_token_s());
}

// Read in turn, of what is larger than a cache nothing is left when its turn comes.
TEST(Inference, WeightsThatDoNotFitInL2AreReadFromDram) {
  technology::System system = test::example_system();
  system.device.l2.capacity = Bytes::si(16e9);
  const InferenceEstimate e = estimate_inference(llama_job(), system, batch_of(1));
  EXPECT_EQ(e.kept_in_l2, 0.0);
  EXPECT_EQ(dominant(e.latency), Resource::dram);
}

TEST(Inference, FewerBytesOfWeightsAreReadFaster) {
  InferenceJob job = llama_job();
  const double half_s = estimate(job, batch_of(1)).time_per_output_token_s();
  job.precision = quantised(technology::Precision::fp8);
  EXPECT_NEAR(estimate(job, batch_of(1)).time_per_output_token_s() / half_s, 0.65, 0.1);
  job.precision = weight_only(technology::Precision::fp4);
  EXPECT_EQ(job.precision.operands, technology::Precision::bf16);
  const InferenceEstimate four_bits = estimate(job, batch_of(1));
  EXPECT_LT(four_bits.time_per_output_token_s(), 0.7 * half_s);
  // They are multiplied in 16 bits all the same.
  const double wide_s = estimate(llama_job(), batch_of(1)).time_to_first_token_s();
  EXPECT_GT(four_bits.time_to_first_token_s(), 0.8 * wide_s);
}

TEST(Inference, HitsSpareTheirPartOfThePrompt) {
  InferenceJob job = llama_job(16);
  job.prompt = 4000;
  const InferenceEstimate none = estimate(job, batch_of(16));
  job.prefix_hits = 0.5;
  const InferenceEstimate half = estimate(job, batch_of(16));
  EXPECT_LT(half.time_to_first_token_s(), 0.6 * none.time_to_first_token_s());
  EXPECT_GT(half.time_to_first_token_s(), 0.4 * none.time_to_first_token_s());
  EXPECT_DOUBLE_EQ(half.time_per_output_token_s(), none.time_per_output_token_s());
  job.prefix_hits = 1.0;  // the last token is computed all the same
  EXPECT_GT(estimate(job, batch_of(16)).time_to_first_token_s(), 0.0);
}

TEST(Inference, MicroBatchesFillThePipeline) {
  InferenceJob job = llama_job(32);
  Strategy one = batch_of(32);
  one.pipeline_parallel = 4;
  Strategy four = batch_of(8, 4);
  four.pipeline_parallel = 4;
  const InferenceEstimate alone = estimate(job, one);
  const InferenceEstimate turns = estimate(job, four);
  // Prefill: four parts through four stages take seven steps instead of sixteen.
  EXPECT_NEAR(turns.time_to_first_token_s() / alone.time_to_first_token_s(), 7.0 / 16.0, 0.06);
  // Decode: the slowest stage works all the time.
  const InferenceSetting setting(job, test::example_system());
  const IterationCost pass = decode_cost({setting, four}, 8, 500, 700);
  EXPECT_NEAR(turns.latency_s() - turns.time_to_first_token_s(), 4.0 * pass.slowest_stage.total_s(),
              1e-12);
  EXPECT_GT(phase(turns, InferencePhase::pipeline), phase(alone, InferencePhase::pipeline));
}

TEST(Inference, ReplicasServeTheirOwn) {
  const InferenceEstimate one = estimate(llama_job(4), batch_of(4));
  Strategy strategy = batch_of(4);
  strategy.data_parallel = 3;
  const InferenceEstimate three = estimate(llama_job(12), strategy);
  EXPECT_DOUBLE_EQ(three.latency_s(), one.latency_s());
  EXPECT_DOUBLE_EQ(three.tokens_per_s, 3.0 * one.tokens_per_s);
  EXPECT_DOUBLE_EQ(three.memory.total_bytes(), one.memory.total_bytes());
  EXPECT_NEAR(three.energy.total_j(), 3.0 * one.energy.total_j(), 1e-9 * three.energy.total_j());
  EXPECT_NEAR(three.device_power_w, one.device_power_w, 1e-9);
}

TEST(Inference, ARequestHasAFixedTime) {
  InferenceJob job = llama_job();
  const InferenceEstimate without = estimate(job, batch_of(1));
  job.stack.request_overhead_s = 0.02;
  const InferenceEstimate with = estimate(job, batch_of(1));
  EXPECT_NEAR(with.time_to_first_token_s() - without.time_to_first_token_s(), 0.02, 1e-12);
  EXPECT_NEAR(with.latency_s() - without.latency_s(), 0.02, 1e-12);
  EXPECT_NEAR(phase(with, InferencePhase::host), 0.02, 1e-12);
}

TEST(Inference, SpeculationSparesIterations) {
  InferenceJob job = llama_job();
  const double plain_s = estimate(job, batch_of(1)).time_per_output_token_s();
  job.speculation = {4, 0.8, 0.05};
  const InferenceEstimate drafted = estimate(job, batch_of(1));
  const double yield = job.speculation.tokens_per_iteration();
  EXPECT_NEAR(drafted.time_per_output_token_s() / (plain_s * (1.0 + 4 * 0.05) / yield), 1.0, 0.1);
  // 200 / yield iterations with four proposals, each a twentieth of what the model takes for one.
  EXPECT_NEAR(phase(drafted, InferencePhase::draft) / (200.0 / yield * 4 * 0.05 * plain_s), 1.0,
              1e-3);
}

// A small model by itself is the oracle of what it takes as a drafter.
TEST(Inference, ADraftersTimeAndMemoryAreThoseOfItsLayers) {
  InferenceJob job = llama_job();
  const InferenceEstimate plain = estimate(job, batch_of(4));
  InferenceJob small = job;
  small.model = test::llama(1024, 4, 8, 8, 4096, job.model.vocab);
  small.stack.iteration_overhead_s = 0.0;
  small.stack.sequence_overhead_s = 0.0;
  job.speculation = {4, 0.8, 0.0, drafter_of(small.model)};
  const InferenceEstimate drafted = estimate(job, batch_of(4));
  const InferenceEstimate own = estimate(small, batch_of(4));
  const double passes =
      static_cast<double>(job.output - 1) / job.speculation.tokens_per_iteration() * 4.0;
  // The first proposal of a draft reads the tokens that stayed of the last one as well.
  const double draft_s = own.time_to_first_token_s() + passes * own.time_per_output_token_s();
  EXPECT_NEAR(phase(drafted, InferencePhase::draft) / draft_s, 1.0, 0.03);
  EXPECT_DOUBLE_EQ(drafted.memory.draft_bytes, own.memory.weights_bytes + own.memory.cache_bytes);
  EXPECT_NEAR(drafted.memory.total_bytes() - plain.memory.total_bytes(), drafted.memory.draft_bytes,
              1.0);
  EXPECT_LT(drafted.memory.largest_batch, plain.memory.largest_batch);
  // Nothing is drafted: the shape alone changes nothing.
  job.speculation.draft = 0;
  EXPECT_EQ(estimate(job, batch_of(4)).latency_s(), plain.latency_s());
  EXPECT_EQ(estimate(job, batch_of(4)).memory.total_bytes(), plain.memory.total_bytes());
}

TEST(Inference, HeadsBehindAModelHaveOneLayerAndItsTables) {
  workload::TransformerModel model = llama_job().model;
  const auto h = static_cast<double>(model.hidden);
  const double layer = model.layer_parameters();
  EXPECT_NEAR(parameters_of(eagle_drafter(model)) / (layer + 2.0 * h * h), 1.0, 1e-3);
  model.experts = {.count = 16, .top_k = 2, .ffn = 512, .dense_layers = 3};
  model.prediction_layers = 1;
  // Norms of the inputs alone are not counted here.
  EXPECT_NEAR(parameters_of(prediction_drafter(model)) / model.prediction_parameters(), 1.0, 1e-3);
  EXPECT_NEAR(parameters_of(eagle_drafter(model)) / (layer + 2.0 * h * h), 1.0, 1e-3);

  InferenceJob job = llama_job();
  job.speculation = {2, 0.8, 0.0, eagle_drafter(job.model)};
  const InferenceEstimate eagle = estimate(job, batch_of(4));
  EXPECT_GT(phase(eagle, InferencePhase::draft), 0.0);
  EXPECT_NEAR(eagle.memory.draft_bytes -
                  eagle.memory.cache_bytes / static_cast<double>(job.model.layers + 1),
              2.0 * (layer + 2.0 * h * h), 1e-3 * layer);
}

TEST(Inference, WarnsBeyondTheContext) {
  InferenceJob job = llama_job();
  job.model.max_positions = 701;
  EXPECT_FALSE(estimate(job, batch_of(1)).beyond_context);
  job.model.max_positions = 700;
  EXPECT_TRUE(estimate(job, batch_of(1)).beyond_context);
}

TEST(Inference, TakesTheErrorBarsOfItsScale) {
  InferenceJob job = llama_job();
  job.uncertainty = {{0.1, {}}, {0.3, {}}, {}};
  EXPECT_DOUBLE_EQ(estimate(job, batch_of(1)).relative_uncertainty, 0.1);
  Strategy strategy = batch_of(1);
  strategy.data_parallel = 16;
  EXPECT_DOUBLE_EQ(estimate(job, strategy).relative_uncertainty, 0.3);
}

InferenceMemory memory_of(const InferenceJob& job, const Strategy& strategy) {
  return inference_memory(job, test::example_system(), strategy);
}

TEST(InferenceMemory, KeysAndValuesByHand) {
  const double tokens = 701;
  InferenceJob grouped = llama_job();
  EXPECT_DOUBLE_EQ(memory_of(grouped, batch_of(5)).cache_bytes,
                   5 * tokens * 2.0 * 8 * 128 * 2 * 32);
  InferenceJob many = llama_job();
  many.model.kv_heads = 32;
  EXPECT_DOUBLE_EQ(memory_of(many, batch_of(5)).cache_bytes, 5 * tokens * 2.0 * 32 * 128 * 2 * 32);
  InferenceJob latent = llama_job();
  latent.model.latent = {1536, 512, 64, 128, 128};
  EXPECT_DOUBLE_EQ(memory_of(latent, batch_of(5)).cache_bytes, 5 * tokens * 576 * 2.0 * 32);
  InferenceJob window = llama_job();
  window.model.local = {.window = 256, .layers = 24};
  EXPECT_DOUBLE_EQ(memory_of(window, batch_of(5)).cache_bytes,
                   5 * (8 * tokens + 24 * 256) * 2.0 * 8 * 128 * 2);
  InferenceJob states = llama_job();  // 24 layers of 16 states of 128 x 64 in fp32
  states.model.linear = {
      .layers = 24, .heads = 16, .key_heads = 16, .key_dim = 128, .value_dim = 64};
  const double state = 16.0 * 128 * 64 * 4;
  EXPECT_DOUBLE_EQ(memory_of(states, batch_of(5)).cache_bytes,
                   5 * (8 * tokens * 2.0 * 8 * 128 * 2 + 24 * state));
  Strategy cut = batch_of(5);
  cut.tensor_parallel = 4;
  EXPECT_DOUBLE_EQ(memory_of(states, cut).cache_bytes,
                   5 * (8 * tokens * 2.0 * 8 * 128 * 2 + 24 * state) / 4);
  InferenceJob sparse = latent;
  sparse.model.sparse = {.index_heads = 64, .index_dim = 128, .top_k = 2048};
  EXPECT_DOUBLE_EQ(memory_of(sparse, batch_of(5)).cache_bytes, 5 * tokens * (576 + 128) * 2.0 * 32);
  grouped.precision.cache = technology::Precision::fp8;
  grouped.stack.page_tokens = 64;  // 11 pages
  EXPECT_DOUBLE_EQ(memory_of(grouped, batch_of(5)).cache_bytes, 5 * 704 * 2.0 * 8 * 128 * 32);
}

TEST(InferenceMemory, ShardsHoldTheirHeads) {
  Strategy strategy = batch_of(1);
  const double whole = memory_of(llama_job(), strategy).cache_bytes;
  strategy.tensor_parallel = 8;
  EXPECT_DOUBLE_EQ(memory_of(llama_job(), strategy).cache_bytes, whole / 8);
  strategy.tensor_parallel = 16;  // one head of keys on two devices
  EXPECT_DOUBLE_EQ(memory_of(llama_job(), strategy).cache_bytes, whole / 8);
  InferenceJob latent = llama_job();
  latent.model.latent = {1536, 512, 64, 128, 128};
  EXPECT_DOUBLE_EQ(memory_of(latent, strategy).cache_bytes,
                   memory_of(latent, batch_of(1)).cache_bytes);
  strategy = batch_of(1);
  strategy.pipeline_parallel = 4;
  EXPECT_DOUBLE_EQ(memory_of(llama_job(), strategy).cache_bytes, whole / 4);
}

TEST(InferenceMemory, WeightsHaveTheirOwnFormat) {
  InferenceJob job = llama_job();
  const double parameters = job.model.parameters();
  EXPECT_NEAR(memory_of(job, batch_of(1)).weights_bytes, 2.0 * parameters, 1e4);
  job.precision = quantised(technology::Precision::fp8);
  const double table = 2.0 * 4096 * 128256;  // and the head, in 16 bits
  EXPECT_NEAR(memory_of(job, batch_of(1)).weights_bytes, parameters - table + 2.0 * table, 1e4);
}

TEST(InferenceMemory, TheLargestBatchFitsAndOneMoreDoesNot) {
  for (const std::int64_t chunk : {0, 512}) {
    for (const int pp : {1, 4}) {
      InferenceJob job = llama_job();
      job.prompt = 3000;
      job.prefill_chunk = chunk;
      Strategy strategy = batch_of(1);
      strategy.pipeline_parallel = pp;
      const double largest = estimate(job, strategy).memory.largest_batch;
      EXPECT_GT(largest, 10.0);
      strategy.micro_batch = static_cast<std::int32_t>(largest);
      const InferenceEstimate full = estimate(job, strategy);
      EXPECT_EQ(full.verdict, Verdict::fits);
      EXPECT_DOUBLE_EQ(full.memory.largest_batch, largest);
      ++strategy.micro_batch;
      EXPECT_EQ(estimate(job, strategy).verdict, Verdict::does_not_fit);
      strategy.data_parallel = 3;
      const InferenceEstimate three = estimate(job, strategy);
      EXPECT_DOUBLE_EQ(three.memory.largest_batch, 3.0 * largest);
      EXPECT_DOUBLE_EQ(three.requests().largest_batch_per_replica, largest);
      EXPECT_DOUBLE_EQ(three.requests().in_flight_per_replica, largest + 1.0);
      EXPECT_DOUBLE_EQ(three.requests().in_flight, 3.0 * (largest + 1.0));
    }
  }
}

TEST(InferenceMemory, HoldsWhatOneChunkOfTheFrameworkWorksOn) {
  InferenceJob whole = llama_job();
  whole.prompt = 3000;
  InferenceJob of_stack = whole;
  of_stack.stack.prefill_chunk = 512;
  InferenceJob said = whole;
  said.prefill_chunk = 512;
  const InferenceEstimate e = estimate(of_stack, batch_of(16));
  EXPECT_EQ(e.latency_s(), estimate(said, batch_of(16)).latency_s());
  EXPECT_EQ(e.memory.activations_bytes, estimate(said, batch_of(16)).memory.activations_bytes);
  EXPECT_GT(e.memory.largest_batch, estimate(whole, batch_of(16)).memory.largest_batch);
  // All 48,000 tokens at once, but for the logits.
  const double logits = 16.0 * 128256.0 * 4.0;
  EXPECT_NEAR((estimate(whole, batch_of(16)).memory.activations_bytes - logits) /
                  (e.memory.activations_bytes - logits),
              48000.0 / 512.0, 1e-9);
  of_stack.prefill_chunk = 0;  // what is said wins
  EXPECT_EQ(estimate(of_stack, batch_of(16)).latency_s(),
            estimate(whole, batch_of(16)).latency_s());
}

TEST(InferenceMemory, WeightsThatDoNotFitLeaveNoRequest) {
  InferenceJob job = llama_job();
  job.model = test::gpt3_175b();
  const InferenceEstimate e = estimate(job, batch_of(1));
  EXPECT_EQ(e.verdict, Verdict::does_not_fit);
  EXPECT_EQ(e.memory.largest_batch, 0.0);
  EXPECT_GT(e.memory.weights_bytes, e.memory.usable_bytes);
  EXPECT_GT(e.latency_s(), 0.0);  // what it would take all the same
}

TEST(InferenceMemory, TheStackLeavesSomeFree) {
  InferenceJob job = llama_job();
  job.stack.memory_share = 0.5;
  EXPECT_DOUBLE_EQ(memory_of(job, batch_of(1)).usable_bytes, 40e9);
  job.stack.memory_share = 1.0;  // the driver's part is gone
  EXPECT_DOUBLE_EQ(memory_of(job, batch_of(1)).usable_bytes, 78e9);
}

TEST(InferenceEstimator, GivesTheSameBitsAsThePlainPath) {
  InferenceJob job = llama_job();
  job.model.experts.count = 16;
  job.model.experts.top_k = 2;
  job.model.experts.ffn = 2048;
  const technology::System system = test::example_system();
  InferenceEstimator factored(job, system);
  for (const int tp : {1, 2}) {
    for (const int pp : {1, 2, 4}) {
      for (const int groups : {1, 4}) {
        Strategy strategy = batch_of(4, groups);
        strategy.tensor_parallel = tp;
        strategy.pipeline_parallel = pp;
        strategy.data_parallel = 2;
        strategy.expert_parallel = groups == 1 ? 2 : 1;
        const InferenceEstimate a = factored(strategy);
        const InferenceEstimate b = estimate_inference(job, system, strategy);
        EXPECT_EQ(a.latency.values, b.latency.values);
        EXPECT_EQ(a.first_token.values, b.first_token.values);
        EXPECT_EQ(a.phase_s, b.phase_s);
        EXPECT_EQ(a.memory.total_bytes(), b.memory.total_bytes());
        EXPECT_EQ(a.energy.total_j(), b.energy.total_j());
      }
    }
  }
}

}  // namespace
}  // namespace scalesweep::estimator

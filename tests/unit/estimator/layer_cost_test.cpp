#include "estimator/training/layer_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "estimator/parts/collective.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::CollectiveKind;
using parallel::ContextExchange;
using parallel::Strategy;

TrainingJob small_job() {
  TrainingJob job;
  job.model = test::gpt(1024, 24, 16);
  return job;
}

TrainingJob experts_job() {
  TrainingJob job;
  job.model = test::llama(2048, 24, 16, 16, 8192, 102400);
  job.model.experts.count = 64;
  job.model.experts.top_k = 8;
  job.model.experts.ffn = 1408;
  return job;
}

double total_s(const Cost& cost) {
  return cost.time.total_s();
}

std::size_t forward_operators(const TrainingJob& job, const Strategy& strategy) {
  return workload::layer_operators(job.model, slice_of(job, strategy)).forward.size();
}

TEST(HostWait, APassTakesTheLongerOfDeviceAndHost) {
  const technology::System system = test::example_system();
  TrainingJob job = small_job();
  const Strategy strategy;
  const double device_s = total_s(layer_costs({job, system, strategy}).layer.forward.total());
  const auto operators = static_cast<double>(forward_operators(job, strategy));

  job.stack.issue_interval_s = 0.5 * device_s / operators;
  EXPECT_EQ(total_s(layer_costs({job, system, strategy}).layer.forward[PassPart::host_wait]), 0.0);
  job.stack.issue_interval_s = 2.0 * device_s / operators;
  const PassCost waits = layer_costs({job, system, strategy}).layer.forward;
  EXPECT_NEAR(total_s(waits.total()), 2.0 * device_s, 1e-12);
  EXPECT_EQ(dominant(waits.total().time), Resource::latency);
}

TEST(HostWait, LayersOfExpertsHaveAnIntervalOfTheirOwn) {
  const technology::System system = test::example_system();
  TrainingJob job = experts_job();
  job.model.experts.every = 2;
  const auto waits = [&] {
    const LayerCosts costs = layer_costs({job, system, Strategy{}});
    return std::pair(total_s(costs.layer.forward[PassPart::host_wait]),
                     total_s(costs.expert_layer.forward[PassPart::host_wait]));
  };
  EXPECT_EQ(waits(), std::pair(0.0, 0.0));
  job.stack.expert_issue_interval_s = 1.0;
  EXPECT_EQ(waits().first, 0.0);
  EXPECT_GT(waits().second, 1.0);
}

TEST(HostWait, DeviceAndHostBlend) {
  const technology::System system = test::example_system();
  TrainingJob job = small_job();
  const Strategy strategy;
  const Charges device = layer_costs({job, system, strategy}).layer.forward.total().time;
  const double device_s = device.total_s();
  for (const double ratio : {0.3, 1.0, 3.0}) {
    for (const double k : {1.0, 2.0, 3.5}) {
      job.stack.issue_blend = k;
      const double host_s = ratio * device_s;
      job.stack.issue_interval_s = host_s / static_cast<double>(forward_operators(job, strategy));
      const Charges pass = layer_costs({job, system, strategy}).layer.forward.total().time;
      const double expected_s = std::pow(std::pow(device_s, k) + std::pow(host_s, k), 1.0 / k);
      EXPECT_NEAR(pass.total_s() / expected_s, 1.0, 1e-12);
      // Elasticities: what the device is charged grows with its part of the power mean.
      const std::size_t tensor = index_of(Resource::tensor_compute);
      EXPECT_NEAR(pass.values[tensor],
                  device.values[tensor] * std::pow(device_s / expected_s, k - 1.0),
                  1e-12 * expected_s);
    }
  }
}

TEST(HostWait, CollectivesAreIssuedTooAndByEveryRank) {
  workload::TrainingStack stack;
  stack.collective_issue_interval_s = 9e-6;
  EXPECT_DOUBLE_EQ(collective_issue_s(stack, {8, 1}), 9e-6);
  stack.replicas.rank_issue_interval_s = 11e-6;
  EXPECT_DOUBLE_EQ(collective_issue_s(stack, {8, 1}), 97e-6);
  stack.replicas.crossing_issue_interval_s = 4e-6;
  EXPECT_DOUBLE_EQ(collective_issue_s(stack, {8, 1}), 97e-6);
  EXPECT_DOUBLE_EQ(collective_issue_s(stack, {8, 2}), 249e-6);
}

TEST(HostWait, CountsTwoReductionsAPassAndFourOrSixWithSequenceParallelism) {
  const technology::System system = test::example_system();
  TrainingJob job = small_job();
  job.stack.collective_issue_interval_s = 1.0;  // far longer than any kernel
  Strategy strategy;
  strategy.tensor_parallel = 8;
  const BlockCost reduced = layer_costs({job, system, strategy}).layer;
  EXPECT_NEAR(total_s(reduced.forward.total()), 2.0, 1e-12);
  EXPECT_NEAR(total_s(reduced.backward.total()), 2.0, 1e-12);
  strategy.sequence_parallel = true;
  const BlockCost scattered = layer_costs({job, system, strategy}).layer;
  EXPECT_NEAR(total_s(scattered.forward.total()), 4.0, 1e-12);
  EXPECT_NEAR(total_s(scattered.backward.total()), 6.0, 1e-12);
}

TEST(HostWait, BlocksSideBySideShareTheirReductions) {
  const technology::System system = test::example_system();
  TrainingJob job = small_job();
  job.model.parallel_blocks = true;
  job.stack.collective_issue_interval_s = 1.0;  // far longer than any kernel
  Strategy strategy;
  strategy.tensor_parallel = 8;
  const BlockCost reduced = layer_costs({job, system, strategy}).layer;
  EXPECT_NEAR(total_s(reduced.forward.total()), 1.0, 1e-12);
  EXPECT_NEAR(total_s(reduced.backward.total()), 1.0, 1e-12);
  strategy.sequence_parallel = true;
  const BlockCost scattered = layer_costs({job, system, strategy}).layer;
  EXPECT_NEAR(total_s(scattered.forward.total()), 2.0, 1e-12);
  EXPECT_NEAR(total_s(scattered.backward.total()), 3.0, 1e-12);
}

TEST(HostWait, EveryRankOfACollectivesOwnGroupIssuesIt) {
  const technology::System system = test::example_system();
  TrainingJob job = small_job();
  job.stack.replicas.rank_issue_interval_s = 1.0;
  Strategy strategy;
  strategy.tensor_parallel = 2;
  strategy.context_parallel = 4;
  // Two reductions of two ranks, a ring of four, back that of the gradients as well.
  const BlockCost ring = layer_costs({job, system, strategy}).layer;
  EXPECT_NEAR(total_s(ring.forward.total()), 2.0 * 2.0 + 4.0, 1e-12);
  EXPECT_NEAR(total_s(ring.backward.total()), 2.0 * 2.0 + 2.0 * 4.0, 1e-12);
  strategy.context_exchange = ContextExchange::all_to_all;
  const BlockCost exchanged = layer_costs({job, system, strategy}).layer;
  EXPECT_NEAR(total_s(exchanged.forward.total()), 2.0 * 2.0 + 4.0, 1e-12);
  EXPECT_NEAR(total_s(exchanged.backward.total()), 2.0 * 2.0 + 4.0, 1e-12);
}

TEST(HostWait, ARingIsLaunchedOnceForEveryOtherRank) {
  const technology::System system = test::example_system();
  TrainingJob job = small_job();
  job.stack.collective_issue_interval_s = 1.0;
  Strategy strategy;
  strategy.context_parallel = 4;
  const BlockCost ring = layer_costs({job, system, strategy}).layer;
  EXPECT_NEAR(total_s(ring.forward.total()), 3.0, 1e-12);
  EXPECT_NEAR(total_s(ring.backward.total()), 6.0, 1e-12);
  strategy.context_exchange = ContextExchange::all_to_all;
  EXPECT_NEAR(total_s(layer_costs({job, system, strategy}).layer.forward.total()), 1.0, 1e-12);
}

TEST(HostWait, TokensToExpertsAndBackAreIssuedAsOftenAsTheyTravel) {
  const technology::System system = test::example_system();
  TrainingJob job = experts_job();
  job.stack.replicas.rank_issue_interval_s = 1.0;
  Strategy strategy;
  strategy.data_parallel = 32;
  strategy.expert_parallel = 32;  // four nodes of eight
  const auto forward_s = [&] {
    return total_s(layer_costs({job, system, strategy}).expert_layer.forward.total());
  };
  EXPECT_NEAR(forward_s(), 2.0 * 32.0, 1e-12);
  job.model.experts.groups = 4;
  job.model.experts.node_limit = 2;  // to nodes, and inside them on
  EXPECT_NEAR(forward_s(), 2.0 * (4.0 + 8.0), 1e-12);
  job.stack.hides_expert_communication = true;
  EXPECT_NEAR(forward_s(), 2.0 * (4.0 + 8.0), 1.0);
}

// Hosts that take a second for each rank of a collective show which groups a pass talks to.
TEST(HostWait, ExpertsOverTensorTalkToNoMoreThanTheyMust) {
  const technology::System system = test::example_system();
  TrainingJob job = experts_job();
  job.stack.replicas.rank_issue_interval_s = 1.0;
  Strategy strategy;
  strategy.tensor_parallel = strategy.expert_parallel = 4;
  strategy.data_parallel = 8;
  strategy.experts_over_tensor = true;
  const auto forward_s = [&] {
    return total_s(layer_costs({job, system, strategy}).expert_layer.forward.total());
  };
  // Two sums over four ranks; tokens are where their experts are.
  EXPECT_NEAR(forward_s(), 2.0 * 4.0, 1e-12);
  EXPECT_EQ(total_s(layer_costs({job, system, strategy})
                        .expert_layer.forward[PassPart::expert_communication]),
            0.0);
  strategy.expert_parallel = 32;  // to and from the same rank of eight replicas
  EXPECT_NEAR(forward_s(), 2.0 * 4.0 + 2.0 * 8.0, 1e-12);
  // Each rank has its own tokens: those of attention are gathered and scattered, those of experts
  // go to all 32 ranks and back.
  strategy.sequence_parallel = true;
  EXPECT_NEAR(forward_s(), 2.0 * 4.0 + 2.0 * 32.0, 1e-12);
  job.model.experts.shared_ffn = 1408;  // cut, so that every rank needs all tokens
  EXPECT_NEAR(forward_s(), 4.0 * 4.0 + 2.0 * 32.0, 1e-12);
}

TEST(KernelRates, InTrainingAreAShareOfThoseAlone) {
  const technology::System system = test::example_system();
  TrainingJob job = small_job();
  const BlockRates alone = block_rates(job, system);
  job.stack.kernel_share = 0.8;
  job.stack.attention_share = 0.5;
  const BlockRates training = block_rates(job, system);
  EXPECT_DOUBLE_EQ(training.linear.tensor_flop_per_s, 0.8 * alone.linear.tensor_flop_per_s);
  EXPECT_DOUBLE_EQ(training.activation.dram_bytes_per_s, 0.8 * alone.activation.dram_bytes_per_s);
  EXPECT_DOUBLE_EQ(training.linear.latency_s, alone.linear.latency_s);
  EXPECT_DOUBLE_EQ(training.attention.tensor_flop_per_s, 0.4 * alone.attention.tensor_flop_per_s);
}

TEST(KernelRates, AttentionOfAnOlderGenerationDoesNoMoreInAClock) {
  const technology::System system = test::example_system();  // 300 TFLOP/s, 100 cores, 1.4 GHz
  TrainingJob job = small_job();
  const double alone = block_rates(job, system).attention.tensor_flop_per_s;
  job.stack.attention_core_flop = 1000.0;  // 140 TFLOP/s
  EXPECT_NEAR(block_rates(job, system).attention.tensor_flop_per_s / alone, 140.0 / 300.0, 1e-12);
  job.stack.attention_core_flop = 4000.0;
  EXPECT_DOUBLE_EQ(block_rates(job, system).attention.tensor_flop_per_s, alone);
}

TEST(TensorCommunication, HidesForwardWhereGemmsAreCut) {
  const technology::System system = test::example_system();
  TrainingJob job;
  job.model = test::gpt(6144, 48, 64);
  Strategy strategy;
  strategy.tensor_parallel = 4;
  strategy.sequence_parallel = true;
  const BlockCost open = layer_costs({job, system, strategy}).layer;
  job.stack.hides_forward_tensor_communication = true;
  const BlockCost hidden = layer_costs({job, system, strategy}).layer;
  const PassPart part = PassPart::tensor_communication;
  EXPECT_LT(total_s(hidden.forward[part]), 0.5 * total_s(open.forward[part]));
  EXPECT_LT(total_s(hidden.backward[part]), total_s(open.backward[part]));
  EXPECT_DOUBLE_EQ(hidden.forward[part].work[Amount::scale_up_bytes],
                   open.forward[part].work[Amount::scale_up_bytes]);
}

TEST(TensorCommunication, InputsThatStayGatheredAreNotGatheredAgain) {
  const technology::System system = test::example_system();
  TrainingJob job;
  job.model = test::gpt(6144, 48, 64);
  job.stack.hides_tensor_communication = false;
  Strategy strategy;
  strategy.tensor_parallel = 4;
  strategy.sequence_parallel = true;
  const auto sent = [&] {
    return layer_costs({job, system, strategy})
        .layer.backward[PassPart::tensor_communication]
        .work[Amount::scale_up_bytes];
  };
  const double again = sent();
  job.stack.keeps_gathered_inputs = true;
  EXPECT_DOUBLE_EQ(sent(), again * 4.0 / 6.0);  // of two gathers and a scatter, twice
  // Every other GEMM: their inputs are gathered again with the rest that is recomputed.
  const double attention =
      layer_costs({job, system, strategy}).layer.selective_repeats.work[Amount::scale_up_bytes];
  EXPECT_EQ(attention, 0.0);
  job.stack.selective_recompute = workload::SelectiveRecompute::alternate;
  EXPECT_DOUBLE_EQ(
      layer_costs({job, system, strategy}).layer.selective_repeats.work[Amount::scale_up_bytes],
      again * 2.0 / 6.0);
}

TEST(Softmax, IsOneKernelWhereTheScoreMatricesOfADeviceAreAMultipleOfFour) {
  const technology::System system = test::example_system();
  TrainingJob job = small_job();
  job.flash_attention = false;
  Strategy strategy;
  strategy.tensor_parallel = 8;  // two heads on a device
  const Cost two = layer_costs({job, system, strategy}).layer.selective_repeats;
  strategy.micro_batch = 2;
  const Cost four = layer_costs({job, system, strategy}).layer.selective_repeats;
  strategy.micro_batch = 3;
  const Cost six = layer_costs({job, system, strategy}).layer.selective_repeats;
  EXPECT_LT(four.work[Amount::dram_bytes], 0.9 * 2.0 * two.work[Amount::dram_bytes]);
  EXPECT_NEAR(six.work[Amount::dram_bytes] / two.work[Amount::dram_bytes], 3.0, 0.2);
  job.stack.fused_pointwise = false;
  strategy.micro_batch = 2;
  EXPECT_GT(layer_costs({job, system, strategy}).layer.selective_repeats.work[Amount::dram_bytes],
            four.work[Amount::dram_bytes]);
}

TEST(WeightGradients, ThatHideReductionsShortenAPassByThatMuchLess) {
  const technology::System system = test::example_system();
  TrainingJob job = small_job();
  job.model = test::gpt(6144, 48, 64);
  Strategy strategy;
  strategy.tensor_parallel = 8;
  for (const double interval_s : {0.0, 1e-3}) {  // the device sets the time, or the host does
    job.stack.backward_issue_interval_s = interval_s;
    job.stack.hides_tensor_communication = false;
    const BlockCost open = layer_costs({job, system, strategy}).layer;
    job.stack.hides_tensor_communication = true;
    const BlockCost hidden = layer_costs({job, system, strategy}).layer;
    const double shorter_s = total_s(open.backward.total()) - total_s(hidden.backward.total());
    EXPECT_NEAR(total_s(open.weight_gradients) - total_s(hidden.weight_gradients), shorter_s,
                1e-12);
    EXPECT_EQ(shorter_s > 0.0, interval_s == 0.0);
  }
}

// Four ranks share each sequence.
struct Context {
  technology::System system = test::example_system();
  TrainingJob job = small_job();
  Strategy strategy;

  explicit Context(std::int64_t sequence) {
    job.sequence = sequence;
    strategy.context_parallel = 4;
  }
  PassCost pass(ContextExchange exchange, bool backward = false) {
    strategy.context_exchange = exchange;
    const BlockCost layer = layer_costs({job, system, strategy}).layer;
    return backward ? layer.backward : layer.forward;
  }
};

TEST(ContextParallel, RingHidesBehindLongAttentionOnly) {
  Context longer(65536);
  // Nothing but the cores that it takes from attention.
  const double hidden_s =
      total_s(longer.pass(ContextExchange::ring)[PassPart::context_communication]);
  const double tensor = 65536.0 / 4.0 * 1024.0 * 2.0;
  const Cost gather =
      collective_cost({CollectiveKind::all_gather, {4, 1}, 4.0 * 2.0 * tensor}, longer.system).cost;
  EXPECT_NEAR(hidden_s, longer.system.scale_up().core_share * total_s(gather), 1e-12);
  EXPECT_GT(longer.pass(ContextExchange::ring)[PassPart::context_communication]
                .work[Amount::scale_up_bytes],
            0.0);
  EXPECT_GT(total_s(longer.pass(ContextExchange::all_to_all)[PassPart::context_communication]),
            0.0);

  Context shorter(2048);
  shorter.system.scale_up().bandwidth = BytesPerSecond::si(1e9);
  EXPECT_GT(total_s(shorter.pass(ContextExchange::ring)[PassPart::context_communication]), 0.0);
}

TEST(ContextParallel, RingSendsKeysAndValuesAndAllToAllEverything) {
  Context context(8192);
  const double tokens = 8192.0 / 4.0;
  const double tensor = tokens * 1024.0 * 2.0;  // of queries, of keys, of values or of outputs
  const auto sent = [&](ContextExchange exchange, bool backward) {
    return context.pass(exchange, backward)[PassPart::context_communication]
        .work[Amount::scale_up_bytes];
  };
  // Each rank's keys and values visit the three others; their gradients come back.
  EXPECT_NEAR(sent(ContextExchange::ring, false), 3.0 * 2.0 * tensor, 1.0);
  EXPECT_NEAR(sent(ContextExchange::ring, true), 2.0 * 3.0 * 2.0 * tensor, 1.0);
  // Three quarters of each of the four tensors leave the rank.
  EXPECT_NEAR(sent(ContextExchange::all_to_all, false), 0.75 * 4.0 * tensor, 1.0);
  EXPECT_NEAR(sent(ContextExchange::all_to_all, true), 0.75 * 4.0 * tensor, 1.0);
}

TEST(ContextParallel, GroupedQueriesHaveFewerKeysToSend) {
  Context context(8192);
  const double all = context.pass(ContextExchange::ring)[PassPart::context_communication]
                         .work[Amount::scale_up_bytes];
  context.job.model.kv_heads = 4;
  EXPECT_NEAR(context.pass(ContextExchange::ring)[PassPart::context_communication]
                  .work[Amount::scale_up_bytes],
              all / 4.0, 1.0);
}

TEST(ExpertParallel, TokensTravelToTheirExpertsAndBack) {
  const technology::System system = test::example_system();
  TrainingJob job = experts_job();
  Strategy strategy;
  strategy.data_parallel = 8;
  EXPECT_EQ(total_s(layer_costs({job, system, strategy})
                        .expert_layer.forward[PassPart::expert_communication]),
            0.0);
  strategy.expert_parallel = 8;
  const LayerCosts costs = layer_costs({job, system, strategy});
  // Eight copies of every token, an eighth of them for experts of the own device, both ways.
  const double bytes = 2048.0 * 8.0 * 2048.0 * 2.0;
  EXPECT_NEAR(
      costs.expert_layer.forward[PassPart::expert_communication].work[Amount::scale_up_bytes],
      2.0 * 7.0 / 8.0 * bytes, 1.0);
  EXPECT_NEAR(
      costs.expert_layer.backward[PassPart::expert_communication].work[Amount::scale_up_bytes],
      2.0 * 7.0 / 8.0 * bytes, 1.0);
  EXPECT_EQ(total_s(costs.layer.forward[PassPart::expert_communication]), 0.0);
  const double one_way_s =
      total_s(collective_cost({CollectiveKind::all_to_all, {8, 1}, bytes}, system).cost);
  job.model.experts.imbalance = 1.5;
  EXPECT_NEAR(total_s(layer_costs({job, system, strategy})
                          .expert_layer.forward[PassPart::expert_communication]),
              2.0 * 1.5 * one_way_s, 1e-12);
}

TEST(ExpertParallel, ALimitOfNodesSendsEachTokenAcrossOnceANode) {
  const technology::System system = test::example_system();
  TrainingJob job = experts_job();
  Strategy strategy;
  strategy.data_parallel = 32;
  strategy.expert_parallel = 32;  // four nodes of eight
  const auto across = [&] {
    return layer_costs({job, system, strategy})
        .expert_layer.forward[PassPart::expert_communication]
        .work[Amount::scale_out_bytes];
  };
  const double bytes = 2048.0 * 8.0 * 2048.0 * 2.0;
  EXPECT_NEAR(across(), 2.0 * 3.0 / 4.0 * bytes, 1.0);
  job.model.experts.groups = 4;
  job.model.experts.node_limit = 2;
  const double nodes = workload::parts_reached(job.model.experts, 4.0);
  EXPECT_NEAR(nodes, 2.0, 0.01);
  EXPECT_NEAR(across(), 2.0 * 3.0 / 4.0 * bytes * nodes / 8.0, 1.0);
  job.stack.expert_dispatch = workload::ExpertDispatch::all_to_all;
  EXPECT_NEAR(across(), 2.0 * 3.0 / 4.0 * bytes, 1.0);
  // One copy of a token to each of the others in other nodes, once it is there.
  job.stack.expert_dispatch = workload::ExpertDispatch::all_gather;
  EXPECT_GT(across(), 0.0);
  EXPECT_LT(across(), 2.0 * 32.0 / 8.0 * bytes);
  job.stack.expert_dispatch = workload::ExpertDispatch::by_routing;
  job.model.experts.node_limit = 8;  // no fewer than the experts of a token
  EXPECT_NEAR(across(), 2.0 * 3.0 / 4.0 * bytes, 1.0);
}

TEST(ExpertParallel, TravelHidesBehindAnotherMicroBatchWhereThereIsOne) {
  const technology::System system = test::example_system();
  TrainingJob job = experts_job();
  Strategy strategy;
  strategy.data_parallel = 8;
  strategy.expert_parallel = 8;
  const auto exposed_s = [&] {
    const BlockCost layer = layer_costs({job, system, strategy}).expert_layer;
    return total_s(layer.forward[PassPart::expert_communication] +
                   layer.backward[PassPart::expert_communication]);
  };
  const double open_s = exposed_s();
  strategy.schedule = parallel::Schedule::dual_pipe;
  const double dual_s = exposed_s();
  EXPECT_LT(dual_s, 0.5 * open_s);
  strategy.schedule = parallel::Schedule::one_forward_one_backward;
  job.stack.hides_expert_communication = true;
  EXPECT_DOUBLE_EQ(exposed_s(), dual_s);
}

}  // namespace
}  // namespace scalesweep::estimator

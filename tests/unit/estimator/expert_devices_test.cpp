// Experts on devices of their own: what is sent, held and worked on.
#include <gtest/gtest.h>

#include <vector>

#include "estimator/inference/inference.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/passes/inference_blocks.hpp"
#include "estimator/inference/passes/iteration.hpp"
#include "estimator/inference/service/serving.hpp"
#include "estimator/traits.hpp"
#include "support/examples.hpp"
#include "support/small_service.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Strategy;

Strategy apart(int replicas, int experts, int tensor_parallel = 1) {
  Strategy strategy = test::layout_of(tensor_parallel);
  strategy.data_parallel = replicas;
  strategy.expert_devices = experts;
  return strategy;
}

// 32 experts, eight of them for each token; two bytes an element.
InferenceJob job_with_experts(std::int64_t batch = 512) {
  InferenceJob job;
  job.model = test::llama(2048, 16, 16, 4, 8192, 32000);
  job.model.experts.count = 32;
  job.model.experts.top_k = 8;
  job.model.experts.ffn = 1024;
  job.model.experts.shared_ffn = 1024;
  job.prompt = 500;
  job.output = 101;
  job.batch = batch;
  job.prefill_chunk = 512;
  return job;
}

technology::System system_of(int domain) {
  technology::System system = test::example_system();
  system.scale_up_domain() = domain;
  return system;
}

std::vector<Message> links(const InferenceJob& job, int domain, const Strategy& strategy,
                           double sequences) {
  const InferenceSetting setting(job, system_of(domain));
  const Replica replica = {setting, strategy};
  return expert_link_messages(replica, slice_of(replica, {}, {sequences, 1, 100}));
}

double wire_bytes(const parallel::Collective& link) {
  const double ends = static_cast<double>(link.group.size());
  return link.bytes * (ends - 1.0) / ends;
}
double wire_bytes(const Message& message) {
  parallel::Collective link;
  link.group = message.group;
  link.bytes = message.bytes;
  return wire_bytes(link);
}

TEST(ExpertLinks, CarryACopyForEachExpertByHand) {
  InferenceJob job = job_with_experts();
  const std::vector<Message> sent = links(job, 8, apart(24, 8), 10);
  ASSERT_EQ(sent.size(), 2U);
  const double token = 2048 * 2.0;
  EXPECT_NEAR(wire_bytes(sent[0]), 10 * 8 * token, 1e-6) << "a device of attention sends";
  EXPECT_NEAR(wire_bytes(sent[0].received), 3 * wire_bytes(sent[0]), 1e-6)
      << "one of experts gets what three send, however popular";
  EXPECT_EQ(sent[0].group.inner(), 1) << "over the network between domains";
  EXPECT_EQ(sent[0].group.size(), 9) << "one, and all that have experts";
  EXPECT_EQ(sent[0].received.group.size(), 25);
  EXPECT_NEAR(wire_bytes(sent[1]), wire_bytes(sent[0].received), 1e-6) << "the same way back";
  EXPECT_NEAR(wire_bytes(sent[1].received), wire_bytes(sent[0]), 1e-6);
  EXPECT_EQ(links(job, 32, apart(24, 8), 10)[0].group.outer(), 1) << "all in one domain";
}

TEST(ExpertLinks, TensorParallelRanksSendTheirPartsAndGatherThem) {
  const InferenceJob job = job_with_experts();
  const std::vector<Message> sent = links(job, 8, apart(6, 8, 4), 40);
  EXPECT_NEAR(wire_bytes(sent[0]), 10 * 8 * 2048 * 2.0, 1e-6);
  const InferenceSetting setting(job, system_of(8));
  const Replica replica = {setting, apart(6, 8, 4)};
  const std::vector<Message> layer =
      layer_messages(replica, slice_of(replica, {}, {40, 1, 100}), workload::LayerKind::experts);
  ASSERT_EQ(layer.size(), 2U) << "sums of attention, and what experts gave";
  EXPECT_EQ(layer[1].name, "gather expert outputs");
  EXPECT_EQ(layer[1].bytes, 40 * 2048 * 2.0);
}

TEST(ExpertLinks, ACopyForEachDomainGoesOnInside) {
  InferenceJob job = job_with_experts();
  const double token = 2048 * 2.0;
  job.stack.decode_expert_dispatch = workload::ExpertDispatch::all_gather;
  const std::vector<Message> gathered = links(job, 8, apart(24, 16), 10);
  EXPECT_NEAR(wire_bytes(gathered[0]), 10 * 2 * token, 1e-6) << "two domains have experts";
  EXPECT_EQ(gathered[0].forwarded.group.size(), 8);
  EXPECT_NEAR(gathered[0].forwarded.bytes, 240.0 / 16 * 16 * token, 1e-6);
  job.stack.decode_expert_dispatch = workload::ExpertDispatch::hierarchical;
  EXPECT_LE(wire_bytes(links(job, 8, apart(24, 16), 10)[0]), 10 * 2 * token + 1e-6);
  job.stack.decode_expert_dispatch = workload::ExpertDispatch::low_latency;
  EXPECT_TRUE(links(job, 8, apart(24, 16), 10)[0].direct);
}

TEST(ExpertLinks, GoThereInWhatExpertsMultiply) {
  InferenceJob job = job_with_experts();
  job.precision.operands = job.precision.weights = technology::Precision::fp8;
  const std::vector<Message> sent = links(job, 8, apart(16, 16), 10);
  EXPECT_LT(wire_bytes(sent[0]), 0.6 * wire_bytes(sent[1]));
}

TEST(ExpertDevices, HoldExpertsAloneByHand) {
  const InferenceJob job = job_with_experts();
  const technology::System system = system_of(8);
  Strategy beside = apart(16, 0);
  beside.micro_batch = 32;
  Strategy strategy = beside;
  strategy.expert_devices = 32;
  const double expert = 3.0 * 2048 * 1024 * 2.0 * 16;  // of all layers
  const InferenceMemory with = inference_memory(job, system, beside);
  const InferenceMemory of_attention = inference_memory(job, system, strategy);
  // 32 routed ones and the shared one are gone from devices of attention.
  EXPECT_NEAR(with.weights_bytes - of_attention.weights_bytes, 33 * expert, 1.0);
  EXPECT_EQ(of_attention.cache_bytes, with.cache_bytes);
  strategy.expert_devices = 4;
  const InferenceMemory of_experts = inference_memory(job, system, strategy);
  EXPECT_NEAR(of_experts.weights_bytes, 9 * expert, 1.0) << "the fuller ones, now";
  EXPECT_EQ(of_experts.cache_bytes, 0.0);
  EXPECT_EQ(of_experts.largest_batch, of_attention.largest_batch) << "of caches";
  strategy.redundant_experts = 4;
  EXPECT_NEAR(inference_memory(job, system, strategy).weights_bytes, 10 * expert, 1.0);
}

TEST(ExpertDevices, MustHoldThem) {
  InferenceJob job = job_with_experts();
  job.model.experts.count = 2048;  // of 12.6 MB in each of 16 layers
  const technology::System system = system_of(8);
  const InferenceMemory few = inference_memory(job, system, apart(16, 1));
  EXPECT_EQ(verdict_of(few), Verdict::does_not_fit);
  EXPECT_EQ(few.largest_batch, 0.0);
  EXPECT_EQ(verdict_of(inference_memory(job, system, apart(16, 16))), Verdict::fits);
}

// What experts work on grows with the requests of all replicas, where no caches are.
TEST(ExpertDevices, BoundTheLargestBatch) {
  InferenceJob job = job_with_experts();
  job.prefill_chunk = 0;
  const technology::System system = system_of(8);
  Strategy strategy = apart(64, 1);
  const double of_attention =
      inference_memory(job, system, apart(64, 64)).largest_batch_per_replica;
  const double most = inference_memory(job, system, strategy).largest_batch_per_replica;
  ASSERT_GE(most, 1.0);
  EXPECT_LT(most, of_attention);
  strategy.micro_batch = static_cast<std::int32_t>(most);
  EXPECT_EQ(verdict_of(inference_memory(job, system, strategy)), Verdict::fits);
  ++strategy.micro_batch;
  EXPECT_EQ(verdict_of(inference_memory(job, system, strategy)), Verdict::does_not_fit);
}

double iteration_s(const InferenceJob& job, const Strategy& strategy, double sequences,
                   const technology::System& system) {
  const InferenceSetting setting(job, system);
  return iteration_cost({setting, strategy}, {{}, {sequences, 1, 2000}}).total().time.total_s();
}

TEST(ExpertDevices, MoreOfThemOrOfMicroBatchesAreNeverSlower) {
  InferenceJob job = job_with_experts();
  const technology::System system = system_of(8);
  double before_s = 1e300;
  for (const int devices : {1, 2, 4, 8, 16, 32}) {
    const double now_s = iteration_s(job, apart(16, devices), 64, system);
    EXPECT_LE(now_s, before_s * 1.001) << devices;
    before_s = now_s;
  }
  before_s = 1e300;
  for (const double most : {1.0, 2.0, 3.0, 4.0}) {
    job.stack.expert_micro_batches = most;
    const double now_s = iteration_s(job, apart(16, 8), 256, system);
    EXPECT_LE(now_s, before_s) << most;
    before_s = now_s;
  }
}

TEST(ExpertDevices, FasterNetworksAreNeverSlower) {
  const InferenceJob job = job_with_experts();
  technology::System system = system_of(8);
  double before_s = 0.0;
  for (int halving = 0; halving < 6; ++halving) {
    const double now_s = iteration_s(job, apart(16, 8), 256, system);
    EXPECT_GE(now_s, before_s);
    before_s = now_s;
    system.scale_out().bandwidth = 0.5 * system.scale_out().bandwidth;
  }
  EXPECT_GT(before_s, 1.5 * iteration_s(job, apart(16, 8), 256, system_of(8)))
      << "in the end it is what all wait for";
}

// A device of attention and one of experts, as one layer of the model with its own part each: what
// both take in turn is what one device takes that has all, but for what goes between them.
TEST(ExpertDevices, OneOfEachTakesInTurnWhatOneDeviceTakes) {
  InferenceJob job = job_with_experts(8);
  job.stack.expert_micro_batches = 1.0;
  technology::System system = system_of(8);
  InferenceSetting setting(job, system);
  setting.sends = false;
  const Iteration iteration = {{}, {8, 1, 2000}};
  const double one_s = iteration_cost({setting, apart(1, 0)}, iteration).total().time.total_s();
  const double both_s = iteration_cost({setting, apart(1, 1)}, iteration).total().time.total_s();
  EXPECT_GE(both_s, one_s);
  EXPECT_NEAR(both_s, one_s, 0.03 * one_s) << "tokens are packed and added up there as well";
}

TEST(ExpertDevices, CountAsDevicesOfASystem) {
  const Strategy strategy = apart(24, 8, 2);
  EXPECT_EQ(strategy.devices(), 56);
  EXPECT_EQ(strategy.layer_devices(), 48);
  EXPECT_EQ(strategy.replicas_of_experts(), 24);
}

TEST(ExpertDevices, AreEstimatedAlikeTokenByTokenAndFromWhatIsKnown) {
  const InferenceJob job = job_with_experts();
  const technology::System system = system_of(8);
  InferenceEstimator known(job, system);
  for (const int experts : {0, 4, 8}) {
    for (const int replicas : {8, 16}) {
      Strategy strategy = apart(replicas, experts);
      strategy.micro_batch = static_cast<std::int32_t>(job.batch / replicas);
      const InferenceEstimate plain = estimate_inference(job, system, strategy);
      EXPECT_EQ(known(strategy).latency_s(), plain.latency_s());
      EXPECT_EQ(known(strategy).energy.total_j(), plain.energy.total_j());
      EXPECT_NEAR(estimate_inference_by_token(job, system, strategy).latency_s(), plain.latency_s(),
                  2e-3 * plain.latency_s());
      EXPECT_GT(plain.energy.total_j(), 0.0);
    }
  }
}

TEST(ExpertDevices, ServeRequests) {
  ServingJob job;
  job.inference = job_with_experts();
  job.inference.prefill_chunk = 512;
  job.requests = {{500, 100, 1}};
  const technology::System system = system_of(8);
  const ServingEstimate estimate = estimate_serving(job, system, apart(8, 4));
  EXPECT_EQ(estimate.verdict, ServingVerdict::meets_limits);
  EXPECT_GT(estimate.tokens_per_s, 0.0);
  EXPECT_EQ(estimate.replicas, 8.0);
  job.batching = Batching::disaggregated;
  EXPECT_EQ(estimate_serving(job, system, apart(8, 4)).verdict, ServingVerdict::too_few_replicas)
      << "replicas that share experts stay together";
}

TEST(ExpertDevices, HaveErrorBarsOfTheirOwn) {
  const auto has = [](const Strategy& strategy) {
    return technology::has(traits_of(job_with_experts(), system_of(8), strategy, 700.0, false),
                           technology::Trait::expert_devices);
  };
  EXPECT_TRUE(has(apart(8, 4)));
  EXPECT_FALSE(has(apart(8, 0)));
}

}  // namespace
}  // namespace scalesweep::estimator

// Iterations of reinforcement learning: lengths of answers, rollouts against a simulation token by
// token, and what an iteration is put together from.
#include "estimator/reinforcement/reinforcement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "estimator/reinforcement/output_lengths.hpp"
#include "estimator/reinforcement/rollout.hpp"
#include "support/shipped_catalog.hpp"
#include "workload/framework.hpp"

namespace scalesweep::estimator {
namespace {

// Lengths at the middle of equal shares of the law.
std::vector<double> quantiles(const OutputLengths& lengths, int count) {
  std::vector<double> found;
  for (int i = 0; i < count; ++i) {
    const double longer = 1.0 - (i + 0.5) / count;
    double low = 0.0;
    double high = 1e6;
    for (int step = 0; step < 60; ++step) {
      const double middle = 0.5 * (low + high);
      (lengths.running(middle) > longer ? low : high) = middle;
    }
    found.push_back(std::max(1.0, std::round(high)));
  }
  return found;
}

TEST(OutputLengths, HaveTheMeanThatIsAskedForWhateverTheLimit) {
  for (const double spread : {0.0, 0.3, 0.8, 1.5}) {
    for (const double most : {0.0, 4000.0, 1200.0}) {
      const OutputLengths lengths(1000.0, spread, most);
      const std::vector<double> drawn = quantiles(lengths, 20'000);
      const double count = static_cast<double>(drawn.size());
      const double mean = std::accumulate(drawn.begin(), drawn.end(), 0.0) / count;
      const double square =
          std::inner_product(drawn.begin(), drawn.end(), drawn.begin(), 0.0) / count;
      EXPECT_NEAR(mean, 1000.0, 3.0) << spread << " " << most;
      EXPECT_NEAR(square / lengths.mean_square(), 1.0, 0.02) << spread << " " << most;
      EXPECT_NEAR(lengths.mean_up_to(1e9), 1000.0, 1e-6);
      EXPECT_GE(lengths.longest(8192.0), 1000.0);
      EXPECT_LE(lengths.longest(8192.0), most > 0.0 ? most : 1e6);
    }
  }
}

TEST(OutputLengths, WithoutALimitHaveTheSpreadThatIsAskedFor) {
  const OutputLengths lengths(500.0, 0.7, 0.0);
  EXPECT_NEAR(std::sqrt(lengths.mean_square() - 500.0 * 500.0), 350.0, 1e-6);
  EXPECT_DOUBLE_EQ(lengths.running(0.0), 1.0);
  EXPECT_NEAR(lengths.running(lengths.longest(100.0)), 0.01 * expected_beyond_longest, 1e-6);
}

// A pass takes a fixed time, and more for each sequence and each token in its cache.
Cost pass_of(double sequences, double cached) {
  Cost cost;
  cost.time = Charges::of(Resource::dram, 8e-3 + sequences * (1e-4 + 2e-8 * cached));
  return cost;
}

// Token by token: as many as fit run, each that ends makes room for the next.
struct Simulated {
  double total_s = 0.0;
  double tail_s = 0.0;
};
Simulated simulate(const std::vector<double>& answers, double prompt, std::size_t most) {
  Simulated found;
  std::vector<double> left;
  std::vector<double> done;
  std::size_t next = 0;
  const std::size_t places = std::min(most, answers.size());
  while (next < answers.size() || !left.empty()) {
    while (next < answers.size() && left.size() < most) {
      left.push_back(answers[next++] - 1.0);
      done.push_back(1.0);
    }
    for (std::size_t i = left.size(); i-- > 0;) {
      if (left[i] <= 0.0) {
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        done.erase(done.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    if (left.empty()) {
      continue;
    }
    const double running = static_cast<double>(left.size());
    const double cached = prompt + std::accumulate(done.begin(), done.end(), 0.0) / running;
    const double pass_s = pass_of(running, cached).time.total_s();
    found.total_s += pass_s;
    if (next == answers.size() && 2 * left.size() < places) {
      found.tail_s += pass_s;
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      left[i] -= 1.0;
      done[i] += 1.0;
    }
  }
  return found;
}

void expect_as_simulated(double spread, int answers, std::size_t most, double tolerance) {
  const OutputLengths lengths(600.0, spread, 3000.0);
  std::vector<double> drawn = quantiles(lengths, answers);
  std::mt19937 random(7);
  std::shuffle(drawn.begin(), drawn.end(), random);
  const ReplicaLoad load = {static_cast<double>(answers), 200.0, static_cast<double>(most)};
  const RolloutCost cost = batch_rollout(lengths, load, load.answers, pass_of);
  const Simulated simulated = simulate(drawn, 200.0, most);
  EXPECT_NEAR(cost.total().time.total_s() / simulated.total_s, 1.0, tolerance)
      << spread << " " << answers << " " << most;
  EXPECT_NEAR(cost.tail.time.total_s(), simulated.tail_s, 0.06 * simulated.total_s)
      << spread << " " << answers << " " << most;
}

TEST(BatchRollout, IsAsLongAsTokenByToken) {
  for (const double spread : {0.0, 0.4, 0.8, 1.2}) {
    expect_as_simulated(spread, 256, 256, 0.03);  // all at once
    expect_as_simulated(spread, 512, 100'000, 0.03);
  }
  expect_as_simulated(0.4, 1024, 64, 0.05);  // places are taken again and again
  expect_as_simulated(0.8, 1024, 64, 0.05);
  expect_as_simulated(1.2, 2048, 256, 0.06);
  expect_as_simulated(0.8, 4096, 64, 0.05);  // more batches than are followed one by one
}

TEST(BatchRollout, AnswersOfOneLengthHaveNoTail) {
  const OutputLengths lengths(256.0, 0.0, 0.0);
  const RolloutCost cost = batch_rollout(lengths, {32.0, 256.0, 64.0}, 1024.0, pass_of);
  EXPECT_EQ(cost.tail.time.total_s(), 0.0);
  double sum_s = 0.0;
  for (int token = 1; token < 256; ++token) {
    sum_s += pass_of(32.0, 256.0 + token).time.total_s();
  }
  EXPECT_NEAR(cost.full.time.total_s(), sum_s, 1e-3 * sum_s);
}

TEST(SteadyRollout, IsFasterTheOlderWeightsMayBe) {
  const OutputLengths lengths(8000.0, 0.8, 27'000.0);
  const ReplicaLoad load = {64.0, 1000.0, 256.0};
  double before = batch_rollout(lengths, load, 8192.0, pass_of).total().time.total_s();
  for (const std::int64_t staleness : {2, 3, 4, 8, 16}) {
    const RolloutCost cost = steady_rollout(lengths, load, staleness, pass_of);
    EXPECT_LE(cost.total().time.total_s(), before * (1.0 + 1e-6)) << staleness;
    EXPECT_EQ(cost.tail.time.total_s(), 0.0);
    EXPECT_LE(steady_sequences(lengths, load, staleness), load.most * (1.0 + 1e-9));
    before = cost.total().time.total_s();
  }
}

// Weights that are two iterations old at most leave room for one iteration's samples beside those
// that an iteration begins.
TEST(SteadyRollout, RunsAsManyAsMayBeBegun) {
  const OutputLengths alike(1000.0, 0.0, 0.0);
  const ReplicaLoad load = {10.0, 100.0, 1e6};
  // An iteration of D passes: of those begun j D passes ago some run while j D < 1000, one or none
  // of which may be: D is half of the length.
  EXPECT_NEAR(steady_sequences(alike, load, 2), 20.0, 0.1);
  EXPECT_NEAR(steady_sequences(alike, load, 4), 40.0, 0.1);
  EXPECT_NEAR(steady_sequences(alike, {10.0, 100.0, 15.0}, 4), 15.0, 1e-6);
}

ReinforcementJob small_job() {
  const catalog::Catalog& catalog = test::shipped_catalog();
  ReinforcementJob job;
  job.training.model = catalog.model("llama-3-8b");
  job.training.stack = catalog.framework("fsdp").training;
  job.training.optimizer = catalog.optimizer();
  job.rollouts.stack = catalog.framework("vllm").serving;
  job.stack = catalog.framework("fsdp").reinforcement;
  job.prompts = 128;
  job.samples = 8;
  job.prompt = 512;
  job.output = 2048;
  job.output_spread = 0.8;
  job.most_output = 6000;
  job.updates = 4;
  job.devices = 32;
  return job;
}

const technology::System& h100() {
  static const technology::System system =
      test::shipped_catalog().catalogued_system(test::shipped_catalog().usual_system("h100-sxm"));
  return system;
}

parallel::Strategy sharded(std::int32_t devices) {
  parallel::Strategy strategy;
  strategy.data_parallel = devices;
  strategy.zero = 3;
  strategy.micro_batches = 256 / devices;
  strategy.recompute = parallel::Recompute::full;
  return strategy;
}

ReinforcementJob separate(ReinforcementJob job, std::int64_t staleness) {
  job.placement = Placement::separate;
  job.staleness = staleness;
  return job;
}

double sum_of(const ReinforcementEstimate& estimate) {
  return std::accumulate(estimate.phase_s.begin(), estimate.phase_s.end(), 0.0);
}

TEST(Reinforcement, PhasesAndChargesSumToTheTime) {
  for (const std::int64_t staleness : {0, 1, 4}) {
    const auto estimate =
        estimate_reinforcement(separate(small_job(), staleness), h100(), sharded(16));
    EXPECT_EQ(estimate.verdict, Verdict::fits);
    EXPECT_NEAR(sum_of(estimate), estimate.iteration_s(), 1e-9 * estimate.iteration_s());
    EXPECT_EQ(estimate.rollouts.devices, 16);
    EXPECT_EQ(estimate.trainers, 16);
  }
  const auto colocated = estimate_reinforcement(small_job(), h100(), sharded(32));
  EXPECT_NEAR(sum_of(colocated), colocated.iteration_s(), 1e-9 * colocated.iteration_s());
  EXPECT_EQ(colocated.rollouts.devices, 32);
  EXPECT_GT(colocated.longest_output, 5000.0);
  EXPECT_GT(colocated.energy.total_j(), 0.0);
}

// Of the energy that is not of networks beyond devices.
TEST(Reinforcement, WattsTimesDevicesTimesTimeIsTheEnergy) {
  for (const std::int64_t staleness : {-1, 0, 1}) {
    const bool apart = staleness >= 0;
    const auto estimate = estimate_reinforcement(
        apart ? separate(small_job(), staleness) : small_job(), h100(), sharded(apart ? 16 : 32));
    const double device_j = estimate.device_power_w * 32.0 * estimate.iteration_s();
    const EnergyUse& energy = estimate.energy;
    EXPECT_LE(device_j, energy.total_j() * (1.0 + 1e-12));
    EXPECT_GE(device_j,
              (energy.total_j() - energy.scale_up_j - energy.scale_out_j) * (1.0 - 1e-12));
  }
}

// Trainers have no program to run while answers are made, and engines none while those train.
TEST(Reinforcement, DevicesThatWaitBurnWhatTheyBurnAtRest) {
  const technology::Device& device = h100().device;
  const auto waits = estimate_reinforcement(separate(small_job(), 0), h100(), sharded(16));
  const double device_s = 32.0 * waits.iteration_s();
  // A power limit lowers the supply of what trains, and with it what leaks.
  const double idle_j = device.idle_power.si() * device_s;
  EXPECT_LE(waits.energy.static_j + waits.energy.idle_j, idle_j * (1.0 + 1e-9));
  EXPECT_GE(waits.energy.static_j + waits.energy.idle_j, 0.95 * idle_j);
  const double running_s = 16.0 * (waits.rollout_s + waits.training_s + waits.weights_s);
  // A power limit lowers the clock of what runs, and with it what is active.
  EXPECT_LE(waits.energy.active_j, device.active_power.si() * running_s * (1.0 + 1e-9));
  EXPECT_LT(waits.energy.active_j, 0.6 * device.active_power.si() * device_s);
}

TEST(Reinforcement, WaitsForBothOrForTheLonger) {
  const auto waits = estimate_reinforcement(separate(small_job(), 0), h100(), sharded(16));
  EXPECT_NEAR(waits.iteration_s(), waits.rollout_s + waits.training_s + waits.weights_s, 1e-9);
  const auto beside = estimate_reinforcement(separate(small_job(), 1), h100(), sharded(16));
  EXPECT_NEAR(beside.iteration_s(),
              std::max(beside.rollout_s, beside.training_s) + beside.weights_s, 1e-9);
  EXPECT_DOUBLE_EQ(beside.rollout_s, waits.rollout_s);
  EXPECT_LT(beside.iteration_s(), waits.iteration_s());
  const auto filled = estimate_reinforcement(separate(small_job(), 4), h100(), sharded(16));
  EXPECT_LE(filled.rollout_s, beside.rollout_s);
  EXPECT_EQ(filled.tail_s, 0.0);
}

TEST(Reinforcement, TrainsAsTrainingDoes) {
  const ReinforcementJob job = small_job();
  TrainingJob training = job.training;
  training.sequence = job.prompt + job.output;
  training.global_batch = 256;
  const parallel::Strategy strategy = sharded(32);
  const TrainingEstimate step = estimate_training({training, h100(), strategy});
  const auto estimate = estimate_reinforcement(job, h100(), strategy);
  EXPECT_DOUBLE_EQ(estimate.step_s, step.step_time_s());
  const auto policy = static_cast<std::size_t>(ReinforcementPhase::policy);
  EXPECT_NEAR(estimate.phase_s[policy], 4.0 * step.step_time_s(), 1e-9);
  const auto scoring = static_cast<std::size_t>(ReinforcementPhase::scoring);
  EXPECT_NEAR(estimate.phase_s[scoring],
              2.0 * 4.0 * forward_share(step, strategy) * step.step_time_s(), 1e-6);
}

// What passes wait for is shared out alike, however fast the kernels of either are.
TEST(Reinforcement, FasterKernelsOfBackwardPassesMakeNoScoringLonger) {
  TrainingEstimate step;
  const auto set = [&](Phase phase, double seconds) {
    step.phase_s[static_cast<std::size_t>(phase)] = seconds;
    step.step.add(1.0, Charges::of(Resource::latency, seconds));
  };
  set(Phase::forward, 1.0);
  set(Phase::tensor_communication, 6.0);
  set(Phase::backward, 2.0);
  const double before_s = forward_share(step, {}) * step.step_time_s();
  EXPECT_DOUBLE_EQ(before_s, 3.0);
  step.phase_s[static_cast<std::size_t>(Phase::backward)] = 1.0;
  step.step.add(-1.0, Charges::of(Resource::latency, 1.0));
  EXPECT_DOUBLE_EQ(forward_share(step, {}) * step.step_time_s(), before_s);
  parallel::Strategy again;
  again.recompute = parallel::Recompute::full;
  EXPECT_DOUBLE_EQ(forward_share(step, again) * step.step_time_s(), 2.5);
}

TEST(Reinforcement, ScorersTakeTimeAndMemory) {
  ReinforcementJob job = small_job();
  job.has_reference = false;
  const auto alone = estimate_reinforcement(job, h100(), sharded(32));
  job.has_reference = true;
  const auto referenced = estimate_reinforcement(job, h100(), sharded(32));
  EXPECT_GT(referenced.training_s, alone.training_s);
  EXPECT_GT(referenced.memory.weights_bytes, alone.memory.weights_bytes);
  job.critic = job.training.model;
  const auto criticised = estimate_reinforcement(job, h100(), sharded(32));
  EXPECT_GT(criticised.training_s, 1.5 * referenced.training_s);
  EXPECT_NEAR(criticised.memory.states_bytes, 2.0 * referenced.memory.states_bytes, 1.0);
  job.reward = test::shipped_catalog().model("qwen2.5-1.5b");
  const auto rewarded = estimate_reinforcement(job, h100(), sharded(32));
  EXPECT_GT(rewarded.training_s, criticised.training_s);
  EXPECT_LT(rewarded.training_s, 1.2 * criticised.training_s);
}

TEST(Reinforcement, StatesGoToTheHostOrTakeRoomFromCaches) {
  ReinforcementJob job = small_job();
  const auto offloaded = estimate_reinforcement(job, h100(), sharded(32));
  const auto states = static_cast<std::size_t>(ReinforcementPhase::states);
  EXPECT_GT(offloaded.phase_s[states], 0.0);
  job.keeps_states = true;
  const auto kept = estimate_reinforcement(job, h100(), sharded(32));
  EXPECT_EQ(kept.phase_s[states], 0.0);
  EXPECT_LT(kept.rollouts.most_sequences * kept.rollouts.replicas(),
            offloaded.rollouts.most_sequences * offloaded.rollouts.replicas() + 1.0);
  EXPECT_LT(kept.memory.rollout_usable_bytes, offloaded.memory.rollout_usable_bytes);
}

TEST(Reinforcement, LongestAnswersTakeMemoryOfTraining) {
  ReinforcementJob job = small_job();
  const auto limited = estimate_reinforcement(job, h100(), sharded(32));
  job.most_output = 30'000;
  const auto longer = estimate_reinforcement(job, h100(), sharded(32));
  EXPECT_GT(longer.memory.activations_bytes, 3.0 * limited.memory.activations_bytes);
}

// What a framework holds whatever the length is there once.
TEST(Reinforcement, AShorterPromptTakesNoMoreMemoryOfTraining) {
  ReinforcementJob job = small_job();
  job.most_output = 30'000;
  job.training.stack.fixed_memory_bytes = 1e9;
  const auto longer = estimate_reinforcement(job, h100(), sharded(32));
  job.prompt /= 2;
  const auto shorter = estimate_reinforcement(job, h100(), sharded(32));
  EXPECT_LE(shorter.memory.activations_bytes, longer.memory.activations_bytes);
}

TEST(Reinforcement, SharesWhatStrategiesHaveInCommon) {
  const std::vector<parallel::Strategy> strategies = {sharded(16), sharded(32), sharded(16)};
  ReinforcementJob job = separate(small_job(), 2);
  ReinforcementEstimator estimator(job, h100());
  const auto first = estimator(strategies, 0);
  const auto again = estimator(strategies, 2);
  const auto plain = estimate_reinforcement(job, h100(), strategies[0]);
  EXPECT_EQ(first.iteration_s(), again.iteration_s());
  EXPECT_EQ(first.iteration_s(), plain.iteration_s());
  EXPECT_EQ(first.energy.total_j(), plain.energy.total_j());
}

TEST(Reinforcement, StacksLoseAShareOfAllPasses) {
  ReinforcementJob job = small_job();
  const auto ideal = estimate_reinforcement(job, h100(), sharded(32));
  job.stack.iteration_share = 0.5;
  const auto real = estimate_reinforcement(job, h100(), sharded(32));
  EXPECT_NEAR(real.rollout_s, 2.0 * ideal.rollout_s, 1e-9 * real.rollout_s);
  EXPECT_NEAR(real.training_s, 2.0 * ideal.training_s, 1e-9 * real.training_s);
  EXPECT_LT(real.energy.total_j(), 2.0 * ideal.energy.total_j());
}

TEST(Reinforcement, ScorersOfOtherShapesAreReplicas) {
  parallel::Strategy strategy = sharded(4);
  strategy.tensor_parallel = 8;
  EXPECT_EQ(layout_of(test::shipped_catalog().model("llama-3-8b"), strategy), strategy);
  const auto small = layout_of(test::shipped_catalog().model("qwen2.5-1.5b"), strategy);
  EXPECT_EQ(small.tensor_parallel, 1);
  EXPECT_EQ(small.devices(), strategy.devices());
}

}  // namespace
}  // namespace scalesweep::estimator

// Micro-batches that go to and fro between devices of attention and of experts, against a
// simulation event by event.
#include "estimator/inference/passes/ping_pong.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <random>
#include <vector>

namespace scalesweep::estimator {
namespace {

using parallel::Strategy;

using StationTimes = std::array<double, 4>;  // attention, there, experts, back

// When the last micro-batch is back after so many layers. A station serves whoever came first.
double simulated_s(const StationTimes& times, int micro_batches, int layers) {
  struct Event {
    double at_s = 0.0;
    int order = 0;  // of those at the same time
    int micro_batch = 0;
    int station = 0;
    int layer = 0;
    bool operator>(const Event& o) const {
      return at_s != o.at_s ? at_s > o.at_s : order > o.order;
    }
  };
  std::priority_queue<Event, std::vector<Event>, std::greater<>> arrivals;
  int order = 0;
  for (int i = 0; i < micro_batches; ++i) {
    arrivals.push({0.0, order++, i, 0, 0});
  }
  std::array<double, 4> free_at_s{};
  double last_s = 0.0;
  while (!arrivals.empty()) {
    Event event = arrivals.top();
    arrivals.pop();
    if (event.layer == layers) {
      last_s = std::max(last_s, event.at_s);
      continue;
    }
    const auto station = static_cast<std::size_t>(event.station);
    free_at_s[station] = std::max(free_at_s[station], event.at_s) + times[station];
    event.at_s = free_at_s[station];
    event.order = order++;
    event.layer += event.station == 3 ? 1 : 0;
    event.station = (event.station + 1) % 4;
    arrivals.push(event);
  }
  return last_s;
}

IterationCost lasting(double seconds) {
  IterationCost cost;
  cost.linear.time = Charges::of(Resource::tensor_compute, seconds);
  cost.linear.work[Amount::tensor_flop] = seconds;
  return cost;
}

Cost sending(double seconds) {
  Cost cost;
  cost.time = Charges::of(Resource::scale_out, seconds);
  cost.work[Amount::scale_out_bytes] = seconds;
  return cost;
}

Strategy apart(int replicas, int experts) {
  Strategy strategy;
  strategy.data_parallel = replicas;
  strategy.expert_devices = experts;
  return strategy;
}

IterationCost layer_of(const StationTimes& times, int micro_batches, int layers,
                       const Strategy& strategy) {
  return ping_pong({lasting(times[0]), sending(times[1]), lasting(times[2]), sending(times[3])},
                   micro_batches, layers, strategy);
}

TEST(PingPong, IsWhatASimulationEventByEventGives) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any_s(0.0, 1.0);
  for (int trial = 0; trial < 2000; ++trial) {
    StationTimes times{};
    for (double& s : times) {
      s = any_s(random);
    }
    const int micro_batches = 1 + trial % 5;
    const int layers = 1 + trial % 17;
    const double whole_s =
        layers * layer_of(times, micro_batches, layers, apart(4, 2)).total().time.total_s();
    EXPECT_NEAR(whole_s, simulated_s(times, micro_batches, layers), 1e-9);
  }
}

TEST(PingPong, NetworksAreHiddenWhereEnoughMicroBatchesTakeTurns) {
  // A = F = 1; there and back half of it each: 1 + 1 + 1 = 3 A (StepMesh, Introduction.md).
  const StationTimes times = {1.0, 0.5, 1.0, 0.5};
  const int layers = 1000;
  const auto layer_s = [&](int micro_batches) {
    return layer_of(times, micro_batches, layers, apart(4, 4)).total().time.total_s();
  };
  EXPECT_NEAR(layer_s(1), 3.0, 0.01) << "every station waits for all others";
  EXPECT_NEAR(layer_s(2) / 2, 1.5, 0.01);
  EXPECT_NEAR(layer_s(3) / 3, 1.0, 0.01) << "attention and experts are always busy";
  EXPECT_NEAR(layer_s(4) / 4, 1.0, 0.01);
}

TEST(PingPong, SaysWhatItWaitsFor) {
  const int layers = 100;
  const auto time = [&](const StationTimes& times) {
    return layer_of(times, 3, layers, apart(4, 4)).total().time;
  };
  EXPECT_GT(time({1.0, 4.0, 1.0, 0.1})[Resource::scale_out], 3 * 4.0 * 0.99);
  EXPECT_LT(time({1.0, 0.1, 1.0, 0.1})[Resource::scale_out], 0.01);
}

TEST(PingPong, WorkIsThatOfAMeanDevice) {
  // Of six devices of attention and two of experts, in three micro-batches.
  const IterationCost layer = layer_of({1.0, 0.25, 2.0, 0.5}, 3, 10, apart(6, 2));
  EXPECT_DOUBLE_EQ(8 * layer.total().work[Amount::tensor_flop], 3 * (6 * 1.0 + 2 * 2.0));
  EXPECT_DOUBLE_EQ(8 * layer.total().work[Amount::scale_out_bytes], 3 * (6 * 0.25 + 2 * 0.5));
}

}  // namespace
}  // namespace scalesweep::estimator

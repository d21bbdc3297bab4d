// Sequences that differ in what they have to encode, against pipelines run pass by pass.
#include "estimator/training/encoder/uneven_inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "estimator/training/training.hpp"
#include "support/image_examples.hpp"

namespace scalesweep::estimator {
namespace {

constexpr double backward_over_forward = 2.0;

// A pipeline with 1F1B; the first stage encodes beside what it has else.
struct Pipeline {
  int stages = 1;
  int micro_batches = 8;
  int replicas = 1;
  double own_s = 1.0;     // of the first stage without the encoder, both passes
  double others_s = 1.0;  // of the others
  double encoder_s = 0.3;
  double spread = 0.5;
  bool in_step = false;
};

constexpr double never = -1.0;

// Passes in their order; each begins when its stage is free and what it needs is there.
class Run {
 public:
  Run(const Pipeline& of, const std::vector<double>& encoder_s)
      : of_(of),
        encoder_s_(encoder_s),
        forward_(
            std::vector<double>(static_cast<std::size_t>(of.stages * of.micro_batches), never)),
        backward_(forward_) {}

  double seconds() {
    std::vector<std::vector<int>> passes;  // m: forward of m; -m - 1: its backward
    for (int stage = 0; stage < of_.stages; ++stage) {
      passes.push_back(order(stage));
    }
    std::vector<std::size_t> next(passes.size(), 0);
    std::vector<double> free_s(passes.size(), 0.0);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t s = 0; s < passes.size(); ++s) {
        while (next[s] < passes[s].size() &&
               run(static_cast<int>(s), passes[s][next[s]], free_s[s])) {
          ++next[s];
          moved = true;
        }
      }
    }
    return *std::max_element(free_s.begin(), free_s.end());
  }

 private:
  std::vector<int> order(int stage) const {
    const int ahead = std::min(of_.micro_batches, of_.stages - stage - 1);
    std::vector<int> passes;
    int forward = 0;
    for (; forward < ahead; ++forward) {
      passes.push_back(forward);
    }
    for (int backward = 0; backward < of_.micro_batches; ++backward) {
      if (forward < of_.micro_batches) {
        passes.push_back(forward++);
      }
      passes.push_back(-backward - 1);
    }
    return passes;
  }

  double& at(std::vector<double>& times, int stage, int m) const {
    return times[static_cast<std::size_t>(stage * of_.micro_batches + m)];
  }

  bool run(int stage, int pass, double& free_s) {
    const bool is_forward = pass >= 0;
    const int m = is_forward ? pass : -pass - 1;
    double needs_s = 0.0;
    if (is_forward) {
      needs_s = stage == 0 ? 0.0 : at(forward_, stage - 1, m);
    } else {
      needs_s = stage == of_.stages - 1 ? at(forward_, stage, m) : at(backward_, stage + 1, m);
    }
    if (needs_s == never) {
      return false;
    }
    const double both_s =
        stage == 0 ? of_.own_s + encoder_s_[static_cast<std::size_t>(m)] : of_.others_s;
    const double share = (is_forward ? 1.0 : backward_over_forward) / (1.0 + backward_over_forward);
    free_s = std::max(free_s, needs_s) + share * both_s;
    at(is_forward ? forward_ : backward_, stage, m) = free_s;
    return true;
  }

  const Pipeline& of_;
  const std::vector<double>& encoder_s_;
  std::vector<double> forward_;
  std::vector<double> backward_;
};

// What replicas with drawn inputs take longer than with mean ones, in the mean over many steps.
double simulated_s(const Pipeline& of) {
  constexpr int steps = 400;
  std::mt19937 random(7);
  const double shape = 1.0 / (of.spread * of.spread);
  std::gamma_distribution<double> encoder_s(shape, of.encoder_s / shape);
  const auto micro_batches = static_cast<std::size_t>(of.micro_batches);
  const double even_s = Run(of, std::vector<double>(micro_batches, of.encoder_s)).seconds();
  double sum_s = 0.0;
  for (int step = 0; step < steps; ++step) {
    std::vector<std::vector<double>> drawn(static_cast<std::size_t>(of.replicas),
                                           std::vector<double>(micro_batches));
    for (auto& replica : drawn) {
      std::generate(replica.begin(), replica.end(), [&] { return encoder_s(random); });
    }
    double longest_s = 0.0;
    for (const auto& replica : drawn) {
      longest_s = std::max(longest_s, Run(of, replica).seconds());
    }
    sum_s += longest_s - even_s;
  }
  return sum_s / steps;
}

double longer_s(const UnevenInputs& inputs) {
  const UnevenInputs::Shares of = inputs.shares();
  return of.forward * inputs.forward_s + of.backward * inputs.backward_s +
         of.stage * inputs.stage_s + of.others * inputs.others_s;
}

double estimated_s(const Pipeline& of) {
  UnevenInputs inputs;
  inputs.forward_s = of.encoder_s / (1.0 + backward_over_forward);
  inputs.backward_s = of.encoder_s - inputs.forward_s;
  inputs.spread = of.spread;
  inputs.stage_s = of.own_s + of.encoder_s;
  inputs.others_s = of.stages > 1 ? of.others_s : 0.0;
  inputs.micro_batches = of.micro_batches;
  inputs.replicas = of.replicas;
  return longer_s(inputs);
}

TEST(UnevenInputs, ReplicasWaitForTheOneWithTheMost) {
  for (const Pipeline& of : {Pipeline{.micro_batches = 8, .replicas = 8, .spread = 1.0},
                             Pipeline{.micro_batches = 32, .replicas = 64},
                             Pipeline{.micro_batches = 4, .replicas = 2}}) {
    EXPECT_NEAR(estimated_s(of) / simulated_s(of), 1.0, 0.1);
  }
  EXPECT_EQ(estimated_s({.replicas = 1}), 0.0);
  EXPECT_EQ(estimated_s({.replicas = 8, .spread = 0.0}), 0.0);
}

// A stage that is the slowest by far sets the time by its sum; beside stages as slow as it what it
// takes longer is lost and what it takes shorter is not won.
TEST(UnevenInputs, StagesWaitForTheEncoder) {
  for (const Pipeline& of :
       {Pipeline{.stages = 4, .micro_batches = 32, .replicas = 8, .spread = 1.0},
        Pipeline{.stages = 8, .micro_batches = 64, .replicas = 8, .encoder_s = 0.5, .spread = 0.7},
        Pipeline{.stages = 4, .micro_batches = 32, .replicas = 4, .others_s = 1.3, .spread = 0.7},
        Pipeline{.stages = 2, .micro_batches = 16, .replicas = 4, .encoder_s = 1.0}}) {
    EXPECT_NEAR(estimated_s(of) / simulated_s(of), 1.0, 0.3);
  }
  // Alone and slowest, only the mean counts.
  EXPECT_LT(estimated_s({.stages = 4, .micro_batches = 32, .spread = 0.3}), 0.01);
}

TEST(UnevenInputs, RiseWithEachTime) {
  UnevenInputs inputs = {.forward_s = 0.1,
                         .backward_s = 0.2,
                         .spread = 0.8,
                         .stage_s = 1.0,
                         .others_s = 1.0,
                         .micro_batches = 4.0,
                         .replicas = 1000};
  double before_s = 0.0;
  for (inputs.others_s = 0.5; inputs.others_s < 2.0; inputs.others_s += 0.05) {
    const double step_s = 4.0 * std::max(inputs.stage_s, inputs.others_s) + longer_s(inputs);
    EXPECT_GE(step_s, before_s);
    before_s = step_s;
  }
}

TEST(UnevenInputs, TheLargestOfNormalDraws) {
  EXPECT_EQ(expected_largest(1), 0.0);
  EXPECT_NEAR(expected_largest(2), 0.5642, 1e-4);
  EXPECT_NEAR(expected_largest(3), 0.8463, 1e-4);
  EXPECT_NEAR(expected_largest(20) / 1.8675, 1.0, 0.045);
  EXPECT_NEAR(expected_largest(1000) / 3.2414, 1.0, 0.01);
}

// Sharded weights are gathered by all replicas together: each micro-batch waits for the slowest.
TEST(UnevenInputs, OfAStep) {
  TrainingJob job;
  job.model = test::llava_7b(0.5);
  job.global_batch = 64;
  parallel::Strategy strategy;
  strategy.data_parallel = 8;
  strategy.micro_batches = 8;
  const technology::System system = test::example_system();
  const auto waits_s = [&](double spread, int zero) {
    job.model.encoder.spread = spread;
    strategy.zero = static_cast<std::uint8_t>(zero);
    const TrainingEstimate step = estimate_training({job, system, strategy});
    double sum_s = 0.0;
    for (const double phase_s : step.phase_s) {
      sum_s += phase_s;
    }
    EXPECT_NEAR(sum_s / step.step_time_s(), 1.0, 1e-9);
    return step.phase_s[static_cast<std::size_t>(Phase::uneven_inputs)];
  };
  EXPECT_EQ(waits_s(0.0, 1), 0.0);
  const double at_end_s = waits_s(0.5, 1);
  EXPECT_GT(at_end_s, 0.0);
  EXPECT_NEAR(waits_s(1.0, 1) / at_end_s, 2.0, 1e-6);
  EXPECT_NEAR(waits_s(0.5, 3) / at_end_s, std::sqrt(8.0), 0.2);
}

}  // namespace
}  // namespace scalesweep::estimator

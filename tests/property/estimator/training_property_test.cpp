// What must hold for every training estimate, whatever the system and the strategy.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <functional>
#include <vector>

#include "estimator/explain.hpp"
#include "estimator/training.hpp"
#include "parallel/enumerate.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Strategy;

struct Example {
  TrainingJob job;
  technology::System system;
  Strategy strategy;
};

double log_uniform(double low, double high) {
  const double fraction = *rc::gen::inRange(0, 10001) / 10000.0;
  return low * std::pow(high / low, fraction);
}

technology::System any_system() {
  technology::System system = test::example_system();
  technology::Device& device = system.device;
  device.cores = *rc::gen::inRange(20, 2000);
  device.cluster = *rc::gen::element(1, 2, 4);
  for (auto& peak : device.tensor_peak) {
    peak = FlopPerSecond::si(log_uniform(20e12, 20e15));
  }
  device.vector_peak = FlopPerSecond::si(log_uniform(2e12, 500e12));
  device.dram.bandwidth = BytesPerSecond::si(log_uniform(0.3e12, 30e12));
  device.l2.bandwidth = BytesPerSecond::si(log_uniform(2e12, 100e12));
  device.l2.capacity = Bytes::si(log_uniform(4e6, 400e6));
  device.shared.bandwidth = BytesPerSecond::si(log_uniform(10e12, 500e12));
  system.scale_up.bandwidth = BytesPerSecond::si(log_uniform(30e9, 3e12));
  system.scale_up.in_network_reduction = *rc::gen::arbitrary<bool>();
  system.scale_up.in_network_efficiency = 0.6;
  system.scale_up_domain = *rc::gen::element(1, 4, 8, 16, 72);
  system.scale_out.bandwidth = BytesPerSecond::si(log_uniform(3e9, 300e9));
  system.scale_up.device_energy = 0.5 * system.scale_up.energy;
  device.thermal_design_power = Watts::si(log_uniform(120.0, 1000.0));
  device.leakage_power = Watts::si(50.0);
  if (*rc::gen::arbitrary<bool>()) {
    device.voltage = {Volts::si(0.75), Volts::si(0.3), Volts::si(0.5), Volts::si(0.9)};
    device.supply = Volts::si(log_uniform(0.45, 0.9));
  }
  return system;
}

Example any_example() {
  Example example;
  example.system = any_system();
  TrainingJob& job = example.job;
  job.model = *rc::gen::element(test::gpt(1024, 24, 16), test::gpt(6144, 48, 64), test::gpt3_175b(),
                                test::llama(8192, 80, 64, 8, 28672, 128256));
  job.sequence = *rc::gen::element(1024, 2048, 8192);
  job.global_batch = 96;
  job.flash_attention = *rc::gen::arbitrary<bool>();
  job.framework.hides_tensor_communication = *rc::gen::arbitrary<bool>();
  job.framework.hides_data_communication = *rc::gen::arbitrary<bool>();
  job.framework.issue_interval_s = *rc::gen::element(0.0, 5e-6, 70e-6);
  parallel::StrategyRules rules;
  rules.tensor_parallel.at_most = 32;
  const auto table = parallel::enumerate_strategies(
      rules, job.model, {*rc::gen::element(8, 32, 64), job.global_batch, job.sequence});
  example.strategy = *rc::gen::elementOf(table.strategies);
  return example;
}

// Without a limit of power: rates then stay what they are.
Example any_unlimited_example() {
  Example example = any_example();
  example.system.device.thermal_design_power = Watts::si(0.0);
  return example;
}

TrainingEstimate estimate_of(const Example& e) {
  return estimate_training(e.job, e.system, e.strategy);
}

double step_s(const Example& e) {
  return estimate_training(e.job, e.system, e.strategy).step_time_s();
}

void scale_rate(Example& example, Resource resource, double factor) {
  technology::Device& device = example.system.device;
  switch (resource) {
    case Resource::tensor_compute:
      for (auto& peak : device.tensor_peak) {
        peak *= factor;
      }
      break;
    case Resource::vector_compute:
      device.vector_peak *= factor;
      break;
    case Resource::dram:
      device.dram.bandwidth *= factor;
      break;
    case Resource::l2:
      device.l2.bandwidth *= factor;
      break;
    case Resource::shared_memory:
      device.shared.bandwidth *= factor;
      break;
    case Resource::scale_up:
      example.system.scale_up.bandwidth *= factor;
      break;
    case Resource::scale_out:
      example.system.scale_out.bandwidth *= factor;
      break;
    case Resource::latency:
      device.kernel_latency *= 1.0 / factor;
      example.job.framework.issue_interval_s /= factor;
      for (technology::Network* network : {&example.system.scale_up, &example.system.scale_out}) {
        network->latency *= 1.0 / factor;
        network->call_latency *= 1.0 / factor;
      }
      break;
  }
}

double scaled_step_s(Example example, Resource resource, double factor) {
  scale_rate(example, resource, factor);
  return step_s(example);
}

TEST(TrainingProperty, ChargesAndPhasesSumToTheStep) {
  EXPECT_TRUE(rc::check([] {
    const Example e = any_example();
    const TrainingEstimate estimate = estimate_training(e.job, e.system, e.strategy);
    const double total_s = estimate.step_time_s();
    double phases_s = 0.0;
    for (const double s : estimate.phase_s) {
      RC_ASSERT(s >= 0.0);
      phases_s += s;
    }
    RC_ASSERT(std::isfinite(total_s) && total_s > 0.0);
    RC_ASSERT(std::fabs(phases_s / total_s - 1.0) < 1e-12);
    for (const double s : estimate.step.time_s) {
      RC_ASSERT(s >= -1e-12 * total_s);
    }
  }));
}

TEST(TrainingProperty, FactoredEqualsPlainToTheBit) {
  EXPECT_TRUE(rc::check([] {
    const Example e = any_example();
    TrainingEstimator factored(e.job, e.system);
    Strategy neighbour = e.strategy;
    neighbour.recompute = parallel::Recompute::full;
    factored(neighbour);  // leaves its layer costs behind
    const TrainingEstimate a = factored(e.strategy);
    const TrainingEstimate b = estimate_training(e.job, e.system, e.strategy);
    RC_ASSERT(a.step.time_s == b.step.time_s);
    RC_ASSERT(a.phase_s == b.phase_s);
    RC_ASSERT(a.memory.total_bytes() == b.memory.total_bytes());
    RC_ASSERT(a.energy.total_j() == b.energy.total_j());
    RC_ASSERT(a.device_power_w == b.device_power_w);
    RC_ASSERT(a.clock_fraction == b.clock_fraction);
    RC_ASSERT(a.model_flop_utilization == b.model_flop_utilization);
  }));
}

TEST(TrainingProperty, MoreOfAnyResourceIsNeverSlower) {
  EXPECT_TRUE(rc::check([] {
    const Example e = any_unlimited_example();
    const auto resource = static_cast<Resource>(*rc::gen::inRange(0, int{resource_count}));
    const double factor = log_uniform(1.01, 8.0);
    RC_ASSERT(scaled_step_s(e, resource, factor) <= step_s(e) * (1.0 + 1e-12));
  }));
}

// -d ln T / d ln rate is the charge over T (Euler), away from ties, where the derivatives from the
// left and from the right differ.
TEST(TrainingProperty, ChargesAreElasticities) {
  int compared = 0;
  EXPECT_TRUE(rc::check([&] {
    const Example e = any_unlimited_example();
    const TrainingEstimate estimate = estimate_training(e.job, e.system, e.strategy);
    const double total_s = estimate.step_time_s();
    const double h = 1e-5;
    for (std::size_t r = 0; r < resource_count; ++r) {
      const auto resource = static_cast<Resource>(r);
      const double right = (total_s - scaled_step_s(e, resource, 1.0 + h)) / h;
      const double left = (scaled_step_s(e, resource, 1.0 - h) - total_s) / h;
      if (std::fabs(left - right) < 1e-4 * total_s) {
        ++compared;
        const double expected = estimate.step.time_s[r];
        RC_ASSERT(std::fabs(0.5 * (left + right) - expected) < 2e-4 * total_s);
      }
    }
  }));
  EXPECT_GT(compared, 500);
}

TEST(TrainingProperty, AveragePowerStaysWithinTheThermalDesignPower) {
  int limited = 0;
  EXPECT_TRUE(rc::check([&] {
    Example e = any_unlimited_example();
    const double limit_w = estimate_of(e).device_power_w * log_uniform(0.3, 1.2);
    e.system.device.thermal_design_power = Watts::si(limit_w);
    const TrainingEstimate estimate = estimate_of(e);
    RC_ASSERT(estimate.clock_fraction >= 0.0499 && estimate.clock_fraction <= 1.0);
    if (estimate.clock_fraction > 0.0501) {
      RC_ASSERT(estimate.device_power_w <= limit_w * (1.0 + 1e-12));
    }
    if (estimate.clock_fraction < 1.0 && estimate.clock_fraction > 0.0501) {
      ++limited;
      RC_ASSERT(estimate.device_power_w > limit_w * 0.99);  // no slower than it has to be
    }
  }));
  EXPECT_GT(limited, 10);
}

TEST(TrainingProperty, ALimitThatDoesNotBindChangesNothing) {
  EXPECT_TRUE(rc::check([] {
    Example e = any_unlimited_example();
    const TrainingEstimate free = estimate_of(e);
    e.system.device.thermal_design_power = Watts::si(free.device_power_w);
    const TrainingEstimate within = estimate_of(e);
    RC_ASSERT(within.clock_fraction == 1.0);
    RC_ASSERT(within.step.time_s == free.step.time_s);
    RC_ASSERT(within.energy.total_j() == free.energy.total_j());
    e.system.device.thermal_design_power *= 0.98;
    const TrainingEstimate limited = estimate_of(e);
    RC_ASSERT(limited.clock_fraction < 1.0);
    RC_ASSERT(limited.step_time_s() >= free.step_time_s() * (1.0 - 1e-12));
    RC_ASSERT(limited.model_flop_utilization <= free.model_flop_utilization * (1.0 + 1e-12));
  }));
}

// All energy is a device's, or burns in the networks beyond it.
TEST(TrainingProperty, EnergyIsThatOfDevicesAndOfNetworksBeyondThem) {
  EXPECT_TRUE(rc::check([] {
    const Example e = any_example();
    const TrainingEstimate estimate = estimate_of(e);
    const double devices = static_cast<double>(e.strategy.tensor_parallel) *
                           e.strategy.pipeline_parallel * e.strategy.data_parallel;
    const auto beyond_j = [](const technology::Network& network, double all_j) {
      return all_j * (1.0 - network.device_energy / network.energy);
    };
    const EnergyUse& energy = estimate.energy;
    const double expected_j = estimate.device_power_w * devices * estimate.step_time_s() +
                              beyond_j(e.system.scale_up, energy.scale_up_j) +
                              beyond_j(e.system.scale_out, energy.scale_out_j);
    RC_ASSERT(std::fabs(energy.total_j() / expected_j - 1.0) < 1e-12);
  }));
}

TEST(TrainingProperty, ExplainedTermsSumToTheStep) {
  EXPECT_TRUE(rc::check([] {
    const Example e = any_example();
    double sum_s = 0.0;
    for (const Term& term : explain_training(e.job, e.system, e.strategy).terms) {
      sum_s += term.step_s();
    }
    RC_ASSERT(std::fabs(sum_s / step_s(e) - 1.0) < 1e-9);
  }));
}

TEST(TrainingProperty, OneDeviceTakesTheSumOfItsKernels) {
  EXPECT_TRUE(rc::check([] {
    Example e = any_example();
    e.job.framework.issue_interval_s = 0.0;
    e.job.global_batch = 1;
    e.strategy = Strategy{};
    const Explanation explanation = explain_training(e.job, e.system, e.strategy);
    double kernels_s = 0.0;
    for (const Term& term : explanation.terms) {
      RC_ASSERT(term.group.find("communication") == std::string::npos);
      kernels_s += term.step_s();
    }
    RC_ASSERT(std::fabs(kernels_s / explanation.estimate.step_time_s() - 1.0) < 1e-9);
  }));
}

}  // namespace
}  // namespace scalesweep::estimator

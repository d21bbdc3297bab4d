// Of the catalog that ships: of two products of the same dies, the one that may draw more is never
// slower where both draw the same.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "estimator/training/training.hpp"
#include "support/shipped_catalog.hpp"
#include "technology/derive/clock.hpp"
#include "technology/derive/long_gemm.hpp"
#include "workload/framework.hpp"

namespace scalesweep::estimator {
namespace {

using technology::Device;
using technology::Precision;
using technology::System;

// Products of the same dies: the second one may draw as much as the first, or more, and lacks
// nothing that it has.
struct Variants {
  const char* device;
  const char* later;
};
constexpr Variants variants[] = {{"b200-sxm", "gb200"},    {"b200-sxm", "b300-sxm"},
                                 {"gb200", "gb300"},       {"b300-sxm", "gb300"},
                                 {"h100-sxm", "h200-sxm"}, {"h800-sxm", "h100-sxm"},
                                 {"gh200-96gb", "gh200"},  {"mi300x", "mi325x"}};

const catalog::Catalog& shipped() {
  return test::shipped_catalog();
}

System at_limit(const char* name, double watts) {
  System system = shipped().catalogued_system({.device = name, .scale_up = "NVLink5", .domain = 8});
  Watts& limit = system.device.thermal_design_power;
  limit = std::min(limit, Watts::si(watts));
  return system;
}

std::vector<double> limits(const char* name) {
  const double most = shipped().device(name).thermal_design_power.si();
  std::vector<double> watts;
  for (double limit = 300.0; limit < most; limit += 100.0) {
    watts.push_back(limit);
  }
  watts.push_back(most);
  return watts;
}

double step_s(const System& system) {
  TrainingJob job;
  job.model = shipped().model("llama-3-8b");
  job.sequence = 4096;
  job.global_batch = 64;
  job.stack = shipped().framework("megatron-bridge").training;
  job.optimizer = shipped().optimizer();
  parallel::Strategy strategy;
  strategy.tensor_parallel = 4;
  strategy.sequence_parallel = true;
  strategy.data_parallel = 4;
  strategy.micro_batches = 16;
  strategy.zero = 1;
  return estimate_training({job, system, strategy}).step_time_s();
}

// Rest power belongs to the silicon and not to the limit: at the same clock it is the same.
TEST(Variants, BurnTheSameAtRest) {
  for (const Variants& pair : variants) {
    const Device& device = shipped().device(pair.device);
    const Device& sold = shipped().device(pair.later);
    const std::size_t p = technology::index_of(Precision::bf16);
    const Device later =
        technology::at_clock(sold, std::min(1.0, device.tensor_peak[p] / sold.tensor_peak[p]));
    const auto expect_near = [&](Watts one, Watts other) {
      EXPECT_NEAR(one / other, 1.0, 0.01) << pair.later << " against " << pair.device;
    };
    expect_near(later.idle_power, device.idle_power);
    expect_near(later.active_power, device.active_power);
    expect_near(later.leakage_power, device.leakage_power);
  }
}

TEST(Variants, AreNeverSlowerAtTheSamePower) {
  for (const Variants& pair : variants) {
    for (const double watts : limits(pair.device)) {
      const System device = at_limit(pair.device, watts);
      const System later = at_limit(pair.later, watts);
      EXPECT_LE(step_s(later), step_s(device) * 1.005)
          << pair.later << " against " << pair.device << " at " << watts << " W";
    }
  }
}

TEST(Variants, MultiplyNoSlowerAtTheSamePower) {
  const auto rate = [](const Device& device, Precision precision) {
    const std::size_t p = technology::index_of(precision);
    return technology::long_gemm_clock(device, precision) * device.tensor_peak[p].si() *
           device.tensor_sustained[p];
  };
  for (const Variants& pair : variants) {
    for (const double watts : limits(pair.device)) {
      for (const Precision precision : {Precision::bf16, Precision::fp8}) {
        EXPECT_GE(rate(at_limit(pair.later, watts).device, precision) * 1.005,
                  rate(at_limit(pair.device, watts).device, precision))
            << pair.later << " against " << pair.device << " at " << watts << " W";
      }
    }
  }
}

}  // namespace
}  // namespace scalesweep::estimator

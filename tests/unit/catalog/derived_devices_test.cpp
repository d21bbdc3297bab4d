// Devices derived from one base, the A100, against the data sheets of others. The errors are part
// of what the project says about itself: the test fails when they move in either direction.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>

#include "catalog/catalog.hpp"
#include "support/shipped_catalog.hpp"
#include "technology/derive/derive.hpp"
#include "technology/derive/long_gemm.hpp"

namespace scalesweep::catalog {
namespace {

using technology::Precision;

const Catalog& shipped() {
  return scalesweep::test::shipped_catalog();
}

// Relative errors to expect against the data sheet: cores, clock (at which the peak is stated),
// dense fp16 peak, DRAM bandwidth.
struct Expected {
  const char* device;
  double cores, clock, peak, bandwidth;
};

struct Errors {
  double cores, clock, peak, bandwidth, capacity;
};

// Given: die area and number, node, power, stacks with their pin rate, links, FLOP a clock and
// core.
Errors errors_of(const char* name) {
  const technology::Device& real = shipped().device(name);
  const DerivedSystem given = shipped().published_budget(name, "tensor-core-gpu").value();
  const technology::Derivation d = technology::derive(shipped().parts(given), given.budget);
  EXPECT_FALSE(d.infeasible) << to_string(*d.infeasible);
  const std::size_t half = technology::index_of(Precision::fp16);
  const double real_clock =
      real.tensor_peak[half].si() / (real.cores * *given.budget.flop_per_clock);
  return {static_cast<double>(d.device.cores) / real.cores - 1.0,
          d.device.clock.si() / real_clock - 1.0,
          d.device.tensor_peak[half] / real.tensor_peak[half] - 1.0,
          d.device.dram.bandwidth / real.dram.bandwidth - 1.0,
          d.device.dram.capacity / real.dram.capacity - 1.0};
}

class DerivedDevice : public testing::TestWithParam<Expected> {};

TEST_P(DerivedDevice, ErrorAgainstTheDataSheet) {
  const Expected& expected = GetParam();
  const Errors errors = errors_of(expected.device);
  std::printf("%-15s cores %+3.0f%%  clock %+3.0f%%  fp16 peak %+3.0f%%  DRAM %+3.0f%% %+3.0f%%\n",
              expected.device, 100 * errors.cores, 100 * errors.clock, 100 * errors.peak,
              100 * errors.bandwidth, 100 * errors.capacity);
  EXPECT_NEAR(errors.cores, expected.cores, 0.01);
  EXPECT_NEAR(errors.clock, expected.clock, 0.01);
  EXPECT_NEAR(errors.peak, expected.peak, 0.01);
  EXPECT_NEAR(errors.bandwidth, expected.bandwidth, 0.01);
}

// What the errors tell stands in nodes/README.md.
INSTANTIATE_TEST_SUITE_P(Published, DerivedDevice,
                         testing::Values(Expected{"a100-sxm-80gb", 0, 0, 0, 0},
                                         Expected{"v100-sxm2-32gb", -0.25, -0.03, -0.27, 0},
                                         Expected{"h100-sxm", 0.045, -0.146, -0.107, 0},
                                         Expected{"h200-sxm", 0.03, -0.14, -0.115, 0},
                                         Expected{"b200-sxm", 0.28, -0.27, -0.07, 0},
                                         Expected{"mi250x", 0.38, -0.29, -0.02, 0},
                                         Expected{"mi300x", 0.05, -0.34, -0.31, 0}),
                         [](const auto& test) {
                           std::string name = test.param.device;
                           return name.substr(0, name.find('-'));
                         });

// A template of the right generation: what the A100's gets wrong is architecture, and not the node.
TEST(DerivedDevices, FollowFromATemplateOfTheirGeneration) {
  struct Relative {
    const char* device;
    const char* architecture;
    double peak;  // of the data sheet, off by at most
  };
  for (const Relative& relative :
       {Relative{"a100-sxm-40gb", "tensor-core-gpu", 0.02}, Relative{"h200-sxm", "hopper", 0.02},
        Relative{"gb200", "blackwell", 0.03}}) {
    const technology::Device& real = shipped().device(relative.device);
    const DerivedSystem given =
        shipped().published_budget(relative.device, relative.architecture).value();
    const technology::Derivation d = technology::derive(shipped().parts(given), given.budget);
    ASSERT_FALSE(d.infeasible) << to_string(*d.infeasible);
    const std::size_t half = technology::index_of(Precision::fp16);
    const double error = d.device.tensor_peak[half] / real.tensor_peak[half] - 1.0;
    std::printf("%-15s from %-15s fp16 peak %+.1f%%\n", relative.device, relative.architecture,
                100 * error);
    EXPECT_LT(std::abs(error), relative.peak) << relative.device;
  }
}

// The template on the A100's own budgets, to the last core.
TEST(DerivedDevices, TheTemplateGivesTheA100) {
  const DerivedResult result =
      shipped().derived_system({.architecture = "tensor-core-gpu",
                                .logic = "N7",
                                .memory = "HBM2E",
                                .budget = {SquareMetres::si(826e-6), 1, Watts::si(400), 5},
                                .scale_up = "NVLink3",
                                .scale_out = "HDRx8"});

  ASSERT_TRUE(result.system) << to_string(*result.derivation.infeasible);
  const technology::Device& derived = result.system->device;
  const technology::Device& real = shipped().device("a100-sxm-80gb");
  const std::size_t bf16 = technology::index_of(Precision::bf16);
  EXPECT_EQ(derived.cores, real.cores);
  EXPECT_NEAR(derived.clock / real.clock, 1.0, 0.01);
  EXPECT_NEAR(derived.tensor_peak[bf16] / real.tensor_peak[bf16], 1.0, 0.01);
  EXPECT_NEAR(derived.vector_peak / real.vector_peak, 1.0, 0.01);
  EXPECT_NEAR(derived.dram.bandwidth / real.dram.bandwidth, 1.0, 0.01);
  EXPECT_EQ(derived.dram.capacity.si(), real.dram.capacity.si());
  EXPECT_NEAR(derived.l2.capacity / real.l2.capacity, 1.0, 0.01);
  EXPECT_NEAR(derived.l2.bandwidth / real.l2.bandwidth, 1.0, 0.01);
  EXPECT_NEAR(derived.shared.bandwidth / real.shared.bandwidth, 1.0, 0.01);
  EXPECT_EQ(derived.shared.capacity.si(), real.shared.capacity.si());
  EXPECT_EQ(derived.kernel_latency.si(), real.kernel_latency.si());
  EXPECT_EQ(derived.tensor_sustained[bf16], real.tensor_sustained[bf16]);
  EXPECT_NEAR(derived.idle_power.si(), real.idle_power.si(), 1.0);
  EXPECT_NEAR(derived.active_power.si(), real.active_power.si(), 8.0);
  EXPECT_NEAR(derived.tensor_energy[bf16] / real.tensor_energy[bf16], 1.0, 0.02);
}

// Every node and memory under the budget of a large device: a long GEMM takes the power at the
// rated clock, or runs at the highest one.
TEST(DerivedDevices, LongGemmsTakeThePowerOrTheHighestClock) {
  int devices = 0;
  for (const std::string& scaling : shipped().scalings()) {
    for (const std::string& node : shipped().names(Section::logic)) {
      for (const std::string& memory : shipped().names(Section::memories)) {
        if (!shipped().has_logic(node, scaling)) {
          continue;
        }
        const DerivedResult result =
            shipped().derived_system({.architecture = "tensor-core-gpu",
                                      .logic = node,
                                      .scaling = scaling,
                                      .memory = memory,
                                      .budget = {SquareMetres::si(826e-6), 1, Watts::si(700), 6},
                                      .scale_up = "NVLink4",
                                      .scale_out = "NDRx8"});
        if (!result.system) {
          continue;
        }
        ++devices;
        const technology::Device& d = result.system->device;
        const double clock = technology::long_gemm_clock(d, Precision::bf16);
        const double power = technology::long_gemm_power(d, Precision::bf16, clock).si();
        EXPECT_LE(power, 700.0 * (1.0 + 1e-9)) << scaling << node << memory;
        EXPECT_TRUE(power > 0.75 * 700.0 ||
                    d.clock.si() > 0.999 * result.derivation.highest_clock.si())
            << scaling << ' ' << node << ' ' << memory << ' ' << power << " W";
      }
    }
  }
  EXPECT_GT(devices, 300);
}

// Foundries state both "faster at equal power" and "less power at equal speed": the law must join
// the two about as they do.
TEST(DerivedDevices, SpeedAtEqualPowerAgreesWithFoundryClaims) {
  struct Claim {
    const char* node;
    double power, speed;  // at equal speed, at equal power
  };
  for (const Claim& claim : {Claim{"N10", 0.60, 1.20}, Claim{"N5", 0.70, 1.15},
                             Claim{"N3", 0.66, 1.18}, Claim{"N2", 0.725, 1.125}}) {
    const technology::VoltageCurve& curve = shipped().logic(claim.node, "foundry").voltage;
    const technology::OperatingPoint point =
        technology::settle(curve, Watts::si(1.0), Watts::si(claim.power), Watts::si(0.0));
    std::printf("%-4s %.3f x faster at equal power, claimed %.3f\n", claim.node, point.frequency,
                claim.speed);
    EXPECT_NEAR(point.frequency, claim.speed, 0.03) << claim.node;
  }
}

}  // namespace
}  // namespace scalesweep::catalog

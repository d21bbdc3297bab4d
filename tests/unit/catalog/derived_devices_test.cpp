// Devices derived from one base, the A100, against the data sheets of others. The errors are part
// of what the project says about itself: the test fails when they move in either direction.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "catalog/catalog.hpp"
#include "technology/derive.hpp"

namespace scalesweep::catalog {
namespace {

using technology::Precision;

const Catalog& shipped() {
  static const Catalog catalog = [] {
    Diagnostics diagnostics;
    return Catalog::load(std::filesystem::path(SHIPPED_CATALOG), diagnostics).value();
  }();
  return catalog;
}

// What is published of a device and given to the law: node, memory, area, power, links, and the
// width of the matrix units against that of the A100.
struct Published {
  const char* device;
  const char* node;
  double tensor_width;
  double die_mm2;
  // Relative errors to expect: cores, clock, dense fp16 peak, L2 capacity.
  double cores, clock, peak, l2;
};

technology::Derivation derive_like(const Published& published) {
  const technology::System real = shipped().catalogued_system({.device = published.device});
  const technology::DeviceTemplate wide = technology::with_tensor_width(
      shipped().architecture("tensor-core-gpu"), published.tensor_width);
  const technology::Budget budget = {SquareMetres::si(published.die_mm2 * 1e-6), real.device.dies,
                                     real.device.thermal_design_power, real.device.stacks};
  // The product's own stack bandwidth: standards and products differ.
  technology::MemoryTechnology memory = shipped().memory(real.device.memory);
  memory.stack_bandwidth = real.device.dram.bandwidth / static_cast<double>(real.device.stacks);
  return technology::derive(wide, shipped().logic(published.node, "foundry"),
                            shipped().logic("N7", "foundry"), memory, real.scale_up, budget);
}

class DerivedDevice : public testing::TestWithParam<Published> {};

TEST_P(DerivedDevice, ErrorAgainstTheDataSheet) {
  const Published& published = GetParam();
  const technology::Device& real = shipped().device(published.device);
  const technology::Derivation d = derive_like(published);
  ASSERT_FALSE(d.infeasible) << to_string(*d.infeasible);
  const std::size_t fp16 = technology::index_of(Precision::fp16);
  const double cores = static_cast<double>(d.device.cores) / real.cores - 1.0;
  const double clock = d.device.clock / real.clock - 1.0;
  const double peak = d.device.tensor_peak[fp16] / real.tensor_peak[fp16] - 1.0;
  const double l2 = d.device.l2.capacity / real.l2.capacity - 1.0;

  std::printf(
      "%-15s cores %3d (%+3.0f%%)  clock %.2f GHz (%+3.0f%%)  fp16 %6.1f TFLOP/s (%+3.0f%%)"
      "  L2 %5.1f MiB (%+3.0f%%)\n",
      published.device, d.device.cores, 100 * cores, d.device.clock.si() / 1e9, 100 * clock,
      d.device.tensor_peak[fp16].si() / 1e12, 100 * peak, d.device.l2.capacity.si() / 0x1p20,
      100 * l2);
  EXPECT_NEAR(cores, published.cores, 0.02);
  EXPECT_NEAR(clock, published.clock, 0.02);
  EXPECT_NEAR(peak, published.peak, 0.02);
  EXPECT_NEAR(l2, published.l2, 0.03);
}

INSTANTIATE_TEST_SUITE_P(
    Published, DerivedDevice,
    testing::Values(Published{"a100-sxm-80gb", "N7", 1.0, 826, 0.0, 0.0, 0.0, 0.0},
                    Published{"v100-sxm2-32gb", "N12", 0.5, 815, -0.425, -0.01, -0.43, 1.36},
                    Published{"h100-sxm", "N4", 2.0, 814, -0.045, -0.087, -0.129, 0.23},
                    Published{"b200-sxm", "N4", 4.0, 800, 0.135, -0.334, -0.20, -0.03}),
    [](const auto& test) {
      std::string name = test.param.device;
      return name.substr(0, name.find('-'));
    });

// What the errors tell: an H100 and a B200 follow from the A100 within a fifth. A V100 does not:
// its core is a simpler one (no asynchronous copies, half the L1), which a law of areas cannot
// know.

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
  EXPECT_NEAR(derived.clock / real.clock, 1.0, 0.005);
  EXPECT_NEAR(derived.tensor_peak[bf16] / real.tensor_peak[bf16], 1.0, 0.005);
  EXPECT_NEAR(derived.vector_peak / real.vector_peak, 1.0, 0.005);
  EXPECT_NEAR(derived.dram.bandwidth / real.dram.bandwidth, 1.0, 0.01);
  EXPECT_EQ(derived.dram.capacity.si(), real.dram.capacity.si());
  EXPECT_NEAR(derived.l2.capacity / real.l2.capacity, 1.0, 0.01);
  EXPECT_NEAR(derived.l2.bandwidth / real.l2.bandwidth, 1.0, 0.01);
  EXPECT_NEAR(derived.shared.bandwidth / real.shared.bandwidth, 1.0, 0.01);
  EXPECT_EQ(derived.shared.capacity.si(), real.shared.capacity.si());
  EXPECT_EQ(derived.kernel_latency.si(), real.kernel_latency.si());
  EXPECT_EQ(derived.tensor_sustained[bf16], real.tensor_sustained[bf16]);
  EXPECT_NEAR(derived.idle_power.si(), real.idle_power.si(), 1.0);
  EXPECT_NEAR(derived.tensor_energy[bf16] / real.tensor_energy[bf16], 1.0, 0.12);
}

// Every node and memory under the budget of a large device: there is one, and its full load stays
// within its power.
TEST(DerivedDevices, FullLoadStaysWithinThePower) {
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
        ASSERT_TRUE(result.system) << node << memory << to_string(*result.derivation.infeasible);
        const technology::Device& d = result.system->device;
        const Watts beside = d.idle_power + d.dram.bandwidth * d.dram.energy * d.dram.sustained +
                             d.l2.bandwidth * d.l2.energy * d.l2.sustained +
                             result.system->scale_up.bandwidth * result.system->scale_up.energy;
        for (std::size_t p = 0; p < technology::precision_count; ++p) {
          const Watts total =
              beside + d.tensor_peak[p] * d.tensor_energy[p] * d.tensor_sustained[p];
          EXPECT_LE(total.si(), 700.0) << scaling << node << memory;
        }
      }
    }
  }
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

TEST(DerivedDevices, OneTakesMicroseconds) {
  const DerivedSystem choice = {.architecture = "tensor-core-gpu",
                                .logic = "N5",
                                .memory = "HBM3",
                                .budget = {SquareMetres::si(826e-6), 1, Watts::si(700), 5},
                                .scale_up = "NVLink4",
                                .scale_out = "NDRx8"};
  constexpr int times = 2000;
  double best_s = 1.0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) {
      ASSERT_TRUE(shipped().derived_system(choice).system);
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best_s = std::min(best_s, taken.count() / times);
  }
  std::printf("%.2f us for one derived system\n", best_s * 1e6);
  EXPECT_LT(best_s, 200e-6);  // 20 us in a release build; debug and sanitizers take their share
}

}  // namespace
}  // namespace scalesweep::catalog

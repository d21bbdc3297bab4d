// Every template gives the device back that it is calibrated on: derived on that device's own node,
// areas, power, memory and links.
#include <gtest/gtest.h>

#include <cstdio>

#include "catalog/catalog.hpp"
#include "support/shipped_catalog.hpp"
#include "technology/derive/long_gemm.hpp"

namespace scalesweep::catalog {
namespace {

using technology::Precision;

struct Calibration {
  const char* architecture;
  const char* device;
};

class Template : public testing::TestWithParam<Calibration> {
 protected:
  static const Catalog& shipped() { return scalesweep::test::shipped_catalog(); }

  // What a data sheet says of the real device, and nothing of what is derived.
  static DerivedSystem budgets_of(const Calibration& calibration) {
    return shipped().published_budget(calibration.device, calibration.architecture).value();
  }
};

TEST_P(Template, GivesTheDeviceBackThatItIsCalibratedOn) {
  const DerivedResult result = shipped().derived_system(budgets_of(GetParam()));
  ASSERT_TRUE(result.system) << to_string(*result.derivation.infeasible);
  const technology::Device& derived = result.system->device;
  const technology::Device& real = shipped().device(GetParam().device);
  const std::size_t bf16 = technology::index_of(Precision::bf16);
  std::printf("%s: %d cores, %.3f GHz, %.1f TFLOP/s bf16, %.0f GB/s, L2 %.1f MiB, %.3f V\n",
              GetParam().device, derived.cores, derived.clock.si() / 1e9,
              derived.tensor_peak[bf16].si() / 1e12, derived.dram.bandwidth.si() / 1e9,
              derived.l2.capacity.si() / 0x1p20, derived.supply.si());

  EXPECT_EQ(derived.cores, real.cores);
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    if (real.tensor_peak[p].si() > 0.0) {
      EXPECT_NEAR(derived.tensor_peak[p] / real.tensor_peak[p], 1.0, 0.01)
          << technology::precision_names[p];
    }
  }
  EXPECT_NEAR(derived.vector_peak / real.vector_peak, 1.0, 0.01);
  EXPECT_NEAR(derived.dram.bandwidth / real.dram.bandwidth, 1.0, 0.01);
  EXPECT_NEAR(derived.dram.capacity / real.dram.capacity, 1.0, 0.07);  // B200: 180 of 192 GiB
  EXPECT_NEAR(derived.l2.capacity.si(), real.l2.capacity.si(), 0.01 * real.l2.capacity.si());
  EXPECT_NEAR(derived.l2.bandwidth / real.l2.bandwidth, 1.0, 0.01);
  EXPECT_NEAR(derived.shared.capacity / real.shared.capacity, 1.0, 0.01);
  EXPECT_NEAR(derived.shared.bandwidth / real.shared.bandwidth, 1.0, 0.01);
  EXPECT_NEAR(derived.idle_power / real.idle_power, 1.0, 0.01);
}

// A long GEMM takes the same power at the same clock.
TEST_P(Template, TakesThePowerOfThatDevice) {
  const DerivedResult result = shipped().derived_system(budgets_of(GetParam()));
  ASSERT_TRUE(result.system) << to_string(*result.derivation.infeasible);
  const technology::Device& derived = result.system->device;
  const technology::Device& real = shipped().device(GetParam().device);

  EXPECT_NEAR(derived.active_power / real.active_power, 1.0, 0.05);
  EXPECT_NEAR(derived.dram.energy / real.dram.energy, 1.0, 0.01);
  EXPECT_NEAR(derived.vector_energy / real.vector_energy, 1.0, 0.25);
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    if (real.tensor_peak[p].si() > 0.0) {
      const auto precision = static_cast<Precision>(p);
      const double of_derived = derived.tensor_peak[p].si() * long_gemm_clock(derived, precision);
      const double of_real = real.tensor_peak[p].si() * long_gemm_clock(real, precision);
      EXPECT_NEAR(of_derived / of_real, 1.0, 0.03) << technology::precision_names[p];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, Template,
                         testing::Values(Calibration{"tensor-core-gpu", "a100-sxm-80gb"},
                                         Calibration{"hopper", "h100-sxm"},
                                         Calibration{"blackwell", "b200-sxm"},
                                         Calibration{"cdna3", "mi300x"},
                                         Calibration{"systolic-array", "tpu-v4"},
                                         Calibration{"wide-simd-cpu", "xeon-8592plus"},
                                         Calibration{"wafer-scale", "wse-2"}),
                         [](const auto& test) {
                           std::string name = test.param.architecture;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Of a cache below the cores the node of the cores changes nothing.
TEST(Templates, LeaveTheCacheOfStackedDiesAsItIs) {
  const Catalog& shipped = scalesweep::test::shipped_catalog();
  DerivedSystem choice = shipped.published_budget("mi300x", "cdna3").value();
  choice.logic = "N2";
  const technology::Device derived = shipped.derived_system(choice).system.value().device;
  EXPECT_NEAR(derived.l2.capacity / shipped.device("mi300x").l2.capacity, 1.0, 0.01);
  EXPECT_GT(derived.cores, 400);
}

// A newer node and more power make any of them faster.
TEST_P(Template, IsFasterOnANewerNode) {
  DerivedSystem choice = budgets_of(GetParam());
  const DerivedResult before = shipped().derived_system(choice);
  choice.logic = "N2";
  const DerivedResult after = shipped().derived_system(choice);
  ASSERT_TRUE(after.system) << to_string(*after.derivation.infeasible);
  const std::size_t bf16 = technology::index_of(Precision::bf16);
  EXPECT_GT(after.system->device.tensor_peak[bf16].si(),
            1.5 * before.system->device.tensor_peak[bf16].si());
}

}  // namespace
}  // namespace scalesweep::catalog

// Every template gives the device back that it is calibrated on: derived on that device's own node,
// areas, power, memory and links.
#include <gtest/gtest.h>

#include <cstdio>

#include "catalog/catalog.hpp"
#include "support/shipped_catalog.hpp"

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
  EXPECT_NEAR(derived.clock / real.clock, 1.0, 0.01);
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    if (real.tensor_peak[p].si() > 0.0) {
      EXPECT_NEAR(derived.tensor_peak[p] / real.tensor_peak[p], 1.0, 0.01)
          << technology::precision_names[p];
    }
  }
  EXPECT_NEAR(derived.vector_peak / real.vector_peak, 1.0, 0.01);
  EXPECT_NEAR(derived.dram.bandwidth / real.dram.bandwidth, 1.0, 0.01);
  EXPECT_NEAR(derived.dram.capacity / real.dram.capacity, 1.0, 0.01);
  EXPECT_NEAR(derived.l2.capacity / real.l2.capacity, 1.0, 0.01);
  EXPECT_NEAR(derived.l2.bandwidth / real.l2.bandwidth, 1.0, 0.01);
  EXPECT_NEAR(derived.shared.capacity / real.shared.capacity, 1.0, 0.01);
  EXPECT_NEAR(derived.shared.bandwidth / real.shared.bandwidth, 1.0, 0.01);
  EXPECT_NEAR(derived.idle_power / real.idle_power, 1.0, 0.01);
}

// Nothing of the power is left over: at nominal voltage the parts add up to the budget, and the
// energies of operations never exceed it.
TEST_P(Template, AddsUpToItsPower) {
  const DerivedSystem choice = budgets_of(GetParam());
  const DerivedResult result = shipped().derived_system(choice);
  ASSERT_TRUE(result.system) << to_string(*result.derivation.infeasible);
  const technology::Derivation& d = result.derivation;
  const double nominal_w = d.memory_power.si() + d.link_power.si() + d.fixed_power.si() +
                           d.nominal_core_dynamic.si() + d.nominal_core_leakage.si();

  EXPECT_NEAR(nominal_w / choice.budget.power.si(), 1.0, 0.01);
  const technology::Device& device = result.system->device;
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    const double matrix_w =
        device.tensor_peak[p].si() * device.tensor_energy[p].si() * device.tensor_sustained[p] *
        technology::long_run_share(device, static_cast<technology::Precision>(p));
    const double cores_w = d.nominal_core_dynamic.si() - d.nominal_l2_dynamic.si();
    EXPECT_LE(matrix_w, 1.02 * cores_w) << technology::precision_names[p];
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, Template,
                         testing::Values(Calibration{"tensor-core-gpu", "a100-sxm-80gb"},
                                         Calibration{"systolic-array", "tpu-v4"},
                                         Calibration{"wide-simd-cpu", "xeon-8592plus"}),
                         [](const auto& test) {
                           std::string name = test.param.architecture;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A newer node and more power make any of them faster.
TEST_P(Template, IsFasterOnANewerNode) {
  DerivedSystem choice = budgets_of(GetParam());
  const DerivedResult before = shipped().derived_system(choice);
  choice.logic = "N3";
  const DerivedResult after = shipped().derived_system(choice);
  ASSERT_TRUE(after.system) << to_string(*after.derivation.infeasible);
  const std::size_t bf16 = technology::index_of(Precision::bf16);
  EXPECT_GT(after.system->device.tensor_peak[bf16].si(),
            1.5 * before.system->device.tensor_peak[bf16].si());
}

}  // namespace
}  // namespace scalesweep::catalog

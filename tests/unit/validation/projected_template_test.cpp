// The generation after Blackwell by its rule (nodes/templates-projected.toml), and what the same
// rule would have said of Blackwell itself.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/shipped_catalog.hpp"
#include "technology/derive/derive.hpp"
#include "validation/twins.hpp"

namespace scalesweep::validation {
namespace {

using technology::DeviceTemplate;
using technology::Precision;

// On by the last step where all three differ the same way, else as it is. Of two generations alone
// the one step there is.
double moved_on(const double* older, double before, double last) {
  const bool on =
      older == nullptr || (*older < before && before < last) || (*older > before && before > last);
  return on ? last * last / before : last;
}

// What an architecture chooses anew; the rest is that of `last`. `older` may be nothing.
DeviceTemplate projected(const DeviceTemplate* older, const DeviceTemplate& before,
                         const DeviceTemplate& last) {
  DeviceTemplate next = last;
  const auto move = [&](auto member) {
    const double first = older == nullptr ? 0.0 : (older->*member).si();
    (next.*member) = std::remove_reference_t<decltype(next.*member)>::si(
        moved_on(older == nullptr ? nullptr : &first, (before.*member).si(), (last.*member).si()));
  };
  const auto move_number = [&](double DeviceTemplate::*member) {
    next.*member =
        moved_on(older == nullptr ? nullptr : &(older->*member), before.*member, last.*member);
  };
  move(&DeviceTemplate::nominal_clock);
  move(&DeviceTemplate::kernel_latency);
  move(&DeviceTemplate::core_logic_area);
  move(&DeviceTemplate::core_sram_area);
  move(&DeviceTemplate::core_active_power);
  move(&DeviceTemplate::core_leakage_power);
  for (double DeviceTemplate::*member :
       {&DeviceTemplate::long_gemm_clock, &DeviceTemplate::vector_flop_per_clock,
        &DeviceTemplate::core_matrix_share, &DeviceTemplate::core_area_share,
        &DeviceTemplate::enabled_cores}) {
    move_number(member);
  }
  const double older_cluster = older == nullptr ? 0.0 : older->cluster;
  next.cluster = static_cast<int>(std::lround(
      moved_on(older == nullptr ? nullptr : &older_cluster, before.cluster, last.cluster)));

  // Every precision as bf16: those that one of the three lacks, and the others do, too.
  const std::size_t bf16 = technology::index_of(Precision::bf16);
  const auto step = [&](auto table) {
    const double* first = older == nullptr ? nullptr : &(older->*table)[bf16];
    return moved_on(first, (before.*table)[bf16], (last.*table)[bf16]) / (last.*table)[bf16];
  };
  const double wider = step(&DeviceTemplate::tensor_flop_per_clock);
  const double sustained = step(&DeviceTemplate::tensor_sustained);
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    next.tensor_flop_per_clock[p] *= wider;
    next.tensor_sustained[p] *= sustained;
  }
  return next;
}

const DeviceTemplate& shipped(const char* name) {
  return test::shipped_catalog().architecture(name);
}

TEST(ProjectedTemplate, IsWhatItsRuleSays) {
  const DeviceTemplate& ampere = shipped("tensor-core-gpu");
  const DeviceTemplate wanted = projected(&ampere, shipped("hopper"), shipped("blackwell"));
  const DeviceTemplate& is = shipped("after-blackwell");
  const auto near = [](double a, double b) { EXPECT_NEAR(a / b, 1.0, 5e-4); };
  near(is.nominal_clock.si(), wanted.nominal_clock.si());
  near(is.long_gemm_clock, wanted.long_gemm_clock);
  near(is.kernel_latency.si(), wanted.kernel_latency.si());
  EXPECT_EQ(is.cluster, wanted.cluster);
  near(is.vector_flop_per_clock, wanted.vector_flop_per_clock);
  near(is.core_logic_area.si(), wanted.core_logic_area.si());
  near(is.core_sram_area.si(), wanted.core_sram_area.si());
  near(is.core_active_power.si(), wanted.core_active_power.si());
  near(is.core_leakage_power.si(), wanted.core_leakage_power.si());
  near(is.core_matrix_share, wanted.core_matrix_share);
  near(is.core_area_share, wanted.core_area_share);
  near(is.enabled_cores, wanted.enabled_cores);
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    if (wanted.tensor_flop_per_clock[p] > 0.0) {
      EXPECT_EQ(is.tensor_flop_per_clock[p], wanted.tensor_flop_per_clock[p]);
      near(is.tensor_sustained[p], wanted.tensor_sustained[p]);
      near(is.tensor_energy[p].si(), wanted.tensor_energy[p].si());
    }
  }
  // What stays.
  EXPECT_EQ(is.l2_logic_area_per_byte, wanted.l2_logic_area_per_byte);
  EXPECT_EQ(is.l2_slice_bytes_per_clock, wanted.l2_slice_bytes_per_clock);
  EXPECT_EQ(is.vector_energy.si(), wanted.vector_energy.si());
  EXPECT_EQ(is.attention.decode_latency.si(), wanted.attention.decode_latency.si());
  EXPECT_EQ(is.fixed_area.si(), wanted.fixed_area.si());
}

// Nothing in it may look as if somebody knew it.
TEST(ProjectedTemplate, IsMarkedSo) {
  const catalog::Entry& entry =
      *test::shipped_catalog().entry(catalog::Section::templates, "after-blackwell");
  EXPECT_EQ(entry.predecessor, "blackwell");
  for (const catalog::Value& value : entry.values) {
    EXPECT_TRUE(value.kind == catalog::SourceKind::roadmap ||
                (value.kind >= catalog::SourceKind::assumed && value.from == "blackwell"))
        << value.key;
  }
}

// The A100 and the H100 alone, with the budgets of the B200: how far the rule can be trusted. The
// test fails when that moves in either direction; nodes/README.md says it.
TEST(ProjectedTemplate, WouldHaveMissedTheB200By) {
  const catalog::Catalog& known = test::shipped_catalog();
  catalog::DerivedSystem given = known.published_budget("b200-sxm", "hopper").value();
  given.budget.flop_per_clock.reset();  // what the rule says, too
  technology::Parts parts = known.parts(given);
  parts.architecture = projected(nullptr, shipped("tensor-core-gpu"), shipped("hopper"));
  const technology::Derivation made = technology::derive(parts, given.budget);
  ASSERT_FALSE(made.infeasible) << to_string(*made.infeasible);
  technology::System real = known.catalogued_system(known.usual_system("b200-sxm"));
  technology::System projection = real;
  projection.device = made.device;
  projection.scale_up() = made.scale_up;

  const std::size_t bf16 = technology::index_of(Precision::bf16);
  fmt::print("projected B200: {} cores, {:.2f} GHz, {:.0f} TFLOP/s bf16 ({} cores, {:.0f})\n",
             made.device.cores, made.device.clock.si() * 1e-9,
             made.device.tensor_peak[bf16].si() * 1e-12, real.device.cores,
             real.device.tensor_peak[bf16].si() * 1e-12);
  for (const TwinWork& work : twin_works()) {
    const double ratio =
        work_on(projection, work, known).time.total_s() / work_on(real, work, known).time.total_s();
    fmt::print("projected B200, {}: {:+.0f} %\n", work.name, 100.0 * (ratio - 1.0));
    EXPECT_NEAR(ratio, 1.0, 0.30) << work.name;
  }
}

}  // namespace
}  // namespace scalesweep::validation

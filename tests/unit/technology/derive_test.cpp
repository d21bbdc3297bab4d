#include "technology/derive/derive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "technology/derive/clock.hpp"

namespace scalesweep::technology {
namespace {

// Round numbers: 100 cores of 4 mm2 and 100 mm2 of L2 fill the 600 mm2 that 80 mm2 of links and
// four interfaces of 5 mm2 leave of 700 mm2.
DeviceTemplate example_template() {
  DeviceTemplate t;
  t.name = "example";
  t.reference_node = "N7";
  t.nominal_clock = Hertz::si(1e9);
  t.tensor_flop_per_clock[index_of(Precision::bf16)] = 1000.0;
  t.vector_flop_per_clock = 100.0;
  t.l2_bytes_per_clock = 50.0;
  t.l2_slice_bytes_per_clock = 5000.0 / 10e6;
  t.shared_bytes_per_clock = 128.0;
  t.shared_capacity = Bytes::si(1e5);
  t.core_logic_area = SquareMetres::si(3e-6);
  t.core_sram_area = SquareMetres::si(1e-6);
  t.core_matrix_share = 0.4;
  t.core_area_share = 5.0 / 6.0;
  t.enabled_cores = 0.8;
  t.l2_logic_area_per_byte = 8e-12;
  t.l2_sram_area_per_byte = 2e-12;
  t.reference_die_area = SquareMetres::si(700e-6);
  t.fixed_area = SquareMetres::si(80e-6);
  t.memory_edge_share = 0.5;
  t.link_edge_share = 0.2;
  t.core_active_power = Watts::si(0.8);
  t.core_leakage_power = Watts::si(0.5);
  t.fixed_power = Watts::si(30);
  t.tensor_sustained[index_of(Precision::bf16)] = 0.8;
  t.kernel_latency = Seconds::si(4e-6);
  t.tensor_energy[index_of(Precision::bf16)] = JoulesPerFlop::si(1.5e-12);
  t.vector_energy = JoulesPerFlop::si(8e-12);
  t.l2_sustained = 0.8;
  return t;
}

LogicNode node(const std::string& name, double density, double energy) {
  LogicNode n;
  n.name = name;
  n.series = "example";
  n.logic_density = density;
  n.switching_energy = energy;
  n.leakage = energy;
  n.voltage = {Volts::si(0.75), Volts::si(0.06), Volts::si(0.55), Volts::si(1.0)};
  return n;
}

MemoryTechnology example_memory() {
  MemoryTechnology memory;
  memory.name = "HBM";
  memory.pins = 1000;
  memory.stack_bandwidth = BytesPerSecond::si(400e9);
  memory.stack_capacity = Bytes::si(16e9);
  memory.sustained = 0.8;
  memory.energy = JoulesPerByte::si(40e-12);
  memory.package_area = SquareMetres::si(100e-6);
  memory.edge = Metres::si(10e-3);
  memory.interface_area = SquareMetres::si(5e-6);
  return memory;
}

Network example_link() {
  Network link;
  link.bandwidth = BytesPerSecond::si(200e9);
  link.energy = JoulesPerByte::si(60e-12);
  link.device_energy = JoulesPerByte::si(30e-12);
  link.edge = Metres::si(10e-3);
  link.half_size = Bytes::si(1e6);
  link.cost = Usd::si(500);
  return link;
}

Package example_package() {
  Package package;
  package.name = "interposer";
  package.most_dies = 4;
  package.area = SquareMetres::si(1500e-6);
  package.reticle = SquareMetres::si(858e-6);
  package.joint_bandwidth = BytesPerSecondMetre::si(1e14);
  return package;
}

Parts example_parts() {
  return {example_template(), node("N7", 1, 1), node("N7", 1, 1),
          example_memory(),   example_link(),   example_package()};
}

// 4 stacks of 400 GB/s at 40 pJ/B take 64 W, the link 6 W, 30 W always burn, 80 cores 200 W.
const Budget example_budget = {.die_area = SquareMetres::si(700e-6),
                               .power = Watts::si(300),
                               .stacks = 4,
                               .power_sharing = PowerSharing::fixed};

Derivation derived(const Budget& budget) {
  return derive(example_parts(), budget);
}

TEST(Derive, ReproducesTheDeviceThatTheTemplateWasMeasuredOn) {
  const Derivation d = derived(example_budget);

  ASSERT_FALSE(d.infeasible) << to_string(*d.infeasible);
  EXPECT_EQ(d.physical_cores, 125);
  EXPECT_EQ(d.device.cores, 100);
  EXPECT_NEAR(d.memory_power.si(), 64.0, 1e-9);
  EXPECT_NEAR(d.link_power.si(), 6.0, 1e-9);
  EXPECT_NEAR(d.core_budget.si(), 200.0, 1e-9);
  EXPECT_EQ(d.device.dram.bandwidth.si(), 1.6e12);
  EXPECT_EQ(d.device.dram.capacity.si(), 64e9);
  EXPECT_NEAR(d.device.l2.capacity.si(), 100e-6 / 10e-12, 1.0);
  EXPECT_EQ(d.device.name, "example/N7/HBM");
  // 250 W at nominal voltage, 200 W are left.
  EXPECT_LT(d.device.clock.si(), 1e9);
  EXPECT_NEAR((d.point.dynamic_power + d.point.leakage_power).si(), 200.0, 1e-6);
  EXPECT_NEAR(d.device.tensor_peak[index_of(Precision::bf16)].si(),
              100 * 1000.0 * d.device.clock.si(), 1.0);
}

TEST(Derive, NominalBudgetGivesTheNominalClock) {
  Budget budget = example_budget;
  budget.power = Watts::si(350);
  const Derivation d = derived(budget);

  EXPECT_NEAR(d.device.clock.si(), 1e9, 1e-3);
  EXPECT_NEAR(d.device.tensor_energy[index_of(Precision::bf16)].si(), 1.5e-12, 1e-22);
  EXPECT_NEAR(d.device.idle_power.si(), 30 + 50, 1e-9);
}

TEST(Derive, DenserLogicGivesMoreCoresButTheirSramStays) {
  Parts parts = example_parts();
  parts.node = node("N5", 2.0, 0.5);
  const Derivation d = derive(parts, example_budget);

  // 500 mm2 / (3 / 2 + 1) mm2 = 200, of which 0.8.
  EXPECT_EQ(d.device.cores, 160);
  EXPECT_NEAR(d.device.l2.capacity.si(), 100e-6 / (4e-12 + 2e-12), 1.0);
  EXPECT_NEAR(d.nominal_core_dynamic.si(), 160 * 2.0 * 0.5, 1e-9);
}

TEST(Derive, TwoDiesHaveTwiceTheCoresAndAnEdgeLess) {
  Budget budget = example_budget;
  budget.dies = 2;
  budget.power = Watts::si(650);
  Parts parts = example_parts();
  parts.package.area = SquareMetres::si(2500e-6);
  const Derivation one = derived(example_budget);
  const Derivation two = derive(parts, budget);

  ASSERT_FALSE(two.infeasible) << to_string(*two.infeasible);
  EXPECT_NEAR(two.memory_edge / one.memory_edge, 6.0 / 4.0, 1e-12);
  EXPECT_NEAR(two.device.cores, 2 * one.device.cores, 4);
}

// s f + (1 - s) sqrt(f) with s = 0.4 and f = 4: 2.8.
TEST(Derive, WiderMatrixUnitsGrowTheCoreByUnitsAndWhatFeedsThem) {
  const DeviceTemplate wide = with_tensor_width(example_template(), 4.0);

  EXPECT_DOUBLE_EQ(wide.tensor_flop_per_clock[index_of(Precision::bf16)], 4000.0);
  EXPECT_DOUBLE_EQ(wide.core_logic_area.si(), 3e-6 * 2.8);
  EXPECT_DOUBLE_EQ(wide.core_active_power.si(), 0.8 * 2.8);
  EXPECT_NEAR(wide.core_leakage_power.si(), 0.5 * (3 * 2.8 + 1) / 4, 1e-12);
  EXPECT_NEAR(wide.tensor_energy[index_of(Precision::bf16)].si(), 1.5e-12 * 2.8 / 4, 1e-24);
  EXPECT_DOUBLE_EQ(core_growth(example_template(), 1.0), 1.0);

  Budget budget = example_budget;
  budget.flop_per_clock = 4000.0;
  EXPECT_NEAR(derived(budget).core_area.si(), 3e-6 * 2.8 + 1e-6, 1e-15);
}

TEST(Derive, PinsRunAtTheRateThatIsAskedFor) {
  Budget budget = example_budget;
  budget.pin_rate = BytesPerSecond::si(0.5e9);

  EXPECT_NEAR(derived(budget).device.dram.bandwidth.si(), 4 * 1000 * 0.5e9, 1.0);
}

// 18.9 mm of 26.46 mm on a side: crossbar wires and what they burn shrink with it.
TEST(Derive, SmallDiesHaveShortWires) {
  Parts parts = example_parts();
  parts.architecture.l2_wire_energy = JoulesPerByteMetre::si(1e-9);
  parts.package.interfaces_apart = true;
  Budget budget = example_budget;
  budget.shares.core_area.reset();
  budget.die_area = SquareMetres::si(175e-6);
  budget.dies = 4;
  parts.package.base_area_ratio = 1.0;
  const Derivation small = derive(parts, budget);
  const Derivation large = derive(parts, example_budget);

  ASSERT_FALSE(small.infeasible) << to_string(*small.infeasible);
  EXPECT_EQ(small.die_rows, 2);
  EXPECT_EQ(small.die_columns, 2);
  EXPECT_NEAR(small.outer_edge.si(), 8 * std::sqrt(175e-6), 1e-12);
  EXPECT_NEAR(small.l2_wire_energy / large.l2_wire_energy, 0.5, 1e-12);
  EXPECT_GT(small.cores_area, large.cores_area);  // interfaces apart, and less crossbar

  // The dies below have the edge, and stand on the package.
  parts.package.base_area_ratio = 1.44;
  EXPECT_NEAR(derive(parts, budget).outer_edge / small.outer_edge, 1.2, 1e-12);
  EXPECT_LT(derive(parts, budget).stacks_by_package, small.stacks_by_package);
}

// A byte of four dies in a square crosses one joint on average.
TEST(Derive, JointsTakeEnergyAndLimitTheL2) {
  Parts parts = example_parts();
  parts.package.joint_energy = JoulesPerByte::si(2e-12);
  Budget budget = example_budget;
  parts.package.area = SquareMetres::si(4000e-6);
  budget.dies = 4;
  budget.power = Watts::si(1200);
  const Derivation free = derive(parts, budget);
  parts.package.joint_bandwidth = BytesPerSecondMetre::si(1e12);
  const Derivation thin = derive(parts, budget);

  EXPECT_NEAR(free.l2_wire_energy.si(), 2e-12, 1e-20);
  EXPECT_NEAR(free.device.l2.bandwidth.si(), 50.0 * free.device.cores * free.device.clock.si(),
              1e3);
  EXPECT_NEAR(thin.device.l2.bandwidth.si(), 4e12 * 2 * std::sqrt(700e-6), 1.0);
}

TEST(Derive, SharesDivideAreaEdgeAndPower) {
  Budget budget = example_budget;
  budget.shares = {0.5, 0.4, 0.1};
  const Derivation d = derived(budget);

  ASSERT_FALSE(d.infeasible) << to_string(*d.infeasible);
  EXPECT_NEAR(d.cores_area / d.l2_area, 1.0, 1e-12);
  // 0.4 of 105.8 mm is 42.3 mm: four stacks; 0.3 of it is 31.7 mm for links of 10 mm.
  EXPECT_EQ(d.stacks, 4);
  EXPECT_NEAR(d.scale_up.bandwidth.si(), 200e9 * 3.175, 1e8);
  EXPECT_NEAR(d.scale_up.cost.si(), 500 * 3.175, 1.0);
  // 30 of 64 W.
  EXPECT_NEAR(d.memory_power.si(), 30.0, 1e-9);
  EXPECT_NEAR(d.device.dram.bandwidth.si(), 1.6e12 * 30 / 64, 1.0);
}

TEST(Derive, FindsTheBudgetThatBinds) {
  Parts parts = example_parts();
  Budget budget = example_budget;
  const Binding nominal = binding_limits(parts, budget, derived(budget));
  EXPECT_EQ(nominal.compute, Limit::power);
  EXPECT_GT(nominal.by_power, nominal.by_area);
  EXPECT_EQ(nominal.by_voltage, 0.0);

  // At the highest supply more power brings nothing.
  budget.power = Watts::si(2000);
  const Binding hot = binding_limits(parts, budget, derived(budget));
  EXPECT_EQ(hot.by_power, 0.0);
  EXPECT_GT(hot.by_voltage, 0.5);

  // With power in plenty and no highest supply only area is left, up to the reticle.
  parts.node.voltage.maximum = Volts::si(20);
  budget.power = Watts::si(20000);
  EXPECT_EQ(binding_limits(parts, budget, derive(parts, budget)).compute, Limit::area);
  budget.die_area = SquareMetres::si(858e-6);
  EXPECT_EQ(binding_limits(parts, budget, derive(parts, budget)).compute, Limit::reticle);
}

TEST(Derive, FullLoadStaysWithinThePower) {
  for (const double watts : {200.0, 300.0, 500.0, 900.0}) {
    Budget budget = example_budget;
    budget.power = Watts::si(watts);
    const Derivation d = derived(budget);
    ASSERT_FALSE(d.infeasible) << watts;
    const double total = (d.memory_power + d.link_power + d.fixed_power + d.point.dynamic_power +
                          d.point.leakage_power)
                             .si();
    EXPECT_LE(total, watts * (1 + 1e-9));
  }
}

// Each budget that cannot be met says why and by how much.
struct InfeasibleCase {
  DeriveProblem problem;
  std::function<void(Budget&)> change;
  const char* message;
};

TEST(Derive, SaysWhyThereIsNoDevice) {
  const std::vector<InfeasibleCase> cases = {
      {DeriveProblem::die_exceeds_reticle,
       [](Budget& b) { b.die_area = SquareMetres::si(1000e-6); },
       "a die of 1000 mm2 exceeds the reticle field of 858 mm2 (17% too much)"},
      {DeriveProblem::dies_exceed_package, [](Budget& b) { b.dies = 5; },
       "the package carries at most 4 dies, not 5"},
      {DeriveProblem::stacks_exceed_edge, [](Budget& b) { b.stacks = 6; },
       "the memory stacks need 60 mm of die edge, 52.92 mm are there (14% too much)"},
      {DeriveProblem::links_exceed_edge,
       [](Budget& b) {
         b.die_area = SquareMetres::si(121e-6);
         b.stacks = 1;
       },
       "the links need 10 mm of die edge, 8.8 mm are left (14% too much)"},
      {DeriveProblem::package_exceeded,
       [](Budget& b) {
         b.dies = 2;
         b.stacks = 5;
       },
       "dies and memory stacks take 1900 mm2, the package has 1500 mm2 (27% too much)"},
      {DeriveProblem::interfaces_exceed_die,
       [](Budget& b) {
         b.die_area = SquareMetres::si(70e-6), b.stacks = 1, b.shares.memory_edge = 0.4;
       },
       "the interfaces alone take 85 mm2, the dies have 70 mm2 (22% too much)"},
      {DeriveProblem::no_core_fits,
       [](Budget& b) {
         b.die_area = SquareMetres::si(88e-6), b.stacks = 1, b.shares.memory_edge = 0.4;
       },
       "one working core takes 5 mm2, 2.735 mm2 are left for cores (83% too much)"},
      {DeriveProblem::power_below_rest, [](Budget& b) { b.power = Watts::si(80); },
       "what burns beside the cores takes 100 W of 80 W (25% too much)"},
      {DeriveProblem::power_below_leakage, [](Budget& b) { b.power = Watts::si(120); },
       "leakage at the lowest voltage takes 36.67 W, 20 W are left (84% too much)"},
      {DeriveProblem::voltage_below_threshold, [](Budget& b) { b.power = Watts::si(103); },
       "the power left would be leaked away at 0.045 V already, below the threshold of 0.06 V"},
  };
  ASSERT_EQ(cases.size(), derive_problem_count);
  for (const InfeasibleCase& c : cases) {
    Budget budget = example_budget;
    c.change(budget);
    const Derivation d = derived(budget);
    ASSERT_TRUE(d.infeasible) << c.message;
    EXPECT_EQ(d.infeasible->problem, c.problem) << to_string(*d.infeasible);
    EXPECT_EQ(to_string(*d.infeasible), c.message);
  }
}

// Base dies as large again by half hold interfaces and the cache; the dies above hold cores alone.
Parts stacked_parts() {
  Parts parts = example_parts();
  parts.architecture.l2_below = true;
  parts.package.interfaces_apart = true;
  parts.package.base_area_ratio = 1.5;
  return parts;
}

TEST(Derive, CacheBelowTheDiesTakesNothingOfTheCores) {
  const Derivation d = derive(stacked_parts(), example_budget);
  ASSERT_FALSE(d.infeasible) << to_string(*d.infeasible);
  EXPECT_EQ(d.physical_cores, 175);  // 700 mm2 of 4
  EXPECT_NEAR(d.l2_area.si(), 0.0, 1e-12);
  EXPECT_NEAR(d.l2_area_below.si(), (1050 - 80 - 20) * 1e-6, 1e-12);
  EXPECT_NEAR(d.device.l2.capacity.si(), 950e-6 / 10e-12, 1.0);
}

TEST(Derive, DiesBelowStayAtTheirNode) {
  Parts parts = stacked_parts();
  const Derivation before = derive(parts, example_budget);
  parts.node = node("N5", 2, 0.5);
  parts.node.sram_density = 1.5;
  parts.node.analog_density = 1.2;
  const Derivation after = derive(parts, example_budget);
  ASSERT_FALSE(after.infeasible) << to_string(*after.infeasible);
  EXPECT_GT(after.device.cores, before.device.cores);
  EXPECT_DOUBLE_EQ(after.device.l2.capacity.si(), before.device.l2.capacity.si());
  EXPECT_DOUBLE_EQ(after.l2_wire_energy.si(), before.l2_wire_energy.si());
}

// Cores that are told to leave area get a cache beside them, too; nothing stands below in a package
// without such dies.
TEST(Derive, CacheStandsBesideTheCoresWhereNoDiesAreBelow) {
  Budget budget = example_budget;
  budget.shares.core_area = 0.8;
  const Derivation both = derive(stacked_parts(), budget);
  EXPECT_NEAR(both.device.l2.capacity.si(), (950e-6 + 140e-6) / 10e-12, 1.0);
  Parts flat = stacked_parts();
  flat.package = example_package();
  const Derivation beside = derive(flat, example_budget);
  EXPECT_EQ(beside.l2_area_below.si(), 0.0);
  EXPECT_EQ(beside.device.l2.capacity.si(), derived(example_budget).device.l2.capacity.si());
}

TEST(Derive, InterfacesHaveToLeaveRoomBelow) {
  Parts parts = stacked_parts();
  parts.package.base_area_ratio = 1.0;
  parts.architecture.fixed_area = SquareMetres::si(690e-6);
  const Derivation d = derive(parts, example_budget);
  ASSERT_TRUE(d.infeasible);
  EXPECT_EQ(d.infeasible->problem, DeriveProblem::interfaces_exceed_die);
}

TEST(Derive, MemoryOnTheBoardTakesNoPackageArea) {
  MemoryTechnology memory = example_memory();
  memory.package_area = SquareMetres::si(0);
  memory.edge = Metres::si(3e-3);
  Parts parts = example_parts();
  parts.memory = memory;
  parts.package.area = SquareMetres::si(710e-6);
  Budget budget = example_budget;
  budget.stacks = 12;
  const Derivation d = derive(parts, budget);

  EXPECT_EQ(d.stacks_by_edge, 17);
  EXPECT_FALSE(d.infeasible) << to_string(*d.infeasible);
}

TEST(Derive, ClockIsContinuousInPowerAndOnlyWholeCoresJumpInArea) {
  double last = 0.0;
  for (double watts = 200; watts < 800; watts += 0.5) {
    Budget budget = example_budget;
    budget.power = Watts::si(watts);
    const double clock = derived(budget).device.clock.si();
    EXPECT_GE(clock, last);
    if (last > 0.0) {
      EXPECT_LT(clock, last * 1.05) << watts;
    }
    last = clock;
  }
  int cores = 0;
  for (double area = 300; area < 858; area += 1) {
    Budget budget = example_budget;
    budget.die_area = SquareMetres::si(area * 1e-6);
    budget.stacks = 1;
    const int now = derived(budget).device.cores;
    EXPECT_GE(now, cores);
    EXPECT_LE(now, cores == 0 ? now : cores + 1);
    cores = now;
  }
}

// Memory in the cores: what all of them hold, at the rate at which they read it, without stacks.
TEST(Derive, MemoryInCoresIsThatOfAllCores) {
  Parts parts = example_parts();
  parts.memory = {};
  parts.memory.in_cores = true;
  const Derivation d = derive(parts, example_budget);
  ASSERT_FALSE(d.infeasible) << to_string(*d.infeasible);
  const Device& device = d.device;
  EXPECT_TRUE(device.memory_in_cores);
  EXPECT_DOUBLE_EQ(device.dram.capacity.si(), device.cores * 1e5);
  EXPECT_DOUBLE_EQ(device.dram.bandwidth.si(), device.cores * 128.0 * device.clock.si());
  EXPECT_EQ(d.memory_interface_area.si(), 0.0);
  EXPECT_GT(device.cores, derived(example_budget).device.cores);  // nothing for interfaces

  const Device slower = at_clock(device, 0.5);
  EXPECT_DOUBLE_EQ(slower.dram.bandwidth.si(), 0.5 * device.dram.bandwidth.si());
  const Device stacked = derived(example_budget).device;
  EXPECT_EQ(at_clock(stacked, 0.5).dram.bandwidth.si(), stacked.dram.bandwidth.si());
}

// Without a cache the cores have all that interfaces leave, and the mesh the links into them.
TEST(Derive, AMeshTakesNoAreaAndHoldsNothing) {
  Parts parts = example_parts();
  parts.architecture.mesh = true;
  parts.architecture.l2_logic_area_per_byte = 0.0;
  parts.architecture.l2_sram_area_per_byte = 0.0;
  parts.architecture.l2_slice_bytes_per_clock = 0.0;
  const Derivation d = derive(parts, example_budget);
  ASSERT_FALSE(d.infeasible) << to_string(*d.infeasible);
  EXPECT_EQ(d.l2_area.si(), 0.0);
  EXPECT_EQ(d.device.l2.capacity.si(), 0.0);
  EXPECT_DOUBLE_EQ(d.device.l2.bandwidth.si(), d.device.cores * 50.0 * d.device.clock.si());
  EXPECT_GT(d.device.cores, derived(example_budget).device.cores);
}

}  // namespace
}  // namespace scalesweep::technology

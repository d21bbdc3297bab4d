#include "technology/cost.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace scalesweep::technology {
namespace {

SquareMetres mm2(double value) {
  return SquareMetres::si(value * 1e-6);
}

// One defect in ten square centimetres of a 300 mm wafer at 10,000 USD.
Process example_process() {
  Process process;
  process.name = "N5";
  process.wafer_price = Usd::si(10000.0);
  process.wafer_diameter = Metres::si(0.3);
  process.defect_density = PerSquareMetre::si(1000.0);
  process.clustering = 3.0;
  process.carbon = KilogramsCo2PerArea::si(20000.0);
  return process;
}

Device example_device() {
  Device device;
  device.die_area = mm2(100.0);
  device.dies = 2;
  device.stacks = 4;
  device.dram.capacity = Bytes::si(64e9);
  return device;
}

MemoryTechnology example_memory() {
  MemoryTechnology memory;
  memory.package_area = mm2(100.0);
  memory.cost = UsdPerByte::si(10e-9);
  memory.carbon = KilogramsCo2PerByte::si(0.1e-9);
  return memory;
}

Package example_package() {
  Package package;
  package.cost = UsdPerArea::si(0.1e6);
  package.assembly = Usd::si(5.0);
  package.assembly_yield = 0.99;
  package.carbon = KilogramsCo2::si(3.0);
  return package;
}

// Of a round wafer the first term counts the area, the second what the rim cuts off. 640 dies of
// 1 cm2 are what calculators of this formula print for 300 mm.
TEST(DiesPerWafer, AreThoseOfTheAreaLessTheRim) {
  EXPECT_NEAR(dies_per_wafer(Metres::si(0.3), mm2(100.0)), 706.858 - 66.643, 0.01);
  EXPECT_NEAR(dies_per_wafer(Metres::si(0.3), mm2(826.0)), 85.576 - 23.188, 0.01);
}

TEST(DiesPerWafer, AreNoneOfADieThatDoesNotFit) {
  EXPECT_EQ(dies_per_wafer(Metres::si(0.3), mm2(46225.0)), 0.0);
}

TEST(DieYield, IsTheNegativeBinomial) {
  EXPECT_NEAR(die_yield(example_process(), mm2(100.0)), std::pow(1.0 + 0.1 / 3.0, -3.0), 1e-15);
  EXPECT_NEAR(die_yield(example_process(), mm2(800.0)), 0.492, 0.001);  // (1 + 0.8 / 3)^-3
}

TEST(DieYield, OfDefectsThatDoNotClusterIsPoisson) {
  Process process = example_process();
  process.clustering = 1e7;
  EXPECT_NEAR(die_yield(process, mm2(800.0)), std::exp(-0.8), 1e-6);
}

TEST(DieYield, CountsOnlyWhatCannotBeRepaired) {
  Process process = example_process();
  const double small = die_yield(process, mm2(200.0));
  process.repairable_share = 0.75;
  EXPECT_NEAR(die_yield(process, mm2(800.0)), small, 1e-15);
}

TEST(DeviceCost, IsThatOfGoodDiesStacksAndAssembly) {
  const DeviceCost cost =
      device_cost(example_device(), example_process(), example_memory(), example_package());
  const double die_usd = 10000.0 / (640.215 * 0.90632);
  EXPECT_NEAR(cost.dies.si(), 2.0 * die_usd, 0.01);
  EXPECT_NEAR(cost.memory.si(), 640.0, 1e-9);
  // 600 mm2 of carrier and six pieces placed; of 1.0622 packages begun one is good.
  const double placed_usd = 0.1 * 600.0 + 5.0 * 6.0;
  const double lost = std::pow(0.99, -6.0) - 1.0;
  EXPECT_NEAR(cost.package.si(), placed_usd + lost * (2.0 * die_usd + 640.0 + placed_usd), 0.01);
  EXPECT_NEAR(cost.total().si(), (cost.dies + cost.memory + cost.package).si(), 1e-9);

  const double wafer_kg = 20000.0 * std::numbers::pi * 0.15 * 0.15;
  const double dies_kg = wafer_kg * 2.0 / (640.215 * 0.90632);
  EXPECT_NEAR(cost.dies_carbon.si(), dies_kg, 1e-3);
  EXPECT_NEAR(cost.memory_carbon.si(), 6.4, 1e-9);
  EXPECT_NEAR(cost.package_carbon.si(), 3.0 + lost * (dies_kg + 6.4), 1e-3);
}

TEST(DeviceCost, OfAWaferThatIsOneDeviceIsThatOfTheWafer) {
  Device device = example_device();
  device.die_area = mm2(46225.0);
  device.dies = 1;
  Process process = example_process();
  process.repairable_share = 1.0;
  const DeviceCost cost = device_cost(device, process, example_memory(), example_package());
  EXPECT_NEAR(cost.dies.si(), 10000.0, 1e-9);
}

TEST(DeviceCost, MemoryOnTheBoardIsNotPlacedOnThePackage) {
  MemoryTechnology board = example_memory();
  board.package_area = mm2(0.0);
  Package package = example_package();
  package.assembly_yield = 1.0;
  const DeviceCost cost = device_cost(example_device(), example_process(), board, package);
  EXPECT_NEAR(cost.package.si(), 0.1 * 200.0 + 5.0 * 2.0, 1e-9);
}

DeviceCost made_for_a_thousand() {
  DeviceCost device;
  device.dies = Usd::si(300.0);
  device.memory = Usd::si(600.0);
  device.package = Usd::si(100.0);
  device.dies_carbon = KilogramsCo2::si(40.0);
  return device;
}

System example_system() {
  System system;
  system.device.thermal_design_power = Watts::si(600.0);
  system.scale_up().cost = Usd::si(1000.0);
  system.scale_up().bandwidth = BytesPerSecond::si(1e11);
  system.scale_up().energy = JoulesPerByte::si(9e-10);
  system.scale_up().device_energy = JoulesPerByte::si(4e-10);
  system.scale_out().cost = Usd::si(2000.0);
  system.scale_out().bandwidth = BytesPerSecond::si(5e10);
  system.scale_out().energy = JoulesPerByte::si(1e-9);
  return system;
}

Economics example_economics() {
  Economics economics;
  economics.energy_price = UsdPerJoule::si(2e-8);
  economics.power_usage_effectiveness = 1.25;
  economics.grid_carbon = KilogramsCo2PerJoule::si(1e-7);
  economics.lifetime = Seconds::si(1e8);
  economics.utilization = 0.5;
  economics.parts_markup = 1.5;
  economics.network_markup = 2.0;
  economics.facility_cost = UsdPerWatt::si(10.0);
  economics.facility_lifetime = Seconds::si(4e8);
  economics.delivery_cost = UsdPerWatt::si(2.0);
  economics.server_cost = Usd::si(4000.0);
  economics.server_power = Watts::si(300.0);
  economics.server_carbon = KilogramsCo2::si(60.0);
  return economics;
}

// Dies of 300 USD by a product that asks 20 times as much or 2000 USD beside it.
const SiliconPrice by_product = {20.0, Usd::si(2000.0)};

TEST(Ownership, WritesCapitalAndCarbonOffOverTheTimeOfUse) {
  const Ownership own =
      ownership_of(made_for_a_thousand(), example_system(), example_economics(), {20.0});
  EXPECT_DOUBLE_EQ(own.price(Capital::silicon).si(), 6000.0);
  EXPECT_DOUBLE_EQ(own.price(Capital::memory).si(), 900.0);
  EXPECT_DOUBLE_EQ(own.price(Capital::package).si(), 150.0);
  EXPECT_DOUBLE_EQ(own.device_price().si(), 7050.0);
  EXPECT_DOUBLE_EQ(own.price(Capital::network).si(), 6000.0);
  EXPECT_DOUBLE_EQ(own.price(Capital::server).si(), 4000.0);
  // 600 W of the device, 300 of its share of a server, 50 and 50 of networks beside the device.
  EXPECT_DOUBLE_EQ(own.power.si(), 1000.0);
  EXPECT_DOUBLE_EQ(own.price(Capital::facility).si(), 12000.0);
  EXPECT_DOUBLE_EQ(own.capital().si(), 29050.0);
  EXPECT_DOUBLE_EQ(own.embodied.si(), 100.0);
  // The facility stands four times as long as the rest of it.
  EXPECT_NEAR(own.capital_usd_per_s(), (19050.0 + 10000.0 / 4.0) / 0.5e8, 1e-15);
  EXPECT_DOUBLE_EQ(own.embodied_kg_per_s, 100.0 / 0.5e8);
  EXPECT_DOUBLE_EQ(own.energy_usd_per_j, 2.5e-8);
  EXPECT_DOUBLE_EQ(own.energy_kg_per_j, 1.25e-7);
  EXPECT_DOUBLE_EQ(own.server_power_w, 300.0);
}

TEST(Ownership, RentingAsksMoreByTheTimeAndNotAtOnce) {
  Economics economics = example_economics();
  const Ownership owner = ownership_of(made_for_a_thousand(), example_system(), economics, {20.0});
  economics.rental_markup = 1.5;
  const Ownership renter = ownership_of(made_for_a_thousand(), example_system(), economics, {20.0});
  EXPECT_EQ(renter.capital(), owner.capital());
  EXPECT_NEAR(renter.capital_usd_per_s(), 1.5 * owner.capital_usd_per_s(), 1e-15);
  EXPECT_EQ(renter.energy_usd_per_j, owner.energy_usd_per_j);
}

// 0.163 of a sum is paid back a year for ten years at 10 %: 1000 USD take 163 a year.
TEST(AnnuityFactor, IsTheCapitalRecoveryFactorOverAStraightLine) {
  const auto years = [](double n) { return Seconds::si(n * 31557600.0); };
  EXPECT_NEAR(annuity_factor(0.1, years(10.0)) / 10.0, 0.1627, 5e-5);
  EXPECT_NEAR(annuity_factor(0.1, years(1.0)), 1.1, 1e-12) << "one year, one payment";
  EXPECT_EQ(annuity_factor(0.0, years(4.0)), 1.0);
  EXPECT_NEAR(annuity_factor(1e-9, years(4.0)), 1.0 + 2.5e-9, 1e-12) << "(n + 1) r / 2 more";
}

// Four years of a device and fifteen of a building, each at its own factor; carbon bears none.
TEST(Ownership, CapitalBearsInterestOverItsOwnLifetime) {
  Economics economics = example_economics();
  economics.lifetime = Seconds::si(4.0 * 31557600.0);
  economics.facility_lifetime = Seconds::si(15.0 * 31557600.0);
  const auto own = [&] {
    return ownership_of(made_for_a_thousand(), example_system(), economics, by_product);
  };
  const Ownership free = own();
  economics.interest = 0.08;
  const Ownership paid = own();
  const double of_device = 4.0 * 0.08 / (1.0 - std::pow(1.08, -4.0));
  const double of_site = 15.0 * 0.08 / (1.0 - std::pow(1.08, -15.0));
  EXPECT_NEAR(paid.rates_usd_per_s[0] / free.rates_usd_per_s[0], of_device, 1e-12);
  EXPECT_NEAR(paid.repricing_usd_per_s[1] / free.repricing_usd_per_s[1], of_device, 1e-12);
  // 10,000 USD of plant over 15 years, 2000 of supplies over 4; half of the time is of use.
  EXPECT_NEAR(paid.rates_usd_per_s[5],
              (10000.0 / 15.0 * of_site + 2000.0 / 4.0 * of_device) / 31557600.0 / 0.5, 1e-15);
  EXPECT_EQ(paid.capital(), free.capital());
  EXPECT_EQ(paid.embodied_kg_per_s, free.embodied_kg_per_s);
  EXPECT_EQ(paid.energy_usd_per_j, free.energy_usd_per_j);
}

TEST(Ownership, MoreInterestIsNeverCheaper) {
  Economics economics = example_economics();
  double before = 0.0;
  for (const double interest : {0.0, 1e-12, 1e-6, 0.01, 0.08, 0.3, 1.0}) {
    economics.interest = interest;
    const double cost = ownership_of(made_for_a_thousand(), example_system(), economics, by_product)
                            .capital_usd_per_s();
    EXPECT_GE(cost, before * (1.0 - 1e-12)) << interest;
    before = cost;
  }
}

// 5000 USD less 1.25 times 700 of parts leave 4125 for dies of 300, which take 300.
TEST(Ownership, AMarginIsAPartOrASum) {
  Economics economics = example_economics();
  const auto own = [&] {
    return ownership_of(made_for_a_thousand(), example_system(), economics, by_product);
  };
  EXPECT_DOUBLE_EQ(own().price(Capital::silicon).si(), 6000.0);
  EXPECT_DOUBLE_EQ(own().repriced(Repricing::other_margin).si(), 2300.0);
  economics.margin = Usd::si(1000.0);
  EXPECT_DOUBLE_EQ(own().price(Capital::silicon).si(), 1300.0);
  EXPECT_DOUBLE_EQ(own().silicon_markup, 1300.0 / 300.0);
  EXPECT_DOUBLE_EQ(own().repriced(Repricing::other_margin).si(), 6000.0);
  EXPECT_DOUBLE_EQ(own().repricing_usd_per_s[0], 6000.0 / 0.5e8);
  economics.margin.reset();
  economics.device_price = Usd::si(9000.0);
  EXPECT_DOUBLE_EQ(own().device_price().si(), 9000.0);
  EXPECT_DOUBLE_EQ(own().price(Capital::silicon).si(), 9000.0 - 900.0 - 150.0);
  EXPECT_EQ(own().repriced(Repricing::other_margin), own().price(Capital::silicon));
  economics.device_price = Usd::si(525.0);  // half of what its parts are sold at
  EXPECT_DOUBLE_EQ(own().device_price().si(), 525.0);
  EXPECT_DOUBLE_EQ(own().price(Capital::memory).si(), 450.0);
  EXPECT_NEAR(own().price(Capital::silicon).si(), 0.0, 1e-9);
}

TEST(Ownership, NoProductNoMarginThatIsASum) {
  const Ownership own =
      ownership_of(made_for_a_thousand(), example_system(), example_economics(), {20.0});
  EXPECT_TRUE(std::isnan(own.repriced(Repricing::other_margin).si()));
}

// Whatever is assumed of a margin, wafers and stacks at twice their price cost what they say.
TEST(Ownership, SaysWhatGrowsWithThePricesOfWafersAndMemory) {
  for (const bool is_sum : {false, true}) {
    Economics economics = example_economics();
    if (is_sum) {
      economics.margin = Usd::si(1000.0);
    }
    const auto own = [&] {
      const DeviceCost cost = device_cost(example_device(), assumed(example_process(), economics),
                                          assumed(example_memory(), economics), example_package());
      return ownership_of(cost, example_system(), economics, by_product);
    };
    const Ownership once = own();
    economics.wafer_price = example_process().wafer_price * 2.0;
    const Usd by_wafers = own().capital() - once.capital();
    EXPECT_NEAR(by_wafers.si(), once.repriced(Repricing::wafers).si(), 1e-9);
    economics.wafer_price.reset();
    economics.memory_price = example_memory().cost * economics.parts_markup * 2.0;
    const Usd by_memory = own().capital() - once.capital();
    EXPECT_NEAR(by_memory.si(),
                (once.price(Capital::memory) + once.repriced(Repricing::lost_memory)).si(), 1e-9);
    economics.memory_price.reset();
    economics.memory_markup = economics.parts_markup * 2.0;
    EXPECT_NEAR((own().capital() - once.capital()).si(), by_memory.si(), 1e-9);
  }
}

TEST(Ownership, AGivenPriceOfAPackageHoldsWhatItLoses) {
  Economics economics = example_economics();
  economics.package_price = Usd::si(777.0);
  const DeviceCost cost =
      device_cost(example_device(), example_process(), example_memory(), example_package());
  const Ownership own = ownership_of(cost, example_system(), economics, by_product);
  EXPECT_EQ(own.price(Capital::package).si(), 777.0);
  EXPECT_EQ(own.repriced(Repricing::lost_memory).si(), 0.0);
  EXPECT_EQ(own.repriced(Repricing::wafers), own.price(Capital::silicon));
}

TEST(Process, MoreDefectsThanItsOwnAreAssumed) {
  Economics economics = example_economics();
  EXPECT_EQ(assumed(example_process(), economics).defect_density, example_process().defect_density);
  economics.defect_density = PerSquareMetre::si(2500.0);
  EXPECT_NEAR(die_yield(assumed(example_process(), economics), mm2(800.0)),
              std::pow(1.0 + 2.0 / 3.0, -3.0), 1e-12);
}

TEST(Process, AGivenYieldIsThatOfEveryDie) {
  Economics economics = example_economics();
  economics.die_yield = 0.4;
  const Process process = assumed(example_process(), economics);
  EXPECT_EQ(die_yield(process, mm2(100.0)), 0.4);
  EXPECT_EQ(die_yield(process, mm2(800.0)), 0.4);
  const auto cost = [](const Process& made) {
    return device_cost(example_device(), made, example_memory(), example_package());
  };
  const DeviceCost given = cost(process);
  EXPECT_NEAR(given.dies.si(), 2.0 * 10000.0 / (640.215 * 0.4), 0.01);
  EXPECT_FALSE(given.defect_density) << "defects decide nothing then";
  const DeviceCost by_defects = cost(example_process());
  EXPECT_EQ(by_defects.defect_density, example_process().defect_density);
  EXPECT_NEAR(by_defects.dies * (by_defects.die_yield / 0.4) / given.dies, 1.0, 1e-12);
  Usd before = Usd::si(1e9);
  for (const double yield : {0.1, 0.4, 0.8, 1.0}) {
    economics.die_yield = yield;
    const Usd all = cost(assumed(example_process(), economics)).total();
    EXPECT_LT(all, before) << yield;
    before = all;
  }
}

TEST(SiliconPrice, IsWhatAPriceLeavesForDies) {
  const SiliconPrice asked = silicon_price_of(made_for_a_thousand(), Usd::si(5000.0), 1.25);
  EXPECT_DOUBLE_EQ(asked.markup, 13.75);
  EXPECT_DOUBLE_EQ(asked.margin.value().si(), 3825.0);
  const SiliconPrice least = silicon_price_of(made_for_a_thousand(), Usd::si(5000.0), 100.0);
  EXPECT_EQ(least.markup, 1.0) << "dies are not sold for less than they take";
  EXPECT_EQ(least.margin.value(), Usd{});
}

TEST(Process, BeyondTheLastGoesOnAsTheLastStepDid) {
  const Process previous = example_process();
  Process last = example_process();
  last.wafer_price = Usd::si(15000.0);
  last.defect_density = PerSquareMetre::si(1200.0);
  last.carbon = KilogramsCo2PerArea::si(24000.0);
  const Process beyond = extrapolate(last, previous, 2);
  EXPECT_EQ(beyond.name, "N5+2");
  EXPECT_NEAR(beyond.wafer_price.si(), 15000.0 * 2.25, 1e-9);
  EXPECT_NEAR(beyond.defect_density.si(), 1200.0 * 1.44, 1e-9);
  EXPECT_NEAR(beyond.carbon.si(), 24000.0 * 1.44, 1e-9);
}

}  // namespace
}  // namespace scalesweep::technology

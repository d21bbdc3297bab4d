// Laws that hold for every device derived from the shipped catalog, whatever the budgets.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "catalog/catalog.hpp"
#include "support/shipped_catalog.hpp"

namespace scalesweep::technology {
namespace {

using catalog::Catalog;
using catalog::Section;

const Catalog& shipped() {
  return scalesweep::test::shipped_catalog();
}

double between(double low, double high) {
  return low + (high - low) * *rc::gen::inRange(0, 100001) * 1e-5;
}

std::optional<double> perhaps(double low, double high) {
  return *rc::gen::arbitrary<bool>() ? std::optional(between(low, high)) : std::nullopt;
}

Budget any_budget() {
  Budget budget;
  budget.die_area = SquareMetres::si(between(50e-6, 900e-6));
  budget.dies = *rc::gen::inRange(1, 5);
  budget.power = Watts::si(between(20, 3000));
  budget.stacks = *rc::gen::inRange(1, 13);
  budget.flop_per_clock = perhaps(256, 16384);
  budget.enabled_cores = perhaps(0.5, 1.0);
  budget.power_sharing =
      *rc::gen::element(technology::PowerSharing::shared, technology::PowerSharing::fixed);
  budget.shares = {perhaps(0.2, 0.95), perhaps(0.1, 0.8), perhaps(0.01, 0.6)};
  return budget;
}

catalog::DerivedSystem any_choice() {
  catalog::DerivedSystem choice;
  choice.architecture = *rc::gen::elementOf(shipped().names(Section::templates));
  choice.scaling = *rc::gen::elementOf(shipped().scalings());
  choice.logic = *rc::gen::elementOf(
      std::vector<std::string>{"N12", "N10", "N7", "N5", "N3", "N2", "N1", "A10+1"});
  choice.memory = *rc::gen::elementOf(shipped().names(Section::memories));
  choice.package = *rc::gen::elementOf(shipped().names(Section::packages));
  choice.topology = *rc::gen::elementOf(shipped().names(Section::topologies));
  choice.endpoints = *rc::gen::inRange(1, 100000);
  choice.scale_up = *rc::gen::elementOf(shipped().names(Section::scale_up));
  choice.scale_out = *rc::gen::elementOf(shipped().names(Section::scale_out));
  choice.budget = any_budget();
  return choice;
}

RC_GTEST_PROP(Derive, IsADeviceOrAReasonWithANumber, ()) {
  const catalog::DerivedSystem choice = any_choice();
  const Derivation d = shipped().derived_system(choice).derivation;
  if (d.infeasible) {
    RC_ASSERT(d.infeasible->required > d.infeasible->available);
    RC_ASSERT(!to_string(*d.infeasible).empty());
    return;
  }
  RC_ASSERT(d.device.cores >= 1);
  RC_ASSERT(d.device.clock.si() > 0.0);
  RC_ASSERT(d.device.dram.capacity.si() > 0.0 && d.device.dram.bandwidth.si() > 0.0);
  RC_ASSERT(d.device.l2.bandwidth.si() > 0.0);
  RC_ASSERT(d.device.l2.capacity.si() > 0.0 || shipped().architecture(choice.architecture).mesh);
}

RC_GTEST_PROP(Derive, StaysWithinItsBudgets, ()) {
  catalog::DerivedSystem choice = any_choice();
  choice.budget.power_sharing = technology::PowerSharing::fixed;
  const Derivation d = shipped().derived_system(choice).derivation;
  RC_PRE(!d.infeasible);
  const Watts power =
      d.memory_power + d.link_power + d.fixed_power + d.point.dynamic_power + d.point.leakage_power;
  const bool apart = shipped().package(choice.package).interfaces_apart;
  const SquareMetres beside = apart ? SquareMetres() : d.fixed_area + d.memory_interface_area;
  const SquareMetres area = beside + d.l2_area + d.core_area * d.physical_cores;
  RC_ASSERT(power.si() <= choice.budget.power.si() * (1 + 1e-9));
  RC_ASSERT(area.si() <= choice.budget.die_area.si() * choice.budget.dies * (1 + 1e-9));
  RC_ASSERT(d.stacks <= d.stacks_by_edge);
  RC_ASSERT(d.stacks <= d.stacks_by_package);
  RC_ASSERT((d.memory_edge + d.link_edge).si() <= d.outer_edge.si() * (1 + 1e-9));
}

RC_GTEST_PROP(Derive, MorePowerIsNeverSlower, ()) {
  const catalog::DerivedSystem choice = any_choice();
  catalog::DerivedSystem more = choice;
  more.budget.power *= between(1.0, 2.0);
  const Derivation less_power = shipped().derived_system(choice).derivation;
  const Derivation more_power = shipped().derived_system(more).derivation;
  RC_PRE(!less_power.infeasible);
  RC_ASSERT(!more_power.infeasible);
  RC_ASSERT(more_power.device.clock >= less_power.device.clock);
  RC_ASSERT(more_power.device.cores == less_power.device.cores);
}

// What is kept aside for memory and links can only take from the cores.
RC_GTEST_PROP(Derive, StaticSharingIsNeverFasterThanShared, ()) {
  catalog::DerivedSystem choice = any_choice();
  const Derivation shared = shipped().derived_system(choice).derivation;
  choice.budget.power_sharing = technology::PowerSharing::fixed;
  const Derivation fixed = shipped().derived_system(choice).derivation;
  RC_PRE(!fixed.infeasible);
  RC_ASSERT(!shared.infeasible);
  RC_ASSERT(fixed.device.clock.si() <= shared.device.clock.si() * (1 + 1e-9));
  RC_ASSERT(fixed.device.cores == shared.device.cores);
}

// With the stacks given: where the edge is filled with them, more edge may be one stack more, whose
// interface takes more than was won.
RC_GTEST_PROP(Derive, MoreAreaIsNeverFewerCores, ()) {
  catalog::DerivedSystem choice = any_choice();
  choice.budget.shares.memory_edge.reset();
  catalog::DerivedSystem more = choice;
  more.budget.die_area *= between(1.0, 1.5);
  const Derivation small = shipped().derived_system(choice).derivation;
  const Derivation large = shipped().derived_system(more).derivation;
  RC_PRE(!small.infeasible && !large.infeasible);
  RC_ASSERT(large.device.cores >= small.device.cores);
  RC_ASSERT(large.device.l2.capacity >= small.device.l2.capacity);
}

// Whatever the topology, more endpoints are never nearer, and a network never carries more than its
// ports.
RC_GTEST_PROP(Topology, MoreEndpointsAreNeverNearerOrCheaper, ()) {
  const std::string topology = *rc::gen::elementOf(shipped().names(Section::topologies));
  const double few = *rc::gen::inRange(8, 10000);
  const double many = few * *rc::gen::inRange(1, 50);
  const Network near = shipped().scale_out("NDRx8", topology, few);
  const Network far = shipped().scale_out("NDRx8", topology, many);
  RC_ASSERT(far.latency >= near.latency);
  RC_ASSERT(far.energy >= near.energy);
  RC_ASSERT(far.cost >= near.cost);
  RC_ASSERT(far.distant_share <= near.distant_share);
  RC_ASSERT(far.distant_share > 0.0 && near.distant_share <= 1.0);
}

// Cost and carbon are finite and positive, and all parts of them count.
RC_GTEST_PROP(Cost, OfADeviceIsTheSumOfItsParts, ()) {
  const catalog::DerivedSystem choice = any_choice();
  const catalog::DerivedResult made = shipped().derived_system(choice);
  RC_PRE(made.system);
  const auto own = shipped().ownership(*made.system, shipped().economics());
  RC_ASSERT(own);
  RC_ASSERT(own->device.die_yield > 0.0 && own->device.die_yield <= 1.0);
  RC_ASSERT(own->device.dies.si() > 0.0);
  RC_ASSERT((own->device.memory.si() > 0.0) != shipped().memory(choice.memory).in_cores);
  RC_ASSERT(own->capital() > own->device.total());
  RC_ASSERT(own->embodied > own->device.dies_carbon);
  RC_ASSERT(std::isfinite(own->capital_usd_per_s()) && std::isfinite(own->embodied_kg_per_s));
}

// Assumptions of any size.
Economics any_economics() {
  Economics economics =
      shipped().economics(*rc::gen::elementOf(shipped().names(catalog::Section::economics)));
  economics.silicon_markup = between(1, 200);
  economics.parts_markup = between(1, 5);
  economics.facility_cost = UsdPerWatt::si(between(0, 50));
  economics.delivery_cost = UsdPerWatt::si(between(0, 5));
  economics.one_silicon_markup = *rc::gen::arbitrary<bool>();
  return economics;
}

// Watts are never free: with more of them a device of the same area never costs less, whatever is
// assumed, and more where the site has a price.
RC_GTEST_PROP(Cost, MoreWattsNeverCostLess, ()) {
  catalog::DerivedSystem choice = any_choice();
  catalog::DerivedSystem more = choice;
  more.budget.power *= between(1.01, 4.0);
  const catalog::DerivedResult small = shipped().derived_system(choice);
  const catalog::DerivedResult large = shipped().derived_system(more);
  RC_PRE(small.system && large.system);
  const Economics economics = any_economics();
  const auto few = shipped().ownership(*small.system, economics);
  const auto many = shipped().ownership(*large.system, economics);
  RC_ASSERT(many->capital() >= few->capital());
  RC_ASSERT(many->capital_usd_per_s() >= few->capital_usd_per_s());
  const bool free = economics.facility_cost.si() == 0.0 && economics.delivery_cost.si() == 0.0;
  RC_ASSERT(free || many->price(Capital::facility) > few->price(Capital::facility));
}

// What makers buy in does not grow with what they ask for their dies.
RC_GTEST_PROP(Cost, OfMemoryDoesNotGrowWithTheMarkupOfDies, ()) {
  const catalog::DerivedResult made = shipped().derived_system(any_choice());
  RC_PRE(made.system);
  Economics economics = any_economics();
  economics.one_silicon_markup = true;
  const auto low = shipped().ownership(*made.system, economics);
  economics.silicon_markup *= between(1.1, 10.0);
  const auto high = shipped().ownership(*made.system, economics);
  RC_ASSERT(high->price(Capital::silicon) > low->price(Capital::silicon));
  for (const Capital part :
       {Capital::memory, Capital::package, Capital::network, Capital::server, Capital::facility}) {
    RC_ASSERT(high->price(part) == low->price(part));
  }
  const Usd more = high->price(Capital::silicon) - low->price(Capital::silicon);
  RC_ASSERT(std::abs((high->capital() - low->capital() - more).si()) <=
            1e-9 * high->capital().si());
}

RC_GTEST_PROP(Settle, VoltageStaysBetweenItsLimits, ()) {
  const LogicNode node = shipped().logic("N5", *rc::gen::elementOf(shipped().scalings()));
  const OperatingPoint point = settle(node.voltage, Watts::si(between(1, 2000)),
                                      Watts::si(between(1, 1000)), Watts::si(between(0, 300)));
  RC_ASSERT(point.voltage >= node.voltage.minimum);
  RC_ASSERT(point.voltage <= node.voltage.maximum);
  RC_ASSERT(point.feasible == (point.frequency > 0.0));
}

}  // namespace
}  // namespace scalesweep::technology

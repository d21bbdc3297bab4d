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

Budget any_budget() {
  return {SquareMetres::si(between(50e-6, 900e-6)), *rc::gen::inRange(1, 5),
          Watts::si(between(20, 3000)), *rc::gen::inRange(1, 13)};
}

catalog::DerivedSystem any_choice() {
  catalog::DerivedSystem choice;
  choice.architecture = "tensor-core-gpu";
  choice.scaling = *rc::gen::elementOf(shipped().scalings());
  choice.logic =
      *rc::gen::elementOf(std::vector<std::string>{"N12", "N10", "N7", "N5", "N3", "N2", "N1"});
  choice.memory = *rc::gen::elementOf(shipped().names(Section::memories));
  choice.scale_up = *rc::gen::elementOf(shipped().names(Section::scale_up));
  choice.scale_out = *rc::gen::elementOf(shipped().names(Section::scale_out));
  choice.budget = any_budget();
  return choice;
}

RC_GTEST_PROP(Derive, IsADeviceOrAReasonWithANumber, ()) {
  const Derivation d = shipped().derived_system(any_choice()).derivation;
  if (d.infeasible) {
    RC_ASSERT(d.infeasible->required > d.infeasible->available);
    RC_ASSERT(!to_string(*d.infeasible).empty());
    return;
  }
  RC_ASSERT(d.device.cores >= 1);
  RC_ASSERT(d.device.clock.si() > 0.0);
  RC_ASSERT(d.device.l2.capacity.si() > 0.0);
}

RC_GTEST_PROP(Derive, StaysWithinItsBudgets, ()) {
  const catalog::DerivedSystem choice = any_choice();
  const Derivation d = shipped().derived_system(choice).derivation;
  RC_PRE(!d.infeasible);
  const Watts power =
      d.memory_power + d.link_power + d.fixed_power + d.point.dynamic_power + d.point.leakage_power;
  const SquareMetres area =
      d.fixed_area + d.memory_interface_area + d.l2_area + d.core_area * d.physical_cores;
  RC_ASSERT(power.si() <= choice.budget.power.si() * (1 + 1e-9));
  RC_ASSERT(area.si() <= choice.budget.die_area.si() * choice.budget.dies * (1 + 1e-9));
  RC_ASSERT(choice.budget.stacks <= d.stacks_by_edge);
  RC_ASSERT(choice.budget.stacks <= d.stacks_by_package);
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

RC_GTEST_PROP(Derive, MoreAreaIsNeverFewerCores, ()) {
  const catalog::DerivedSystem choice = any_choice();
  catalog::DerivedSystem more = choice;
  more.budget.die_area *= between(1.0, 1.5);
  const Derivation small = shipped().derived_system(choice).derivation;
  const Derivation large = shipped().derived_system(more).derivation;
  RC_PRE(!small.infeasible && !large.infeasible);
  RC_ASSERT(large.device.cores >= small.device.cores);
  RC_ASSERT(large.device.l2.capacity >= small.device.l2.capacity);
}

RC_GTEST_PROP(Settle, VoltageStaysBetweenItsLimits, ()) {
  const LogicNode& node = shipped().logic("N5", *rc::gen::elementOf(shipped().scalings()));
  const OperatingPoint point = settle(node.voltage, Watts::si(between(1, 2000)),
                                      Watts::si(between(1, 1000)), Watts::si(between(0, 300)));
  RC_ASSERT(point.voltage >= node.voltage.minimum);
  RC_ASSERT(point.voltage <= node.voltage.maximum);
  RC_ASSERT(point.feasible == (point.frequency > 0.0));
}

}  // namespace
}  // namespace scalesweep::technology

#include "estimator/run/failures.hpp"

namespace scalesweep::estimator {

FailureRates failure_rates(const technology::Reliability& reliability, double factor,
                           const technology::System& system, double devices) {
  const technology::Device& device = system.device;
  const double area = device.die_area.si() > 0.0 ? device.die_area / reliability.die_area : 1.0;
  double switches = 0.0;
  for (const technology::LinkLevel& level : system.levels) {
    switches += level.link.switches;
  }
  const auto rate = [&](double parts, Seconds between) { return factor * parts / between.si(); };
  FailureRates rates;
  rates[FailureCause::die] = rate(devices * device.dies * area, reliability.die);
  rates[FailureCause::memory] = rate(devices * device.stacks, reliability.stack);
  rates[FailureCause::node] = rate(devices / reliability.node_devices, reliability.node);
  rates[FailureCause::link] = rate(devices, reliability.link);
  rates[FailureCause::network_switch] = rate(devices * switches, reliability.network_switch);
  rates[FailureCause::software] = rate(devices, reliability.software);
  rates[FailureCause::corruption] = rate(devices, reliability.corruption);
  return rates;
}

}  // namespace scalesweep::estimator

#include "estimator/parts/power/envelope_bounds.hpp"

#include <algorithm>

#include "estimator/parts/power/energy.hpp"

namespace scalesweep::estimator {

namespace {

double spread_of_cores(const technology::Envelope& envelope) {
  return envelope.fastest.cores / envelope.fewest_cores - 1.0;
}

}  // namespace

double within(const technology::Envelope& envelope) {
  return sums_rounded * (1.0 - std::min(0.02, spread_of_cores(envelope)));
}

double within_batch(const technology::Envelope& envelope) {
  const double spread =
      spread_of_cores(envelope) + envelope.fastest.clock / envelope.least_clock - 1.0;
  return sums_rounded * (1.0 - std::min(0.03, spread));
}

double slower_passes_s(const Cost& full, const Cost& near) {
  return std::max(0.0, near.time.total_s() - full.time.total_s());
}

double least_energy_j(const technology::System& near, const technology::Envelope& envelope,
                      const PassWork& of, double devices, double total_s) {
  const technology::Device& device = near.device;
  // A device that keeps its full clock has the slowest of those at least.
  const double slower = std::min(1.0, envelope.least_clock / device.clock);
  const double relative = std::min(1.0, envelope.least_supply / device.supply);
  const double at_full_clock_j =
      slower * relative * relative *
      energy_on_any_network(near, of.passes * of.work, devices, total_s).total_j();
  const double at_limit_j = envelope.least_power.si() * of.passes * of.pass_s;
  return std::min(at_full_clock_j, nearly_all_power * at_limit_j);
}

}  // namespace scalesweep::estimator

// What is estimated of every batch whose devices work on it at one clock, whatever its kind.
#pragma once

#include <array>
#include <cstddef>

#include "estimator/parts/capacity.hpp"
#include "estimator/parts/charges.hpp"
#include "estimator/parts/cost.hpp"
#include "estimator/parts/power/energy.hpp"

namespace scalesweep::estimator {

template <std::size_t phases>
struct BatchEstimate {
  Verdict verdict = Verdict::fits;
  Charges batch;  // sums to the time of a batch
  std::array<double, phases> phase_s{};
  double model_flop = 0.0;  // of a batch
  EnergyUse energy;
  double device_power_w = 0.0;
  int clock_step = 0;           // of power_limit.hpp
  double clock_fraction = 1.0;  // below 1: the clock at which the power is the limit
  double unkept_power_w = 0.0;  // of a device whose limit no clock keeps (power_limit.hpp); else 0
  double model_flop_utilization = 0.0;
  double batch_time_s() const { return batch.total_s(); }
};

// Each phase as the batch lasts for it; what runs beside others is what it adds to them.
template <std::size_t count>
struct CostsByPhase {
  std::array<Cost, count> phases;
  Cost total;
};

}  // namespace scalesweep::estimator

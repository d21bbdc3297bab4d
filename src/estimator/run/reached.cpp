#include "estimator/run/reached.hpp"

#include <algorithm>
#include <cmath>

#include "core/contracts.hpp"

namespace scalesweep::estimator {

ReachedTimes reached_times(const technology::Reliability& reliability, double step_uncertainty) {
  if (reliability.reached <= 0.0) {
    return {};
  }
  const double middle = reliability.reached;
  const double step = 1.0 + std::max(0.0, step_uncertainty);
  return {middle, middle / std::max(middle / reliability.reached_low, step),
          middle * std::max(reliability.reached_high / middle, step),
          reliability.batch_ramp + reliability.evaluation + reliability.by_hand};
}

double bars_off(const ReachedTimes& reached, double times_estimated) {
  SCALESWEEP_EXPECT(reached.is_known() && times_estimated > 0.0);
  const double off = std::log(times_estimated / reached.middle);
  const double bar =
      off < 0.0 ? std::log(reached.middle / reached.low) : std::log(reached.high / reached.middle);
  return off == 0.0 ? 0.0 : std::abs(off) / bar;
}

}  // namespace scalesweep::estimator

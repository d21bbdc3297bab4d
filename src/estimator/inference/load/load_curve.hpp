// How the arrivals of a service vary over the day, and what becomes of replicas that they leave
// without work.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"

namespace scalesweep::estimator {

enum class IdleReplicas : std::uint8_t {
  fixed,         // all run all day, each with its part of what arrives
  switched_off,  // whole ones are off, and draw nothing; they stay paid for
  given_back,    // whole ones are somebody else's, and paid by them
};
inline constexpr auto idle_replicas_names =
    enum_names<IdleReplicas>("fixed", "switched_off", "given_back");

// A job's arrival rate and limits are those of the peak.
struct LoadCurve {
  std::vector<double> parts;  // arrivals in equal parts of the day, over those of the peak: to 1
  IdleReplicas replicas = IdleReplicas::fixed;

  bool on() const { return !parts.empty(); }
};

// Means over the day; all 0 of a service without a curve, or one that its peak is too much for.
struct DayMean {
  double tokens_per_s = 0.0;  // of output
  double power_w = 0.0;       // of all devices and networks
  double devices_on = 0.0;
  double devices_paid = 0.0;
  double utilisation = 0.0;  // load of the replicas that are on, over that at the peak

  bool known() const { return tokens_per_s > 0.0; }
};

}  // namespace scalesweep::estimator

// How far estimates of times were from measurements.
#pragma once

namespace scalesweep::technology {

// Relative: two of three measured cases are within it, and where the others are far off up to 76 of
// 100, so that 95 of 100 are within twice as much (nodes/calibration/uncertainty.md). 0: nothing is
// known.
struct Uncertainty {
  double single_node = 0.0;
  double multi_node = 0.0;
  // Whether this very device and framework were measured; otherwise the root mean square of the
  // values of those that were.
  bool single_node_measured = false;
  bool multi_node_measured = false;
};

// Devices of a node in the measured clusters, by which scales are told apart.
inline constexpr double devices_per_node = 8.0;

inline double at_scale(const Uncertainty& uncertainty, double devices) {
  return devices <= devices_per_node ? uncertainty.single_node : uncertainty.multi_node;
}
inline bool measured_at_scale(const Uncertainty& uncertainty, double devices) {
  return devices <= devices_per_node ? uncertainty.single_node_measured
                                     : uncertainty.multi_node_measured;
}

}  // namespace scalesweep::technology

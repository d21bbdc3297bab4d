// How far estimates of step times were from measurements.
#pragma once

namespace scalesweep::technology {

// Relative: two of three measured steps (68 %, as one standard deviation of a normal distribution)
// were within it. 0: nothing is known.
struct Uncertainty {
  double single_node = 0.0;
  double multi_node = 0.0;
  // Whether steps of this very device and framework were measured; otherwise the largest value of
  // those that were.
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

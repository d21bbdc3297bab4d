#include "validation/measured_network.hpp"

#include <algorithm>

namespace scalesweep::validation {
namespace {

// Rate of one device's port in jobs whose all-reduce is bound by bandwidth: 190 GB/s of bus
// bandwidth over eight ports, the median of the measured jobs on 64 and more devices.
constexpr double usual_port_bytes_per_s = 190e9 / 8.0;

// The buffer of the test.
constexpr double test_bytes = 1.074e9;

// Slower than the ports explain by this much, it was not the ports.
constexpr double tolerance = 1.12;

// Bus bandwidth of the hierarchical all-reduce of n nodes whose devices send B each to other nodes:
// every device sends 2 (n-1)/n of its eighth, so that the bus sees 8 B n/(n-1), and no more than
// the links inside allow.
double bandwidth_bound(const technology::System& system, double nodes) {
  const double inside = system.scale_up.bandwidth.si() * system.scale_up.sustained;
  const double across =
      usual_port_bytes_per_s * system.scale_up_domain * nodes / std::max(1.0, nodes - 1.0);
  return std::min(inside, across);
}

}  // namespace

void apply_measured_bus_bandwidth(technology::System& system, std::int64_t ranks,
                                  double bus_bytes_per_s) {
  const auto p = static_cast<double>(ranks);
  const double nodes = p / system.scale_up_domain;
  if (nodes <= 1.0) {
    return;  // says nothing of the network beyond
  }
  technology::Network& out = system.scale_out;
  const double bound = bandwidth_bound(system, nodes);
  if (bus_bytes_per_s * tolerance >= bound) {
    const double port = std::max(bus_bytes_per_s, usual_port_bytes_per_s * 8.0) * (nodes - 1.0) /
                        nodes / system.scale_up_domain;
    out.bandwidth = BytesPerSecond::si(port / out.sustained);
    return;
  }
  out.bandwidth = BytesPerSecond::si(usual_port_bytes_per_s / out.sustained);
  const Seconds step = Seconds::si(test_bytes / (bus_bytes_per_s * (p - 1.0)));
  out.latency = std::max(out.latency, step);
  system.scale_up.latency = std::max(system.scale_up.latency, step);
}

}  // namespace scalesweep::validation

// Time with its cause: a duration split over the resources whose rate set it.
//
// The sum of the charges is the duration, always. With work fixed, a step time is homogeneous of
// degree one in all inverse rates and latencies, so where one thing follows the other a charge
// divided by the total is the elasticity of the step time to that resource (Euler's theorem): the
// bottleneck is the resource whose improvement helps most, not the biggest bar of a utilisation
// chart. A transfer beside kernels is charged what is longer than they are (beyond() in cost.hpp),
// which is what an infinitely fast network saves there; its elasticity is larger, up to where it is
// hidden, and that of the kernels smaller, and both are computed. Where the power limit lowers
// the clock, charges are those at the settled clock; the elasticity is then that at this clock
// held, since a faster resource also takes more power.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "core/enum_names.hpp"
#include "estimator/parts/indexed.hpp"

namespace scalesweep::estimator {

enum class Resource {
  tensor_compute,
  vector_compute,
  dram,
  l2,
  shared_memory,
  scale_up,
  scale_out,
  latency,
  host,     // the link to host memory
  storage,  // behind it: what requests find of prompts there, input and checkpoints of runs
};
inline constexpr auto resource_names =
    enum_names<Resource>("tensor_compute", "vector_compute", "dram", "l2", "shared_memory",
                         "scale_up", "scale_out", "latency", "host", "storage");
inline constexpr std::size_t resource_count = resource_names.size();

constexpr std::size_t index_of(Resource resource) {
  return static_cast<std::size_t>(resource);
}
constexpr std::string_view name_of(Resource resource) {
  return resource_names[resource];
}

// Seconds: a + b is one after the other, n * a is n times in a row.
struct Charges : Indexed<Charges, Resource, double, resource_count> {
  static Charges of(Resource resource, double seconds) {
    Charges charges;
    charges[resource] = seconds;
    return charges;
  }
  double total_s() const { return sum(); }
};

// At the same time: what takes longer sets the time and keeps its charges.
inline const Charges& longer(const Charges& a, const Charges& b) {
  return a.total_s() >= b.total_s() ? a : b;
}

// The resource with the largest charge; the first of equals.
inline Resource dominant(const Charges& charges) {
  const auto largest = std::max_element(charges.values.begin(), charges.values.end());
  return static_cast<Resource>(largest - charges.values.begin());
}

}  // namespace scalesweep::estimator

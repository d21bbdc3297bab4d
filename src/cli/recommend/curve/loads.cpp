#include "cli/recommend/curve/loads.hpp"

namespace scalesweep::cli {
namespace {

constexpr std::int64_t most_of_a_device = 1024;
constexpr std::int64_t steps = 4;  // to each factor of two

}  // namespace

std::vector<std::int64_t> curve_loads(std::int64_t devices) {
  const std::int64_t most = most_of_a_device * devices;
  std::vector<std::int64_t> loads;
  std::int64_t step = 1;
  for (std::int64_t load = 1; load <= most; load += step) {
    loads.push_back(load);
    if (load == 2 * steps * step) {
      step *= 2;
    }
  }
  return loads;
}

}  // namespace scalesweep::cli

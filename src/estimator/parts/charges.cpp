#include "estimator/parts/charges.hpp"

#include <algorithm>

namespace scalesweep::estimator {

Resource dominant(const Charges& charges) {
  const auto largest = std::max_element(charges.time_s.begin(), charges.time_s.end());
  return static_cast<Resource>(largest - charges.time_s.begin());
}

}  // namespace scalesweep::estimator

// What a service takes at least, and what is asked for of one that takes it.
#pragma once

#include <functional>

namespace scalesweep::estimator {

// At least, of a service at any clock that its power may leave it.
struct LeastEnergy {
  double idle_w = 0.0;     // of all devices, whatever they serve
  double request_j = 0.0;  // beside that
};

// Requests a second that are asked for of a service that takes this; 0: any service will do. Never
// falls as that grows.
using AskedRate = std::function<double(const LeastEnergy&)>;

}  // namespace scalesweep::estimator

// The rate at which a service of sessions settles: the more requests come while a session thinks,
// the less a cache keeps of it, and the less is served.
#pragma once

#include <functional>

#include "estimator/inference/estimate.hpp"

namespace scalesweep::estimator {

// What is served where caches find what they find at so many requests a second; falling.
using ServedAt = std::function<ServingEstimate(double request_rate)>;

// Its requests a second are those that it was asked with, to a thousandth. `most`: what is served
// where all is found that caches hold of one session.
//
// Of an open service that keeps its limits up to some rate alone, since beyond it too little is
// found, what `arriving` says of that rate.
ServingEstimate at_own_rate(ServingEstimate most, bool is_closed, const ServedAt& served,
                            const ServedAt& arriving);

}  // namespace scalesweep::estimator

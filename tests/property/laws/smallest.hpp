// The smallest spec that still breaks a law.
#pragma once

#include "law.hpp"

namespace scalesweep::laws {

// Without what may be left out, and lists with one value, as long as the law is broken by half as
// much.
Subject smallest(const Law& law, Subject subject, double broken_by);

}  // namespace scalesweep::laws

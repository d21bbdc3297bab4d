// What is tried of a dimension of a strategy.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/strategy.hpp"

namespace scalesweep::parallel {

// The values a dimension may take where it must divide `bound`, ascending.
std::vector<std::int64_t> candidates(const Choices& choices, std::int64_t bound);

}  // namespace scalesweep::parallel

// What may become of a point of reinforcement learning beside what every kind has.
#pragma once

#include <array>

#include "study/columns/schema.hpp"

namespace scalesweep::study {

inline constexpr std::array<KindStatus, 1> reinforcement_statuses = {{{"not_separate", false}}};

}  // namespace scalesweep::study

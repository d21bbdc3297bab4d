// How many objectives there may be.
#pragma once

#include <cstddef>

namespace scalesweep::reduce {

constexpr std::size_t max_objectives = 8;
// Columns that the functions below take: one more than a user may ask for, which a caller may need
// to tell points apart.
constexpr std::size_t max_columns = max_objectives + 1;

}  // namespace scalesweep::reduce

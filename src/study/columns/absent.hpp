// What does not exist, in the columns of an estimate.
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "store/texts/absent.hpp"

namespace scalesweep::study {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// No number of a row is infinite.
inline double known_value(double value) {
  return std::isfinite(value) ? value : unknown;
}
// As a column of figures holds it: what is too large for one does not exist there either.
inline float stored_figure(double value) {
  return std::fabs(value) <= static_cast<double>(std::numeric_limits<float>::max())
             ? static_cast<float>(value)
             : std::numeric_limits<float>::quiet_NaN();
}

// A column of names whose last one, of or_none(), stands for no value.
inline store::Column with_absent_none(store::Column column) {
  column.attributes[store::absent_attribute] = "none";
  return column;
}

}  // namespace scalesweep::study

// Single values of a table for programs (exact) and for people (few digits, a prefix for all of a
// column).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "store/read/table.hpp"

namespace scalesweep::analysis {

// As many digits as give it back exactly; a label where the column has labels; NaN is empty.
std::string exact_text(const store::Table& table, const store::Column& column, std::size_t place,
                       std::size_t row);

// "826 mm2" -> 826 and " mm2", "64" -> 64 and "": NaN where it does not begin with a number.
struct LabelParts {
  double number = 0.0;
  std::string unit;  // what stands behind the number, with its blank
};
LabelParts parts_of_label(const std::string& label);

// How the numbers of one column are shown.
struct NumberScale {
  double factor = 1.0;  // a shown number times this is the value
  std::string units;    // "ms", "GB/s", ""
};
// So that the largest of the values has one to three digits before the point.
NumberScale scale_for(std::span<const double> values, std::string_view units);
// Four digits; "-" for NaN.
std::string shown_number(double value, const NumberScale& scale);

}  // namespace scalesweep::analysis

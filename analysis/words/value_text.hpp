// Single values of a table for programs (exact) and for people (few digits, a prefix for all of a
// column).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "store/read/table.hpp"

namespace scalesweep::analysis {

// Whether there is a value: every export leaves out what a file holds as NaN, as infinity (an axis
// that says "none"), as -1 of an integer, or as the name that the column says stands for no value.
bool has_value(const store::Table& table, const store::Column& column, std::size_t place,
               std::size_t row);
// As many digits as give it back exactly, with a point or an exponent where the column is no
// integer; a label where the column has labels; empty without a value.
std::string exact_text(const store::Table& table, const store::Column& column, std::size_t place,
                       std::size_t row);
// "8.0", "0.25", "1e+20"; empty for what is not finite. Readers that go by the first rows take "8"
// for an integer, and stop at the first that is none.
std::string exact_number(double value);
std::string exact_number(float value);

// What a rate or a cost counts, by the words of its column: "images" of "cost per million
// images" and of "images per second", "output tokens" of "cost per million output tokens"; "tokens"
// where they say neither.
std::string counted_in(std::string_view words);
// "116,304 samples/s", "97.34 images/h": by the hour where it is less than one in ten seconds.
std::string rate_text(double per_s, std::string_view counted);
// "0.442 USD per million tokens", "0.318 USD per image": of one where that is a cent or more.
std::string unit_cost_text(double of_a_million, std::string_view units, std::string_view counted);

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

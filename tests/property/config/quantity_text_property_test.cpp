// Quantities written and read back: nothing lost but the digits that are not printed.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "config/quantity_text.hpp"
#include "core/text.hpp"

namespace scalesweep::config {
namespace {

constexpr std::array<Dimension, 24> dimensions = {Dimension::bytes,
                                                  Dimension::bytes_per_second,
                                                  Dimension::flop_per_second,
                                                  Dimension::seconds,
                                                  Dimension::hertz,
                                                  Dimension::metres,
                                                  Dimension::area,
                                                  Dimension::watts,
                                                  Dimension::volts,
                                                  Dimension::joules_per_byte,
                                                  Dimension::joules_per_flop,
                                                  Dimension::watts_per_byte,
                                                  Dimension::usd,
                                                  Dimension::per_area,
                                                  Dimension::usd_per_byte,
                                                  Dimension::usd_per_area,
                                                  Dimension::usd_per_joule,
                                                  Dimension::usd_per_watt,
                                                  Dimension::co2,
                                                  Dimension::co2_per_byte,
                                                  Dimension::co2_per_area,
                                                  Dimension::co2_per_joule,
                                                  Dimension::bytes_per_second_per_metre,
                                                  Dimension::joules_per_byte_metre};

Dimension any_dimension() {
  return *rc::gen::elementOf(dimensions);
}

std::vector<std::string> units_of(Dimension dimension) {
  std::vector<std::string> units;
  for (const std::string& unit : split(accepted_units(dimension), ',')) {
    units.emplace_back(trim(unit));
  }
  return units;
}

// Six decimal digits, all printed, and a power of ten.
double any_value() {
  const int digits = *rc::gen::inRange(-999'999, 1'000'000);
  const int exponent = *rc::gen::inRange(-25, 20);
  return digits * std::pow(10.0, exponent);
}

// A kilowatt-hour is no power of ten of a joule, nor a bit of a byte: six digits of one are not six
// of the other.
bool is_decimal(Dimension dimension) {
  return dimension != Dimension::usd_per_joule && dimension != Dimension::co2_per_joule &&
         dimension != Dimension::joules_per_byte_metre;
}

RC_GTEST_PROP(QuantityTextProperty, reads_back_what_it_wrote, ()) {
  const Dimension dimension = *rc::gen::suchThat(rc::gen::elementOf(dimensions), is_decimal);
  const double value = any_value();
  const std::string text = quantity_text(value, dimension);
  const QuantityResult read = parse_quantity(text, dimension);
  RC_LOG() << value << " -> " << text << "\n";
  RC_ASSERT(read.si.has_value());
  RC_ASSERT(std::fabs(*read.si - value) <= 1e-12 * std::fabs(value));
}

RC_GTEST_PROP(QuantityTextProperty, writes_the_same_text_again, ()) {
  const Dimension dimension = any_dimension();
  // Any double at all: the text keeps six digits of it, and then stays.
  const double value = any_value() * (1.0 + 1e-7 * *rc::gen::inRange(0, 1000));
  const std::string text = quantity_text(value, dimension);
  const double read = parse_quantity(text, dimension).si.value();
  RC_ASSERT(std::fabs(read - value) <= 5.1e-6 * std::fabs(value));
  RC_ASSERT(quantity_text(read, dimension) == text);
}

RC_GTEST_PROP(QuantityTextProperty, every_accepted_unit_is_read_with_or_without_blanks, ()) {
  const Dimension dimension = any_dimension();
  const std::string unit = *rc::gen::elementOf(units_of(dimension));
  const int number = *rc::gen::inRange(1, 1000);
  const double one = parse_quantity("1 " + unit, dimension).si.value();
  // "1/cm2" begins with a digit and must stand apart.
  const int least = unit.starts_with("1/") ? 1 : 0;
  const std::string blanks(static_cast<std::size_t>(*rc::gen::inRange(least, 4)), ' ');
  const QuantityResult read = parse_quantity(std::to_string(number) + blanks + unit, dimension);
  RC_ASSERT(read.si.has_value());
  RC_ASSERT(std::fabs(*read.si - number * one) <= 1e-12 * number * one);
}

RC_GTEST_PROP(QuantityTextProperty, a_unit_of_another_dimension_is_never_taken, ()) {
  const Dimension written = any_dimension();
  const Dimension wanted = any_dimension();
  const std::string unit = *rc::gen::elementOf(units_of(written));
  const std::vector<std::string> accepted = units_of(wanted);
  RC_PRE(std::find(accepted.begin(), accepted.end(), unit) == accepted.end());
  const QuantityResult read = parse_quantity("3 " + unit, wanted);
  RC_ASSERT(!read.si.has_value());
  RC_ASSERT(read.problem.starts_with("'" + unit + "' is a unit of "));
}

RC_GTEST_PROP(QuantityTextProperty, any_text_at_all_is_read_or_refused, ()) {
  const Dimension dimension = any_dimension();
  const auto text = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("0123456789.eE+-xX naif WbBkKMGTPm/s2\u00b2\u00b5\"'")));
  const QuantityResult read = parse_quantity(text, dimension);
  RC_ASSERT(read.si.has_value() == read.problem.empty());
  RC_ASSERT(!read.si.has_value() || std::isfinite(*read.si));
}

}  // namespace
}  // namespace scalesweep::config

#include "config/quantity_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace scalesweep::config {
namespace {

double si(const std::string& text, Dimension dimension) {
  const QuantityResult result = parse_quantity(text, dimension);
  EXPECT_EQ(result.problem, "") << text;
  return result.si.value_or(-1.0);
}

std::string problem(const std::string& text, Dimension dimension) {
  const QuantityResult result = parse_quantity(text, dimension);
  EXPECT_FALSE(result.si.has_value()) << text;
  return result.problem;
}

TEST(ParseQuantity, KeepsDecimalBinaryAndBitsApart) {
  EXPECT_DOUBLE_EQ(si("80 GB", Dimension::bytes), 80e9);
  EXPECT_DOUBLE_EQ(si("80 GiB", Dimension::bytes), 80.0 * 1073741824.0);
  EXPECT_DOUBLE_EQ(si("80 Gb", Dimension::bytes), 10e9);
  EXPECT_DOUBLE_EQ(si("3.35 TB/s", Dimension::bytes_per_second), 3.35e12);
  EXPECT_DOUBLE_EQ(si("400 Gb/s", Dimension::bytes_per_second), 50e9);
  EXPECT_DOUBLE_EQ(si("1 KiB", Dimension::bytes), 1024.0);
  EXPECT_DOUBLE_EQ(si("1 kB", Dimension::bytes), 1000.0);
}

TEST(ParseQuantity, ConvertsEveryDimensionToSi) {
  EXPECT_DOUBLE_EQ(si("989 TFLOP/s", Dimension::flop_per_second), 989e12);
  EXPECT_DOUBLE_EQ(si("1 EFLOPS", Dimension::flop_per_second), 1e18);
  EXPECT_DOUBLE_EQ(si("1.5 us", Dimension::seconds), 1.5e-6);
  EXPECT_DOUBLE_EQ(si("2 min", Dimension::seconds), 120.0);
  EXPECT_DOUBLE_EQ(si("1.41 GHz", Dimension::hertz), 1.41e9);
  EXPECT_DOUBLE_EQ(si("25 mm", Dimension::metres), 0.025);
  EXPECT_DOUBLE_EQ(si("826 mm2", Dimension::area), 826e-6);
  EXPECT_DOUBLE_EQ(si("8.26 cm2", Dimension::area), 826e-6);
  EXPECT_DOUBLE_EQ(si("0.7 kW", Dimension::watts), 700.0);
  EXPECT_DOUBLE_EQ(si("750 mV", Dimension::volts), 0.75);
  EXPECT_DOUBLE_EQ(si("4 pJ/bit", Dimension::joules_per_byte), 32e-12);
  EXPECT_DOUBLE_EQ(si("32 pJ/B", Dimension::joules_per_byte), 32e-12);
  EXPECT_DOUBLE_EQ(si("0.6 pJ/FLOP", Dimension::joules_per_flop), 0.6e-12);
  EXPECT_DOUBLE_EQ(si("5 mW/GB", Dimension::watts_per_byte), 5e-12);
  EXPECT_DOUBLE_EQ(si("9346 USD", Dimension::usd), 9346.0);
  EXPECT_DOUBLE_EQ(si("0.1 1/cm2", Dimension::per_area), 1000.0);
}

TEST(ParseQuantity, TakesNumbersAsPeopleWriteThem) {
  EXPECT_DOUBLE_EQ(si("826mm2", Dimension::area), 826e-6);
  EXPECT_DOUBLE_EQ(si("  7e2   W ", Dimension::watts), 700.0);
  EXPECT_DOUBLE_EQ(si("+.7 kW", Dimension::watts), 700.0);
  EXPECT_DOUBLE_EQ(si("-3 W", Dimension::watts), -3.0);
  EXPECT_DOUBLE_EQ(si("0 W", Dimension::watts), 0.0);
}

TEST(ParseQuantity, TakesTheSignsForSquareAndMicro) {
  EXPECT_DOUBLE_EQ(si("826 mm\u00b2", Dimension::area), 826e-6);
  EXPECT_DOUBLE_EQ(si("1.5 \u00b5s", Dimension::seconds), 1.5e-6);  // micro sign
  EXPECT_DOUBLE_EQ(si("1.5 \u03bcs", Dimension::seconds), 1.5e-6);  // Greek mu
}

TEST(ParseQuantity, RefusesABareNumber) {
  EXPECT_EQ(problem("826", Dimension::area),
            "a bare number, but an area is expected; write its unit, for example \"826 mm2\"");
  EXPECT_EQ(problem("80e9", Dimension::bytes),
            "a bare number, but a data size is expected; write its unit, for example \"80 GiB\"");
}

TEST(ParseQuantity, RefusesWhatHasNoNumber) {
  EXPECT_EQ(problem("lots", Dimension::watts),
            "\"lots\" is not a power; write a number and a unit, for example \"700 W\"");
  EXPECT_EQ(problem("", Dimension::watts),
            "\"\" is not a power; write a number and a unit, for example \"700 W\"");
  EXPECT_EQ(problem("W 700", Dimension::watts),
            "\"W 700\" is not a power; write a number and a unit, for example \"700 W\"");
}

TEST(ParseQuantity, RefusesNumbersThatAreNotFinite) {
  EXPECT_EQ(problem("nan W", Dimension::watts), "\"nan W\" is not a finite number");
  EXPECT_EQ(problem("-inf W", Dimension::watts), "\"-inf W\" is not a finite number");
  EXPECT_EQ(problem("1e999 W", Dimension::watts), "\"1e999 W\" is not a finite number");
  // Finite as written, but not in base units.
  EXPECT_EQ(problem("1e308 kW", Dimension::watts), "\"1e308 kW\" is too large");
}

TEST(ParseQuantity, TellsAUnitOfAnotherDimension) {
  EXPECT_EQ(problem("80 GiB", Dimension::watts),
            "'GiB' is a unit of a data size, but a power is expected here, for example \"700 W\"; "
            "accepted are uW, mW, W, kW, MW");
  EXPECT_EQ(problem("25 mm", Dimension::area),
            "'mm' is a unit of a length, but an area is expected here, for example \"826 mm2\"; "
            "accepted are um2, mm2, cm2, m2");
}

TEST(ParseQuantity, SuggestsForAMisspeltUnit) {
  EXPECT_EQ(problem("700 w", Dimension::watts),
            "unknown unit 'w'; did you mean 'W'? Accepted are uW, mW, W, kW, MW");
  EXPECT_EQ(problem("700 Wt", Dimension::watts),
            "unknown unit 'Wt'; did you mean 'W'? Accepted are uW, mW, W, kW, MW");
  EXPECT_EQ(problem("400 gb", Dimension::bytes).substr(0, 44),
            "unknown unit 'gb'; did you mean 'GB' or 'Gb'");
  EXPECT_EQ(problem("400 Gbps", Dimension::bytes_per_second).substr(0, 41),
            "unknown unit 'Gbps'; did you mean 'Gb/s'?");
  EXPECT_EQ(problem("5 bananas", Dimension::volts), "unknown unit 'bananas'; accepted are mV, V");
}

TEST(QuantityText, ChoosesAUnitThatAPersonWould) {
  EXPECT_EQ(quantity_text(826e-6, Dimension::area), "826 mm2");
  EXPECT_EQ(quantity_text(700.0, Dimension::watts), "700 W");
  EXPECT_EQ(quantity_text(1200.0, Dimension::watts), "1.2 kW");
  EXPECT_EQ(quantity_text(3.35e12, Dimension::bytes_per_second), "3.35 TB/s");
  EXPECT_EQ(quantity_text(1.5e-6, Dimension::seconds), "1.5 us");
  EXPECT_EQ(quantity_text(0.75, Dimension::volts), "0.75 V");
  EXPECT_EQ(quantity_text(0.6e-12, Dimension::joules_per_flop), "600 fJ/FLOP");
  EXPECT_EQ(quantity_text(1000.0, Dimension::per_area), "0.1 1/cm2");
}

TEST(QuantityText, KeepsSignZeroAndTheSmallest) {
  EXPECT_EQ(quantity_text(-700.0, Dimension::watts), "-700 W");
  EXPECT_EQ(quantity_text(0.0, Dimension::watts), "0 W");
  EXPECT_EQ(quantity_text(1e-9, Dimension::watts), "0.001 uW");
  EXPECT_EQ(quantity_text(1.0, Dimension::bytes), "1 B");
  EXPECT_EQ(quantity_text(5e25, Dimension::bytes), "5e+07 EB");
}

TEST(AcceptedUnits, ListsThem) {
  EXPECT_EQ(accepted_units(Dimension::watts), "uW, mW, W, kW, MW");
  EXPECT_EQ(accepted_units(Dimension::bytes),
            "B, kB, MB, GB, TB, PB, EB, KiB, MiB, GiB, TiB, PiB, EiB, b, kb, Mb, Gb, Tb, Pb, Eb");
}

}  // namespace
}  // namespace scalesweep::config

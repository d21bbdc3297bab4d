#include "config/quantity_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/text.hpp"

namespace scalesweep::config {
namespace {

struct Unit {
  std::string symbol;
  double si = 1.0;
  bool printed = false;           // may be chosen when a value is written back
  bool printed_if_exact = false;  // no power of ten of the others: only where six digits hold it
};

struct DimensionUnits {
  Dimension dimension;
  std::string name;     // "a data size"
  std::string example;  // how to write one
  std::vector<Unit> units;
};

struct Prefix {
  const char* symbol;
  double factor;
};

constexpr std::array<Prefix, 7> decimal = {
    {{"", 1.0}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15}, {"E", 1e18}}};
constexpr std::array<Prefix, 6> binary = {{{"Ki", 0x1p10},
                                           {"Mi", 0x1p20},
                                           {"Gi", 0x1p30},
                                           {"Ti", 0x1p40},
                                           {"Pi", 0x1p50},
                                           {"Ei", 0x1p60}}};
constexpr std::array<Prefix, 5> small = {
    {{"f", 1e-15}, {"p", 1e-12}, {"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}}};

// Bytes and bits with every prefix: GB, GiB and Gb are three different things.
std::vector<Unit> data_units(const std::string& suffix) {
  std::vector<Unit> units;
  for (const Prefix& prefix : decimal) {
    units.push_back({fmt::format("{}B{}", prefix.symbol, suffix), prefix.factor, true});
  }
  for (const Prefix& prefix : binary) {
    units.push_back({fmt::format("{}B{}", prefix.symbol, suffix), prefix.factor, false});
  }
  for (const Prefix& prefix : decimal) {
    units.push_back({fmt::format("{}b{}", prefix.symbol, suffix), prefix.factor / 8.0, false});
  }
  return units;
}

std::vector<Unit> flop_rate_units() {
  std::vector<Unit> units;
  for (const Prefix& prefix : decimal) {
    units.push_back({fmt::format("{}FLOP/s", prefix.symbol), prefix.factor, true});
  }
  for (const Prefix& prefix : decimal) {
    units.push_back({fmt::format("{}FLOPS", prefix.symbol), prefix.factor, false});
  }
  return units;
}

// Small prefixes of a base unit, then the base unit itself.
std::vector<Unit> small_units(const std::string& base, double factor, bool printed) {
  std::vector<Unit> units;
  for (const Prefix& prefix : small) {
    units.push_back({prefix.symbol + base, prefix.factor * factor, printed});
  }
  units.push_back({base, factor, printed});
  return units;
}

std::vector<Unit> joined(std::vector<Unit> a, const std::vector<Unit>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Prices, emissions, and what runs along an edge or a wire.
std::vector<DimensionUnits> units_of_cost() {
  return {
      {Dimension::usd_per_byte,
       "a price of memory",
       "12 USD/GB",
       {{"USD/B", 1.0, false}, {"USD/GB", 1e-9, true}, {"USD/GiB", 0x1p-30, false}}},
      {Dimension::usd_per_area,
       "a price per area",
       "0.2 USD/mm2",
       {{"USD/m2", 1.0, false}, {"USD/cm2", 1e4, false}, {"USD/mm2", 1e6, true}}},
      {Dimension::usd_per_joule,
       "a price of electricity",
       "0.08 USD/kWh",
       {{"USD/J", 1.0, false}, {"USD/kWh", 1.0 / 3.6e6, true}, {"USD/MWh", 1.0 / 3.6e9, false}}},
      {Dimension::usd_per_watt,
       "a price of power",
       "11 USD/W",
       {{"USD/W", 1.0, true}, {"USD/kW", 1e-3, false}}},
      {Dimension::co2,
       "a mass of CO2 equivalent",
       "150 kgCO2e",
       {{"gCO2e", 1e-3, true}, {"kgCO2e", 1.0, true}, {"tCO2e", 1e3, true}}},
      {Dimension::co2_per_byte,
       "a carbon footprint of memory",
       "65 gCO2e/GB",
       {{"gCO2e/GB", 1e-12, true}, {"kgCO2e/GB", 1e-9, true}, {"kgCO2e/B", 1.0, false}}},
      {Dimension::co2_per_area,
       "a carbon footprint per area",
       "1.54 kgCO2e/cm2",
       {{"kgCO2e/m2", 1.0, false}, {"gCO2e/cm2", 10.0, false}, {"kgCO2e/cm2", 1e4, true}}},
      {Dimension::co2_per_joule,
       "a carbon footprint of electricity",
       "0.4 kgCO2e/kWh",
       {{"gCO2e/kWh", 1.0 / 3.6e9, false}, {"kgCO2e/kWh", 1.0 / 3.6e6, true}}},
      {Dimension::bytes_per_second_per_metre,
       "a data rate along an edge",
       "500 GB/s/mm",
       {{"GB/s/mm", 1e12, true}, {"TB/s/mm", 1e15, true}, {"Gb/s/mm", 1.25e11, false}}},
      {Dimension::joules_per_byte_metre,
       "an energy per byte along a wire",
       "0.1 pJ/bit/mm",
       {{"pJ/bit/mm", 8e-9, true}, {"pJ/B/mm", 1e-9, false}}},
      {Dimension::tokens,
       "a number of tokens",
       "15 T",
       {{"tokens", 1.0, true},
        {"k", 1e3, true},
        {"M", 1e6, true},
        {"B", 1e9, true},
        {"T", 1e12, true}}},
  };
}

std::vector<DimensionUnits> units_of_devices() {
  return {
      {Dimension::bytes, "a data size", "80 GiB", data_units("")},
      {Dimension::bytes_per_second, "a data rate", "3.35 TB/s", data_units("/s")},
      {Dimension::flop_per_second, "a compute rate", "989 TFLOP/s", flop_rate_units()},
      {Dimension::seconds, "a time", "1.5 us",
       joined(small_units("s", 1.0, true), {{"min", 60.0, false},
                                            {"h", 3600.0, false},
                                            {"d", 86400.0, false},
                                            {"a", 31557600.0, false, true}})},
      {Dimension::hertz,
       "a frequency",
       "1.41 GHz",
       {{"Hz", 1.0, true}, {"kHz", 1e3, true}, {"MHz", 1e6, true}, {"GHz", 1e9, true}}},
      {Dimension::metres,
       "a length",
       "25 mm",
       {{"nm", 1e-9, true},
        {"um", 1e-6, true},
        {"mm", 1e-3, true},
        {"cm", 1e-2, false},
        {"m", 1.0, true}}},
      {Dimension::area,
       "an area",
       "826 mm2",
       {{"um2", 1e-12, true}, {"mm2", 1e-6, true}, {"cm2", 1e-4, false}, {"m2", 1.0, true}}},
      {Dimension::watts,
       "a power",
       "700 W",
       {{"uW", 1e-6, true},
        {"mW", 1e-3, true},
        {"W", 1.0, true},
        {"kW", 1e3, true},
        {"MW", 1e6, true}}},
      {Dimension::volts, "a voltage", "0.75 V", {{"mV", 1e-3, false}, {"V", 1.0, true}}},
      {Dimension::joules_per_byte, "an energy per byte", "4.3 pJ/bit",
       joined(small_units("J/B", 1.0, true), small_units("J/bit", 8.0, false))},
      {Dimension::joules_per_flop, "an energy per operation", "0.6 pJ/FLOP",
       small_units("J/FLOP", 1.0, true)},
      {Dimension::watts_per_byte,
       "a power per byte",
       "5 mW/GB",
       {{"W/B", 1.0, true},
        {"mW/GB", 1e-12, true},
        {"W/GB", 1e-9, false},
        {"W/bit", 8.0, false},
        {"pW/bit", 8e-12, false}}},
      {Dimension::usd,
       "a price",
       "9346 USD",
       {{"USD", 1.0, true}, {"kUSD", 1e3, false}, {"MUSD", 1e6, false}, {"$", 1.0, false}}},
      {Dimension::per_area,
       "a density",
       "0.1 1/cm2",
       {{"1/m2", 1.0, false}, {"1/cm2", 1e4, true}, {"1/mm2", 1e6, true}}},
  };
}

const std::vector<DimensionUnits>& all_units() {
  static const std::vector<DimensionUnits> units = [] {
    std::vector<DimensionUnits> all = units_of_devices();
    for (DimensionUnits& more : units_of_cost()) {
      all.push_back(std::move(more));
    }
    return all;
  }();
  return units;
}

const DimensionUnits& units_of(Dimension dimension) {
  for (const DimensionUnits& units : all_units()) {
    if (units.dimension == dimension) {
      return units;
    }
  }
  return all_units().front();
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower;
}

// The superscript two and the two letters for micro as the ASCII that stands for them here.
std::string plain_symbol(std::string_view symbol) {
  std::string plain(symbol);
  for (const auto& [sign, letter] :
       {std::pair{"\u00b2", "2"}, std::pair{"\u00b5", "u"}, std::pair{"\u03bc", "u"}}) {
    if (const std::size_t at = plain.find(sign); at != std::string::npos) {
      plain.replace(at, std::string_view(sign).size(), letter);
    }
  }
  return plain;
}

const Unit* find_unit(const DimensionUnits& units, std::string_view symbol) {
  for (const Unit& unit : units.units) {
    if (unit.symbol == symbol) {
      return &unit;
    }
  }
  return nullptr;
}

// Units that differ in letter case only ("gb": 'GB' or 'Gb'), else the first that is one letter
// away; empty if there are none.
std::string similar_units(const DimensionUnits& expected, std::string_view symbol) {
  std::vector<std::string> same_letters;
  for (const Unit& unit : expected.units) {
    if (lower_case(unit.symbol) == lower_case(symbol)) {
      same_letters.push_back(fmt::format("'{}'", unit.symbol));
    }
  }
  if (!same_letters.empty()) {
    return join(same_letters, " or ");
  }
  for (const Unit& unit : expected.units) {
    if (edit_distance(unit.symbol, symbol) <= 1) {
      return fmt::format("'{}'", unit.symbol);
    }
  }
  return "";
}

// Why a unit is none of the dimension: of another one, misspelt, or unknown.
std::string wrong_unit(const DimensionUnits& expected, std::string_view symbol) {
  for (const DimensionUnits& other : all_units()) {
    if (find_unit(other, symbol) != nullptr) {
      return fmt::format(
          "'{}' is a unit of {}, but {} is expected here, for example \"{}\"; "
          "accepted are {}",
          symbol, other.name, expected.name, expected.example, accepted_units(expected.dimension));
    }
  }
  if (const std::string similar = similar_units(expected, symbol); !similar.empty()) {
    return fmt::format("unknown unit '{}'; did you mean {}? Accepted are {}", symbol, similar,
                       accepted_units(expected.dimension));
  }
  return fmt::format("unknown unit '{}'; accepted are {}", symbol,
                     accepted_units(expected.dimension));
}

}  // namespace

QuantityResult parse_quantity(std::string_view text, Dimension dimension,
                              std::string_view example) {
  const DimensionUnits& units = units_of(dimension);
  const std::string_view shown = example.empty() ? std::string_view(units.example) : example;
  const std::string trimmed(trim(text));
  char* end = nullptr;
  const double number = std::strtod(trimmed.c_str(), &end);
  const auto digits = static_cast<std::size_t>(end - trimmed.c_str());
  if (digits == 0) {
    return {std::nullopt, fmt::format("\"{}\" is not {}; write a number and a unit, for example "
                                      "\"{}\"",
                                      text, units.name, shown)};
  }
  if (!std::isfinite(number)) {
    return {std::nullopt, fmt::format("\"{}\" is not a finite number", text)};
  }
  const std::string symbol = plain_symbol(trim(std::string_view(trimmed).substr(digits)));
  if (symbol.empty()) {
    return {std::nullopt, fmt::format("a bare number, but {} is expected; write its unit, for "
                                      "example \"{}\"",
                                      units.name, shown)};
  }
  const Unit* unit = find_unit(units, symbol);
  if (unit == nullptr) {
    return {std::nullopt, wrong_unit(units, symbol)};
  }
  if (!std::isfinite(number * unit->si)) {
    return {std::nullopt, fmt::format("\"{}\" is too large", text)};
  }
  return {number * unit->si, ""};
}

namespace {

double six_digits(double number) {
  return std::strtod(fmt::format("{:.6g}", number).c_str(), nullptr);
}

// The largest printed unit that leaves at least one, else the smallest there is.
const Unit& unit_for(double magnitude, const std::vector<Unit>& units) {
  const Unit* best = nullptr;
  for (const Unit& unit : units) {
    if (!unit.printed) {
      continue;
    }
    const bool leaves_one = magnitude >= unit.si * (1.0 - 1e-12);
    if (best == nullptr || (leaves_one && unit.si > best->si) ||
        (magnitude < best->si && unit.si < best->si)) {
      best = &unit;
    }
  }
  return *best;
}

}  // namespace

std::string quantity_text(double si, Dimension dimension) {
  const std::vector<Unit>& units = units_of(dimension).units;
  const double rounded = six_digits(si);
  for (const Unit& unit : units) {
    const double number = six_digits(rounded / unit.si);
    const bool exact = std::fabs(number * unit.si - rounded) <= 1e-12 * std::fabs(rounded);
    if (unit.printed_if_exact && std::fabs(number) >= 1.0 && exact) {
      return fmt::format("{:.6g} {}", number, unit.symbol);
    }
  }
  // Nothing is printed in the unit of one.
  const Unit& best = unit_for(si == 0.0 ? 1.0 : std::fabs(si), units);
  return fmt::format("{:.6g} {}", si / best.si, best.symbol);
}

std::string accepted_units(Dimension dimension) {
  std::vector<std::string> symbols;
  for (const Unit& unit : units_of(dimension).units) {
    symbols.push_back(unit.symbol);
  }
  return join(symbols, ", ");
}

std::string dimension_name(Dimension dimension) {
  const std::string& name = units_of(dimension).name;
  return name.substr(name.find(' ') + 1);  // without its article
}

}  // namespace scalesweep::config

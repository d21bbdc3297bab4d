#include "analysis/flips/assumptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "config/document.hpp"
#include "core/diagnostic.hpp"
#include "core/text.hpp"
#include "space/keys/spec_keys.hpp"

namespace scalesweep::analysis {
namespace {

constexpr const char* entries_axis = "economics";
constexpr const char* default_entry = "default";
constexpr const char* given_price = "device_price";
constexpr const char* given_yield = "die_yield";
constexpr double year_s = 365.25 * 86400.0;

const AssumptionRow& row_of(Assumption which) {
  return assumption_rows()[static_cast<std::size_t>(which)];
}

// How a value of [economics] is written; null of a price that each row has of its own.
const config::Key* key_of(Assumption which) {
  if (row_of(which).is_of_row) {
    return nullptr;
  }
  const std::string path = std::string("economics.") + row_of(which).name;
  for (const config::Key& key : space::spec_keys()) {
    if (key.path == path) {
      return &key;
    }
  }
  return nullptr;
}

// The entry of the catalog that the file holds, as TOML; "" where it does not.
std::string entry_text(const std::string& catalog, const std::string& name) {
  const std::size_t begin = catalog.find(fmt::format("[economics.{}]", name));
  return begin == std::string::npos ? ""
                                    : catalog.substr(begin, catalog.find("\n\n# ", begin) - begin);
}

// A value that is written as it is, or in a table beside its source.
std::optional<double> value_of(const config::TableCursor& entry, const config::Key& key,
                               std::string_view name) {
  const auto read = [&](const config::TableCursor& table, std::string_view at) {
    return key.kind == config::KeyKind::quantity ? table.optional_quantity(at, key.dimension)
                                                 : table.optional_number(at);
  };
  const auto value = entry.value(name);
  if (!value) {
    return std::nullopt;
  }
  return value->form() == config::ValueCursor::Form::table ? read(value->table(), "value")
                                                           : read(entry, name);
}

// Of an entry, and of what it is like where it does not say.
void read_entry(const std::string& catalog, const std::string& name, Assumptions& into,
                std::set<Assumption>& known) {
  std::set<std::string> seen;
  for (std::string at = name; !at.empty() && seen.insert(at).second;) {
    Diagnostics problems;
    const auto document = config::Document::parse("catalog", entry_text(catalog, at), problems);
    if (!document) {
      return;
    }
    const config::TableCursor entry =
        document->root().optional_table("economics").optional_table(at);
    for (const AssumptionRow& row : assumption_rows()) {
      const config::Key* const key = key_of(row.which);
      const auto value = key == nullptr || known.contains(row.which)
                             ? std::nullopt
                             : value_of(entry, *key, row.name);
      if (value) {
        into[row.which] = *value;
        known.insert(row.which);
      }
    }
    at = entry.optional_string("like").value_or("");
  }
}

}  // namespace

const std::array<AssumptionRow, assumption_count>& assumption_rows() {
  using enum Assumption;
  constexpr double any = std::numeric_limits<double>::infinity();
  static const std::array<AssumptionRow, assumption_count> rows = {{
      {silicon_price, "silicon_price", "the price of dies", 0.0, any, false, {}, true},
      {wafer_price, "wafer_price", "the price of wafers", 0.0, any, false, {}, true},
      {defect_density, "defect_density", "the density of defects", 0.0, any, false, {}, true},
      {die_yield, "die_yield", "the yield of dies", 0.0, 1.0, true, 1.0},
      {memory_price, "memory_price", "the price of memory", 0.0, any, false, {}, true},
      {package_price, "package_price", "the price of packages", 0.0, any, false, {}, true},
      {margin, "margin", "the maker's margin", 0.0, any, false, 0.0},
      {network_markup, "network_markup", "the markup on networks"},
      {server_cost, "server_cost", "the cost of a server"},
      {server_power, "server_power", "the power of a server"},
      {facility_cost, "facility_cost", "the cost of the facility"},
      {facility_lifetime, "facility_lifetime", "the lifetime of the facility", 0.0,
       std::numeric_limits<double>::infinity(), true},
      {delivery_cost, "delivery_cost", "the cost of power delivery"},
      {lifetime, "lifetime", "the lifetime", 0.0, std::numeric_limits<double>::infinity(), true},
      {utilization, "utilization", "the utilization", 0.0, 1.0, true},
      {interest, "interest", "interest on capital", 0.0, 1.0, false, 0.0},
      {rental_markup, "rental_markup", "the markup on renting", 0.0,
       std::numeric_limits<double>::infinity(), false, 1.0},
      {energy_price, "energy_price", "the price of electricity"},
      {power_usage_effectiveness, "power_usage_effectiveness", "the power usage effectiveness",
       1.0},
  }};
  return rows;
}

Assumptions Assumptions::with(Assumption which, double factor) const {
  Assumptions changed = *this;
  changed[which] *= factor;
  return changed;
}

std::string assumption_text(Assumption which, double value) {
  const double said = value * assumption_scale(which);
  const std::string units = assumption_units(which);
  if (units == "1") {
    return fmt::format("{:.3g}", said);
  }
  const std::string number = said < 1e4 ? fmt::format("{:.4g}", said)
                                        : with_thousands(static_cast<std::int64_t>(said + 0.5));
  if (which == Assumption::wafer_price) {
    return number + " USD a wafer";
  }
  return units == "USD" || units == "W" ? fmt::format("{} {} a device", number, units)
                                        : fmt::format("{:.3g} {}", said, units);
}

namespace {

struct Units {
  const char* name;
  double scale;
};

Units units_of(Assumption which) {
  if (which == Assumption::memory_price) {
    return {"USD/GB", 1e9};
  }
  if (which == Assumption::defect_density) {
    return {"/cm2", 1e-4};
  }
  if (which == Assumption::interest) {
    return {"%/year", 100.0};
  }
  if (row_of(which).is_of_row) {
    return {"USD", 1.0};
  }
  const config::Key* const key = key_of(which);
  if (key == nullptr || key->kind != config::KeyKind::quantity) {
    return {"1", 1.0};
  }
  switch (key->dimension) {
    case config::Dimension::seconds:
      return {"years", 1.0 / year_s};
    case config::Dimension::usd_per_joule:
      return {"USD/kWh", 3.6e6};
    case config::Dimension::usd_per_watt:
      return {"USD/W", 1.0};
    case config::Dimension::watts:
      return {"W", 1.0};
    default:
      return {"USD", 1.0};
  }
}

}  // namespace

std::string assumption_units(Assumption which) {
  return units_of(which).name;
}

double assumption_scale(Assumption which) {
  return units_of(which).scale;
}

bool is_repriced(Assumption which, const Assumptions& assumed) {
  if (which == Assumption::die_yield) {
    return assumed.is_yield_given;
  }
  const bool is_of_parts = row_of(which).is_of_row && which != Assumption::silicon_price;
  return !(assumed.is_device_priced && is_of_parts) &&
         !(assumed.is_yield_given && which == Assumption::defect_density);
}

bool is_curved(Assumption which, const Assumptions& assumed) {
  using enum Assumption;
  return which == defect_density || which == interest ||
         (assumed[interest] > 0.0 && (which == lifetime || which == facility_lifetime));
}

std::optional<Assumptions> read_assumptions(const store::StudyReader& reader,
                                            const StudyLayout& layout) {
  Assumptions result;
  result.is_device_priced = layout.axis(given_price).has_value();
  result.is_yield_given = layout.axis(given_yield).has_value();
  std::set<Assumption> known;
  for (const AssumptionRow& row : assumption_rows()) {
    if (row.is_of_row) {
      result[row.which] = 1.0;
      known.insert(row.which);
      continue;
    }
    const auto axis = layout.axis(row.name);
    if (axis && layout.axes[*axis].values.size() != 1) {
      return std::nullopt;
    }
    if (axis) {
      result[row.which] = layout.axes[*axis].values.front();
      known.insert(row.which);
    }
  }
  std::string name = default_entry;
  if (const auto axis = layout.axis(entries_axis)) {
    if (layout.axes[*axis].labels.size() != 1) {
      return std::nullopt;
    }
    name = layout.axes[*axis].labels.front();
  }
  if (const auto catalog = reader.provenance().find("catalog");
      catalog != reader.provenance().end()) {
    read_entry(catalog->second, name, result, known);
  }
  for (const AssumptionRow& row : assumption_rows()) {
    if (row.fallback && known.insert(row.which).second) {
      result[row.which] = *row.fallback;
    }
  }
  return known.size() == assumption_count ? std::optional(result) : std::nullopt;
}

}  // namespace scalesweep::analysis

#include "analysis/flips/assumptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "config/document.hpp"
#include "core/diagnostic.hpp"
#include "space/keys/spec_keys.hpp"

namespace scalesweep::analysis {
namespace {

constexpr const char* entries_axis = "economics";
constexpr const char* default_entry = "default";
constexpr std::size_t parts = 3;  // prices of parts of a device come first

// How a value of [economics] is written; null of the price of a part.
const config::Key* key_of(Assumption which) {
  const std::string path =
      std::string("economics.") + assumption_rows()[static_cast<std::size_t>(which)].name;
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
  static const std::array<AssumptionRow, assumption_count> rows = {{
      {silicon_price, "silicon_price", "the price of dies"},
      {memory_price, "memory_price", "the price of memory"},
      {package_price, "package_price", "the price of packages"},
      {network_markup, "network_markup", "the markup on networks"},
      {server_cost, "server_cost", "the cost of a server"},
      {server_power, "server_power", "the power of a server"},
      {facility_cost, "facility_cost", "the cost of the facility"},
      {facility_lifetime, "facility_lifetime", "the lifetime of the facility", 0.0,
       std::numeric_limits<double>::infinity(), true},
      {delivery_cost, "delivery_cost", "the cost of power delivery"},
      {lifetime, "lifetime", "the lifetime", 0.0, std::numeric_limits<double>::infinity(), true},
      {utilization, "utilization", "the utilization", 0.0, 1.0, true},
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
  if (which == Assumption::memory_price) {
    return fmt::format("{:.3g} USD/GB", value * 1e9);
  }
  if (static_cast<std::size_t>(which) < parts) {
    return fmt::format("{:.4g} USD a device", value);
  }
  const config::Key* const key = key_of(which);
  if (key == nullptr || key->kind != config::KeyKind::quantity) {
    return fmt::format("{:.3g}", value);
  }
  switch (key->dimension) {
    case config::Dimension::seconds:
      return fmt::format("{:.3g} years", value / (365.25 * 86400.0));
    case config::Dimension::usd_per_joule:
      return fmt::format("{:.3g} USD/kWh", value * 3.6e6);
    case config::Dimension::usd_per_watt:
      return fmt::format("{:.3g} USD/W", value);
    case config::Dimension::usd:
      return fmt::format("{:.4g} USD a device", value);
    case config::Dimension::watts:
      return fmt::format("{:.4g} W a device", value);
    default:
      return config::quantity_text(value, key->dimension);
  }
}

std::string assumption_units(Assumption which) {
  if (static_cast<std::size_t>(which) < parts) {
    return which == Assumption::memory_price ? "USD B-1" : "USD";
  }
  const config::Key* const key = key_of(which);
  if (key == nullptr || key->kind != config::KeyKind::quantity) {
    return "1";
  }
  switch (key->dimension) {
    case config::Dimension::seconds:
      return "s";
    case config::Dimension::usd_per_joule:
      return "USD J-1";
    case config::Dimension::usd_per_watt:
      return "USD W-1";
    case config::Dimension::watts:
      return "W";
    default:
      return "USD";
  }
}

std::optional<Assumptions> read_assumptions(const store::StudyReader& reader,
                                            const StudyLayout& layout) {
  Assumptions result;
  std::set<Assumption> known;
  for (const AssumptionRow& row : assumption_rows()) {
    if (key_of(row.which) == nullptr) {
      result[row.which] = 1.0;
      known.insert(row.which);
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

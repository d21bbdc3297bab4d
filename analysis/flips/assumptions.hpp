// What a study assumes about buying and running, as its file says it: the values of [economics], of
// its spec or of the entry of the catalog that stands in the file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "analysis/file/study_layout.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Prices of parts of a device are what is paid for them in the whole, those of wafers and their
// density of defects are of its dies. They have no value of their own here but are 1: each row has
// its own. A yield is one where the study gives it, the density of defects where it does not.
enum class Assumption : std::int32_t {
  silicon_price,
  wafer_price,
  defect_density,
  die_yield,
  memory_price,
  package_price,
  margin,
  network_markup,
  server_cost,
  server_power,
  facility_cost,
  facility_lifetime,
  delivery_cost,
  lifetime,
  utilization,
  interest,
  rental_markup,
  energy_price,
  power_usage_effectiveness,
};
inline constexpr std::size_t assumption_count = 19;

// In SI units, but prices relative.
struct Assumptions {
  std::array<double, assumption_count> values = {};
  // A given price of a device: what its parts cost changes nothing.
  bool is_device_priced = false;
  bool is_yield_given = false;

  double operator[](Assumption which) const { return values[static_cast<std::size_t>(which)]; }
  double& operator[](Assumption which) { return values[static_cast<std::size_t>(which)]; }
  // With one of them `factor` times what it is.
  Assumptions with(Assumption which, double factor) const;
};

struct AssumptionRow {
  Assumption which;
  const char* name;   // the key of [economics], or of the price of a part
  const char* words;  // "the price of electricity"
  double least = 0.0;
  double most = std::numeric_limits<double>::infinity();
  bool is_divisor = false;                        // a cost is linear in its inverse, else in itself
  std::optional<double> fallback = std::nullopt;  // of an entry that does not say it
  bool is_of_row = false;                         // a price that each row has of its own
};
const std::array<AssumptionRow, assumption_count>& assumption_rows();

// "9.1 USD/GB", "0.08 USD/kWh", "1.2": a price of a part as for one device.
std::string assumption_text(Assumption which, double value);
// As people say them: "USD/kWh", "years", "1"; and how many of them one of SI is.
std::string assumption_units(Assumption which);
double assumption_scale(Assumption which);
// Whether a row can be priced again by it.
bool is_repriced(Assumption which, const Assumptions& assumed);
// Whether a cost is linear neither in it nor in its inverse.
bool is_curved(Assumption which, const Assumptions& assumed);

// Nothing where the file does not say them, or where one of them is an axis of several values: then
// they are a choice.
std::optional<Assumptions> read_assumptions(const store::StudyReader& reader,
                                            const StudyLayout& layout);

}  // namespace scalesweep::analysis

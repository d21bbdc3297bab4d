#include "study/columns/distributions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "columns/roles.hpp"
#include "study/columns/absent.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::study {
namespace {

// Wide enough for any study: half a microsecond to a year, a nanojoule to a gigajoule, a nanodollar
// to a gigadollar, a byte to an exabyte.
constexpr reduce::OctaveBins time_bins{-21, 25};
// Every kind of work has these, each of what it counts.
struct Counted {
  std::string_view role;  // of the column; "": its name says what it is
  std::string_view name;
  reduce::OctaveBins bins;
};
constexpr Counted others[] = {
    {"unit_energy", "", {-30, 30}},
    {columns::role::unit_cost, "", {-30, 30}},
    {"", "memory_total", {0, 60}},
};

bool is_counted(const store::Column& column, const Counted& one) {
  return one.role.empty() ? column.name == one.name : columns::has_role(column, one.role);
}

}  // namespace

Distributions::Distributions(const store::Schema& schema)
    : status_column_(column_named(schema, "status")) {
  const std::size_t time = status_column_ + 1;
  quantities_.push_back({time, 0, time_bins, schema[time]});
  const auto figures =
      schema.begin() + static_cast<std::ptrdiff_t>(column_named(schema, "bottleneck"));
  for (const Counted& one : others) {
    const auto found = std::find_if(schema.begin(), schema.end(), [&](const store::Column& column) {
      return is_counted(column, one);
    });
    if (found != schema.end()) {
      const auto figure = std::count_if(
          figures, found, [](const store::Column& c) { return c.type == store::ColumnType::f32; });
      quantities_.push_back({static_cast<std::size_t>(found - schema.begin()),
                             static_cast<std::size_t>(figure), one.bins, *found});
    }
  }
}

std::vector<store::Histogram> Distributions::describe() const {
  std::vector<store::Histogram> histograms;
  for (const Quantity& quantity : quantities_) {
    histograms.push_back(
        {quantity.described.name, quantity.described.units, quantity.described.long_name,
         fmt::format("How many points with status ok have this {}, stored as a row or not.",
                     quantity.described.long_name),
         reduce::edges_of(quantity.bins)});
  }
  return histograms;
}

void Distributions::add(const store::Table& rows, std::size_t first_row, std::size_t statuses,
                        store::Counts& counts) const {
  if (quantities_.empty()) {
    return;
  }
  const auto& status = rows.values<std::uint8_t>(status_column_);
  std::size_t begin = statuses;
  for (const Quantity& quantity : quantities_) {
    const std::size_t bins = reduce::bin_count(quantity.bins);
    for (std::size_t row = first_row; row < status.size(); ++row) {
      if (status[row] == index_of(Status::ok)) {
        const std::size_t bin = reduce::bin_of(quantity.bins, rows.number(quantity.column, row));
        if (bin < bins) {
          ++counts[begin + bin];
        }
      }
    }
    begin += bins;
  }
}

// Figures as columns hold them.
void Distributions::add(const EstimateRow& row, std::size_t statuses, store::Counts& counts) const {
  std::size_t begin = statuses;
  for (const Quantity& quantity : quantities_) {
    const std::size_t bins = reduce::bin_count(quantity.bins);
    const double value = &quantity == &quantities_.front()
                             ? row.time_s
                             : static_cast<double>(stored_figure(row.figures[quantity.figure]));
    if (const std::size_t bin = reduce::bin_of(quantity.bins, value); bin < bins) {
      ++counts[begin + bin];
    }
    begin += bins;
  }
}

}  // namespace scalesweep::study

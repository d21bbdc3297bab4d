#include "cli/explain/explained_figures.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/file/columns.hpp"
#include "analysis/words/value_text.hpp"
#include "cli/explain/explain_parts.hpp"
#include "core/contracts.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

Cell clock_cell(const technology::Device& device, double settled_hz) {
  const std::string text = with_si_prefix(settled_hz, "Hz");
  const double full_hz = device.clock.si();
  return settled_hz == full_hz
             ? Cell{text, settled_hz}
             : Cell{fmt::format("{}, lowered to {:.1f} % by the thermal design power", text,
                                100.0 * settled_hz / full_hz),
                    settled_hz};
}

Cell cell_by_unit(const store::Column& column, double value) {
  if (column.units == "s") {
    return seconds_cell(value);
  }
  if (column.units == "B") {
    return bytes_cell(value);
  }
  if (column.units == "J") {
    return joules_cell(value);
  }
  if (column.units == "W") {
    return {with_si_prefix(value, "W") + " per device", value};
  }
  return analysis::has_role(column, analysis::role::utilization) ? share_cell(value, 1.0)
                                                                 : plain_cell(value);
}

}  // namespace

Cell power_cell(double power_w, const technology::Device& device) {
  return {fmt::format("{} of {}", with_si_prefix(power_w, "W"),
                      with_si_prefix(device.thermal_design_power.si(), "W")),
          power_w};
}

Sheet bytes_sheet(std::string title, const std::vector<NamedBytes>& bytes) {
  Sheet sheet{"memory",
              std::move(title),
              {{"name", "", Align::left}, {"bytes", "bytes", Align::right}},
              {},
              true};
  for (const auto& [name, value] : bytes) {
    sheet.rows.push_back({name, bytes_cell(value)});
  }
  return sheet;
}

double ExplainedFigures::operator[](std::string_view column) const {
  return column == columns_.time.name
             ? row_.time_s
             : row_.figures[columns_.phases.size() + study::column_named(columns_.figures, column)];
}

Cell ExplainedFigures::cell(std::string_view name) const {
  if (name == "bottleneck") {
    return std::string(estimator::name_of(estimator::dominant(row_.charges)));
  }
  const double value = (*this)[name];
  if (name == columns_.time.name) {
    return seconds_cell(value);
  }
  if (name == "device_power") {
    return power_cell(value, device_);
  }
  if (name == "clock") {
    return clock_cell(device_, value);
  }
  const store::Column& column = columns_.figures[study::column_named(columns_.figures, name)];
  const std::size_t rate = name.find("_per_second");
  return rate == std::string_view::npos
             ? cell_by_unit(column, value)
             : Cell{analysis::rate_text(value, name.substr(0, rate)), value};
}

void ExplainedFigures::add_to(Sheet& sheet, std::initializer_list<std::string_view> columns) const {
  for (const std::string_view column : columns) {
    sheet.rows.push_back({std::string(column), cell(column)});
  }
}

}  // namespace scalesweep::cli

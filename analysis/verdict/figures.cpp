#include "analysis/verdict/figures.hpp"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "analysis/file/columns.hpp"
#include "analysis/selection/slice.hpp"

namespace scalesweep::analysis {
namespace {

using Role = std::pair<std::string_view, std::string_view>;  // and what it is of

constexpr Role time_role = {role::time, ""};
constexpr Role throughput = {role::throughput, ""};
constexpr Role device_throughput = {role::device_throughput, ""};
constexpr Role devices = {role::devices, ""};
constexpr Role utilization = {role::utilization, ""};
constexpr Role peak = {role::rate_of, "tensor_compute"};
constexpr Role unit_cost = {role::unit_cost, ""};
constexpr Role whole_run = {role::whole_run, ""};
constexpr Role run_cost = {role::run_cost, ""};

const store::Column* column_of_role(const store::Schema& schema, const Role& role) {
  return column_with(schema, role.first, role.second);
}

// The values of one row by role; NaN where the study has no such column.
class Row {
 public:
  Row(const StudyLayout& layout, const store::Table& points, const store::Schema& schema,
      std::size_t row)
      : layout_(layout), points_(points), schema_(schema), row_(row) {}

  double operator()(const Role& role) const {
    const store::Column* const column = column_of_role(schema_, role);
    return column == nullptr ? nothing_known
                             : quantities(layout_, points_, schema_, column->name)[row_];
  }
  std::string words(const Role& role) const {
    const store::Column* const column = column_of_role(schema_, role);
    return column == nullptr ? "" : column->long_name;
  }

 private:
  const StudyLayout& layout_;
  const store::Table& points_;
  const store::Schema& schema_;
  std::size_t row_;
};

}  // namespace

std::vector<std::string> figure_columns(const StudyLayout& layout) {
  std::vector<std::string> names;
  for (const Role& role : {time_role, throughput, device_throughput, devices, utilization, peak,
                           unit_cost, whole_run, run_cost}) {
    if (const store::Column* const column = column_of_role(layout.schema, role)) {
      add_once(names, column->name);
    }
  }
  return names;
}

std::vector<Figure> figures_of(const StudyLayout& layout, const store::Table& points,
                               const store::Schema& schema, std::size_t row) {
  const Row at(layout, points, schema, row);
  std::vector<Figure> figures;
  const auto add = [&](FigureKind kind, double value, const char* units, const std::string& words) {
    if (std::isfinite(value)) {
      figures.push_back({kind, value, units, words});
    }
  };
  const auto add_column = [&](FigureKind kind, const char* units, const Role& role) {
    add(kind, at(role), units, at.words(role));
  };
  add_column(FigureKind::time, "s", time_role);
  add_column(FigureKind::throughput, "s-1", throughput);
  const double of_one = at(device_throughput);
  const bool is_column = !std::isnan(of_one);
  add(FigureKind::device_throughput, is_column ? of_one : at(throughput) / at(devices), "s-1",
      is_column ? at.words(device_throughput) : "");
  add(FigureKind::device_flop_rate, at(utilization) * at(peak), "s-1", "");
  add_column(FigureKind::utilization, "1", utilization);
  add_column(FigureKind::cost, "USD", unit_cost);
  add_column(FigureKind::whole_run, "s", whole_run);
  add_column(FigureKind::run_cost, "USD", run_cost);
  return figures;
}

}  // namespace scalesweep::analysis

// What holds of each row of a study.
#include <fmt/format.h>

#include <cmath>

#include "law.hpp"

namespace scalesweep::laws {
namespace {

using store::Column;
using store::ColumnType;

constexpr double sum_tolerance = 1e-6;    // of doubles
constexpr double float_tolerance = 2e-5;  // of products and sums of figures, which are floats

bool is_number(const Column& column) {
  return column.labels.empty() &&
         (column.type == ColumnType::f64 || column.type == ColumnType::f32);
}

// A column that may say nothing tells so, but for what follows from such a one.
bool may_be_none(const Column& column) {
  return column.description.find("NaN") != std::string::npos || column.units == "USD" ||
         column.units == "kg";
}

std::string words(const Rows& rows, std::size_t column, std::size_t row) {
  return fmt::format("{} is {} ({}), {}", rows.schema()[column].name, rows.at(column, row),
                     rows.status(row), rows.point(row));
}

// No NaN where none is told, no infinity, no negative time but for what rounding leaves of a
// difference.
Finding finite(const Law&, const Subject& subject) {
  constexpr double rounding = 1e-12;
  const Rows& rows = *subject.rows;
  const std::size_t time = rows.with_role("time").value();
  Finding finding;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t c = rows.status_column() + 1; c < rows.schema().size(); ++c) {
      const Column& column = rows.schema()[c];
      if (!is_number(column) || !rows.has_estimate(row)) {
        continue;
      }
      const double value = rows.at(c, row);
      const bool is_there = !std::isnan(value) || !rows.is_ok(row) || may_be_none(column);
      const bool is_negative =
          column.units == "s" && value < -rounding * std::abs(rows.at(time, row));
      finding.add(is_there && !std::isinf(value) && !is_negative, 1.0,
                  [&] { return words(rows, c, row); });
    }
  }
  return finding;
}

// Nothing but NaN and none.
Finding absent(const Law&, const Subject& subject) {
  const Rows& rows = *subject.rows;
  Finding finding;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.has_estimate(row)) {
      continue;
    }
    for (std::size_t c = rows.status_column() + 1; c < rows.schema().size(); ++c) {
      const Column& column = rows.schema()[c];
      const double value = rows.at(c, row);
      const bool is_none = column.labels.empty()
                               ? std::isnan(value)
                               : column.labels[static_cast<std::size_t>(value)] == "none";
      finding.add(is_none, 1.0, [&] { return words(rows, c, row); });
    }
  }
  return finding;
}

void expect_equal(Finding& finding, double one, double other, double tolerance,
                  const std::function<std::string()>& what) {
  if (std::isnan(one) || std::isnan(other)) {
    return;  // finite() tells
  }
  const double off = std::abs(one - other) / std::max(std::abs(other), 1e-300);
  const bool holds = one == other || off <= tolerance;
  finding.add(holds, off, [&] { return fmt::format("{}: {} and {}", what(), one, other); });
}

// Of all columns whose role begins so.
double sum_of(const Rows& rows, std::string_view role, std::size_t row) {
  double sum = 0.0;
  for (std::size_t c = rows.status_column() + 1; c < rows.schema().size(); ++c) {
    if (rows.schema()[c].role.starts_with(role)) {
      sum += rows.at(c, row);
    }
  }
  return sum;
}

Finding sums(const Law&, const Subject& subject) {
  const Rows& rows = *subject.rows;
  const std::size_t time = rows.with_role("time").value();
  Finding finding;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!rows.has_estimate(row)) {
      continue;
    }
    for (const char* role : {"charge:", "phase:"}) {
      const double tolerance = role[0] == 'c' ? sum_tolerance : float_tolerance;
      expect_equal(finding, sum_of(rows, role, row), rows.at(time, row), tolerance,
                   [&] { return fmt::format("{} sum, {}", role, rows.point(row)); });
    }
  }
  return finding;
}

// What the energy is of: its column, the column of the time, or "" where it is of a second.
struct EnergyOf {
  const char* energy = nullptr;
  const char* period = nullptr;
  const char* devices = nullptr;
};
EnergyOf energy_of(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::training:
      return {"energy_per_step", "step_time", "accelerators"};
    case WorkloadKind::inference:
      return {"energy_per_batch", "latency", "accelerators"};
    case WorkloadKind::serving:
      return {"energy_per_token", nullptr, "devices"};
    case WorkloadKind::recommendation:
    case WorkloadKind::diffusion:
      return {"energy_per_batch", "batch_time", "accelerators"};
    default:
      return {"energy_per_iteration", "iteration_time", "accelerators"};
  }
}

// Axes hold places, not numbers.
double number_of(const Rows& rows, std::size_t column, std::size_t row) {
  const Column& one = rows.schema()[column];
  const double value = rows.at(column, row);
  return one.labels.empty()
             ? value
             : std::strtod(one.labels[static_cast<std::size_t>(value)].c_str(), nullptr);
}

// Watts x devices x time.
Finding energy(const Law&, const Subject& subject) {
  const Rows& rows = *subject.rows;
  const EnergyOf of = energy_of(subject.kind);
  Finding finding;
  const auto joules = rows.find(of.energy);
  const auto watts = rows.find("average_power");
  const auto devices = rows.find(of.devices);
  if (!joules || !watts || !devices) {
    finding.add(false, 1.0, [&] { return std::string("no column ") + of.energy; });
    return finding;
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!rows.is_ok(row)) {
      continue;
    }
    const double power = rows.at(*watts, row) * number_of(rows, *devices, row);
    const double expected =
        of.period == nullptr ? power : power * rows.at(*rows.find(of.period), row);
    const double tokens =
        of.period == nullptr ? rows.at(*rows.find("tokens_per_second"), row) : 1.0;
    expect_equal(finding, rows.at(*joules, row) * tokens, expected, float_tolerance,
                 [&] { return fmt::format("{}, {}", of.energy, rows.point(row)); });
  }
  return finding;
}

// Shares and rates that have a most.
Finding bounded(const Law&, const Subject& subject) {
  const Rows& rows = *subject.rows;
  Finding finding;
  const auto memory = rows.find("memory_total");
  const auto capacity = rows.find("memory_capacity");
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!rows.is_ok(row)) {
      continue;
    }
    for (std::size_t c = rows.status_column() + 1; c < rows.schema().size(); ++c) {
      const std::string& name = rows.schema()[c].name;
      const double value = rows.at(c, row);
      if (name.ends_with("_utilization") || name.ends_with("utilisation")) {
        finding.add(!(value > 1.0 + float_tolerance), value - 1.0,
                    [&] { return words(rows, c, row); });
      } else if (rows.schema()[c].units == "Hz") {
        finding.add(!(value < 0.0), 1.0, [&] { return words(rows, c, row); });
      }
    }
    if (memory && capacity) {
      const double over = rows.at(*memory, row) / rows.at(*capacity, row);
      finding.add(!(over > 1.0 + float_tolerance), over - 1.0,
                  [&] { return words(rows, *memory, row); });
    }
  }
  return finding;
}

// What is remembered of the points before changes nothing, to the bit.
Finding alone(const Law&, const Subject& subject) {
  const Rows& rows = *subject.rows;
  Finding finding;
  const std::size_t last = rows.size() - 1;
  for (const std::size_t row : {std::size_t{0}, last / 2, last}) {
    const store::Table one = rows.alone(row);
    finding.add(one.rows() == 1, 1.0, [&] { return rows.point(row); });
    for (std::size_t c = 0; one.rows() == 1 && c < rows.schema().size(); ++c) {
      const double value = rows.at(c, row);
      const double by_itself = one.number(c, 0);
      const bool is_same = value == by_itself || (std::isnan(value) && std::isnan(by_itself));
      finding.add(is_same, std::abs(by_itself / value - 1.0),
                  [&] { return fmt::format("{}; by itself {}", words(rows, c, row), by_itself); });
    }
  }
  return finding;
}

}  // namespace

std::vector<Law> row_laws() {
  return {{"row finite", finite}, {"row absent", absent},   {"row sums", sums},
          {"row energy", energy}, {"row bounded", bounded}, {"row alone", alone}};
}

}  // namespace scalesweep::laws

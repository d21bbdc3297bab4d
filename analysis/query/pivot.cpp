#include "analysis/query/pivot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/selection/kept_points.hpp"
#include "analysis/words/text_table.hpp"
#include "analysis/words/value_text.hpp"
#include "core/documents/csv.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "reduce/median.hpp"

namespace scalesweep::analysis {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_labels = 10'000;

struct Cell {
  std::int64_t count = 0;
  double sum = 0.0;
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
  std::vector<double> all;  // of medians
};

double statistic_of(Cell& cell, PivotStatistic with) {
  if (with == PivotStatistic::count) {
    return static_cast<double>(cell.count);
  }
  if (cell.count == 0) {
    return nan;
  }
  switch (with) {
    case PivotStatistic::min:
      return cell.least;
    case PivotStatistic::max:
      return cell.greatest;
    case PivotStatistic::mean:
      return cell.sum / static_cast<double>(cell.count);
    case PivotStatistic::median:
      return reduce::median_of(cell.all);
    case PivotStatistic::count:
      break;
  }
  return nan;
}

// Stored values of a column in order, as people read them.
struct Side {
  ColumnMeaning meaning;
  std::set<double> stored;

  void add(double value, const std::string& what) {
    stored.insert(std::isnan(value) ? std::numeric_limits<double>::infinity() : value);
    if (stored.size() > most_labels) {
      refuse(
          fmt::format("--pivot: '{}' has more than {} different values; choose a column "
                      "of few",
                      what, with_thousands(most_labels)));
    }
  }
  std::string label(double value) const {
    if (!meaning.labels.empty()) {
      const bool known = value >= 0.0 && value < static_cast<double>(meaning.labels.size());
      return known ? meaning.labels[static_cast<std::size_t>(value)] : "-";
    }
    return std::isinf(value) ? "-" : fmt::format("{:g}", value);
  }
  std::vector<std::string> labels() const {
    std::vector<std::string> result;
    for (const double value : stored) {
      result.push_back(label(value));
    }
    return result;
  }
};

void add_value(Cell& cell, double value, PivotStatistic with) {
  ++cell.count;
  cell.sum += value;
  cell.least = std::min(cell.least, value);
  cell.greatest = std::max(cell.greatest, value);
  if (with == PivotStatistic::median) {
    cell.all.push_back(value);
  }
}

// The columns that are read, checked.
std::vector<std::string> columns_of(const store::StudyReader& reader, const PivotOptions& options) {
  std::vector<std::string> columns = {
      named_column(reader.schema(), options.down, "--pivot").name,
      named_column(reader.schema(), options.across, "--pivot").name};
  if (!options.value.empty()) {
    const store::Column& value = named_column(reader.schema(), options.value, "--value");
    const Meaning meaning = meaning_of(value, reader.axes()).meaning;
    if (meaning == Meaning::name || meaning == Meaning::truth) {
      refuse(
          fmt::format("--value: '{}' holds names, not numbers; with --with count no "
                      "--value is needed",
                      value.name));
    }
    columns.push_back(value.name);
  }
  return columns;
}

using Cells = std::map<std::pair<double, double>, Cell>;

PivotTable tabulated(Cells& cells, const Side& down, const Side& across, PivotStatistic with) {
  PivotTable table;
  table.down_labels = down.labels();
  table.across_labels = across.labels();
  for (const double row : down.stored) {
    for (const double column : across.stored) {
      const auto found = cells.find({row, column});
      Cell none;
      Cell& cell = found == cells.end() ? none : found->second;
      table.values.push_back(statistic_of(cell, with));
      table.counts.push_back(cell.count);
    }
  }
  return table;
}

// What the table lacks where the file does not keep all that it is asked of.
std::vector<std::string> kept_notes(const store::StudyReader& reader, const PivotOptions& options,
                                    const std::vector<std::string>& columns) {
  const KeptPoints kept(reader);
  if (kept.are_all()) {
    return {};
  }
  const bool only_feasible = RowSelection(reader, options.rows).only_feasible();
  bool whole = only_feasible && kept.are_all_feasible();
  if (!whole && only_feasible && options.with == PivotStatistic::min) {
    const Objective least{columns[2], Direction::minimize};
    whole = kept.hold_best(
        {{least}, {columns[0], columns[1]}, options.rows.where, !options.rows.ids.empty()});
  }
  return whole ? std::vector<std::string>{} : std::vector{kept.note("the table is of these alone")};
}

}  // namespace

PivotTable pivot(const store::StudyReader& reader, const PivotOptions& options) {
  const std::vector<std::string> columns = columns_of(reader, options);
  const std::vector<ColumnMeaning> meanings = meanings_of(reader, columns);
  const bool has_value = columns.size() > 2;
  Side down{meanings[0], {}};
  Side across{meanings[1], {}};
  Cells cells;
  const RowCounts counts =
      RowSelection(reader, options.rows).scan(columns, [&](const RowSlice& slice) {
        for (std::size_t i = 0; i < slice.rows.size(); ++i) {
          const double row = slice.table.number(0, i);
          const double column = slice.table.number(1, i);
          const double value = has_value ? value_of(meanings[2], slice.table.number(2, i)) : 0.0;
          if (std::isnan(value)) {
            continue;
          }
          Cell& cell = cells[{row, column}];
          if (cell.count == 0) {
            down.add(row, columns[0]);
            across.add(column, columns[1]);
          }
          add_value(cell, value, options.with);
        }
      });
  PivotTable table = tabulated(cells, down, across, options.with);
  table.down = columns[0];
  table.across = columns[1];
  const char* const names[] = {"min", "mean", "max", "count", "median"};
  const char* const with = names[static_cast<std::size_t>(options.with)];
  table.value =
      options.with == PivotStatistic::count ? with : fmt::format("{} {}", with, columns[2]);
  table.units = options.with == PivotStatistic::count ? "" : meanings[2].units;
  table.rows = counts;
  table.notes = kept_notes(reader, options, columns);
  return table;
}

std::string pivot_text(const PivotTable& table, std::size_t width) {
  const NumberScale scale = scale_for(table.values, table.units);
  const std::size_t across = table.across_labels.size();
  TextTable text;
  text.add_column(table.down, TextTable::Align::left);
  for (const std::string& label : table.across_labels) {
    text.add_column(label, TextTable::Align::right, TextTable::Role::series);
  }
  for (std::size_t r = 0; r < table.down_labels.size(); ++r) {
    std::vector<std::string> cells = {table.down_labels[r]};
    for (std::size_t c = 0; c < across; ++c) {
      cells.push_back(shown_number(table.values[r * across + c], scale));
    }
    text.add_row(std::move(cells));
  }
  const std::string title = fmt::format(
      "{}{}, by {} (down) and {} (across)", table.value,
      scale.units.empty() ? "" : fmt::format(" in {}", scale.units), table.down, table.across);
  return fmt::format("{}\n\n{}", in_lines(title, width), text.text(width));
}

std::string pivot_csv(const PivotTable& table, CsvTexts texts) {
  std::string text = csv_field(table.down);
  for (const std::string& label : table.across_labels) {
    text += "," + csv_field(label, texts);
  }
  text += "\n";
  for (std::size_t r = 0; r < table.down_labels.size(); ++r) {
    text += csv_field(table.down_labels[r], texts);
    for (std::size_t c = 0; c < table.across_labels.size(); ++c) {
      text += "," + exact_number(table.values[r * table.across_labels.size() + c]);
    }
    text += "\n";
  }
  return text;
}

std::string pivot_json(const PivotTable& table) {
  nlohmann::ordered_json cells = nlohmann::ordered_json::array();
  for (std::size_t r = 0; r < table.down_labels.size(); ++r) {
    for (std::size_t c = 0; c < table.across_labels.size(); ++c) {
      const std::size_t cell = r * table.across_labels.size() + c;
      if (table.counts[cell] > 0) {
        cells.push_back({{table.down, table.down_labels[r]},
                         {table.across, table.across_labels[c]},
                         {"value", table.values[cell]},
                         {"count", table.counts[cell]}});
      }
    }
  }
  const nlohmann::ordered_json document = {
      {"value", table.value}, {"units", table.units}, {"cells", cells}};
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace scalesweep::analysis

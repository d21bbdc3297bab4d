#include "analysis/show/text_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/findings/tables/operators.hpp"
#include "analysis/show/data_text.hpp"
#include "analysis/show/text/frontier_text.hpp"
#include "analysis/show/text/table_text.hpp"
#include "analysis/show/verdict_text.hpp"
#include "analysis/words/text_table.hpp"
#include "analysis/words/words.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

using Align = TextTable::Align;
using Role = TextTable::Role;

constexpr std::size_t most_rows = 8;     // of a list; the rest is in the files
constexpr std::size_t most_panels = 12;  // of a map

// Sentences are read more easily in lines that are not too long.
std::size_t text_width(std::size_t width) {
  constexpr std::size_t widest = 99;
  return std::min(width, widest);
}

const store::AxisValues& axis_named(const AnalysisResult& result, const std::string& name) {
  return *find_axis(result.axes, name);
}

std::string more_text(std::size_t shown, std::size_t all, const std::string& table) {
  return shown >= all ? "" : fmt::format("  ... {} more in the {} table\n", all - shown, table);
}

// The first line of a part, or lines.
std::string heading(const std::string& title, std::size_t width) {
  return paragraph(title, width).substr(2);
}

std::string header_text(const AnalysisResult& result, std::size_t width) {
  std::string text = result.source.title.empty() ? "" : result.source.title + "\n";
  std::vector<std::pair<std::string, std::int64_t>> statuses(result.source.counts.begin(),
                                                             result.source.counts.end());
  std::stable_sort(statuses.begin(), statuses.end(), [](const auto& x, const auto& y) {
    return std::make_pair(x.first != "ok", -x.second) < std::make_pair(y.first != "ok", -y.second);
  });
  std::vector<std::string> counts;
  for (const auto& [status, count] : statuses) {
    if (count > 0) {
      counts.push_back(fmt::format("{} {}", words(status), with_thousands(count)));
    }
  }
  std::string points = fmt::format("{}: {} points", result.source.file.string(),
                                   with_thousands(result.source.points));
  points += counts.empty() ? "" : fmt::format(" ({})", join(counts, ", "));
  text += heading(points, text_width(width)) + "\n";
  return text;
}

std::string along_words(const AnalysisResult& result) {
  std::vector<std::string> names;
  for (const std::string& axis : result.along_axes) {
    names.push_back(words(axis));
  }
  return listed(names);
}

std::string findings_text(const AnalysisResult& result, std::size_t width) {
  if (result.findings.empty() && result.notes.empty()) {
    return "";
  }
  std::string text = fmt::format(
      "{} along the {}\n",
      result.held ? "What limits the strategy that is held" : "What limits the best strategy",
      along_words(result));
  for (const std::string& finding : result.findings) {
    text += paragraph("- " + finding, text_width(width));
  }
  for (const std::string& note : result.notes) {
    text += paragraph("note: " + note, text_width(width));
  }
  return text + "\n";
}

// The axes that panels are of, as columns of a table.
void add_panels(TextTable& table, const AnalysisResult& result) {
  for (const std::string& panel : result.panels) {
    table.add_column(words(panel), Align::left, Role::key);
  }
}

std::vector<std::string> panel_cells(const AnalysisResult& result, const ResultTable& of,
                                     std::size_t row) {
  std::vector<std::string> cells;
  for (const std::string& panel : result.panels) {
    cells.push_back(cell_text(result.axes, of, column_of(of, panel), row));
  }
  return cells;
}

// A map of panels against values of the axis; `cell` gives the text of a row of the best table.
// Panels without any point would be rows of dashes, and are counted instead.
template <typename Cell>
std::string map_text(const AnalysisResult& result, const std::string& title, std::size_t width,
                     Cell cell) {
  const std::vector<std::string>& values = axis_named(result, result.along).labels;
  const std::size_t panels = values.empty() ? 0 : result.best_rows.size() / values.size();
  std::size_t shown = 0;
  std::size_t empty = 0;
  TextTable table;
  add_panels(table, result);
  for (const std::string& value : values) {
    table.add_column(value, Align::right, Role::series);
  }
  for (std::size_t panel = 0; panel < panels; ++panel) {
    const std::size_t combination = panel * values.size();
    const auto first = result.best_rows.begin() + static_cast<std::ptrdiff_t>(combination);
    if (std::all_of(first, first + static_cast<std::ptrdiff_t>(values.size()),
                    [](std::int64_t row) { return row < 0; })) {
      ++empty;
      continue;
    }
    if (shown == most_panels) {
      continue;
    }
    ++shown;
    std::vector<std::string> cells = panel_cells(result, result[tables::coverage], combination);
    for (std::size_t value = 0; value < values.size(); ++value) {
      const std::int64_t row = result.best_rows[combination + value];
      cells.push_back(row < 0 ? "-" : cell(static_cast<std::size_t>(row)));
    }
    table.add_row(cells);
  }
  const std::string left_out =
      empty == 0 ? ""
                 : fmt::format("  left out: {} of {} combinations, which have no point\n",
                               with_thousands(static_cast<std::int64_t>(empty)),
                               with_thousands(static_cast<std::int64_t>(panels)));
  return heading(title, width) + (shown == 0 ? "" : table.text(width)) +
         more_text(shown, panels - empty, "best") + left_out + "\n";
}

// What the charges are shares of: "best step time"; of a service, where the best is that of another
// time, "time per output token at the best device time per output token".
std::string best_time_words(const AnalysisResult& result) {
  return result.time == result.better_words
             ? "best " + result.time
             : fmt::format("{} at the best {}", result.time, result.better_words);
}

// Best points with which a layout ties that another group limits.
std::set<std::int64_t> limited_otherwise(const AnalysisResult& result) {
  const ResultTable& tied = result[tables::tied_shares];
  std::map<std::int64_t, int> leaders;
  std::set<std::int64_t> ids;
  for (std::size_t row = 0; row < tied.table.rows(); ++row) {
    const auto number = [&](const std::string& name) {
      return tied.table.number(column_of(tied, name), row);
    };
    const auto id = static_cast<std::int64_t>(number(std::string(point_id_column)));
    if (number("level") == 0.0 && number("leads") != 0.0 && ++leaders[id] > 1) {
      ids.insert(id);
    }
  }
  return ids;
}

std::string limits_text(const AnalysisResult& result, std::size_t width) {
  const ResultTable& best = result[tables::best];
  const std::size_t group = column_of(best, "dominant_group");
  const std::set<std::int64_t> doubted = limited_otherwise(result);
  const auto ids = integers(best.table, best.schema, std::string(point_id_column));
  const std::string mark = doubted.empty() ? "" : "; ?: not of all layouts within 1 %";
  return map_text(result, "Bottleneck and its share of the " + best_time_words(result) + mark,
                  width, [&](std::size_t row) {
                    const std::string name = *label(result.axes, best, group, row);
                    const double share =
                        best.table.number(column_of(best, "group_share_" + name), row);
                    return fmt::format("{}{} {:.0f}%", words(name),
                                       doubted.count(ids[row]) > 0 ? "?" : "", 100.0 * share);
                  });
}

std::string times_text(const AnalysisResult& result, std::size_t width) {
  const std::size_t column = column_of(result[tables::best], result.better);
  return map_text(result, fmt::format("Best {} (s)", result.better_words), width,
                  [&](std::size_t row) {
                    return fmt::format("{:.4g}", result[tables::best].table.number(column, row));
                  });
}

// The shares that a search found; none in a study without one.
std::vector<std::size_t> searched_columns_of(const AnalysisResult& result) {
  const bool searched =
      std::any_of(searched_axes.begin(), searched_axes.end(), [&](std::string_view name) {
        const store::AxisValues* const axis = find_axis(result.axes, name);
        return axis != nullptr && axis->labels.size() > 1;
      });
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; searched && c < result[tables::best].schema.size(); ++c) {
    if (has_role(result[tables::best].schema[c], role::allocated)) {
      columns.push_back(c);
    }
  }
  return columns;
}

std::string allocated_text(const AnalysisResult& result, std::size_t width) {
  const std::vector<std::size_t> columns = searched_columns_of(result);
  std::vector<std::string> names;
  for (const std::size_t column : columns) {
    names.push_back(result[tables::best].schema[column].long_name);
  }
  if (columns.empty()) {
    return "";
  }
  return map_text(
      result, fmt::format("Shares of the best device (%): {}", join(names, " / ")), width,
      [&](std::size_t row) {
        std::vector<std::string> shares;
        for (const std::size_t column : columns) {
          const double share = result[tables::best].table.number(column, row);
          shares.push_back(std::isfinite(share) ? fmt::format("{:.1f}", 100.0 * share) : "-");
        }
        return join(shares, " / ");
      });
}

// "does not fit 120", by status; the columns of counts stand from `first` on.
std::vector<std::string> unfit_reasons(const AnalysisResult& result, std::size_t first,
                                       std::size_t row) {
  const ResultTable& coverage = result[tables::coverage];
  std::vector<std::string> reasons;
  for (std::size_t column = first; column < coverage.schema.size(); ++column) {
    const auto count = static_cast<std::int64_t>(coverage.table.number(column, row));
    if (count > 0) {
      const std::string status = coverage.schema[column].name.substr(5);  // rows_
      reasons.push_back(fmt::format("{} {}", words(status), with_thousands(count)));
    }
  }
  return reasons;
}

// Combinations in which nothing is feasible, or was found to be, and why.
std::string unfit_text(const AnalysisResult& result, std::size_t width) {
  TextTable table;
  std::vector<std::string> axes = result.panels;
  axes.push_back(result.along);
  for (const std::string& axis : axes) {
    table.add_column(words(axis), Align::left, Role::key);
  }
  table.add_column(result.coverage_is_whole ? "points" : "rows", Align::left);
  const auto has = [&](std::string_view status, std::size_t row) {
    const auto column = find_column(result[tables::coverage], fmt::format("rows_{}", status));
    return column && result[tables::coverage].table.number(*column, row) > 0.0;
  };
  // Whether a point is feasible all the same, and the file keeps none of them.
  const auto is_dropped = [&](std::size_t row) { return !result.keeps_feasible && has("ok", row); };
  const char* title = "Where nothing is feasible\n";
  std::size_t all = 0;
  for (std::size_t row = 0; row < result.best_rows.size(); ++row) {
    if (result.best_rows[row] >= 0 || !is_asked(result, row) || is_dropped(row) ||
        ++all > most_rows) {
      continue;
    }
    title = has(not_searched_status, row) ? "Where nothing feasible was found\n" : title;
    std::vector<std::string> cells;
    for (const std::string& axis : axes) {
      cells.push_back(cell_text(result.axes, result[tables::coverage],
                                column_of(result[tables::coverage], axis), row));
    }
    const std::vector<std::string> reasons = unfit_reasons(result, axes.size() + 1, row);
    cells.push_back(reasons.empty() ? "none in the file" : join(reasons, ", "));
    table.add_row(cells);
  }
  if (all == 0) {
    return "";
  }
  return title + table.text(width) + more_text(std::min(all, most_rows), all, "coverage") + "\n";
}

std::string between_text(const AnalysisResult& result, const ResultTable& table, std::size_t row) {
  return fmt::format("{} -> {}",
                     cell_text(result.axes, table, column_of(table, "from_" + result.along), row),
                     cell_text(result.axes, table, column_of(table, "to_" + result.along), row));
}

// Where a crossing lies, as a person would say it: the quantity, or how far after which value.
std::string crossing_text(const AnalysisResult& result, const ResultTable& table, std::size_t row) {
  const double value = table.table.number(column_of(table, "crossing_quantity"), row);
  if (!std::isnan(value)) {
    const std::size_t quantity = column_of(table, "quantity");
    const std::string text = crossing_quantity_text(result, row, value);
    // Two bandwidths are not told apart by their units.
    return table.schema[quantity].labels.size() > 1
               ? fmt::format("{} of {}", text, words(cell_text(result.axes, table, quantity, row)))
               : text;
  }
  const double place = table.table.number(column_of(table, "crossing_index"), row);
  const std::vector<std::string>& labels = axis_named(result, result.along).labels;
  const auto last = static_cast<double>(labels.size()) - 1.0;
  const double whole = std::min(std::floor(place), last);
  const auto from = static_cast<std::size_t>(whole);
  return whole < last ? fmt::format("{} +{:.0f}% to {}", labels[from], 100.0 * (place - whole),
                                    labels[from + 1])
                      : labels[from];
}

std::string transitions_text(const AnalysisResult& result, int level, const std::string& title,
                             std::size_t width) {
  const ResultTable& all = result[tables::transitions];
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < all.table.rows(); ++row) {
    if (static_cast<int>(all.table.number(column_of(all, "level"), row)) == level) {
      rows.push_back(row);
    }
  }
  if (rows.empty()) {
    return title + "\n  it does not\n\n";
  }
  TextTable table;
  add_panels(table, result);
  for (const std::string header : {"between", "from", "to", "crosses at", "firm"}) {
    table.add_column(header, Align::left);
  }
  const auto share = [&](const std::string& name, std::size_t row) {
    return 100.0 * all.table.number(column_of(all, name), row);
  };
  const std::size_t shown = std::min(rows.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t row = rows[i];
    std::vector<std::string> cells = panel_cells(result, all, row);
    cells.push_back(between_text(result, all, row));
    cells.push_back(fmt::format(
        "{} {:.0f}%", words(cell_text(result.axes, all, column_of(all, "from_limit"), row)),
        share("from_limit_share_before", row)));
    cells.push_back(fmt::format("{} {:.0f}%",
                                words(cell_text(result.axes, all, column_of(all, "to_limit"), row)),
                                share("to_limit_share_after", row)));
    cells.push_back(crossing_text(result, all, row));
    const std::string firm = cell_text(result.axes, all, column_of(all, "firm"), row);
    cells.push_back(firm == "unknown" ? "-" : firm);
    table.add_row(cells);
  }
  return title + "\n" + table.text(width) + more_text(shown, rows.size(), "transitions") + "\n";
}

// "TP8 b1 -> TP16 b2": the fields that change.
std::string change_text(const AnalysisResult& result, std::size_t row) {
  std::vector<std::string> changed;
  const ResultTable& all = result[tables::strategy_changes];
  for (const std::string& name : result.compared) {
    if (all.table.number(column_of(all, "from_" + name), row) !=
        all.table.number(column_of(all, "to_" + name), row)) {
      changed.push_back(name);
    }
  }
  return fmt::format("{} -> {}", strategy_text(result.axes, changed, all, row, "from_"),
                     strategy_text(result.axes, changed, all, row, "to_"));
}

std::string strategy_changes_text(const AnalysisResult& result, std::size_t width) {
  const ResultTable& all = result[tables::strategy_changes];
  if (all.table.rows() == 0) {
    return "";
  }
  TextTable table;
  add_panels(table, result);
  for (const std::string header : {"between", "saves", "change"}) {
    table.add_column(header, Align::left);
  }
  const std::size_t shown = std::min(all.table.rows(), most_rows);
  for (std::size_t row = 0; row < shown; ++row) {
    std::vector<std::string> cells = panel_cells(result, all, row);
    cells.push_back(between_text(result, all, row));
    const double saving = all.table.number(column_of(all, "saving"), row);
    cells.push_back(std::isnan(saving)
                        ? words(cell_text(result.axes, all, column_of(all, "kept_status"), row))
                        : fmt::format("{:.2g}%", 100.0 * saving));
    cells.push_back(change_text(result, row));
    table.add_row(cells);
  }
  return "Where the best strategy changes\n" + table.text(width) +
         more_text(shown, all.table.rows(), "strategy_changes") +
         "  saves: of the time, against keeping the old strategy. TP, PP, DP: parallel\n"
         "  groups; v: chunks; b: micro-batch; rc: recomputation; SP: sequence parallel\n\n";
}

std::string improvements_text(const AnalysisResult& result, std::size_t width) {
  const ResultTable& all = result[tables::improvements];
  TextTable table;
  table.add_column("resource", Align::left);
  for (const char* header : {"mean gain", "largest", "first at"}) {
    table.add_column(header, Align::right);
  }
  const auto number = [&](const char* name, std::size_t row) {
    return all.table.number(column_of(all, name), row);
  };
  for (std::size_t row = 0; row < all.table.rows(); ++row) {
    if (number("largest_gain", row) >= 0.0005) {
      table.add_row(
          {words(cell_text(result.axes, all, column_of(all, "resource"), row)),
           fmt::format("{:.1f}%", 100.0 * number("mean_gain", row)),
           fmt::format("{:.1f}%", 100.0 * number("largest_gain", row)),
           fmt::format("{:.0f} of {:.0f}", number("next_at", row), number("points", row))});
    }
  }
  return table.empty()
             ? ""
             : heading(
                   fmt::format(
                       "What 10 % more of a resource, of latency less, saves of the {}, all else "
                       "held",
                       result.time),
                   width) +
                   table.text(width) + "\n";
}

// Rows of the effects of one kind that are known, those that explain most first.
std::vector<std::size_t> effect_rows(const ResultTable& effects, double kind) {
  const auto total = [&](std::size_t row) {
    return effects.table.number(column_of(effects, "total"), row);
  };
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < effects.table.rows(); ++row) {
    if (effects.table.number(column_of(effects, "kind"), row) == kind && !std::isnan(total(row))) {
      rows.push_back(row);
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return total(a) > total(b); });
  return rows;
}

std::string effects_table(const AnalysisResult& result, const std::string& factor, double kind,
                          std::size_t width) {
  const ResultTable& all = result[tables::effects];
  TextTable table;
  table.add_column(factor, Align::left);
  for (const char* header : {"values", "by itself", "with others"}) {
    table.add_column(header, Align::right);
  }
  const auto percent = [&](const char* name, std::size_t row) {
    const double part = all.table.number(column_of(all, name), row);
    return std::isnan(part) ? std::string("-") : fmt::format("{:.1f}%", 100.0 * part);
  };
  for (const std::size_t row : effect_rows(all, kind)) {
    table.add_row({name_words(result, cell_text(result.axes, all, column_of(all, "factor"), row)),
                   fmt::format("{:.0f}", all.table.number(column_of(all, "levels"), row)),
                   percent("first_order", row), percent("total", row)});
  }
  return table.empty() ? "" : table.text(width) + "\n";
}

std::string effects_text(const AnalysisResult& result, std::size_t width) {
  const std::string axes = effects_table(result, "axis", 0.0, width);
  const std::string fields = effects_table(result, "field of the strategy", 1.0, width);
  if (axes.empty() && fields.empty()) {
    return "";
  }
  const std::string title =
      fmt::format("What the variance of the best {} (logarithm) comes from", result.better_words);
  const std::string one_at_a_time = ", one field of the strategy at a time beside the axes";
  if (axes.empty()) {
    return heading(title + one_at_a_time, width) + fields;
  }
  return heading(title, width) + axes +
         (fields.empty() ? "" : heading("The same" + one_at_a_time, width) + fields);
}

std::string whole_text(const AnalysisResult& result, std::size_t width) {
  std::string text = header_text(result, width) + verdict_text(result.verdicts, width) +
                     findings_text(result, width) + limits_text(result, width) +
                     times_text(result, width) + allocated_text(result, width) +
                     operators_text(result, width) + unfit_text(result, width);
  if (result[tables::best].table.rows() > 0) {
    text += transitions_text(result, 0, "Where the bottleneck moves", width);
    text += strategy_changes_text(result, width);
    text += improvements_text(result, width);
    text += effects_text(result, width);
  }
  return text + plain_tables_text(result, width) + frontier_text(result, width);
}

}  // namespace

std::string format_analysis(const AnalysisResult& result, Format format, std::size_t width) {
  switch (format) {
    case Format::csv:
      return csv_text(result);
    case Format::json:
      return json_text(result);
    case Format::text:
      break;
  }
  return whole_text(result, width);
}

}  // namespace scalesweep::analysis

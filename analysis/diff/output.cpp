#include "analysis/diff/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/words/text_table.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_lines = 10;  // of one kind, in text

std::string percent(double relative) {
  return std::isnan(relative) ? "-" : fmt::format("{:+.3g} %", 100.0 * relative);
}

std::string or_none(const std::string& text) {
  return text.empty() ? "(none)" : text;
}

std::string more(std::size_t all) {
  return all > most_lines
             ? fmt::format("  and {} more (--format json has them all)\n", all - most_lines)
             : "";
}

// What one list has and the other has not: "gains HBM3", "loses N12, N10, gains N1".
std::string list_change(const std::vector<std::string>& lost,
                        const std::vector<std::string>& gained) {
  std::vector<std::string> parts;
  if (!lost.empty()) {
    parts.push_back("loses " + join(lost, ", "));
  }
  if (!gained.empty()) {
    parts.push_back("gains " + join(gained, ", "));
  }
  return join(parts, ", ");
}

// "model: a -> b" where it has that one value in each.
std::string axis_change(const StudyDiff& diff, const AxisChange& axis) {
  const bool one_each = std::any_of(diff.keys.begin(), diff.keys.end(), [&](const KeyChange& key) {
    return key.part == "spec" && key.key == axis.name && axis.lost.size() == 1 &&
           axis.gained.size() == 1 && key.from == axis.lost[0] && key.to == axis.gained[0];
  });
  return one_each ? fmt::format("{}: {} -> {}", axis.name, axis.lost[0], axis.gained[0])
                  : fmt::format("{} {}", axis.name, list_change(axis.lost, axis.gained));
}

std::string spec_text(const StudyDiff& diff) {
  std::string text;
  std::set<std::string> said;
  for (const AxisChange& change : diff.axes) {
    said.insert(change.name);
    text += "  " + axis_change(diff, change) + "\n";
  }
  for (const KeyChange& change : diff.keys) {
    if (change.part == "spec" && said.count(change.key) == 0) {
      text += fmt::format("  {}{}{} -> {}\n", change.key, change.key.empty() ? "" : ": ",
                          or_none(change.from), or_none(change.to));
    }
  }
  return text.empty() ? "" : "Spec\n" + text + "\n";
}

// A line for each value that changed, and one for an entry that only one of the studies has.
std::string catalog_text(const StudyDiff& diff) {
  constexpr std::size_t most_keys = 30;
  std::vector<std::string> lines;
  std::map<std::string, std::size_t> values;  // by entry
  for (const KeyChange& change : diff.keys) {
    ++values[change.entry];
  }
  std::string last;
  for (const KeyChange& change : diff.keys) {
    if (change.part != "catalog" || (!change.entry.empty() && change.entry == last)) {
      continue;
    }
    last = change.entry;
    const std::size_t count = values[change.entry];
    lines.push_back(
        change.entry.empty()
            ? fmt::format("  {}{}{} -> {}\n", change.key, change.key.empty() ? "" : ": ",
                          or_none(change.from), or_none(change.to))
            : fmt::format("  {}: only in the {} ({} value{})\n", change.entry,
                          change.from.empty() ? "second" : "first", count, count == 1 ? "" : "s"));
  }
  if (lines.empty()) {
    return "";
  }
  std::string text = "Catalog\n";
  for (std::size_t i = 0; i < std::min(lines.size(), most_keys); ++i) {
    text += lines[i];
  }
  if (lines.size() > most_keys) {
    text += fmt::format("  and {} more (--format json has them all)\n", lines.size() - most_keys);
  }
  return text + "\n";
}

// Hashes say nothing more than that something differs.
std::string other_parts_text(const StudyDiff& diff) {
  constexpr std::size_t most_letters = 16;
  std::string text;
  for (const KeyChange& change : diff.keys) {
    if (change.part != "spec" && change.part != "catalog") {
      text += fmt::format("  {}{}{}: {} -> {}\n", change.part, change.key.empty() ? "" : " ",
                          change.key, or_none(change.from.substr(0, most_letters)),
                          or_none(change.to.substr(0, most_letters)));
    }
  }
  return text.empty() ? "" : "Made by another version\n" + text + "\n";
}

std::string schema_text(const StudyDiff& diff) {
  std::string text;
  if (!diff.columns_lost.empty()) {
    text += fmt::format("  lost: {}\n", join(diff.columns_lost, ", "));
  }
  if (!diff.columns_gained.empty()) {
    text += fmt::format("  gained: {}\n", join(diff.columns_gained, ", "));
  }
  return text.empty() ? "" : "Columns\n" + text + "\n";
}

std::string points_text(const StudyDiff& diff) {
  std::string text = "Points\n";
  text += fmt::format("  {} in both: {} equal, {} different\n", with_thousands(diff.matched),
                      with_thousands(diff.equal), with_thousands(diff.matched - diff.equal));
  if (diff.only_from > 0 || diff.only_to > 0) {
    text += fmt::format("  {} only in the first, {} only in the second\n",
                        with_thousands(diff.only_from), with_thousands(diff.only_to));
  }
  for (const auto& [move, count] : diff.statuses) {
    text += fmt::format("  {} -> {}: {}\n", move.first, move.second, with_thousands(count));
  }
  return text;
}

std::string columns_text(const StudyDiff& diff, std::size_t width) {
  if (diff.columns.empty()) {
    return "";
  }
  using Align = TextTable::Align;
  using Role = TextTable::Role;
  TextTable table;
  table.add_column("column", Align::left);
  table.add_column("differ", Align::right, Role::detail);
  table.add_column("median", Align::right);
  table.add_column("largest", Align::right);
  table.add_column("from", Align::right, Role::detail);
  table.add_column("to", Align::right, Role::detail);
  table.add_column("unit", Align::left, Role::detail);
  for (std::size_t i = 0; i < std::min(diff.columns.size(), 2 * most_lines); ++i) {
    const ColumnChange& change = diff.columns[i];
    table.add_row({change.name, with_thousands(change.differing), percent(change.median_relative),
                   percent(change.largest_relative), change.from, change.to, change.units});
  }
  std::string text =
      "\nColumns that differ: time, objectives and status, then the most different first\n" +
      table.text(width, "a wider terminal and --format json have them all");
  if (diff.columns.size() > 2 * most_lines) {
    text += fmt::format("  and {} more (--format json has them all)\n",
                        diff.columns.size() - 2 * most_lines);
  }
  return text + fmt::format("  {} differs most at {}\n", diff.columns.front().name,
                            diff.columns.front().point);
}

std::string answers_text(const StudyDiff& diff) {
  std::string text;
  for (const char* const table : {"frontier", "best", "transitions"}) {
    std::string lines;
    std::map<std::string, std::size_t> counts;
    std::size_t all = 0;
    for (const AnswerChange& change : diff.answers) {
      if (change.table != table) {
        continue;
      }
      ++counts[change.what];
      if (all++ < most_lines) {
        lines += fmt::format("  {} {}\n", change.what, change.text);
      }
    }
    if (all == 0) {
      continue;
    }
    std::vector<std::string> sums;
    for (const auto& [what, count] : counts) {
      sums.push_back(fmt::format("{} {}", count, what));
    }
    const std::string name = std::string(table) == "frontier" ? "Frontier"
                             : std::string(table) == "best"   ? "Best strategies"
                                                              : "Transitions";
    text += fmt::format("\n{}: {}\n{}{}", name, join(sums, ", "), lines, more(all));
  }
  return text;
}

ordered_json number_or_null(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

}  // namespace

std::string diff_text(const StudyDiff& diff, const std::string& from, const std::string& to,
                      std::size_t width) {
  std::string text = fmt::format("{} -> {}\n\n", from, to);
  for (const std::string& note : diff.notes) {
    text += fmt::format("Note: {}\n", note);
  }
  text += diff.notes.empty() ? "" : "\n";
  if (diff.same_results() && diff.keys.empty()) {
    return text + fmt::format("the studies are the same: {} points with equal values\n",
                              with_thousands(diff.matched));
  }
  text += spec_text(diff) + catalog_text(diff) + other_parts_text(diff) + schema_text(diff) +
          points_text(diff);
  if (diff.same_results()) {
    return text + "\nthe results are the same\n";
  }
  return text + columns_text(diff, width) + answers_text(diff);
}

std::string diff_json(const StudyDiff& diff, const std::string& from, const std::string& to) {
  ordered_json document = {{"from", from},
                           {"to", to},
                           {"same_results", diff.same_results()},
                           {"keys", ordered_json::array()},
                           {"axes", ordered_json::array()},
                           {"columns_lost", diff.columns_lost},
                           {"columns_gained", diff.columns_gained},
                           {"points",
                            {{"from", diff.rows_from},
                             {"to", diff.rows_to},
                             {"matched", diff.matched},
                             {"equal", diff.equal}}},
                           {"statuses", ordered_json::array()},
                           {"columns", ordered_json::array()},
                           {"answers", ordered_json::array()},
                           {"notes", diff.notes}};
  for (const KeyChange& change : diff.keys) {
    document["keys"].push_back(
        {{"part", change.part}, {"key", change.key}, {"from", change.from}, {"to", change.to}});
  }
  for (const AxisChange& change : diff.axes) {
    document["axes"].push_back(
        {{"name", change.name}, {"lost", change.lost}, {"gained", change.gained}});
  }
  for (const auto& [move, count] : diff.statuses) {
    document["statuses"].push_back({{"from", move.first}, {"to", move.second}, {"points", count}});
  }
  for (const ColumnChange& change : diff.columns) {
    document["columns"].push_back({{"name", change.name},
                                   {"units", change.units},
                                   {"differing", change.differing},
                                   {"median_relative", number_or_null(change.median_relative)},
                                   {"largest_relative", number_or_null(change.largest_relative)},
                                   {"from", change.from},
                                   {"to", change.to},
                                   {"point", change.point}});
  }
  for (const AnswerChange& change : diff.answers) {
    document["answers"].push_back(
        {{"table", change.table}, {"change", change.what}, {"text", change.text}});
  }
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace scalesweep::analysis

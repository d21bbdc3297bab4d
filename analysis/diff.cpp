#include "analysis/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "analysis/columns.hpp"
#include "analysis/diff_answers.hpp"
#include "analysis/diff_match.hpp"
#include "analysis/reading.hpp"
#include "analysis/rows.hpp"
#include "analysis/value_text.hpp"
#include "core/text.hpp"
#include "store/study_file.hpp"

namespace scalesweep::analysis {
namespace {

using store::StudyReader;

// "key: value" lines by key; a text of one line without a key is its own value.
std::map<std::string, std::string> keyed(const std::string& text) {
  std::map<std::string, std::string> result;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) {
      result[line.substr(0, colon)] = line.substr(colon + 2);
    } else if (!trim(line).empty()) {
      result[""] += (result[""].empty() ? "" : " ") + std::string(trim(line));
    }
  }
  return result;
}

void compare_parts(const std::string& part, const std::string& from, const std::string& to,
                   std::vector<KeyChange>& changes) {
  const auto before = keyed(from);
  const auto after = keyed(to);
  std::set<std::string> keys;
  for (const auto* side : {&before, &after}) {
    for (const auto& [key, value] : *side) {
      keys.insert(key);
    }
  }
  for (const std::string& key : keys) {
    const auto a = before.find(key);
    const auto b = after.find(key);
    const std::string old_value = a == before.end() ? "" : a->second;
    const std::string new_value = b == after.end() ? "" : b->second;
    if (old_value != new_value) {
      changes.push_back({part, key, old_value, new_value});
    }
  }
}

std::vector<KeyChange> changed_keys(const std::string& from, const std::string& to) {
  const std::map<std::string, std::string> before = store::read_description(from).identity_parts;
  const std::map<std::string, std::string> after = store::read_description(to).identity_parts;
  std::map<std::string, std::pair<std::string, std::string>> parts;
  for (const auto& [name, text] : before) {
    parts[name].first = text;
  }
  for (const auto& [name, text] : after) {
    parts[name].second = text;
  }
  std::vector<KeyChange> changes;
  for (const auto& [name, texts] : parts) {
    compare_parts(name, texts.first, texts.second, changes);
  }
  return changes;
}

std::vector<std::string> without(const std::vector<std::string>& all,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> result;
  for (const std::string& one : all) {
    if (std::find(others.begin(), others.end(), one) == others.end()) {
      result.push_back(one);
    }
  }
  return result;
}

std::vector<AxisChange> changed_axes(const StudyReader& from, const StudyReader& to) {
  const auto labels_of = [](const StudyReader& reader, const std::string& name) {
    const store::AxisValues* axis = find_axis(reader.axes(), name);
    return axis == nullptr ? std::vector<std::string>() : axis->labels;
  };
  std::vector<std::string> names;
  for (const StudyReader* reader : {&from, &to}) {
    for (const store::AxisValues& axis : reader->axes()) {
      if (std::find(names.begin(), names.end(), axis.name) == names.end()) {
        names.push_back(axis.name);
      }
    }
  }
  std::vector<AxisChange> changes;
  for (const std::string& name : names) {
    const std::vector<std::string> before = labels_of(from, name);
    const std::vector<std::string> after = labels_of(to, name);
    AxisChange change{name, without(before, after), without(after, before)};
    if (!change.lost.empty() || !change.gained.empty()) {
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

std::vector<std::string> names_of(const StudyReader& reader) {
  std::vector<std::string> names;
  for (const store::Column& column : reader.schema()) {
    names.push_back(column.name);
  }
  return names;
}

bool is_coordinate(const StudyReader& reader, const std::string& name) {
  return find_axis(reader.axes(), name) != nullptr || name == point_id_column ||
         std::find(strategy_columns.begin(), strategy_columns.end(), name) !=
             strategy_columns.end();
}

// Columns of results that both studies have.
std::vector<std::string> compared_columns(const StudyReader& from, const StudyReader& to) {
  std::vector<std::string> result;
  for (const std::string& name : names_of(from)) {
    if (find_column(to.schema(), name) != nullptr && !is_coordinate(from, name)) {
      result.push_back(name);
    }
  }
  return result;
}

std::string label_of(const store::Column& column, double stored) {
  const bool known = stored >= 0.0 && stored < static_cast<double>(column.labels.size());
  return known ? column.labels[static_cast<std::size_t>(stored)] : fmt::format("{:g}", stored);
}

// Looks at one column of all pairs.
class ColumnComparison {
 public:
  ColumnComparison(const StudyReader& from, const StudyReader& to, const std::string& name)
      : from_column_(*find_column(from.schema(), name)),
        to_column_(*find_column(to.schema(), name)),
        from_(from.read({name}, 0, from.rows())),
        to_(to.read({name}, 0, to.rows())) {
    change_.name = name;
    change_.units = from_column_.units;
  }

  // Marks pairs that differ.
  void run(const std::vector<RowPair>& pairs, std::vector<std::uint8_t>& differs) {
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const double a = from_.number(0, static_cast<std::size_t>(pairs[p].from));
      const double b = to_.number(0, static_cast<std::size_t>(pairs[p].to));
      if (!equal(a, b)) {
        differs[p] = 1;
        add(pairs[p], a, b);
      }
    }
  }

  bool changed() const { return change_.differing > 0; }
  std::int64_t row() const { return row_; }  // of `from`, where it differs most
  const std::map<std::pair<std::string, std::string>, std::int64_t>& moves() const {
    return moves_;
  }

  ColumnChange change() {
    if (!relative_.empty()) {
      const auto middle = relative_.begin() + static_cast<std::ptrdiff_t>(relative_.size() / 2);
      std::nth_element(relative_.begin(), middle, relative_.end());
      change_.median_relative = *middle;
    } else {
      change_.median_relative = std::numeric_limits<double>::quiet_NaN();
      change_.largest_relative = std::numeric_limits<double>::quiet_NaN();
    }
    return change_;
  }

 private:
  bool has_labels() const { return !from_column_.labels.empty() || !to_column_.labels.empty(); }

  bool equal(double a, double b) const {
    if (has_labels() && from_column_.labels != to_column_.labels) {
      return label_of(from_column_, a) == label_of(to_column_, b);
    }
    return a == b || (std::isnan(a) && std::isnan(b));
  }

  void add(const RowPair& pair, double a, double b) {
    ++change_.differing;
    if (has_labels()) {
      ++moves_[{label_of(from_column_, a), label_of(to_column_, b)}];
    }
    const bool measured = !has_labels() && std::isfinite(a) && std::isfinite(b) && a != 0.0;
    const double relative = measured ? (b - a) / a : 0.0;
    if (measured) {
      relative_.push_back(relative);
    }
    if (row_ < 0 || std::fabs(relative) > std::fabs(change_.largest_relative)) {
      row_ = pair.from;
      change_.largest_relative = relative;
      change_.from = has_labels() ? label_of(from_column_, a) : fmt::format("{:.6g}", a);
      change_.to = has_labels() ? label_of(to_column_, b) : fmt::format("{:.6g}", b);
    }
  }

  store::Column from_column_, to_column_;
  store::Table from_, to_;
  ColumnChange change_;
  std::vector<double> relative_;
  std::map<std::pair<std::string, std::string>, std::int64_t> moves_;
  std::int64_t row_ = -1;
};

void compare_points(const StudyReader& from, const StudyReader& to, const Matching& matching,
                    StudyDiff& diff) {
  std::vector<std::uint8_t> differs(matching.pairs.size(), 0);
  const PointNames points(from);
  for (const std::string& name : compared_columns(from, to)) {
    ColumnComparison comparison(from, to, name);
    comparison.run(matching.pairs, differs);
    if (!comparison.changed()) {
      continue;
    }
    if (name == status_column) {
      diff.statuses = comparison.moves();
    }
    diff.columns.push_back(comparison.change());
    diff.columns.back().point = points.name(comparison.row());
  }
  std::stable_sort(diff.columns.begin(), diff.columns.end(),
                   [](const ColumnChange& a, const ColumnChange& b) {
                     const double x = std::fabs(a.largest_relative);
                     const double y = std::fabs(b.largest_relative);
                     return std::isnan(x) == std::isnan(y) ? x > y : std::isnan(y);
                   });
  diff.matched = static_cast<std::int64_t>(matching.pairs.size());
  diff.equal = std::count(differs.begin(), differs.end(), std::uint8_t{0});
}

}  // namespace

bool StudyDiff::same_results() const {
  return matched == rows_from && matched == rows_to && equal == matched && axes.empty() &&
         columns_lost.empty() && columns_gained.empty();
}

StudyDiff diff_studies(const std::string& from, const std::string& to, const DiffOptions& options) {
  const StudyReader before(from, store::Unfinished::read);
  const StudyReader after(to, store::Unfinished::read);
  StudyDiff diff;
  for (const auto& [file, reader] : {std::pair(from, &before), std::pair(to, &after)}) {
    for (const std::string& note : reading_notes(*reader)) {
      diff.notes.push_back(fmt::format("{}: {}", file, note));
    }
  }
  diff.keys = changed_keys(from, to);
  diff.axes = changed_axes(before, after);
  diff.columns_lost = without(names_of(before), names_of(after));
  diff.columns_gained = without(names_of(after), names_of(before));
  diff.rows_from = before.rows();
  diff.rows_to = after.rows();
  const Matching matching = match_rows(before, after);
  diff.notes.insert(diff.notes.end(), matching.notes.begin(), matching.notes.end());
  compare_points(before, after, matching, diff);
  // Equal results have equal answers.
  if (options.answers && !diff.same_results()) {
    compare_answers(from, to, before, after, matching, diff);
  }
  return diff;
}

}  // namespace scalesweep::analysis

#include "analysis/diff/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "analysis/diff/match.hpp"
#include "analysis/diff/parts.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/objective.hpp"
#include "analysis/selection/kept_points.hpp"
#include "space/stored_rules.hpp"
#include "store/read/progress.hpp"
#include "store/read/study_file.hpp"
#include "store/versions/former_study.hpp"

namespace scalesweep::analysis {
namespace {

using store::StudyReader;

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

bool is_coordinate(const StudyReader& reader, const store::Column& column) {
  return find_axis(reader.axes(), column.name) != nullptr || column.name == point_id_column ||
         column.name == store::own_id_column || is_strategy_column(column);
}

// Columns of results that both studies have.
std::vector<std::string> compared_columns(const StudyReader& from, const StudyReader& to) {
  std::vector<std::string> result;
  for (const store::Column& column : from.schema()) {
    if (find_column(to.schema(), column.name) != nullptr && !is_coordinate(from, column)) {
      result.push_back(column.name);
    }
  }
  return result;
}

// What people ask for first: the time, what the study minimises and the status.
std::vector<std::string> first_columns(const StudyReader& reader) {
  std::vector<std::string> names = main_columns(reader.schema());
  names.emplace_back(status_column);
  for (const Objective& objective : default_objectives(reader)) {
    names.push_back(objective.column);
  }
  return names;
}

void sort_columns(std::vector<ColumnChange>& columns, const std::vector<std::string>& first) {
  const auto is_main = [&](const ColumnChange& change) {
    return std::find(first.begin(), first.end(), change.name) != first.end();
  };
  std::stable_sort(columns.begin(), columns.end(),
                   [&](const ColumnChange& a, const ColumnChange& b) {
                     const double x = std::fabs(a.largest_relative);
                     const double y = std::fabs(b.largest_relative);
                     if (is_main(a) != is_main(b)) {
                       return is_main(a);
                     }
                     return std::isnan(x) == std::isnan(y) ? x > y : std::isnan(y);
                   });
}

// How many rows of one side are in a pair.
std::int64_t rows_in(const Matching& matching, std::int64_t RowPair::*side) {
  if (!matching.with_all) {
    return static_cast<std::int64_t>(matching.pairs.size());
  }
  std::vector<std::int64_t> rows;
  for (const RowPair& pair : matching.pairs) {
    rows.push_back(pair.*side);
  }
  std::sort(rows.begin(), rows.end());
  return std::unique(rows.begin(), rows.end()) - rows.begin();
}

void compare_points(const StudyReader& from, const StudyReader& to, const Matching& matching,
                    const ReadingOptions& how, StudyDiff& diff) {
  std::vector<std::uint8_t> differs(matching.pairs.size(), 0);
  std::vector<std::int64_t> rows;  // where the columns differ most
  const std::vector<std::string> names = compared_columns(from, to);
  Pass pass(how, "comparing columns", names.size());
  for (const std::string& name : names) {
    const ColumnComparison compared = compare_column(from, to, name, matching, how, differs);
    pass.step();
    if (compared.change.differing == 0) {
      continue;
    }
    if (name == status_column) {
      diff.statuses = compared.moves;
    }
    diff.columns.push_back(compared.change);
    rows.push_back(compared.row);
  }
  const std::vector<std::string> points = point_names(from, rows, how);
  for (std::size_t i = 0; i < points.size(); ++i) {
    diff.columns[i].point = points[i];
  }
  sort_columns(diff.columns, first_columns(from));
  diff.matched = static_cast<std::int64_t>(matching.pairs.size());
  diff.only_from = diff.rows_from - rows_in(matching, &RowPair::from);
  diff.only_to = diff.rows_to - rows_in(matching, &RowPair::to);
  diff.equal = std::count(differs.begin(), differs.end(), std::uint8_t{0});
}

void add_kept_notes(const std::string& file, const StudyReader& reader, bool answers,
                    StudyDiff& diff) {
  const KeptPoints kept(reader);
  if (kept.are_all() || diff.same_results()) {
    return;
  }
  const bool other_answers = answers && !kept.are_all_feasible();
  diff.notes.push_back(fmt::format(
      "{}: {}", file,
      kept.note(other_answers ? "these alone are compared, and answers are of these alone"
                              : "these alone are compared")));
}

// What a study minimises is part of its identity only where that decides which points it keeps.
std::map<std::string, std::string> parts_of(const std::string& file) {
  store::StudyDescription study = store::read_description(file);
  store::use_present_names(study);
  std::map<std::string, std::string> parts = study.identity_parts;
  const auto objectives = study.root_attributes.find("objectives");
  const auto spec = parts.find("spec");
  const std::string lines =
      objectives == study.root_attributes.end()
          ? ""
          : space::objective_lines(space::objectives_of_json(objectives->second));
  if (spec != parts.end() && spec->second.find("\n" + lines) == std::string::npos) {
    spec->second += lines;
  }
  return parts;
}

}  // namespace

StudyDiff diff_studies(const std::string& from, const std::string& to, const DiffOptions& options) {
  const StudyReader before(from, store::Unfinished::read, options.reading.progress);
  const StudyReader after(to, store::Unfinished::read, options.reading.progress);
  StudyDiff diff;
  for (const auto& [file, reader] : {std::pair(from, &before), std::pair(to, &after)}) {
    for (const std::string& note : reading_notes(*reader)) {
      diff.notes.push_back(fmt::format("{}: {}", file, note));
    }
  }
  diff.keys = changed_keys(parts_of(from), parts_of(to));
  diff.axes = changed_axes(before, after);
  diff.columns_lost = without(names_of(before.schema()), names_of(after.schema()));
  diff.columns_gained = without(names_of(after.schema()), names_of(before.schema()));
  diff.rows_from = before.rows();
  diff.rows_to = after.rows();
  const Matching matching = match_rows(before, after, options.reading);
  diff.notes.insert(diff.notes.end(), matching.notes.begin(), matching.notes.end());
  compare_points(before, after, matching, options.reading, diff);
  add_kept_notes(from, before, options.answers, diff);
  add_kept_notes(to, after, options.answers, diff);
  // Equal results have equal answers.
  if (options.answers && !diff.same_results()) {
    compare_answers(from, to, before, after, matching, options.reading, diff);
  }
  return diff;
}

}  // namespace scalesweep::analysis

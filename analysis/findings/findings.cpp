#include "analysis/findings/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/bottlenecks/doubt.hpp"
#include "analysis/bottlenecks/tables.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/words/words.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::size_t most_courses = 5;  // of the bottleneck, each a sentence

// A stretch of the axis with one limit, in words: "compute-bound", "no strategy fits".
struct Stretch {
  std::string limit;
  std::size_t first = 0;
  std::size_t last = 0;
};

// "compute-bound" by value of the axis, "compute- or network-bound" where layouts that tie disagree
// all along; "" where nothing is feasible.
std::vector<std::string> limits_along(const Reading& reading, const Path& path,
                                      const std::vector<std::string>& groups) {
  std::vector<std::string> limits;
  for (const Leaders leaders :
       leaders_along(reading.shown, path, reading.ties, LimitLevel::group)) {
    std::vector<std::string> names;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      if ((leaders >> group & 1) != 0) {
        names.push_back(words(groups[group]) + "-");
      }
    }
    limits.push_back(names.empty() ? "" : join(names, " or ") + "bound");
  }
  return limits;
}

// `limits` by value; `leaves_out`: of values without a row between two that are limited alike
// nothing is said.
std::vector<Stretch> stretches_of(const Path& path, const std::vector<std::string>& limits,
                                  const AnalysisResult& result, bool leaves_out) {
  std::vector<Stretch> stretches;
  for (std::size_t value = 0; value < path.rows.size(); ++value) {
    const std::int64_t row = path.rows[value];
    // Once for each gap, where there was a row before it.
    if (leaves_out && row < 0 && value > 0 && path.rows[value - 1] >= 0) {
      const auto next = std::find_if(path.rows.begin() + static_cast<std::ptrdiff_t>(value),
                                     path.rows.end(), [](std::int64_t one) { return one >= 0; });
      const auto place = static_cast<std::size_t>(next - path.rows.begin());
      if (next != path.rows.end() && limits[place] == stretches.back().limit) {
        value = place - 1;
        continue;
      }
    }
    const std::string limit = row < 0 ? why_empty(result, path.first_cell + value) : limits[value];
    if (stretches.empty() || stretches.back().limit != limit) {
      stretches.push_back({limit, value, value});
    }
    stretches.back().last = value;
  }
  return stretches;
}

std::string stretch_text(const Stretch& stretch, const std::vector<std::string>& labels) {
  const std::string& first = labels[stretch.first];
  const std::string& last = labels[stretch.last];
  if (stretch.first == stretch.last) {
    return fmt::format("{} at {}", stretch.limit, first);
  }
  if (stretch.first == 0 && stretch.last + 1 == labels.size()) {
    return fmt::format("{} throughout ({} to {})", stretch.limit, first, last);
  }
  if (stretch.last + 1 == labels.size()) {
    return fmt::format("{} from {} on", stretch.limit, first);
  }
  return fmt::format("{} from {} to {}", stretch.limit, first, last);
}

std::string panel_text(const StudyLayout& layout, const Path& path) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < path.panel.size(); ++i) {
    const store::AxisValues& axis = layout.axes[layout.panels[i]];
    labels.push_back(value_words(axis.name, axis.labels[static_cast<std::size_t>(path.panel[i])]));
  }
  return join(labels, " + ");
}

// For which panels a sentence holds: all, or their names, or how many.
std::string panels_text(const StudyLayout& layout, const std::vector<std::string>& panels,
                        std::size_t all) {
  constexpr std::size_t most_names = 3;
  if (layout.panels.empty()) {
    return "";
  }
  if (panels.size() == all) {
    std::vector<std::string> names;
    for (const std::size_t axis : layout.panels) {
      names.push_back(words(layout.axes[axis].name));
    }
    return fmt::format(": every {}", listed(names));
  }
  if (panels.size() <= most_names) {
    return ": " + join(panels, ", ");
  }
  return fmt::format(": {} of {} combinations", panels.size(), all);
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

// The fastest point at each end of the axis and the ratio of their times; of values that do not
// follow each other the slowest and the fastest of these points.
std::string gain_text(const StudyLayout& layout, const ResultTable& best,
                      const std::vector<Path>& paths) {
  const auto times_s = numbers(best.table, best.schema, layout.time.better);
  const store::AxisValues& axis = layout.axes[layout.along];
  struct Fastest {
    const Path* path = nullptr;
    std::size_t value = 0;
    double time_s = 0.0;
  };
  const auto fastest_at = [&](std::size_t value) {
    Fastest fastest;
    for (const Path& path : paths) {
      const std::int64_t row = path.rows[value];
      if (row >= 0 &&
          (fastest.path == nullptr || times_s[static_cast<std::size_t>(row)] < fastest.time_s)) {
        fastest = {&path, value, times_s[static_cast<std::size_t>(row)]};
      }
    }
    return fastest;
  };
  std::vector<Fastest> found;
  for (std::size_t value = 0; value < axis.labels.size(); ++value) {
    const Fastest fastest = fastest_at(value);
    if (fastest.path != nullptr) {
      found.push_back(fastest);
    }
  }
  if (!has_order(layout)) {
    std::stable_sort(found.begin(), found.end(),
                     [](const Fastest& a, const Fastest& b) { return a.time_s > b.time_s; });
  }
  if (found.size() < 2 || !layout.workloads.empty() || !(found.back().time_s > 0.0)) {
    return "";
  }
  const auto where = [&](const Fastest& fastest) {
    const std::string panel = panel_text(layout, *fastest.path);
    return axis.labels[fastest.value] + (panel.empty() ? "" : " + " + panel);
  };
  return fmt::format("Best {}: {:.4g} s at {}, {:.4g} s at {} ({:.3g}x)", layout.time.better_words,
                     found.front().time_s, where(found.front()), found.back().time_s,
                     where(found.back()), found.front().time_s / found.back().time_s);
}

// How many changes of the group a course has, and how many of them are firm.
struct Changes {
  std::size_t all = 0;
  std::size_t firm = 0;
  std::size_t unknown = 0;
  std::size_t untold = 0;  // that layouts which tie do not all have
};

std::string firm_text(const Changes& changes) {
  if (changes.all == 0 || changes.unknown == changes.all) {
    return "";
  }
  if (changes.firm == changes.all) {
    return " (firm)";
  }
  if (changes.firm == 0) {
    return " (not firm: within the error bars)";
  }
  return fmt::format(" ({} of {} changes firm)", changes.firm, changes.all);
}

// "compute-bound at h100-sxm and b200-sxm", of values that do not follow each other.
std::vector<std::string> limits_by_value(const std::vector<Stretch>& stretches,
                                         const std::vector<std::string>& labels) {
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
  for (const Stretch& stretch : stretches) {
    auto place = std::find_if(values.begin(), values.end(),
                              [&](const auto& known) { return known.first == stretch.limit; });
    if (place == values.end()) {
      place = values.insert(values.end(), {stretch.limit, {}});
    }
    for (std::size_t value = stretch.first; value <= stretch.last; ++value) {
      place->second.push_back(labels[value]);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [limit, names] : values) {
    texts.push_back(names.size() == labels.size() ? limit + " everywhere"
                                                  : fmt::format("{} at {}", limit, listed(names)));
  }
  return texts;
}

// What limits the best strategy along the axis in some panels.
struct Course {
  std::string sentence;
  std::vector<std::string> panels;
  Changes changes;
};

Changes changes_of(const Reading& reading, const Path& path, const std::vector<Attribution>& limits,
                   const std::vector<double>& errors) {
  Changes changes;
  const auto firm_at = [&](std::size_t row) {
    return firm_over(leads_firmly(limits[row].group_shares, errors[row]), reading.ties[row],
                     LimitLevel::group, reading.ties_are_known);
  };
  const LeaderChanges found =
      leader_changes(reading.shown, {path}, limits, reading.ties, LimitLevel::group);
  changes.untold = found.untold;
  for (const Step& step : found.told) {
    const Firm firm = both(firm_at(step.from_row), firm_at(step.to_row));
    ++changes.all;
    changes.firm += firm == Firm::yes ? 1 : 0;
    changes.unknown += firm == Firm::unknown ? 1 : 0;
  }
  return changes;
}

std::vector<Course> courses_of(const Reading& reading, const Resources& resources,
                               const AnalysisResult& result, const std::vector<Path>& paths) {
  const StudyLayout& layout = reading.shown;
  const std::vector<Attribution> limits = attributions(result[tables::best], resources);
  const std::vector<double> errors = relative_errors(result[tables::best]);
  const std::vector<std::string>& labels = layout.axes[layout.along].labels;
  std::vector<Course> courses;
  for (const Path& path : paths) {
    std::vector<std::string> parts;
    const std::vector<Stretch> stretches = stretches_of(
        path, limits_along(reading, path, resources.groups), result, layout.leaves_values_out);
    if (has_order(layout)) {
      for (const Stretch& stretch : stretches) {
        parts.push_back(stretch_text(stretch, labels));
      }
    } else {
      parts = limits_by_value(stretches, labels);
    }
    const std::string sentence = capitalised(join(parts, ", "));
    auto place = std::find_if(courses.begin(), courses.end(),
                              [&](const Course& known) { return known.sentence == sentence; });
    if (place == courses.end()) {
      place = courses.insert(courses.end(), {sentence, {}, {}});
    }
    place->panels.push_back(panel_text(layout, path));
    const Changes changes = changes_of(reading, path, limits, errors);
    place->changes.untold += changes.untold;
    place->changes.all += changes.all;
    place->changes.firm += changes.firm;
    place->changes.unknown += changes.unknown;
  }
  std::stable_sort(courses.begin(), courses.end(), [](const Course& a, const Course& b) {
    return a.panels.size() > b.panels.size();
  });
  return courses;
}

void add_courses(std::vector<std::string>& findings, const StudyLayout& layout,
                 const std::vector<Course>& courses, std::size_t all) {
  const std::size_t shown = courses.size() > most_courses + 1 ? most_courses : courses.size();
  for (std::size_t i = 0; i < shown; ++i) {
    findings.push_back(courses[i].sentence + firm_text(courses[i].changes) +
                       panels_text(layout, courses[i].panels, all));
  }
  std::size_t rest = 0;
  for (std::size_t i = shown; i < courses.size(); ++i) {
    rest += courses[i].panels.size();
  }
  if (rest > 0) {
    findings.push_back(fmt::format("{} other courses in the remaining {} of {} combinations",
                                   courses.size() - shown, rest, all));
  }
}

// What is left out since it holds for one of several layouts that tie, or that nobody knows of
// them.
void add_ties_words(std::vector<std::string>& findings, const Reading& reading,
                    const std::vector<Course>& courses) {
  std::size_t untold = 0;
  std::size_t told = 0;
  for (const Course& course : courses) {
    untold += course.changes.untold;
    told += course.changes.all;
  }
  if (untold > 0) {
    findings.push_back(fmt::format(
        "{} of what limits the best {} left out: layouts within 1 % of it do not all have it",
        untold == 1 ? "1 change" : fmt::format("{} changes", untold), untold == 1 ? "is" : "are"));
  }
  if (told > 0 && !reading.ties_are_known) {
    findings.push_back(
        "Ties not kept: of layouts within 1 % of the best, which may have another limit, the file "
        "has none, so that no change is called firm");
  }
}

// Changes of the dominant group, by what gives way to what: in how many combinations, and at which
// quantities.
void add_places(std::vector<std::string>& findings, const AnalysisResult& result) {
  const ResultTable& t = result[tables::transitions];
  struct Change {
    std::string to;
    std::string from;
    std::string quantity;
    auto operator<=>(const Change&) const = default;
  };
  std::map<Change, std::vector<std::pair<double, std::size_t>>> places;  // with their rows
  const auto text = [&](const std::string& name, std::size_t row) {
    return cell_text(result.axes, t, column_of(t, name), row);
  };
  for (std::size_t row = 0; row < t.table.rows(); ++row) {
    if (t.table.number(column_of(t, "level"), row) != 0.0) {
      continue;
    }
    const double at = t.table.number(column_of(t, "crossing_quantity"), row);
    if (!std::isnan(at)) {
      places[{words(text("to_limit", row)), words(text("from_limit", row)), text("quantity", row)}]
          .emplace_back(at, row);
    }
  }
  for (const auto& [change, values] : places) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const std::string first = crossing_quantity_text(result, low->second, low->first);
    const std::string last = crossing_quantity_text(result, high->second, high->first);
    const std::string range = first == last ? first : first + " to " + last;
    findings.push_back(capitalised(fmt::format(
        "{} takes over from {} at a {} of {}{}", change.to, change.from, words(change.quantity),
        range,
        values.size() == 1 ? std::string() : fmt::format(" ({} combinations)", values.size()))));
  }
}

// Which fields of the strategy change how often, and what the largest saving is.
void add_changes(std::vector<std::string>& findings, const AnalysisResult& result) {
  const ResultTable& t = result[tables::strategy_changes];
  if (t.table.rows() == 0) {
    return;
  }
  std::vector<std::pair<std::size_t, std::string>> fields;
  for (const std::string& name : result.compared) {
    std::size_t count = 0;
    for (std::size_t row = 0; row < t.table.rows(); ++row) {
      count += t.table.number(column_of(t, "from_" + name), row) !=
                       t.table.number(column_of(t, "to_" + name), row)
                   ? 1
                   : 0;
    }
    if (count > 0) {
      fields.emplace_back(count, name);
    }
  }
  std::stable_sort(fields.begin(), fields.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min<std::size_t>(fields.size(), 3); ++i) {
    texts.push_back(fmt::format("{} in {}", name_words(result, fields[i].second), fields[i].first));
  }
  double largest = 0.0;
  std::size_t at = 0;
  for (std::size_t row = 0; row < t.table.rows(); ++row) {
    const double saving = t.table.number(column_of(t, "saving"), row);
    if (saving > largest) {
      largest = saving;
      at = row;
    }
  }
  std::string sentence = fmt::format(
      "The best strategy changes {}: {}",
      t.table.rows() == 1 ? "once" : fmt::format("{} times", t.table.rows()), join(texts, ", "));
  if (largest > 0.0) {
    sentence += fmt::format("; the change saves {:.2g} % at most ({} -> {})", 100.0 * largest,
                            cell_text(result.axes, t, column_of(t, "from_" + result.along), at),
                            cell_text(result.axes, t, column_of(t, "to_" + result.along), at));
  }
  findings.push_back(sentence);
}

void add_improvements(std::vector<std::string>& findings, const AnalysisResult& result) {
  const ResultTable& t = result[tables::improvements];
  std::vector<std::size_t> rows(t.table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto number = [&](const std::string& name, std::size_t row) {
    return t.table.number(column_of(t, name), row);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return number("next_at", a) > number("next_at", b);
  });
  std::vector<std::string> texts;
  for (const std::size_t row : rows) {
    if (number("next_at", row) > 0.0 && texts.size() < 3) {
      texts.push_back(fmt::format("{} at {:.0f} ({:.2g} % there)",
                                  words(cell_text(result.axes, t, column_of(t, "resource"), row)),
                                  number("next_at", row), 100.0 * number("mean_gain_next", row)));
    }
  }
  if (!texts.empty()) {
    findings.push_back(
        fmt::format("Next improvement, by what 10 % more (of latency: less) saves of the {} at the "
                    "{:.0f} best points: {}",
                    result.time, number("points", rows.front()), join(texts, ", ")));
  }
}

void add_effects(std::vector<std::string>& findings, const AnalysisResult& result) {
  const ResultTable& t = result[tables::effects];
  std::vector<std::pair<double, std::size_t>> axes;
  for (std::size_t row = 0; row < t.table.rows(); ++row) {
    const double total = t.table.number(column_of(t, "total"), row);
    if (t.table.number(column_of(t, "kind"), row) == 0.0 && total > 0.0) {
      axes.emplace_back(total, row);
    }
  }
  std::stable_sort(axes.begin(), axes.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min<std::size_t>(axes.size(), 3); ++i) {
    const double percent = 100.0 * axes[i].first;
    // With two digits 99.7 would be 1e+02.
    texts.push_back(fmt::format(
        "{} {:.{}g} %", words(cell_text(result.axes, t, column_of(t, "factor"), axes[i].second)),
        percent, percent < 99.5 ? 2 : 3));
  }
  if (axes.size() > 1) {
    findings.push_back(
        fmt::format("The best {} varies with the {} (total Sobol index of its "
                    "logarithm)",
                    result.better_words, join(texts, ", ")));
  }
}

}  // namespace

std::string why_empty(const AnalysisResult& result, std::size_t combination) {
  const ResultTable& coverage = result[tables::coverage];
  const auto rows_of = [&](std::string_view status) {
    const auto column = find_column(coverage, fmt::format("rows_{}", status));
    return column ? coverage.table.number(*column, combination) : 0.0;
  };
  constexpr std::string_view prefix = "rows_";
  std::vector<std::string> reasons;  // but the filter
  for (std::size_t column = 0; column < coverage.schema.size(); ++column) {
    const std::string_view name = coverage.schema[column].name;
    if (name.starts_with(prefix) && name.substr(prefix.size()) != filtered_status &&
        coverage.table.number(column, combination) > 0.0) {
      reasons.push_back(words(name.substr(prefix.size())));
    }
  }
  if (rows_of("ok") > 0.0) {
    return result.held ? "not feasible with the strategy held"
                       : (result.keeps_feasible ? "no time known" : "feasible, not in the file");
  }
  if (rows_of(missed_status) > 0.0) {
    return "limits missed";
  }
  if (rows_of(unfit_status) > 0.0) {
    return "no strategy fits";
  }
  if (reasons.empty()) {
    return rows_of(filtered_status) > 0.0 ? "left out by a filter" : "nothing in the file";
  }
  return reasons.size() == 1                  ? reasons.front()
         : rows_of(not_searched_status) > 0.0 ? "not found"
                                              : "nothing feasible";
}

std::vector<std::string> findings_of(const Reading& reading, const Resources& resources,
                                     const AnalysisResult& result) {
  const StudyLayout& layout = reading.shown;
  const std::vector<Path>& paths = reading.paths;
  std::vector<std::string> findings;
  const std::string gain = gain_text(layout, result[tables::best], paths);
  if (!gain.empty()) {
    findings.push_back(gain);
  }
  std::vector<Path> asked;
  std::copy_if(paths.begin(), paths.end(), std::back_inserter(asked),
               [&](const Path& path) { return is_asked(result, path.first_cell); });
  const std::vector<Course> courses = courses_of(reading, resources, result, asked);
  add_courses(findings, layout, courses, asked.size());
  add_ties_words(findings, reading, courses);
  if (result[tables::best].table.rows() > 0) {
    add_places(findings, result);
    add_changes(findings, result);
    add_improvements(findings, result);
    add_effects(findings, result);
  }
  return findings;
}

}  // namespace scalesweep::analysis

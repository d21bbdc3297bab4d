#include "analysis/diff/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/findings/analyze.hpp"
#include "analysis/selection/rows.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

// Rows of the members, ascending. Rows of a study are in ascending order of their ids.
std::vector<std::int64_t> frontier_rows(const AnalysisResult& result,
                                        const store::StudyReader& reader,
                                        const ReadingOptions& how) {
  const std::size_t column = column_of(result[tables::frontier], std::string(point_id_column));
  RowFilter members;
  members.ids = result[tables::frontier].table.values<std::int64_t>(column);
  members.reading = how;
  std::vector<std::int64_t> found;
  if (!members.ids.empty()) {
    RowSelection(reader, members).scan({std::string(point_id_column)}, [&](const RowSlice& slice) {
      found.insert(found.end(), slice.rows.begin(), slice.rows.end());
    });
  }
  return found;
}

void compare_frontiers(const AnalysisResult& a, const AnalysisResult& b,
                       const store::StudyReader& before, const store::StudyReader& after,
                       const Matching& matching, const ReadingOptions& how, StudyDiff& diff) {
  if (a.objectives != b.objectives) {
    diff.notes.push_back("the studies have different objectives: frontiers are not compared");
    return;
  }
  const std::vector<std::int64_t> from = frontier_rows(a, before, how);
  const std::vector<std::int64_t> to = frontier_rows(b, after, how);
  std::unordered_map<std::int64_t, std::int64_t> forward;
  std::set<std::int64_t> stays;
  for (const RowPair& pair : matching.pairs) {
    if (std::binary_search(from.begin(), from.end(), pair.from) &&
        std::binary_search(to.begin(), to.end(), pair.to)) {
      forward[pair.from] = pair.to;
      stays.insert(pair.to);
    }
  }
  std::vector<std::int64_t> lost;
  std::vector<std::int64_t> gained;
  std::copy_if(from.begin(), from.end(), std::back_inserter(lost),
               [&](std::int64_t row) { return forward.find(row) == forward.end(); });
  std::copy_if(to.begin(), to.end(), std::back_inserter(gained),
               [&](std::int64_t row) { return stays.find(row) == stays.end(); });
  for (const std::string& name : point_names(before, lost, how)) {
    diff.answers.push_back({"frontier", "lost", name});
  }
  for (const std::string& name : point_names(after, gained, how)) {
    diff.answers.push_back({"frontier", "gained", name});
  }
}

// "logic N7, memory HBM4": the values of some axes in one row.
std::string place(const AnalysisResult& result, const ResultTable& table,
                  const std::vector<std::string>& axes, std::size_t row) {
  std::vector<std::string> words;
  for (const std::string& axis : axes) {
    if (const auto column = find_column(table, axis)) {
      words.push_back(fmt::format("{} {}", axis, cell_text(result.axes, table, *column, row)));
    }
  }
  return join(words, ", ");
}

// What there is at a place, to be compared with what another study has there.
struct Fact {
  std::string compared;
  std::string text;
};
using Facts = std::map<std::string, Fact>;

// Another number of devices or another batch alone makes no other strategy.
Facts best_strategies(const AnalysisResult& result, const std::vector<FollowingField>& following) {
  std::vector<std::string> chosen;
  std::copy_if(result.strategy.begin(), result.strategy.end(), std::back_inserter(chosen),
               [&](const std::string& field) { return !follows(following, field); });
  std::vector<std::string> axes = result.panels;
  axes.push_back(result.along);
  Facts facts;
  const ResultTable& best = result[tables::best];
  for (std::size_t row = 0; row < best.table.rows(); ++row) {
    facts[place(result, best, axes, row)] = {
        strategy_text(result.axes, chosen, best, row),
        strategy_text(result.axes, result.strategy, best, row)};
  }
  return facts;
}

Facts transitions(const AnalysisResult& result) {
  const ResultTable& table = result[tables::transitions];
  const auto text = [&](const std::string& name, std::size_t row) {
    const auto column = find_column(table, name);
    return column ? cell_text(result.axes, table, *column, row) : std::string();
  };
  Facts facts;
  for (std::size_t row = 0; row < table.table.rows(); ++row) {
    const std::string where = place(result, table, result.panels, row);
    std::string key = fmt::format("{} {} to {}{}{}", text("level", row), text("from_limit", row),
                                  text("to_limit", row), where.empty() ? "" : ", ", where);
    // The same change may come back further along the axis.
    const std::string name = key;
    for (int again = 2; facts.find(key) != facts.end(); ++again) {
      key = fmt::format("{} (time {})", name, again);
    }
    const std::string between = fmt::format("between {} and {}", text("from_" + result.along, row),
                                            text("to_" + result.along, row));
    facts[key] = {between, between};
  }
  return facts;
}

void compare_facts(const std::string& table, const Facts& from, const Facts& to, StudyDiff& diff) {
  for (const auto& [key, value] : from) {
    const auto found = to.find(key);
    if (found == to.end()) {
      diff.answers.push_back({table, "lost", fmt::format("{}: {}", key, value.text)});
    } else if (found->second.compared != value.compared) {
      diff.answers.push_back(
          {table, "changed", fmt::format("{}: {} -> {}", key, value.text, found->second.text)});
    }
  }
  for (const auto& [key, value] : to) {
    if (from.find(key) == from.end()) {
      diff.answers.push_back({table, "gained", fmt::format("{}: {}", key, value.text)});
    }
  }
}

std::optional<AnalysisResult> analysed(const std::string& file, const std::string& along,
                                       const ReadingOptions& how, StudyDiff& diff) {
  try {
    AnalyzeOptions options;
    options.reading = how;
    options.along = along;
    return analyze(file, options);
  } catch (const Failure& failure) {
    diff.notes.push_back(fmt::format("answers are not compared: {}", failure.what()));
    return std::nullopt;
  }
}

}  // namespace

void compare_answers(const std::string& from, const std::string& to,
                     const store::StudyReader& before, const store::StudyReader& after,
                     const Matching& matching, const ReadingOptions& how, StudyDiff& diff) {
  const auto a = analysed(from, "", how, diff);
  const auto b = a ? analysed(to, a->along, how, diff) : std::nullopt;
  if (!b) {
    return;
  }
  compare_frontiers(*a, *b, before, after, matching, how, diff);
  // Places are named by the axes that vary: other axes, other names.
  if (a->panels != b->panels) {
    diff.notes.push_back("different axes vary: best strategies and transitions are not compared");
    return;
  }
  const std::vector<FollowingField> following = following_in_both(before, after);
  compare_facts("best", best_strategies(*a, following), best_strategies(*b, following), diff);
  compare_facts("transitions", transitions(*a), transitions(*b), diff);
}

}  // namespace scalesweep::analysis

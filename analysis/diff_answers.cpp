#include "analysis/diff_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "analysis/analyze.hpp"
#include "analysis/cells.hpp"
#include "analysis/columns.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

// Rows by point id; rows are in ascending order of it.
class RowsOfIds {
 public:
  explicit RowsOfIds(const store::StudyReader& reader)
      : table_(reader.read({std::string(point_id_column)}, 0, reader.rows())) {}
  std::int64_t row(std::int64_t id) const {
    const auto& ids = table_.values<std::int64_t>(0);
    return std::lower_bound(ids.begin(), ids.end(), id) - ids.begin();
  }

 private:
  store::Table table_;
};

std::vector<std::int64_t> frontier_rows(const AnalysisResult& result,
                                        const store::StudyReader& reader) {
  const RowsOfIds rows(reader);
  const std::size_t column = column_of(result.frontier, std::string(point_id_column));
  std::vector<std::int64_t> found;
  for (const std::int64_t id : result.frontier.table.values<std::int64_t>(column)) {
    found.push_back(rows.row(id));
  }
  std::sort(found.begin(), found.end());
  return found;
}

void compare_frontiers(const AnalysisResult& a, const AnalysisResult& b,
                       const store::StudyReader& before, const store::StudyReader& after,
                       const Matching& matching, StudyDiff& diff) {
  if (a.objectives != b.objectives) {
    diff.notes.push_back("the studies have different objectives: frontiers are not compared");
    return;
  }
  const std::vector<std::int64_t> from = frontier_rows(a, before);
  const std::vector<std::int64_t> to = frontier_rows(b, after);
  std::unordered_map<std::int64_t, std::int64_t> forward;
  std::set<std::int64_t> stays;
  for (const RowPair& pair : matching.pairs) {
    if (std::binary_search(from.begin(), from.end(), pair.from) &&
        std::binary_search(to.begin(), to.end(), pair.to)) {
      forward[pair.from] = pair.to;
      stays.insert(pair.to);
    }
  }
  const PointNames old_names(before);
  const PointNames new_names(after);
  for (const std::int64_t row : from) {
    if (forward.find(row) == forward.end()) {
      diff.answers.push_back({"frontier", "lost", old_names.name(row)});
    }
  }
  for (const std::int64_t row : to) {
    if (stays.find(row) == stays.end()) {
      diff.answers.push_back({"frontier", "gained", new_names.name(row)});
    }
  }
}

// "logic N7, memory HBM4": the values of some axes in one row.
std::string place(const AnalysisResult& result, const ResultTable& table,
                  const std::vector<std::string>& axes, std::size_t row) {
  std::vector<std::string> words;
  for (const std::string& axis : axes) {
    if (const auto column = find_column(table, axis)) {
      words.push_back(fmt::format("{} {}", axis, cell_text(result, table, *column, row)));
    }
  }
  return join(words, ", ");
}

// What there is at every place, to be compared with what another study has there.
using Facts = std::map<std::string, std::string>;

Facts best_strategies(const AnalysisResult& result) {
  std::vector<std::string> axes = result.panels;
  axes.push_back(result.along);
  Facts facts;
  for (std::size_t row = 0; row < result.best.table.rows(); ++row) {
    facts[place(result, result.best, axes, row)] = strategy_text(result, result.best, row);
  }
  return facts;
}

Facts transitions(const AnalysisResult& result) {
  const ResultTable& table = result.transitions;
  const auto text = [&](const std::string& name, std::size_t row) {
    const auto column = find_column(table, name);
    return column ? cell_text(result, table, *column, row) : std::string();
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
    facts[key] = fmt::format("between {} and {}", text("from_" + result.along, row),
                             text("to_" + result.along, row));
  }
  return facts;
}

void compare_facts(const std::string& table, const Facts& from, const Facts& to, StudyDiff& diff) {
  for (const auto& [key, value] : from) {
    const auto found = to.find(key);
    if (found == to.end()) {
      diff.answers.push_back({table, "lost", fmt::format("{}: {}", key, value)});
    } else if (found->second != value) {
      diff.answers.push_back(
          {table, "changed", fmt::format("{}: {} -> {}", key, value, found->second)});
    }
  }
  for (const auto& [key, value] : to) {
    if (from.find(key) == from.end()) {
      diff.answers.push_back({table, "gained", fmt::format("{}: {}", key, value)});
    }
  }
}

std::optional<AnalysisResult> analysed(const std::string& file, const std::string& along,
                                       StudyDiff& diff) {
  try {
    AnalyzeOptions options;
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
                     const Matching& matching, StudyDiff& diff) {
  const auto a = analysed(from, "", diff);
  const auto b = a ? analysed(to, a->along, diff) : std::nullopt;
  if (!b) {
    return;
  }
  compare_frontiers(*a, *b, before, after, matching, diff);
  // Places are named by the axes that vary: other axes, other names.
  if (a->panels != b->panels) {
    diff.notes.push_back("different axes vary: best strategies and transitions are not compared");
    return;
  }
  compare_facts("best", best_strategies(*a), best_strategies(*b), diff);
  compare_facts("transitions", transitions(*a), transitions(*b), diff);
}

}  // namespace scalesweep::analysis

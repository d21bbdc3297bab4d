#include "analysis/bottlenecks/ties.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "analysis/file/columns.hpp"
#include "analysis/selection/slice.hpp"
#include "core/contracts.hpp"

namespace scalesweep::analysis {
namespace {

constexpr Leaders bit(std::size_t place) {
  return Leaders{1} << place;
}

std::size_t leader_of(const Attribution& limits, LimitLevel level) {
  return level == LimitLevel::group ? limits.group : limits.resource;
}

void add_layout(Ties& ties, const Attribution& limits) {
  SCALESWEEP_EXPECT(limits.shares.size() <= 64);
  const auto add = [&](LimitLevel level, const std::vector<double>& shares) {
    const auto at = static_cast<std::size_t>(level);
    ties.leaders[at] |= bit(leader_of(limits, level));
    ties.shares[at].resize(shares.size());
    for (std::size_t i = 0; i < shares.size(); ++i) {
      ties.shares[at][i].add(shares[i]);
    }
  };
  add(LimitLevel::group, limits.group_shares);
  add(LimitLevel::resource, limits.shares);
  ++ties.layouts;
}

// Those of a search have more values than the best of them is told of.
std::vector<std::string> searched_columns(const StudyLayout& layout) {
  std::vector<std::string> columns;
  for (const std::string_view name : searched_axes) {
    const auto axis = layout.axis(std::string(name));
    if (axis && layout.axes[*axis].labels.size() > 1) {
      columns.emplace_back(name);
    }
  }
  return columns;
}

Leaders leaders_at(const std::vector<Ties>& ties, std::int64_t row, LimitLevel level) {
  return ties[static_cast<std::size_t>(row)].leaders[static_cast<std::size_t>(level)];
}

// Stretches of feasible values of a path that have a leader in common, from the first value on.
struct Stretch {
  std::vector<std::size_t> values;
  Leaders common = 0;
};

std::vector<Stretch> stretches_of(const Path& path, const std::vector<Ties>& ties,
                                  LimitLevel level) {
  std::vector<Stretch> stretches;
  for (std::size_t value = 0; value < path.rows.size(); ++value) {
    if (path.rows[value] < 0) {
      continue;
    }
    const Leaders here = leaders_at(ties, path.rows[value], level);
    if (stretches.empty() || (stretches.back().common & here) == 0) {
      stretches.push_back({{}, here});
    }
    stretches.back().values.push_back(value);
    stretches.back().common &= here;
  }
  return stretches;
}

std::size_t changes_of_best(const Path& path, const std::vector<Attribution>& limits,
                            LimitLevel level) {
  std::size_t changes = 0;
  std::optional<std::size_t> last;
  for (const std::int64_t row : path.rows) {
    if (row >= 0) {
      const std::size_t leader = leader_of(limits[static_cast<std::size_t>(row)], level);
      changes += last.value_or(leader) != leader ? 1 : 0;
      last = leader;
    }
  }
  return changes;
}

}  // namespace

bool Ties::agree(LimitLevel level) const {
  return std::has_single_bit(leaders[static_cast<std::size_t>(level)]);
}

std::vector<Ties> find_ties(const store::StudyReader& reader, const StudyLayout& layout,
                            const Resources& resources, const Scan& scan) {
  const std::vector<std::string> searched = searched_columns(layout);
  std::vector<std::string> columns = layout.charges;
  columns.insert(columns.end(), searched.begin(), searched.end());
  std::vector<std::int64_t> rows;
  for (std::size_t cell = 0; cell < scan.best.size(); ++cell) {
    if (scan.best[cell].row >= 0) {
      rows.push_back(scan.best[cell].row);
      rows.insert(rows.end(), scan.tied[cell].begin(), scan.tied[cell].end());
    }
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const store::Table table = gather(reader, layout, columns, rows);
  const auto numbers_of = [&](std::int64_t row, std::size_t first, std::size_t count) {
    const auto place =
        static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(table.number(first + i, place));
    }
    return values;
  };
  std::vector<Ties> ties(scan.best.size());
  for (std::size_t cell = 0; cell < scan.best.size(); ++cell) {
    const std::int64_t best = scan.best[cell].row;
    if (best < 0) {
      continue;
    }
    const std::size_t charges = layout.charges.size();
    const auto budgets = numbers_of(best, charges, searched.size());
    add_layout(ties[cell], attribute(resources, numbers_of(best, 0, charges)));
    for (const std::int64_t row : scan.tied[cell]) {
      if (numbers_of(row, charges, searched.size()) == budgets) {
        add_layout(ties[cell], attribute(resources, numbers_of(row, 0, charges)));
      }
    }
  }
  return ties;
}

std::vector<Ties> ties_of(const std::vector<Attribution>& limits) {
  std::vector<Ties> ties(limits.size());
  for (std::size_t row = 0; row < limits.size(); ++row) {
    add_layout(ties[row], limits[row]);
  }
  return ties;
}

Firm firm_over(Firm firm, const Ties& ties, LimitLevel level, bool are_known) {
  if (!ties.agree(level)) {
    return Firm::no;
  }
  return firm == Firm::yes && !are_known ? Firm::unknown : firm;
}

LeaderChanges leader_changes(const StudyLayout& layout, const std::vector<Path>& paths,
                             const std::vector<Attribution>& limits, const std::vector<Ties>& ties,
                             LimitLevel level) {
  LeaderChanges changes;
  if (!has_order(layout)) {
    return changes;
  }
  for (const Path& path : paths) {
    std::size_t told = 0;
    const std::vector<Stretch> stretches = stretches_of(path, ties, level);
    for (std::size_t i = 1; i < stretches.size(); ++i) {
      const std::size_t to = stretches[i].values.front();
      const std::vector<std::size_t>& before = stretches[i - 1].values;
      const auto from = std::find_if(before.rbegin(), before.rend(), [&](std::size_t value) {
        return (leaders_at(ties, path.rows[value], level) &
                leaders_at(ties, path.rows[to], level)) == 0;
      });
      if (from != before.rend()) {
        ++told;
        changes.told.push_back({&path, *from, to, static_cast<std::size_t>(path.rows[*from]),
                                static_cast<std::size_t>(path.rows[to])});
      }
    }
    changes.untold += changes_of_best(path, limits, level) - told;
  }
  return changes;
}

std::vector<Leaders> leaders_along(const StudyLayout& layout, const Path& path,
                                   const std::vector<Ties>& ties, LimitLevel level) {
  std::vector<Leaders> leaders(path.rows.size(), 0);
  if (!has_order(layout)) {
    std::transform(path.rows.begin(), path.rows.end(), leaders.begin(), [&](std::int64_t row) {
      return row < 0 ? Leaders{0} : leaders_at(ties, row, level);
    });
    return leaders;
  }
  for (const Stretch& stretch : stretches_of(path, ties, level)) {
    for (const std::size_t value : stretch.values) {
      leaders[value] = stretch.common;
    }
  }
  return leaders;
}

}  // namespace scalesweep::analysis

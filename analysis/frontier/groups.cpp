#include "analysis/frontier/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>

#include "core/contracts.hpp"
#include "core/text.hpp"
#include "reduce/spread.hpp"

namespace scalesweep::analysis {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double beyond_the_worst = 0.1;  // of the range: where the volume ends

// Members of rank 1 with all objectives finite, if asked, and their objectives to be minimised.
struct Members {
  std::vector<std::size_t> places;
  std::vector<std::int64_t> rows;
  std::vector<std::vector<double>> columns;

  std::vector<std::span<const double>> views() const { return {columns.begin(), columns.end()}; }
};

Members members_of(const FrontierGroup& group, const std::vector<Objective>& objectives,
                   bool finite_only) {
  Members members;
  members.columns.resize(objectives.size());
  for (std::size_t place = 0; place < group.rows.size(); ++place) {
    const bool finite = std::all_of(
        group.objectives.begin(), group.objectives.end(),
        [place](const std::vector<double>& column) { return std::isfinite(column[place]); });
    if (group.ranks[place] != 1 || (finite_only && !finite)) {
      continue;
    }
    members.places.push_back(place);
    members.rows.push_back(group.rows[place]);
    for (std::size_t i = 0; i < objectives.size(); ++i) {
      const double value = group.objectives[i][place];
      members.columns[i].push_back(objectives[i].direction == Direction::maximize ? -value : value);
    }
  }
  return members;
}

// One member against all that can put it in doubt.
class Judge {
 public:
  explicit Judge(const reduce::RankedRows& optimistic) : columns_(optimistic.columns) {
    order_.resize(optimistic.ids.size());
    for (std::size_t place = 0; place < order_.size(); ++place) {
      order_[place] = place;
    }
    std::sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) {
      return columns_.front()[a] < columns_.front()[b];
    });
  }

  // `own` is the member itself as it stands among the others: its better end and error bar.
  bool in_doubt(const std::vector<double>& pessimistic, const std::vector<double>& own) const {
    for (const std::size_t other : order_) {
      if (columns_.front()[other] > pessimistic.front()) {
        return false;
      }
      if (dominates(other, pessimistic) && !is(other, own)) {
        return true;
      }
    }
    return false;
  }

 private:
  bool dominates(std::size_t other, const std::vector<double>& pessimistic) const {
    bool better = false;
    for (std::size_t i = 0; i < pessimistic.size(); ++i) {
      if (columns_[i][other] > pessimistic[i]) {
        return false;
      }
      better = better || columns_[i][other] < pessimistic[i];
    }
    return better;
  }

  bool is(std::size_t other, const std::vector<double>& own) const {
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (columns_[i][other] != own[i]) {
        return false;
      }
    }
    return true;
  }

  const std::vector<std::vector<double>>& columns_;
  std::vector<std::size_t> order_;
};

}  // namespace

FrontierGroup finished_group(const std::vector<Objective>& objectives, reduce::RankedRows members,
                             std::size_t error_bars) {
  FrontierGroup group;
  group.rows = std::move(members.ids);
  group.ranks = std::move(members.ranks);
  if (error_bars > 0) {
    for (const double measured : members.columns.back()) {
      group.is_measured.push_back(measured > 0.0 ? 1 : 0);
    }
    members.columns.pop_back();
  }
  const auto first_bar = members.columns.end() - static_cast<std::ptrdiff_t>(error_bars);
  group.error_bars.assign(std::make_move_iterator(first_bar),
                          std::make_move_iterator(members.columns.end()));
  members.columns.erase(first_bar, members.columns.end());
  group.objectives = std::move(members.columns);
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    for (double& value : group.objectives[i]) {
      value = objectives[i].direction == Direction::maximize ? -value : value;
    }
  }
  return group;
}

void judge_members(FrontierGroup& group, const std::vector<Objective>& objectives,
                   const std::vector<Follows>& follows, const reduce::RankedRows& optimistic) {
  const Judge judge(optimistic);
  group.beyond_doubt.assign(group.rows.size(), 0);
  for (std::size_t place = 0; place < group.rows.size(); ++place) {
    std::vector<double> bars;
    for (const std::vector<double>& bar : group.error_bars) {
      bars.push_back(bar[place]);
    }
    const bool known =
        std::none_of(bars.begin(), bars.end(), [](double u) { return std::isnan(u); });
    if (group.ranks[place] != 1 || !known || group.is_measured[place] == 0) {
      continue;
    }
    std::vector<double> pessimistic;
    std::vector<double> own;
    for (std::size_t i = 0; i < objectives.size(); ++i) {
      const Ends ends = ends_of(group.objectives[i][place], follows[i].how, objectives[i].direction,
                                std::max(bars[follows[i].bar], 0.0));
      pessimistic.push_back(ends.pessimistic);
      own.push_back(ends.optimistic);
    }
    for (const double bar : bars) {
      own.push_back(std::max(bar, 0.0));
    }
    group.beyond_doubt[place] = judge.in_doubt(pessimistic, own) ? 0 : 1;
  }
}

void measure_group(FrontierGroup& group, const std::vector<Objective>& objectives,
                   std::int64_t hypervolume_steps) {
  group.knee.assign(group.rows.size(), 0);
  group.crowding.assign(group.rows.size(), nan);
  const Members all = members_of(group, objectives, false);
  const reduce::Columns scaled = reduce::normalised(all.views());
  const std::vector<double> distances = reduce::crowding(scaled);
  for (std::size_t member = 0; member < all.places.size(); ++member) {
    group.crowding[all.places[member]] = distances[member];
  }
  if (const auto knee = reduce::knee(scaled, all.rows)) {
    group.knee[all.places[*knee]] = 1;
  }
  group.ideal.assign(objectives.size(), nan);
  group.reference.assign(objectives.size(), nan);
  group.hypervolume = nan;
  const Members finite = members_of(group, objectives, true);
  if (finite.rows.empty()) {
    return;
  }
  reduce::Columns shares;  // 0 at the ideal, 1 at the reference; of objectives that vary
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    const std::vector<double>& column = finite.columns[i];
    const auto [least, most] = std::minmax_element(column.begin(), column.end());
    const double end = *most + beyond_the_worst * (*most - *least);
    const double sign = objectives[i].direction == Direction::maximize ? -1.0 : 1.0;
    group.ideal[i] = sign * *least;
    group.reference[i] = sign * end;
    if (*least < *most && std::isfinite(end - *least)) {
      shares.emplace_back();
      for (const double value : column) {
        shares.back().push_back((value - *least) / (end - *least));
      }
    }
  }
  const std::vector<double> corner(shares.size(), 1.0);
  const std::vector<std::span<const double>> views(shares.begin(), shares.end());
  group.hypervolume =
      shares.empty() ? 1.0 : reduce::hypervolume(views, corner, hypervolume_steps).value_or(nan);
}

void add_notes_of_groups(FrontierResult& result) {
  if (result.without_objective > 0) {
    result.notes.push_back(
        fmt::format("{} feasible points have no number for an objective and are left out of the "
                    "frontier",
                    with_thousands(result.without_objective)));
  }
  const auto too_long =
      std::count_if(result.groups.begin(), result.groups.end(), [](const FrontierGroup& group) {
        return std::isnan(group.hypervolume) && !std::isnan(group.ideal.front());
      });
  if (too_long > 0) {
    result.notes.push_back(
        fmt::format("{} too long for its hypervolume in {} objectives: it is left out",
                    too_long == 1 ? "a frontier is" : fmt::format("{} frontiers are", too_long),
                    result.objectives.size()));
  }
}

std::vector<std::size_t> thinned_members(const FrontierResult& result, const FrontierGroup& group,
                                         std::size_t most, double* epsilon) {
  const Members members = members_of(group, result.objectives, false);
  const reduce::ThinnedRows thinned =
      reduce::thinned(reduce::normalised(members.views()), members.rows, most);
  if (epsilon != nullptr) {
    *epsilon = thinned.epsilon;
  }
  std::vector<std::size_t> places;
  for (const std::size_t member : thinned.rows) {
    places.push_back(members.places[member]);
  }
  return places;
}

std::string thinning_words(std::size_t shown, std::size_t members, double epsilon) {
  return fmt::format(
      "{} of {} members stand for all: each one left out has a neighbour among them that is worse "
      "in "
      "no objective by more than {:.2g} % of its logarithmic range",
      with_thousands(static_cast<std::int64_t>(shown)),
      with_thousands(static_cast<std::int64_t>(members)), 100.0 * epsilon);
}

}  // namespace scalesweep::analysis

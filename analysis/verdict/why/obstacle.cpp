#include "analysis/verdict/why/obstacle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/file/columns.hpp"
#include "analysis/words/words.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {

void take_counted(FoundQuestion& question, const OutcomesOfGroup& counted) {
  question.statuses = counted.points;
  question.nearest = counted.nearest;
}

namespace {

// Of what fits and misses something else than most points do: it came nearer than those.
std::vector<Obstacle::Missed> missed_besides(const StudyLayout& layout,
                                             const FoundQuestion& question,
                                             const std::string& most) {
  std::vector<Obstacle::Missed> missed;
  for (std::size_t status = 0; status < question.statuses.size(); ++status) {
    const std::string& name = layout.statuses[status];
    if (question.statuses[status] > 0 && name != most && name.starts_with(missed_prefix)) {
      missed.push_back({name, question.statuses[status]});
    }
  }
  return missed;
}

// Of what was never computed, or not as far as its limits.
bool tells_nothing(const std::string& status) {
  return status == filtered_status || status == not_searched_status || status == pruned_status;
}

// Where it is proved that nothing can be built of those that [search] left out, their bound is
// infinite.
bool is_unknown(const StudyLayout& layout, const FoundQuestion& question) {
  const auto found = std::find(layout.statuses.begin(), layout.statuses.end(), not_searched_status);
  const auto status = static_cast<std::size_t>(found - layout.statuses.begin());
  if (status >= question.statuses.size() || question.statuses[status] == 0) {
    return false;
  }
  const auto column = layout.column(nearest_column(layout, *found));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return !column || question.nearest[status] !=
                        (larger_is_better(layout.schema[*column]) ? -infinity : infinity);
}

std::string missed_words(const std::vector<Obstacle::Missed>& missed) {
  std::string text;
  for (const Obstacle::Missed& one : missed) {
    text += fmt::format("; {}: {}", with_thousands(one.points), words(one.status));
  }
  return text;
}

std::string distance_words(const Obstacle& obstacle) {
  if (std::isnan(obstacle.distance)) {
    return "";
  }
  if (obstacle.is_of_capacity) {
    return fmt::format("; at best needs {:.3g} times the memory of a device", obstacle.distance);
  }
  return obstacle.status == missed_status
             ? fmt::format("; the nearest is {}", beyond_limits_words(obstacle.distance))
             : fmt::format("; at most, {}: {:.4g}", words(obstacle.nearest), obstacle.distance);
}

}  // namespace

Obstacle obstacle_of(const StudyLayout& layout, const FoundQuestion& question) {
  Obstacle obstacle;
  obstacle.all =
      std::accumulate(question.statuses.begin(), question.statuses.end(), std::int64_t{0});
  if (!question.statuses.empty() && question.statuses.front() > 0) {
    obstacle.status = layout.statuses.front();
    obstacle.points = question.statuses.front();
    obstacle.is_dropped = true;
    return obstacle;
  }
  for (std::size_t status = 0; status < question.statuses.size(); ++status) {
    const std::int64_t points = question.statuses[status];
    const bool is_filter = tells_nothing(layout.statuses[status]);
    const bool was_filter = tells_nothing(obstacle.status);
    const bool is_first = obstacle.status.empty() || (was_filter && !is_filter);
    if (points > 0 && (is_first || (points > obstacle.points && !is_filter))) {
      obstacle.status = layout.statuses[status];
      obstacle.points = points;
      obstacle.nearest = nearest_column(layout, obstacle.status);
      obstacle.distance = question.nearest[status];
      obstacle.is_of_capacity = is_of_capacity(layout, obstacle.nearest);
    }
  }
  obstacle.missed = missed_besides(layout, question, obstacle.status);
  obstacle.is_unknown = is_unknown(layout, question);
  return obstacle;
}

std::string no_answer_words(const Obstacle& obstacle) {
  return obstacle.is_dropped   ? "none of its points is in the file"
         : obstacle.is_unknown ? "not found"
                               : "nothing feasible";
}

std::string obstacle_words(const Obstacle& obstacle) {
  if (obstacle.status.empty()) {
    return "the file has no point of it";
  }
  if (obstacle.is_dropped) {
    return fmt::format("the file has no value of any of its {} feasible points, of {}",
                       with_thousands(obstacle.points), with_thousands(obstacle.all));
  }
  return fmt::format(
      "{} of {} points: {}{}{}{}", with_thousands(obstacle.points), with_thousands(obstacle.all),
      words(obstacle.status), distance_words(obstacle), missed_words(obstacle.missed),
      obstacle.is_unknown ? "; nothing is known of those that [search] left out" : "");
}

std::string beyond_limits_words(double miss) {
  return miss < 1.0 ? fmt::format("{:.3g} % beyond them", 100.0 * miss)
                    : fmt::format("{:.3g} times what they allow", 1.0 + miss);
}

}  // namespace scalesweep::analysis

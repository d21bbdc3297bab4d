#include "analysis/verdict/why/cautions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/file/columns.hpp"
#include "analysis/verdict/standing.hpp"
#include "analysis/words/words.hpp"
#include "core/diagnostic.hpp"
#include "space/read/spec.hpp"

namespace scalesweep::analysis {
namespace {

// "core_area_share" is the column share_core_area.
std::string column_name(const std::string& share) {
  constexpr std::string_view suffix = "_share";
  return "share_" + share.substr(0, share.size() - suffix.size());
}

// Whether a choice with this value of an axis is as good as the best.
bool is_tied(const FoundQuestion& question, std::size_t place, std::int32_t value,
             Direction direction) {
  const double best = question.best.at(*question.choice).value;
  return std::any_of(question.best.begin(), question.best.end(), [&](const auto& choice) {
    return choice.first[place] == value && gap_of(choice.second.value, best, direction) <= tie;
  });
}

// `bound`: of what was left out, as it is minimised; `gap`: the part by which that is better than
// the best.
std::string left_words(double bound, double gap, space::SearchMethod method) {
  if (std::isnan(bound)) {
    return "they lie between values whose best points have the same bottleneck, and may be better";
  }
  if (std::isinf(bound) && bound < 0.0) {
    return "how much better they may be is not known";
  }
  const std::string by =
      gap <= 0.0 ? "better" : fmt::format("better by more than {:.2g} %", 100.0 * gap);
  return method == space::SearchMethod::model
             ? fmt::format(
                   "a model of the others expects none of them to be {}, by two standard "
                   "deviations; that is no proof",
                   by)
             : fmt::format("none of them is {}", by);
}

}  // namespace

std::vector<std::string> axes_at_their_ends(const StudyLayout& layout,
                                            const VerdictRequest& request,
                                            const FoundQuestion& question) {
  std::vector<std::string> sentences;
  for (std::size_t place = 0; place < request.compared.size(); ++place) {
    const store::AxisValues& axis = layout.axes[*layout.axis(request.compared[place])];
    const std::vector<std::int32_t> order = in_ascending_order(axis);
    if (!is_quantity(axis) || order.size() < 2) {
      continue;
    }
    const std::int32_t chosen = (*question.choice)[place];
    const bool is_largest = chosen == order.back();
    const std::int32_t next = is_largest ? order[order.size() - 2] : order[1];
    if ((is_largest || chosen == order.front()) &&
        !is_tied(question, place, next, request.objective.direction)) {
      sentences.push_back(
          fmt::format("{} is the {} that was asked: beyond it may be better",
                      words(axis.name) + " " + axis.labels[static_cast<std::size_t>(chosen)],
                      is_largest ? "largest" : "smallest"));
    }
  }
  return sentences;
}

std::vector<std::string> not_searched_words(const StudyLayout& layout, const Objective& objective,
                                            const FoundQuestion& question, double best,
                                            space::SearchMethod method) {
  const auto found = std::find(layout.statuses.begin(), layout.statuses.end(), not_searched_status);
  const auto status = static_cast<std::size_t>(found - layout.statuses.begin());
  if (found == layout.statuses.end() || status >= question.statuses.size() ||
      question.statuses[status] == 0) {
    return {};
  }
  const double all = static_cast<double>(
      std::accumulate(question.statuses.begin(), question.statuses.end(), std::int64_t{0}));
  const double bound = objective.to_minimize(question.nearest[status]);
  const double gap = (objective.to_minimize(best) - bound) / std::fabs(best);
  return {fmt::format("[search] left {:.3g} % of the points out: {}",
                      100.0 * static_cast<double>(question.statuses[status]) / all,
                      left_words(bound, gap, method))};
}

std::vector<AllocatedRange> allocated_ranges(const store::StudyReader& reader) {
  const auto text = reader.provenance().find("spec");
  if (text == reader.provenance().end()) {
    return {};
  }
  Diagnostics unread;
  const auto spec = space::read_spec("the spec", text->second, unread);
  if (!spec || !spec->allocation) {
    return {};
  }
  std::vector<AllocatedRange> ranges;
  for (const space::ShareRange& share : spec->allocation->shares) {
    ranges.push_back({share.name, column_name(share.name), share.from, share.to});
  }
  return ranges;
}

bool is_at(double share, double bound) {
  return std::fabs(share - bound) < 1e-6;
}

std::string ends_words(const AllocatedRange& range, double bound) {
  return fmt::format("{} ends at {}, as {} as [allocate] allows", range.name, bound,
                     bound == range.from ? "low" : "high");
}

std::vector<std::string> shares_at_their_bounds(const std::vector<AllocatedRange>& ranges,
                                                const store::Table& points,
                                                const store::Schema& schema, std::size_t row) {
  std::vector<std::string> sentences;
  for (const AllocatedRange& range : ranges) {
    const double share = points.number(position_in(schema, range.column), row);
    for (const double bound : {range.from, range.to}) {
      if (is_at(share, bound)) {
        sentences.push_back(ends_words(range, bound) + ": beyond it may be better");
      }
    }
  }
  return sentences;
}

std::optional<std::string> least_known_label(const store::Table& points,
                                             const store::Schema& schema, std::size_t row) {
  const store::Column* const column = column_with(schema, role::least_known);
  if (column == nullptr) {
    return std::nullopt;
  }
  const auto trait =
      static_cast<std::size_t>(points.number(position_in(schema, column->name), row));
  if (trait + 1 >= column->labels.size()) {  // the last one is none
    return std::nullopt;
  }
  return column->labels[trait];
}

std::vector<std::string> least_known_of(const store::Table& points, const store::Schema& schema,
                                        std::size_t row) {
  const std::optional<std::string> trait = least_known_label(points, schema, row);
  if (!trait) {
    return {};
  }
  const std::string column = column_with(schema, role::least_known)->name;
  // "device not measured": of device, framework and scale; else what the point has.
  const bool says_all = trait->find("not measured") != std::string::npos;
  return {fmt::format("{}{}, which widens the error bar ({} says it of each point)",
                      says_all ? "" : "no measured case has ", *trait, column)};
}

}  // namespace scalesweep::analysis

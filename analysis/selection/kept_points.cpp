#include "analysis/selection/kept_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/file/columns.hpp"
#include "core/text.hpp"
#include "space/stored_rules.hpp"

namespace scalesweep::analysis {
namespace {

using space::KeepPolicy;

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

using Counts = std::map<std::string, std::int64_t>;

// Points that ended so, kept or not; nothing where the file does not say.
std::optional<std::int64_t> points_of(const Counts& counts, const std::string& status) {
  const auto found = counts.find(status);
  return found == counts.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> feasible_points(const store::StudyReader& reader,
                                            const Counts& counts) {
  const store::Column* status = find_column(reader.schema(), status_column);
  return status == nullptr || status->labels.empty() ? std::nullopt
                                                     : points_of(counts, status->labels.front());
}

}  // namespace

std::string transitions_axis_of(const store::StudyReader& reader) {
  const auto search = space::search_of_json(reader.root_attribute("search"));
  return search && search->find == space::SearchFor::transitions ? search->axes.front() : "";
}

space::SearchMethod search_method_of(const store::StudyReader& reader) {
  const auto search = space::search_of_json(reader.root_attribute("search"));
  return search && search->method ? *search->method : space::SearchMethod::bounds;
}

KeptPoints::KeptPoints(const store::StudyReader& reader)
    : reader_(reader), all_(reader.rows() >= reader.done()) {
  const auto text = reader.root_attributes().find("keep");
  const auto rule =
      text == reader.root_attributes().end() ? std::nullopt : space::keep_of_json(text->second);
  known_ = rule && (all_ || rule->policy != KeepPolicy::all);
  rule_ = rule.value_or(space::Keep{});
  objectives_ = default_objectives(reader);
  const Counts counts = reader.counts();
  finds_transitions_ = !transitions_axis_of(reader).empty();
  method_ = search_method_of(reader);
  not_searched_ = points_of(counts, std::string(not_searched_status)).value_or(0);
  all_feasible_ =
      all_ ||
      (known_ && not_searched_ == 0 &&
       (rule_.policy == KeepPolicy::feasible || reader.rows() == feasible_points(reader, counts)));
}

// A column of one value makes no groups.
bool KeptPoints::is_group(const std::string& column) const {
  const store::AxisValues* axis = find_axis(reader_.axes(), column);
  return has(rule_.per, column) || (axis != nullptr && value_count(*axis) <= 1);
}

bool KeptPoints::chose_best_of(const std::string& column) const {
  return known_ && !all_feasible_ && rule_.policy == KeepPolicy::best && !is_group(column);
}

// Whether what is asked for, and of what is asked, are groups of the rule taken together.
bool KeptPoints::groups_are_whole(const Question& asked) const {
  if (!known_ || asked.points) {
    return false;
  }
  std::vector<std::string> columns = asked.per;
  if (!asked.where.empty()) {
    const Condition condition(asked.where, reader_.schema(), reader_.axes());
    columns.insert(columns.end(), condition.columns().begin(), condition.columns().end());
  }
  return std::all_of(columns.begin(), columns.end(),
                     [this](const std::string& column) { return is_group(column); });
}

bool KeptPoints::hold_combinations(const Question& asked) const {
  return all_feasible_ || groups_are_whole(asked);
}

bool KeptPoints::hold_frontier(const Question& asked) const {
  if (all_feasible_) {
    return true;
  }
  if (!groups_are_whole(asked) || asked.depth != 1 || objectives_.empty()) {
    return false;
  }
  const std::vector<Objective> kept_for =
      rule_.policy == KeepPolicy::frontier ? objectives_ : std::vector{objectives_.front()};
  return std::all_of(
      asked.objectives.begin(), asked.objectives.end(), [&](const Objective& objective) {
        return std::find(kept_for.begin(), kept_for.end(), objective) != kept_for.end();
      });
}

bool KeptPoints::hold_best(const Question& asked) const {
  if (all_feasible_ || rule_.policy == KeepPolicy::frontier || asked.depth == 1) {
    return hold_frontier(asked);
  }
  Question one = asked;
  one.depth = 1;
  return asked.depth <= rule_.best_count && hold_frontier(one);
}

std::string KeptPoints::rule_words() const {
  std::string words;
  if (!known_) {
    return "by a rule that is not known here";
  }
  if (rule_.policy == KeepPolicy::feasible) {
    return "those that are feasible";
  }
  if (rule_.policy == KeepPolicy::frontier) {
    words = "the frontier in " + words_of(objectives_);
  } else {
    words = fmt::format("the {}best by {}",
                        rule_.best_count > 1 ? with_thousands(rule_.best_count) + " " : "",
                        objectives_.empty() ? "an objective" : words_of({objectives_.front()}));
  }
  return rule_.per.empty() ? words : words + " of each " + join(rule_.per, ", ");
}

std::string KeptPoints::not_searched_note() const {
  return not_searched_ == 0
             ? ""
             : fmt::format("[search] left {} of {} points out; {}", with_thousands(not_searched_),
                           with_thousands(reader_.done()),
                           finds_transitions_ ? "they may be better: it looked for transitions"
                           : method_ == space::SearchMethod::bounds
                               ? "analyze says how much better the best of them may be"
                           : method_ == space::SearchMethod::model
                               ? "they may be better: analyze says what a model expects of them"
                               : "they may be better: nobody knows by how much");
}

std::string KeptPoints::note(const std::string& meaning) const {
  return fmt::format("the file keeps {} of {} points ({}): {}; {}", with_thousands(reader_.rows()),
                     with_thousands(reader_.done()), rule_words(), meaning,
                     not_searched_ > 0 ? "to ask of more, take [search] out of the spec"
                     : all_feasible_   ? "to ask of all, run it with --keep all"
                                       : "to ask of all that are feasible, run it with --keep "
                                         "feasible");
}

}  // namespace scalesweep::analysis

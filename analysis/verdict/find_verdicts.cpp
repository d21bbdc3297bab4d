#include "analysis/verdict/find_verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "analysis/file/columns.hpp"
#include "analysis/frontier/error_bars.hpp"
#include "analysis/selection/counted_outcomes.hpp"
#include "analysis/selection/kept_points.hpp"
#include "analysis/selection/slice.hpp"
#include "analysis/verdict/attribution.hpp"
#include "analysis/verdict/drawn/fold_draws.hpp"
#include "analysis/verdict/figures.hpp"
#include "analysis/verdict/proposal/proposal.hpp"
#include "analysis/verdict/recipe/find_recipes.hpp"
#include "analysis/verdict/search.hpp"
#include "analysis/verdict/simplicity.hpp"
#include "analysis/verdict/standing.hpp"
#include "analysis/verdict/why/cautions.hpp"
#include "analysis/verdict/why/left_out.hpp"
#include "analysis/verdict/why/obstacle.hpp"
#include "analysis/words/words.hpp"
#include "core/text.hpp"
#include "reduce/choice.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::size_t most_empty = 10'000;  // questions without a row that are listed

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string label_of(const store::AxisValues& axis, std::int64_t index) {
  const auto place = static_cast<std::size_t>(index);
  return index >= 0 && place < axis.labels.size() ? axis.labels[place] : std::to_string(index);
}

// A device before the precision that it runs in: people name the one by the other.
std::vector<const store::AxisValues*> what_is_built_first(
    const std::vector<store::AxisValues>& axes) {
  std::vector<const store::AxisValues*> sorted;
  for (const std::string_view name : along_preference) {
    if (const store::AxisValues* const axis = find_axis(axes, name)) {
      sorted.push_back(axis);
    }
  }
  for (const store::AxisValues& axis : axes) {
    if (std::find(sorted.begin(), sorted.end(), &axis) == sorted.end()) {
      sorted.push_back(&axis);
    }
  }
  return sorted;
}

// Rows of a study that are read in one go, and what they hold by their numbers in the file.
class Points {
 public:
  Points(const store::StudyReader& reader, const StudyLayout& layout,
         const std::vector<std::string>& columns, std::vector<std::int64_t> rows)
      : schema(schema_of(layout.schema, columns)), rows_(std::move(rows)) {
    std::sort(rows_.begin(), rows_.end());
    rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
    table = gather(reader, layout, columns, rows_);
  }

  std::size_t place(std::int64_t row) const {
    return static_cast<std::size_t>(std::lower_bound(rows_.begin(), rows_.end(), row) -
                                    rows_.begin());
  }
  double number(const std::string& column, std::int64_t row) const {
    return table.number(position_in(schema, column), place(row));
  }
  std::vector<double> numbers(const std::vector<std::string>& columns, std::int64_t row) const {
    std::vector<double> values;
    for (const std::string& column : columns) {
      values.push_back(number(column, row));
    }
    return values;
  }

  store::Schema schema;
  store::Table table{store::Schema{}};

 private:
  std::vector<std::int64_t> rows_;  // ascending
};

class Finder {
 public:
  Finder(const store::StudyReader& reader, const StudyLayout& layout,
         const std::vector<std::string>& per, const std::string& where)
      : reader_(reader), layout_(layout), ranges_(known_ranges(reader, layout)) {
    result_.objective = layout.objectives.front();
    const store::Column& column = layout.schema[*layout.column(result_.objective.column)];
    follows_ = follows_time(column);
    if (const store::Column* const bar = error_bar_column(layout.schema, column)) {
      error_bar_ = bar->name;
    }
    if (follows_ != FollowsTime::no) {
      result_.error_bar = error_bar_;
    }
    const auto axis = layout.axis(column.name);
    result_.objective_words = axis ? words(column.name) : column.long_name;
    result_.objective_units = axis ? layout.axes[*axis].units : column.units;
    result_.time_words = layout.time.words;
    result_.per = per;
    result_.strategy = layout.strategy;
    result_.prompts_apart = layout.axis("prefill_device").has_value();
    for (const std::string_view name : along_preference) {
      const store::AxisValues* const given = find_axis(layout.axes, name);
      if (given != nullptr && given->labels.size() == 1 && !has(per, given->name)) {
        result_.given.push_back(
            choice_words({given->name}, {given->labels.front()}, result_.prompts_apart).front());
      }
    }
    const KeptPoints kept(reader);
    const std::vector<std::string> drawn = drawn_with(layout);
    for (const store::AxisValues* one : what_is_built_first(layout.axes)) {
      const bool is_searched =
          std::find(searched_axes.begin(), searched_axes.end(), one->name) != searched_axes.end();
      if (is_searched && one->labels.size() > 1) {
        searched_.push_back(one->name);
      }
      if (one->labels.size() > 1 && !has(per, one->name) && !is_searched &&
          !has(drawn, one->name) && one->name != result_.objective.column) {
        result_.chosen.push_back(one->name);
        if (!kept.chose_best_of(one->name)) {
          result_.compared.push_back(one->name);
        }
      }
    }
    judge_kept_points(kept, where);
    request_ = {result_.objective, per, result_.compared, where, result_.error_bar};
  }

  Verdicts run() {
    std::map<QuestionKey, FoundQuestion> found = search_verdicts(reader_, layout_, request_);
    add_counted_questions(found);
    result_.not_asked += static_cast<std::int64_t>(
        std::erase_if(found, [&](const auto& one) { return was_left_out(layout_, one.second); }));
    choose_layouts(found);
    read_points(found);
    for (const auto& [key, question] : found) {
      result_.answers.push_back(verdict_of(key, question));
    }
    std::stable_partition(result_.answers.begin(), result_.answers.end(),
                          [](const Verdict& verdict) { return verdict.is_answered(); });
    fold_draws(
        layout_,
        [&](const QuestionKey& key) { return question_words(result_.per, key, space::draw_axis); },
        result_);
    result_.recipes =
        find_recipes(reader_, layout_, result_, request_.where,
                     [&](const std::vector<std::string>& per, const QuestionKey& key) {
                       return question_words(per, key);
                     });
    return std::move(result_);
  }

 private:
  static std::vector<AllocatedRange> known_ranges(const store::StudyReader& reader,
                                                  const StudyLayout& layout) {
    std::vector<AllocatedRange> ranges = allocated_ranges(reader);
    std::erase_if(ranges,
                  [&](const AllocatedRange& range) { return !layout.column(range.column); });
    return ranges;
  }

  void judge_kept_points(const KeptPoints& kept, const std::string& where) {
    Question best{{result_.objective}, result_.per, where};
    result_.best_is_whole = kept.hold_best(best);
    best.per.insert(best.per.end(), result_.compared.begin(), result_.compared.end());
    result_.others_are_whole = kept.hold_best(best);
    result_.layouts_are_whole = kept.are_all_feasible();
  }

  // Not of axes that vary together and have values at different places.
  bool is_asked(const std::vector<std::int32_t>& coordinates) const {
    for (const std::vector<std::string>& group : layout_.together) {
      std::optional<std::int32_t> place;
      for (std::size_t i = 0; i < result_.per.size(); ++i) {
        if (has(group, result_.per[i]) && place.value_or(coordinates[i]) != coordinates[i]) {
          return false;
        }
        place = has(group, result_.per[i]) ? coordinates[i] : place;
      }
    }
    return true;
  }

  // A file that keeps all has a row of every point. Of another one what was counted of all points,
  // where the file says so.
  void add_counted_questions(std::map<QuestionKey, FoundQuestion>& found) {
    if (KeptPoints(reader_).are_all()) {
      return;
    }
    const auto counted = counted_outcomes(reader_, layout_, result_.per, request_.where);
    if (!counted) {
      add_questions_without_rows(found);
      return;
    }
    for (const auto& [key, outcomes] : *counted) {
      take_counted(found[key], outcomes);
    }
  }

  // Where questions are made by axes every combination of their values is asked, whether the file
  // keeps a row of it or not.
  void add_questions_without_rows(std::map<QuestionKey, FoundQuestion>& found) {
    std::vector<std::size_t> axes;
    for (const std::string& name : result_.per) {
      const auto axis = layout_.axis(name);
      if (!axis) {
        return;
      }
      axes.push_back(*axis);
    }
    const Grid grid(layout_, axes);
    const LeftOut left_out(reader_, layout_, result_.per);
    for (std::size_t cell = 0; grid.size() <= most_empty && cell < grid.size(); ++cell) {
      const std::vector<std::int32_t> coordinates = grid.coordinates(cell);
      if (left_out.has(coordinates)) {
        ++result_.not_asked;
      } else if (is_asked(coordinates)) {
        found.try_emplace({coordinates.begin(), coordinates.end()});
      }
    }
  }

  // Of points that are as good as the best and as well known the simplest, of equally simple ones
  // the best; or what is better known.
  void choose_layouts(const std::map<QuestionKey, FoundQuestion>& found) {
    std::vector<std::int64_t> rows;
    for (const auto& [key, question] : found) {
      proposals_[key] = proposal_of(question, result_.objective);
      as_good_[key] = 0;
      for (const Near& near : question.near) {
        rows.push_back(near.point.row);
      }
    }
    std::vector<std::string> columns = layout_.strategy;
    for (const std::string& name : layout_.charges) {
      add_once(columns, name);
    }
    for (const std::string& name : searched_) {
      add_once(columns, name);
    }
    if (!result_.error_bar.empty()) {
      add_once(columns, result_.error_bar);
    }
    const Points& points = near_points_.emplace(reader_, layout_, columns, rows);
    for (const auto& [key, question] : found) {
      const Proposal& proposal = proposals_.at(key);
      const Near* simplest = nullptr;
      Complexity least;
      for (const Near& near : question.near) {
        if (!is_as_known(points, near.point, proposal.best)) {
          continue;
        }
        ++as_good_[key];
        const Complexity complexity =
            complexity_of(layout_.strategy, points.numbers(layout_.strategy, near.point.row));
        if (simplest == nullptr || complexity < least) {
          simplest = &near;
          least = complexity;
        }
      }
      taken_[key] = simplest == nullptr || proposal.is_better_known(question) ? proposal.best.point
                                                                              : simplest->point;
    }
  }

  bool is_as_known(const Points& points, const Candidate& point, const KnownBest& best) const {
    if (result_.error_bar.empty() || std::isnan(best.error_bar)) {
      return true;
    }
    return point.row == best.point.row ||
           points.number(result_.error_bar, point.row) <= reduce::as_wide * best.error_bar;
  }

  // The other choices, nearest first. That of a best that gave way is told of by itself.
  std::vector<Candidate> others_of(const QuestionKey& key, const FoundQuestion& question) const {
    const ChoiceKey* const proposed = proposals_.at(key).choice;
    std::vector<Candidate> others;
    for (const auto& [choice, best] : question.best) {
      if (&choice != question.choice && &choice != proposed) {
        others.push_back(best);
      }
    }
    const std::size_t count = std::min(others.size(), most_others);
    std::partial_sort(
        others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count), others.end(),
        [&](const Candidate& a, const Candidate& b) { return is_before(result_.objective, a, b); });
    others.resize(count);
    return others;
  }

  std::vector<std::string> told_columns() const {
    std::vector<std::string> columns = layout_.strategy;
    const auto add = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        add_once(columns, name);
      }
    };
    add(result_.chosen);
    add(layout_.charges);
    add(searched_);
    add(figure_columns(layout_));
    for (const AllocatedRange& range : ranges_) {
      add_once(columns, range.column);
    }
    if (!error_bar_.empty()) {
      add_once(columns, error_bar_);
    }
    if (const store::Column* const least = column_with(layout_.schema, role::least_known)) {
      add_once(columns, least->name);
    }
    return columns;
  }

  void read_points(const std::map<QuestionKey, FoundQuestion>& found) {
    std::vector<std::int64_t> rows;
    for (const auto& [key, question] : found) {
      if (question.choice != nullptr) {
        rows.push_back(taken_.at(key).row);
        rows.push_back(question.best.at(*question.choice).row);
        for (const Candidate& other : others_of(key, question)) {
          rows.push_back(other.row);
        }
      }
    }
    points_.emplace(reader_, layout_, told_columns(), rows);
  }

  // `without`: a column that is not told.
  std::string question_words(const std::vector<std::string>& per, const QuestionKey& key,
                             std::string_view without = "") const {
    std::vector<std::string> parts;
    const std::string model = "model";
    if (const auto axis = layout_.axis(model); axis && !has(per, model)) {
      parts.push_back(join(layout_.axes[*axis].labels, ", "));
    }
    for (std::size_t i = 0; i < key.size(); ++i) {
      if (per[i] == without) {
        continue;
      }
      const auto axis = layout_.axis(per[i]);
      const store::Column& column = layout_.schema[*layout_.column(per[i])];
      const auto place = static_cast<std::size_t>(key[i]);
      const std::string label = axis ? label_of(layout_.axes[*axis], key[i])
                                : place < column.labels.size() ? column.labels[place]
                                                               : std::to_string(key[i]);
      parts.push_back(value_words(per[i], label));
    }
    return join(parts, ", ");
  }

  std::string layout_words(std::int64_t row) const {
    return layout_label(points_->schema, layout_.strategy, points_->numbers(layout_.strategy, row));
  }

  Contender contender(const Candidate& point) const {
    Contender one;
    one.row = point.row;
    one.id = point.id;
    one.value = point.value;
    const double error =
        error_bar_.empty() ? nothing_known : points_->number(error_bar_, point.row);
    one.error_bar = error_bar_of(error, follows_);
    one.is_measured =
        !least_known_label(points_->table, points_->schema, points_->place(point.row));
    for (const std::string& name : result_.chosen) {
      one.choice.push_back(static_cast<std::int32_t>(points_->number(name, point.row)));
      one.labels.push_back(label_of(layout_.axes[*layout_.axis(name)], one.choice.back()));
    }
    one.strategy = points_->numbers(layout_.strategy, point.row);
    one.layout = layout_words(point.row);
    return one;
  }

  // The layouts that tie with the best, if what is taken is one of them; by its own searched
  // budgets.
  std::vector<std::int64_t> tied_with(const FoundQuestion& question, std::int64_t taken) const {
    std::vector<std::int64_t> rows;
    if (!result_.layouts_are_whole) {
      return rows;
    }
    for (const Near& near : question.near) {
      if (near_points_->numbers(searched_, near.point.row) == points_->numbers(searched_, taken)) {
        rows.push_back(near.point.row);
      }
    }
    return std::find(rows.begin(), rows.end(), taken) == rows.end() ? std::vector<std::int64_t>{}
                                                                    : rows;
  }

  void add_ranges(Verdict& verdict, const FoundQuestion& question,
                  const Resources& resources) const {
    const std::vector<std::int64_t> rows = tied_with(question, verdict.taken.row);
    verdict.tied = static_cast<std::int64_t>(rows.size());
    for (const std::int64_t row : rows) {
      const Attribution limits = attribute(resources, near_points_->numbers(layout_.charges, row));
      add_once(verdict.groups, resources.groups[limits.group]);
      for (Limit& limit : verdict.limits) {
        const auto place =
            std::find(resources.names.begin(), resources.names.end(), limit.resource);
        const double share =
            limits.shares[static_cast<std::size_t>(place - resources.names.begin())];
        limit.least = std::min(limit.least, share);
        limit.most = std::max(limit.most, share);
      }
    }
  }

  void add_limits(Verdict& verdict, const FoundQuestion& question) const {
    const Resources resources = make_resources(layout_.resources);
    const Attribution limits =
        attribute(resources, points_->numbers(layout_.charges, verdict.taken.row));
    verdict.groups = {resources.groups[limits.group]};
    verdict.resource = resources.names[limits.resource];
    verdict.group = resources.groups[limits.group];
    verdict.group_share = limits.group_shares[limits.group];
    for (std::size_t i = 0; i < resources.names.size(); ++i) {
      verdict.limits.push_back({resources.names[i], limits.shares[i],
                                gain_of_ten_percent(limits.shares[i]), limits.shares[i],
                                limits.shares[i]});
    }
    std::stable_sort(verdict.limits.begin(), verdict.limits.end(),
                     [](const Limit& a, const Limit& b) { return a.share > b.share; });
    add_ranges(verdict, question, resources);
  }

  Verdict verdict_of(const QuestionKey& key, const FoundQuestion& question) const {
    Verdict verdict;
    verdict.key = key;
    verdict.question = question_words(result_.per, key);
    if (question.choice == nullptr) {
      verdict.obstacle = obstacle_of(layout_, question);
      return verdict;
    }
    const Direction direction = result_.objective.direction;
    verdict.taken = contender(taken_.at(key));
    verdict.best = contender(question.best.at(*question.choice));
    verdict.better_known = proposals_.at(key).is_better_known(question);
    verdict.layouts = as_good_.at(key);
    const Contender& first = verdict.better_known ? verdict.taken : verdict.best;
    verdict.choices = static_cast<std::int64_t>(question.best.size());
    for (const Candidate& other : others_of(key, question)) {
      const Contender one = contender(other);
      verdict.others.push_back({one, gap_of(one.value, first.value, direction),
                                standing_of(one, first, follows_, direction)});
    }
    for (const auto& [choice, best] : question.best) {
      verdict.choice_bests.push_back({choice, best.value, best.id});
    }
    add_limits(verdict, question);
    const std::size_t place = points_->place(verdict.taken.row);
    verdict.figures = figures_of(layout_, points_->table, points_->schema, place);
    verdict.cautions = axes_at_their_ends(layout_, request_, question);
    const auto add = [&](const std::vector<std::string>& sentences) {
      verdict.cautions.insert(verdict.cautions.end(), sentences.begin(), sentences.end());
    };
    add(not_searched_words(layout_, result_.objective, question, verdict.best.value,
                           search_method_of(reader_)));
    add(shares_at_their_bounds(ranges_, points_->table, points_->schema, place));
    add(least_known_of(points_->table, points_->schema, place));
    return verdict;
  }

  const store::StudyReader& reader_;
  const StudyLayout& layout_;
  std::vector<AllocatedRange> ranges_;
  FollowsTime follows_ = FollowsTime::no;
  VerdictRequest request_;
  Verdicts result_;
  std::map<QuestionKey, Proposal> proposals_;
  std::map<QuestionKey, Candidate> taken_;
  std::map<QuestionKey, std::int64_t> as_good_;  // layouts within 1 %
  std::string error_bar_;                        // column; "" where the study has none
  std::vector<std::string> searched_;            // columns of budgets that a search went through
  std::optional<Points> near_points_;            // within 1 % of the best
  std::optional<Points> points_;                 // all that are told
};

}  // namespace

std::vector<std::string> questions_of(const StudyLayout& layout) {
  std::vector<std::string> names;
  for (const std::size_t axis : layout.workloads) {
    names.push_back(layout.axes[axis].name);
  }
  return names;
}

Verdicts find_verdicts(const store::StudyReader& reader, const StudyLayout& layout,
                       const std::vector<std::string>& per, const std::string& where) {
  return Finder(reader, layout, per, where).run();
}

}  // namespace scalesweep::analysis

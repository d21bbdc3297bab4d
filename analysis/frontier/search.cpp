#include "analysis/frontier/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "analysis/file/columns.hpp"
#include "analysis/frontier/groups.hpp"
#include "analysis/selection/slice.hpp"
#include "core/contracts.hpp"
#include "core/failure.hpp"
#include "core/host/parallel.hpp"
#include "core/text.hpp"

// Which members are beyond doubt, in the same pass.
//
// With o(q) the better end of a point and p(m) the worse end of a member, m is in doubt if there is
// a point q, not equal to m, whose o(q) dominates p(m). Not all q need to be kept: it is enough to
// keep those in the first two ranks of non-dominated sorting by the columns of o(q) and, behind
// them, the error bar itself. Equal rows of these columns are one point. If q is in neither rank,
// two different rows dominate it one behind the other; both are nowhere worse than o(q) and so
// dominate p(m) as well; and at most one of the two is m.

namespace scalesweep::analysis {
namespace {

// Rows that wait in builders of one thread before all are reduced: what memory a thread may take
// where a study has very many groups.
constexpr std::size_t most_waiting = 1 << 20;

bool has_integers(const store::Column& column) {
  return column.type != store::ColumnType::f64 && column.type != store::ColumnType::f32;
}

template <typename Values>
Values picked(const Values& values, const std::vector<std::size_t>& places) {
  Values result;
  result.reserve(places.size());
  for (const std::size_t place : places) {
    result.push_back(values[place]);
  }
  return result;
}

// A hash of each key (FNV-1a, a number at a time).
std::vector<std::int64_t> numbers_of(const std::vector<std::vector<std::int64_t>>& keys,
                                     std::size_t rows) {
  constexpr std::uint64_t prime = 1099511628211U;
  std::vector<std::int64_t> numbers(rows, 0);
  for (const std::vector<std::int64_t>& column : keys) {
    for (std::size_t row = 0; row < rows; ++row) {
      const auto mixed =
          static_cast<std::uint64_t>(numbers[row]) ^ static_cast<std::uint64_t>(column[row] + 1);
      numbers[row] = static_cast<std::int64_t>(mixed * prime);
    }
  }
  return numbers;
}

std::string fulfilling(const FrontierRequest& request) {
  return request.where.empty() ? "" : fmt::format(" that fulfil \"{}\"", request.where);
}

}  // namespace

// Selected rows as the builders take them.
struct FrontierSearch::Block {
  std::vector<std::int64_t> rows;
  // Objectives, then the error bars, then whether all was measured.
  std::vector<std::vector<double>> nominal;
  std::vector<std::vector<double>> optimistic;  // better ends, then the error bars; empty: none

  Block at(const std::vector<std::size_t>& places) const {
    Block block{picked(rows, places), {}, {}};
    for (const std::vector<double>& column : nominal) {
      block.nominal.push_back(picked(column, places));
    }
    for (const std::vector<double>& column : optimistic) {
      block.optimistic.push_back(picked(column, places));
    }
    return block;
  }
};

FrontierSearch::FrontierSearch(const store::Schema& schema,
                               const std::vector<store::AxisValues>& axes, FrontierRequest request)
    : request_(std::move(request)) {
  layout_.schema = schema;
  layout_.axes = axes;
  SCALESWEEP_EXPECT(request_.ranks >= 1);
  std::sort(request_.ids.begin(), request_.ids.end());
  check_objectives(layout_, request_.objectives);
  check_groups();
  if (!request_.where.empty()) {
    where_.emplace(request_.where, schema, axes);
  }
  if (const store::Column* const bar = column_with(layout_.schema, role::uncertainty)) {
    bars_.push_back(bar->name);
  }
  for (const Objective& objective : request_.objectives) {
    follows_.push_back(follows_of(schema[layout_.column(objective.column).value()]));
  }
  error_bars_ = request_.error_bars && !bars_.empty();
  const store::Column* const least = column_with(layout_.schema, role::least_known);
  least_known_ = error_bars_ && least != nullptr ? least->name : "";
  collect_columns();
}

// Takes the bar of the figure along where it is not among those of the search yet.
Follows FrontierSearch::follows_of(const store::Column& figure) {
  const store::Column* const bar = error_bar_column(layout_.schema, figure);
  if (bars_.empty() || bar == nullptr) {
    return {follows_time(figure), 0};
  }
  auto found = std::find(bars_.begin(), bars_.end(), bar->name);
  if (found == bars_.end()) {
    found = bars_.insert(found, bar->name);
  }
  return {follows_time(figure), static_cast<std::size_t>(found - bars_.begin())};
}

void FrontierSearch::check_groups() const {
  for (const std::string& name : request_.per) {
    const auto column = layout_.column(name);
    if (!column) {
      refuse(fmt::format("no frontier per '{}': the study has no such column{}", name,
                         suggestion(name, names_of(layout_.schema))));
    }
    if (!has_integers(layout_.schema[*column])) {
      refuse(
          fmt::format("no frontier per '{}': its values are measured, almost every point has "
                      "one of its own; name an axis, or a column of integers or names",
                      name));
    }
    if (std::count(request_.per.begin(), request_.per.end(), name) > 1) {
      refuse(fmt::format("a frontier per '{}': it is named twice", name));
    }
  }
}

void FrontierSearch::collect_columns() {
  const auto need = [this](const std::string& name) {
    if (std::find(columns_.begin(), columns_.end(), name) == columns_.end()) {
      columns_.push_back(name);
    }
  };
  if (!layout_.column(std::string(status_column))) {
    refuse(fmt::format("the study has no column '{}', which says what is feasible", status_column));
  }
  need(std::string(status_column));
  if (!request_.ids.empty()) {
    need(std::string(point_id_column));
  }
  for (const Objective& objective : request_.objectives) {
    need(objective.column);
  }
  for (const std::string& name : request_.per) {
    need(name);
  }
  if (where_) {
    for (const std::string& name : where_->columns()) {
      need(name);
    }
  }
  for (const std::string& bar : searched_bars()) {
    need(bar);
  }
  if (!least_known_.empty()) {
    need(least_known_);
  }
}

FrontierSearch::Part FrontierSearch::part() const {
  Part part;
  part.ranges.resize(request_.objectives.size());
  const store::Column& status = layout_.schema[layout_.column(std::string(status_column)).value()];
  part.others.resize(status.labels.size() + 1);
  return part;
}

FrontierSearch::Part::Group FrontierSearch::new_group() const {
  const std::size_t objectives = request_.objectives.size();
  Part::Group group{0, reduce::FrontierBuilder(objectives, request_.ranks, carried()),
                    std::nullopt};
  if (error_bars_) {
    group.optimistic.emplace(objectives + bars_.size(), 2);
  }
  return group;
}

FrontierSearch::Part::Group& FrontierSearch::group_of(Part& part, const Key& key) const {
  const auto found = part.groups.find(key);
  return found != part.groups.end() ? found->second
                                    : part.groups.emplace(key, new_group()).first->second;
}

// Of the rows of a block, by condition and id; empty: all.
std::vector<std::uint8_t> FrontierSearch::asked_for(const store::Table& table,
                                                    const store::Schema& schema) const {
  std::vector<std::uint8_t> holds;
  if (where_) {
    where_->select(table, schema, holds);
  }
  if (!request_.ids.empty()) {
    holds.resize(table.rows(), 1);
    const std::vector<std::int64_t> ids = integers(table, schema, std::string(point_id_column));
    for (std::size_t place = 0; place < ids.size(); ++place) {
      const bool wanted = std::binary_search(request_.ids.begin(), request_.ids.end(), ids[place]);
      holds[place] = wanted ? holds[place] : 0;
    }
  }
  return holds;
}

SelectedRows FrontierSearch::select(Part& part, const store::Table& table,
                                    const store::Schema& schema, std::int64_t first_row) const {
  SelectedRows selected;
  selected.holds = asked_for(table, schema);
  const std::vector<std::uint8_t>& holds = selected.holds;
  const std::vector<std::int64_t> status = integers(table, schema, std::string(status_column));
  for (std::size_t place = 0; place < status.size(); ++place) {
    if (status[place] != 0) {
      const auto last = static_cast<std::int64_t>(part.others.size()) - 1;
      part.others[static_cast<std::size_t>(std::clamp<std::int64_t>(status[place], 0, last))] +=
          holds.empty() || holds[place] != 0 ? 1 : 0;
      continue;
    }
    ++part.feasible;
    if (holds.empty() || holds[place] != 0) {
      selected.places.push_back(place);
      selected.rows.push_back(first_row + static_cast<std::int64_t>(place));
    }
  }
  part.selected += static_cast<std::int64_t>(selected.rows.size());
  for (std::size_t i = 0; i < request_.objectives.size(); ++i) {
    const Objective& objective = request_.objectives[i];
    selected.objectives.push_back(
        picked(quantities(layout_, table, schema, objective.column), selected.places));
    Part::Range& range = part.ranges[i];
    for (double& value : selected.objectives.back()) {
      if (!std::isnan(value)) {
        range.least = range.any ? std::min(range.least, value) : value;
        range.most = range.any ? std::max(range.most, value) : value;
        range.any = true;
      }
      value = objective.direction == Direction::maximize ? -value : value;
    }
  }
  return selected;
}

std::vector<std::vector<std::int64_t>> FrontierSearch::keys_of(const SelectedRows& selected,
                                                               const store::Table& table,
                                                               const store::Schema& schema) const {
  std::vector<std::vector<std::int64_t>> keys;
  for (const std::string& name : request_.per) {
    const auto axis = layout_.axis(name);
    keys.push_back(
        picked(axis ? axis_indices(layout_, table, schema, *axis) : integers(table, schema, name),
               selected.places));
  }
  return keys;
}

// Of rows, by column of bars_.
std::vector<std::vector<double>> FrontierSearch::bars_of(const SelectedRows& selected,
                                                         const store::Table& table,
                                                         const store::Schema& schema) const {
  std::vector<std::vector<double>> bars;
  for (const std::string& name : searched_bars()) {
    bars.push_back(picked(numbers(table, schema, name), selected.places));
  }
  return bars;
}

// 1 where nothing of a row was measured nowhere, or nobody says.
std::vector<double> FrontierSearch::measured_of(const SelectedRows& selected,
                                                const store::Table& table,
                                                const store::Schema& schema) const {
  std::vector<double> measured(selected.rows.size(), 1.0);
  if (least_known_.empty()) {
    return measured;
  }
  const std::size_t column = position_in(schema, least_known_);
  const auto none = static_cast<double>(schema[column].labels.size()) - 1.0;
  for (std::size_t row = 0; row < measured.size(); ++row) {
    measured[row] = table.number(column, selected.places[row]) < none ? 0.0 : 1.0;
  }
  return measured;
}

// Better ends, then the error bars: 0 where one is not known.
std::vector<std::vector<double>> FrontierSearch::optimistic_ends(
    Part& part, const SelectedRows& selected, std::vector<std::vector<double>> bars) const {
  for (std::size_t row = 0; row < selected.rows.size(); ++row) {
    bool known = true;
    for (std::vector<double>& bar : bars) {
      known = known && !std::isnan(bar[row]);
      bar[row] = bar[row] > 0.0 ? bar[row] : 0.0;
    }
    part.without_error_bar += known ? 0 : 1;
  }
  std::vector<std::vector<double>> ends = selected.objectives;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (follows_[i].how == FollowsTime::no) {
      continue;
    }
    const Direction direction = request_.objectives[i].direction;
    const std::vector<double>& bar = bars[follows_[i].bar];
    for (std::size_t row = 0; row < bar.size(); ++row) {
      const double value = direction == Direction::maximize ? -ends[i][row] : ends[i][row];
      ends[i][row] = ends_of(value, follows_[i].how, direction, bar[row]).optimistic;
    }
  }
  std::move(bars.begin(), bars.end(), std::back_inserter(ends));
  return ends;
}

void FrontierSearch::add_group(Part& part, const Key& key, const Block& block) const {
  Part::Group& group = group_of(part, key);
  group.candidates += static_cast<std::int64_t>(block.rows.size());
  group.nominal.add(
      std::vector<std::span<const double>>(block.nominal.begin(), block.nominal.end()), block.rows);
  if (group.optimistic) {
    group.optimistic->add(
        std::vector<std::span<const double>>(block.optimistic.begin(), block.optimistic.end()),
        block.rows);
  }
}

SelectedRows FrontierSearch::add(Part& part, const store::Table& table, const store::Schema& schema,
                                 std::int64_t first_row) const {
  SelectedRows selected = select(part, table, schema, first_row);
  Block block{selected.rows, selected.objectives, {}};
  if (error_bars_) {
    std::vector<std::vector<double>> bars = bars_of(selected, table, schema);
    block.nominal.insert(block.nominal.end(), bars.begin(), bars.end());
    block.nominal.push_back(measured_of(selected, table, schema));
    block.optimistic = optimistic_ends(part, selected, std::move(bars));
  }
  const std::vector<std::vector<std::int64_t>> keys = keys_of(selected, table, schema);
  selected.groups = numbers_of(keys, selected.rows.size());
  std::map<Key, std::vector<std::size_t>> members;
  std::vector<std::size_t>* last = nullptr;
  Key last_key;
  for (std::size_t row = 0; row < selected.rows.size(); ++row) {
    Key key;
    for (const std::vector<std::int64_t>& column : keys) {
      key.push_back(column[row]);
    }
    if (last == nullptr || key != last_key) {
      last = &members[key];
      last_key = std::move(key);
    }
    last->push_back(row);
  }
  for (const auto& [key, rows] : members) {
    add_group(part, key, members.size() == 1 ? block : block.at(rows));
  }
  std::size_t waiting = 0;
  for (const auto& [key, group] : part.groups) {
    waiting += group.nominal.waiting() + (group.optimistic ? group.optimistic->waiting() : 0);
  }
  for (auto& [key, group] : part.groups) {
    if (waiting > most_waiting && group.nominal.waiting() > 1) {
      group.nominal.reduce();
    }
    if (waiting > most_waiting && group.optimistic && group.optimistic->waiting() > 1) {
      group.optimistic->reduce();
    }
  }
  return selected;
}

void FrontierSearch::merge(Part& into, Part& part) const {
  for (auto& [key, group] : part.groups) {
    const auto found = into.groups.find(key);
    if (found == into.groups.end()) {
      into.groups.emplace(key, std::move(group));
      continue;
    }
    found->second.candidates += group.candidates;
    found->second.nominal.merge(group.nominal);
    if (group.optimistic) {
      found->second.optimistic->merge(*group.optimistic);
    }
  }
  for (std::size_t i = 0; i < part.ranges.size(); ++i) {
    Part::Range& range = into.ranges[i];
    if (part.ranges[i].any) {
      range.least = range.any ? std::min(range.least, part.ranges[i].least) : part.ranges[i].least;
      range.most = range.any ? std::max(range.most, part.ranges[i].most) : part.ranges[i].most;
      range.any = true;
    }
  }
  into.feasible += part.feasible;
  into.selected += part.selected;
  into.without_error_bar += part.without_error_bar;
  for (std::size_t status = 0; status < part.others.size(); ++status) {
    into.others[status] += part.others[status];
  }
  part.groups.clear();
}

void FrontierSearch::check_found(const Part& found) const {
  if (found.feasible > 0 && found.selected == 0) {
    refuse(
        fmt::format("nothing is left to compare: none of the {} feasible points fulfils \"{}\"; "
                    "ask for less",
                    with_thousands(found.feasible), request_.where));
  }
  for (std::size_t i = 0; i < found.ranges.size(); ++i) {
    if (request_.refuse_missing && found.selected > 0 && !found.ranges[i].any) {
      refuse(missing_objective(found, i) + ": leave it out");
    }
  }
}

std::string FrontierSearch::missing_objective(const Part& found, std::size_t objective) const {
  return fmt::format("the objective '{}' has no number at any of the {} feasible points{}",
                     request_.objectives[objective].column, with_thousands(found.selected),
                     fulfilling(request_));
}

std::vector<std::string> FrontierSearch::notes_of(const Part& found) const {
  std::vector<std::string> notes;
  if (found.feasible == 0) {
    notes.push_back("no feasible point was found: there is no frontier");
    return notes;
  }
  if (found.selected < found.feasible) {
    notes.push_back(fmt::format("{} of {} feasible points fulfil \"{}\"",
                                with_thousands(found.selected), with_thousands(found.feasible),
                                request_.where));
  }
  for (std::size_t i = 0; i < found.ranges.size(); ++i) {
    const Part::Range& range = found.ranges[i];
    if (!range.any) {
      notes.push_back(missing_objective(found, i) + ": the frontier is empty; name others");
    }
    if (range.any && range.least == range.most && found.selected > 1) {
      notes.push_back(fmt::format("the objective '{}' is {} at every point{}: it decides nothing",
                                  request_.objectives[i].column, range.least,
                                  fulfilling(request_)));
    }
  }
  if (error_bars_ && found.without_error_bar > 0) {
    notes.push_back(fmt::format(
        "{} points have no error bar: no member of the frontier among them is beyond doubt, and "
        "beside others they are taken as certain",
        with_thousands(found.without_error_bar)));
  }
  const bool any_follows = std::any_of(follows_.begin(), follows_.end(), [](const Follows& one) {
    return one.how != FollowsTime::no;
  });
  if (error_bars_ && !any_follows) {
    notes.push_back("the error bars of the study are of its time, which no objective follows");
  }
  return notes;
}

FrontierResult FrontierSearch::finish(std::vector<Part>& parts) const {
  SCALESWEEP_EXPECT(!parts.empty());
  Part& found = parts.front();
  for (std::size_t p = 1; p < parts.size(); ++p) {
    merge(found, parts[p]);
  }
  check_found(found);
  FrontierResult result;
  result.objectives = request_.objectives;
  result.feasible_rows = found.feasible;
  result.selected_rows = found.selected;
  result.has_error_bars = error_bars_;
  result.ranks = request_.ranks;
  const store::Column& status = layout_.schema[layout_.column(std::string(status_column)).value()];
  for (std::size_t s = 0; s < found.others.size(); ++s) {
    if (found.others[s] > 0) {
      result.other_statuses[s < status.labels.size() ? status.labels[s] : "unknown"] =
          found.others[s];
    }
  }
  result.notes = notes_of(found);
  std::vector<std::pair<const Key, Part::Group>*> sources;
  for (auto& group : found.groups) {
    sources.push_back(&group);
  }
  std::vector<FrontierGroup> groups(sources.size());
  std::vector<std::int64_t> with_nan(sources.size());
  const std::int64_t steps = reduce::hypervolume_steps /
                             static_cast<std::int64_t>(std::max<std::size_t>(sources.size(), 1));
  std::vector<int> threads(thread_count(request_.reading.threads));
  for_each_parallel(threads, sources.size(), [&](int&, std::size_t g) {
    Part::Group& group = sources[g]->second;
    with_nan[g] = group.nominal.rows_with_nan();
    groups[g] = finished_group(request_.objectives, group.nominal.finish(), searched_bars().size());
    groups[g].key = sources[g]->first;
    groups[g].candidates = group.candidates - with_nan[g];
    if (error_bars_) {
      judge_members(groups[g], request_.objectives, follows_, group.optimistic->finish());
    }
    measure_group(groups[g], request_.objectives, steps);
  });
  result.without_objective = std::accumulate(with_nan.begin(), with_nan.end(), std::int64_t{0});
  for (FrontierGroup& group : groups) {
    if (group.candidates > 0) {
      result.groups.push_back(std::move(group));
    }
  }
  add_notes_of_groups(result);
  return result;
}

}  // namespace scalesweep::analysis

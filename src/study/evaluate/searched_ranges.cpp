// The inner loop of a study with [search]: of ids that differ in searched axes alone, the devices
// that are looked at, and the rows of those among the ids that are asked for.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/contracts.hpp"
#include "study/evaluate/ranges.hpp"
#include "study/search/boxes.hpp"
#include "study/search/model_search.hpp"
#include "study/search/transitions.hpp"
#include "technology/derive/envelope.hpp"

namespace scalesweep::study {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A place in the grid for each combination of the ends of a box, once where they are the same.
std::vector<GridPlace> corner_places(const GridBox& box) {
  std::vector<GridPlace> places = {box.low};
  for (std::size_t axis = 0; axis < box.low.size(); ++axis) {
    if (box.low[axis] == box.high[axis]) {
      continue;
    }
    const std::size_t known = places.size();
    for (std::size_t i = 0; i < known; ++i) {
      places.push_back(places[i]);
      places.back()[axis] = box.high[axis];
    }
  }
  return places;
}

// What all of them lack in the same way, nothing in between has.
bool none_there(const std::vector<SystemChoice>& choices) {
  return std::all_of(choices.begin(), choices.end(), [&](const SystemChoice& choice) {
    return choice.status != Status::ok && choice.status == choices.front().status;
  });
}

std::vector<technology::Derivation> derivations_of(const std::vector<SystemChoice>& choices) {
  std::vector<technology::Derivation> derivations;
  for (const SystemChoice& choice : choices) {
    derivations.push_back(*choice.derivation);
  }
  return derivations;
}

// Nothing where one is not known.
std::optional<technology::Ownership> least_ownership_of(const std::vector<SystemChoice>& choices) {
  std::vector<technology::Ownership> owned;
  for (const SystemChoice& choice : choices) {
    if (!choice.ownership) {
      return std::nullopt;
    }
    owned.push_back(*choice.ownership);
  }
  return technology::least_ownership(owned);
}

// Where objectives are searched axes, the best end of the box.
std::vector<std::int32_t> best_ends(std::vector<std::int32_t> axis_index,
                                    std::size_t first_searched, const GridBox& box,
                                    const std::vector<ObjectiveSource>& objectives) {
  for (const ObjectiveSource& source : objectives) {
    if (source.from == ObjectiveSource::From::axis && source.index >= first_searched) {
      const std::size_t axis = source.index - first_searched;
      const double low = source.objective.to_minimize(0.0);
      const double high = source.objective.to_minimize(1.0);
      axis_index[source.index] = low < high ? box.low[axis] : box.high[axis];
    }
  }
  return axis_index;
}

// What is better by so much at most may stay for all that matters.
std::vector<double> worse_by(double tolerance, std::span<const double> least) {
  std::vector<double> values(least.begin(), least.end());
  for (double& value : values) {
    value += std::isfinite(value) ? tolerance * std::fabs(value) : 0.0;
  }
  return values;
}

// A device that was looked at.
struct LookedAt {
  space::Run run;
  StatusTally tally;
  std::size_t first_row = 0;  // of those that were found
  std::size_t last_row = 0;
};

// What was found of ids that differ in searched axes alone.
struct SearchedDevices {
  IdRange ids;
  std::vector<LookedAt> devices;  // by their ids
  store::Table rows;
  double least_left = 0.0;  // BoxesSearched, PlacesSearched
  std::int64_t skipped = 0;
};

class SearchedRanges final : public Ranges {
 public:
  SearchedRanges(PointRows& rows, OutcomeTally& outcomes)
      : rows_(rows),
        plan_(rows.plan()),
        outcomes_(outcomes),
        search_(plan_.search),
        device_rows_(plan_.schema) {}

  void append(IdRange ids, engine::RangeResult& result) override;

 private:
  void search_devices(IdRange searched);
  void search_best(IdRange searched);
  void search_without_bounds(IdRange searched);
  void search_transitions(IdRange searched);
  std::optional<std::vector<double>> least_of(IdRange searched, const GridBox& box,
                                              Incumbents& incumbents);
  // Where `incumbents` are not null, for rows that can be kept beside those alone.
  void look_at(const space::Run& run, Incumbents* incumbents);
  std::int64_t append_stayed(const space::Run& run, IdRange ids, store::Table& to,
                             StatusTally& tally, Incumbents* incumbents);
  void append_looked_at(IdRange ids, engine::RangeResult& result);

  PointRows& rows_;
  const EvaluationPlan& plan_;
  OutcomeTally& outcomes_;
  std::optional<Search> search_;             // where there are bounds
  store::Table device_rows_;                 // of a device without bounds
  std::optional<SearchedDevices> searched_;  // the last ones
  std::optional<Combination> box_;           // of devices, the last one that was bounded
};

// The least that any strategy takes on any device of a box, by the envelope of its corners.
std::optional<std::vector<double>> SearchedRanges::least_of(IdRange searched, const GridBox& box,
                                                            Incumbents& incumbents) {
  const space::Run run = plan_.space.searched_run(searched, box.low);
  const Resolver& resolver = plan_.resolver;
  Job job = resolver.job(run.axis_index);
  std::vector<SystemChoice> choices;
  for (const GridPlace& place : corner_places(box)) {
    choices.push_back(resolver.system(plan_.space.searched_run(searched, place).axis_index, job));
  }
  const std::size_t objectives = search_->objectives().size();
  if (none_there(choices)) {
    const space::Run middle = plan_.space.searched_run(searched, box.middle());
    choices.push_back(resolver.system(middle.axis_index, job));
    return none_there(choices) ? std::optional(std::vector<double>(objectives, infinity))
                               : std::nullopt;
  }
  const auto envelope = technology::envelope_of(derivations_of(choices));
  if (!envelope || !choices.front().system) {
    return std::nullopt;
  }
  auto fastest = std::make_shared<SystemChoice>();
  fastest->system = choices.front().system;
  fastest->system->device = envelope->fastest;
  fastest->system->scale_up() = envelope->scale_up;
  Combination next;
  next.system = fastest;
  next.figures.work_units = job.work_units;
  next.figures.accelerators = resolver.accelerators(run.axis_index);
  next.figures.memory_capacity_bytes = envelope->fastest.dram.capacity.si();
  next.figures.ownership = least_ownership_of(choices);
  next.estimator = plan_.kind.estimator(std::move(job), *next.system, plan_.operators,
                                        box_ ? box_->estimator.get() : nullptr);
  box_ = std::move(next);
  const std::vector<std::int32_t> ends = best_ends(
      run.axis_index, plan_.space.axes().size() - box.low.size(), box, search_->objectives());
  const RunSearch search = {search_->objectives(), ends, plan_.phases, incumbents};
  std::vector<double> least(objectives);
  box_->estimator->least_within({run.strategies, *envelope, box_->figures, search}, least);
  return least;
}

// Rows of one device; returns how many points a bound left out. Where nobody knows bounds all are
// estimated.
std::int64_t SearchedRanges::append_stayed(const space::Run& run, IdRange ids, store::Table& to,
                                           StatusTally& tally, Incumbents* incumbents) {
  if (search_) {
    Incumbents none = search_->new_group();
    RunSearch search = {search_->objectives(), run.axis_index, plan_.phases,
                        incumbents != nullptr ? *incumbents : none};
    rows_.append_found(run, ids, to, tally, search);
    return search.skipped;
  }
  device_rows_.clear();
  RowWriter writer = writer_of(device_rows_, plan_);
  rows_.append_judged(run, ids, rows_.combination(run), Rows::feasible, device_rows_, writer,
                      tally);
  for (const std::size_t row : plan_.keep.select(device_rows_)) {
    to.append_row(device_rows_, row);
  }
  return 0;
}

void SearchedRanges::look_at(const space::Run& run, Incumbents* incumbents) {
  LookedAt device = {run, StatusTally(plan_.statuses), searched_->rows.rows()};
  searched_->skipped += append_stayed(run, run.ids, searched_->rows, device.tally, incumbents);
  device.last_row = searched_->rows.rows();
  searched_->devices.push_back(std::move(device));
}

// Each value has a best of its own.
void SearchedRanges::search_transitions(IdRange searched) {
  const std::int32_t values = plan_.space.searched_sizes().front();
  find_changes(values, plan_.grid_search->first_values, [&](std::int32_t value) {
    look_at(plan_.space.searched_run(searched, std::vector{value}), nullptr);
    const LookedAt& device = searched_->devices.back();
    return device.first_row < device.last_row
               ? limits_of(searched_->rows, plan_.schema, device.first_row)
               : PointLimits{};
  });
  searched_->least_left = unknown_distance;
}

void SearchedRanges::search_best(IdRange searched) {
  Incumbents incumbents = search_->new_group();
  const double tolerance = plan_.grid_search->tolerance;
  const BoxWork work = {[&](const GridBox& box) { return least_of(searched, box, incumbents); },
                        [&](const GridPlace& place) {
                          const double before = incumbents.best();
                          look_at(plan_.space.searched_run(searched, place), &incumbents);
                          return incumbents.best() < before;
                        },
                        [&](std::span<const double> least) {
                          return least.front() < infinity &&
                                 incumbents.can_be_kept(worse_by(tolerance, least));
                        }};
  const std::vector<std::int32_t> sizes = plan_.space.searched_sizes();
  const BoxesSearched found =
      search_boxes(sizes, search_->objectives().size(), work, *plan_.grid_search->most_devices);
  searched_->least_left = found.least_left;
}

// Each device for itself: a model asks what the best of it is, however good others are.
void SearchedRanges::search_without_bounds(IdRange searched) {
  const LookAt values_at = [&](const GridPlace& place) {
    look_at(plan_.space.searched_run(searched, place), nullptr);
    const LookedAt& device = searched_->devices.back();
    std::vector<std::vector<double>> values;
    for (std::size_t row = device.first_row; row < device.last_row; ++row) {
      values.push_back(plan_.keep.deciding_values(searched_->rows, row));
    }
    return values;
  };
  const space::AxisSearch& asked = *plan_.grid_search;
  const std::vector<std::int32_t> sizes = plan_.space.searched_sizes();
  const PlacesSearched found = asked.finds_by(space::SearchMethod::climb)
                                   ? search_by_climbing(sizes, values_at, *asked.most_devices)
                                   : search_by_model(sizes, plan_.keep.deciding_count(), values_at,
                                                     asked.tolerance, *asked.most_devices);
  searched_->least_left = found.least_left;
}

// What is found depends on these ids alone: no other incumbents help.
void SearchedRanges::search_devices(IdRange searched) {
  searched_.emplace(SearchedDevices{searched, {}, store::Table(plan_.schema)});
  if (plan_.grid_search->find == space::SearchFor::transitions) {
    search_transitions(searched);
  } else if (plan_.grid_search->finds_by(space::SearchMethod::bounds)) {
    search_best(searched);
  } else {
    search_without_bounds(searched);
  }
  std::sort(searched_->devices.begin(), searched_->devices.end(),
            [](const LookedAt& a, const LookedAt& b) { return a.run.ids.first < b.run.ids.first; });
}

// Of ids of the last devices that were searched.
void SearchedRanges::append_looked_at(IdRange ids, engine::RangeResult& result) {
  const std::vector<std::int64_t>& row_ids = searched_->rows.values<std::int64_t>(0);
  std::int64_t looked_at = 0;
  for (const LookedAt& device : searched_->devices) {
    const IdRange part = {std::max(ids.first, device.run.ids.first),
                          std::min(ids.last, device.run.ids.last)};
    if (part.first >= part.last) {
      continue;
    }
    looked_at += part.size();
    if (part == device.run.ids) {
      outcomes_.add(device.run, device.tally, result);
    } else {  // cut by the end of a lease: counted again, and nothing is found
      store::Table rows(plan_.schema);
      StatusTally tally(plan_.statuses);
      append_stayed(device.run, part, rows, tally, nullptr);
      outcomes_.add(device.run, tally, result);
    }
    for (std::size_t row = device.first_row; row < device.last_row; ++row) {
      if (part.first <= row_ids[row] && row_ids[row] < part.last) {
        result.rows.append_row(searched_->rows, row);
      }
    }
  }
  if (looked_at < ids.size()) {
    StatusTally left(plan_.statuses);
    left.counts[*plan_.not_searched] = ids.size() - looked_at;
    left.nearest[*plan_.not_searched] = searched_->least_left;
    outcomes_.add(plan_.space.run_at(ids.first), left, result);
  }
}

void SearchedRanges::append(IdRange ids, engine::RangeResult& result) {
  for (PointId id = ids.first; id < ids.last;) {
    const IdRange searched = plan_.space.searched_ids(plan_.space.run_at(id));
    if (!searched_ || searched_->ids != searched) {
      search_devices(searched);
    }
    const PointId end = std::min(searched.last, ids.last);
    append_looked_at({id, end}, result);
    if (searched.first >= ids.first) {
      result.skipped += searched_->skipped;
    }
    id = end;
  }
}

}  // namespace

std::unique_ptr<Ranges> searched_ranges(PointRows& rows, OutcomeTally& outcomes) {
  return std::make_unique<SearchedRanges>(rows, outcomes);
}

}  // namespace scalesweep::study

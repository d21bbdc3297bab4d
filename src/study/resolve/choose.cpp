#include "study/resolve/choose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "core/contracts.hpp"
#include "core/names.hpp"
#include "core/text.hpp"
#include "parallel/fields.hpp"
#include "space/axes/together.hpp"
#include "study/sample.hpp"

namespace scalesweep::study {
namespace {

Failure usage(const std::string& message) {
  return Failure(ExitCode::usage, message);
}

std::vector<std::string> names_of(const std::vector<CoordinateText>& texts) {
  std::vector<std::string> names;
  for (const CoordinateText& text : texts) {
    names.push_back(text.name);
  }
  return names;
}

const Setting* setting_of(const std::vector<Setting>& settings, const std::string& name) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& setting) { return setting.name == name; });
  return found == settings.end() ? nullptr : &*found;
}

// As coordinates write a value of the field: "on" for "true", "full" for "Full".
std::string word_of(const parallel::Field& field, const std::string& value) {
  if (field.kind == parallel::FieldKind::truth && (value == "true" || value == "false")) {
    return parallel::text_of(field, value == "true" ? 1 : 0);
  }
  const std::vector<std::string> words(field.words.begin(), field.words.end());
  const auto found = find_name(value, words);
  return found ? words[*found] : value;
}

// The label of a value of the axis.
std::string label_of(const space::Axis& axis, const std::string& value) {
  const auto found = find_name(value, axis.labels, axis.written);
  if (!found) {
    throw usage(fmt::format("--set {}={}: the study has no such value{}", axis.name, value,
                            suggestion(value, axis.labels)));
  }
  return axis.labels[*found];
}

// With the names of coordinates in the place of short ones, and values as they are written there.
std::vector<Setting> settled(const Study& study, const std::vector<Setting>& settings) {
  const std::vector<std::string> known = names_of(coordinates(study, study.point_at(0)));
  const std::vector<space::Axis>& axes = study.space().axes();
  std::vector<Setting> result;
  for (const Setting& setting : settings) {
    Setting one = setting;
    if (const auto axis = space::find_axis(axes, setting.name)) {
      one.value = label_of(axes[*axis], setting.value);
    } else if (const parallel::Field* field = parallel::find_field(setting.name)) {
      one = {std::string(field->name), word_of(*field, setting.value)};
    }
    if (std::find(known.begin(), known.end(), one.name) == known.end()) {
      throw usage(fmt::format("--set {}: a point of this study has no '{}'{}", setting.name,
                              one.name, suggestion(one.name, known)));
    }
    if (setting_of(result, one.name) != nullptr) {
      throw usage(fmt::format("--set {}: given twice; a point has one value of it", setting.name));
    }
    result.push_back(std::move(one));
  }
  return result;
}

struct AxisChoice {
  std::vector<std::int32_t> index;
  std::vector<std::string> open;  // axes that took their first of several values
  bool allocates = false;         // all values of `allocation`, the last axis, are to be tried
};

// The place of the value that is set; nothing if none is.
std::optional<std::size_t> set_place(const space::Axis& axis,
                                     const std::vector<Setting>& settings) {
  const Setting* setting = setting_of(settings, axis.name);
  if (setting == nullptr) {
    return std::nullopt;
  }
  const auto found = std::find(axis.labels.begin(), axis.labels.end(), setting->value);
  return static_cast<std::size_t>(found - axis.labels.begin());
}

// That which is set for an axis or for those that vary together with it, by the place of the one
// whose index they have. Throws where two of them are at different places.
std::map<std::size_t, std::size_t> set_places(const std::vector<space::Axis>& axes,
                                              const std::vector<Setting>& settings) {
  std::map<std::size_t, std::size_t> places;
  std::map<std::size_t, std::size_t> by;  // the axis that was set
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const auto place = set_place(axes[a], settings);
    if (!place) {
      continue;
    }
    const std::size_t leader = space::leader_of(axes, a);
    const auto [found, is_new] = places.try_emplace(leader, *place);
    const space::Axis& other = axes[by.try_emplace(leader, a).first->second];
    if (found->second != *place) {
      throw usage(
          fmt::format("--set {0}={1}: {0} varies together with {2} and is {3} where that is {4}",
                      axes[a].name, axes[a].labels[*place], other.name,
                      axes[a].labels[found->second], other.labels[found->second]));
    }
  }
  return places;
}

AxisChoice choose_axes(const Study& study, const std::vector<Setting>& settings) {
  AxisChoice choice;
  const std::vector<space::Axis>& axes = study.space().axes();
  const std::map<std::size_t, std::size_t> places = set_places(axes, settings);
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const auto found = places.find(space::leader_of(axes, a));
    if (found == places.end() && axes[a].name == "allocation") {
      choice.allocates = true;
    } else if (found == places.end() && axes[a].size() > 1) {
      choice.open.push_back(fmt::format("{} = {}", axes[a].name, axes[a].labels.front()));
    }
    choice.index.push_back(found == places.end() ? 0 : static_cast<std::int32_t>(found->second));
  }
  return choice;
}

// The first id with these axis indices: every run holds at least one strategy.
space::Run run_of(const Study& study, const std::vector<std::int32_t>& index) {
  PointId low = 0;
  PointId high = study.space().size() - 1;
  while (low < high) {  // ids grow with the axis indices, the first axis varying slowest
    const PointId middle = low + (high - low) / 2;
    const space::Run run = study.space().run_at(middle);
    if (run.axis_index < index) {
      low = run.ids.last;
    } else {
      high = run.ids.first;
    }
  }
  const space::Run run = study.space().run_at(low);
  SCALESWEEP_ENSURE(run.axis_index == index);
  return run;
}

bool agrees(const Study& study, const Point& point, const std::vector<Setting>& settings) {
  const std::vector<CoordinateText> texts = coordinates(study, point);
  return std::all_of(settings.begin(), settings.end(), [&](const Setting& setting) {
    return std::any_of(texts.begin(), texts.end(), [&](const CoordinateText& text) {
      return text.name == setting.name && text.label == setting.value;
    });
  });
}

// Smaller is better: feasible before what does not fit, then time, then id.
using Rank = std::tuple<int, double, PointId>;

struct Found {
  std::optional<Rank> best;
  std::int64_t candidates = 0;  // that agree with the settings
};

// Looks through the strategies of a run, of which `point` is the first.
void look_through(const Study& study, const space::Run& run, Point point,
                  const std::vector<Setting>& settings, Found& found) {
  std::unique_ptr<PointEstimator> estimator;
  if (point.system.system) {
    estimator = study.kind().estimator(point.job, point.system, {}, nullptr);
  }
  for (PointId id = run.ids.first; id < run.ids.last; ++id) {
    point.id = id;
    point.strategy = run.strategies[static_cast<std::size_t>(id - run.ids.first)];
    if (!agrees(study, point, settings)) {
      continue;
    }
    ++found.candidates;
    Rank rank{2, 0.0, id};
    if (estimator && study.space().accepts(run.axis_index, point.strategy)) {
      const Outcome outcome = estimator->estimate(point.strategy);
      if (outcome.estimated) {
        rank = {outcome.status == Status::ok ? 0 : 1, estimator->rank(), id};
      }
    }
    found.best = found.best ? std::min(*found.best, rank) : rank;
  }
}

std::string how_chosen(const AxisChoice& axes, const Found& found) {
  std::string how = fmt::format("point {}", std::get<2>(*found.best));
  if (!axes.open.empty()) {
    how += fmt::format(", with the first value of what was left open: {}", join(axes.open, ", "));
  }
  if (found.candidates > 1) {
    how += fmt::format("{} the fastest of {} strategies{}{}", axes.open.empty() ? "," : ";",
                       with_thousands(found.candidates), axes.allocates ? " and allocations" : "",
                       std::get<0>(*found.best) == 0 ? " that fits" : "; none fits");
  }
  return how;
}

}  // namespace

Choice choose_point(const Study& study, const std::vector<Setting>& given) {
  const std::vector<Setting> settings = settled(study, given);
  const AxisChoice axes = choose_axes(study, settings);
  const auto points = study.make_points();
  Found found;
  space::Run run = run_of(study, axes.index);
  const std::size_t allocations = axes.allocates ? study.space().axes().back().size() : 1;
  for (std::size_t i = 0; i < allocations; ++i) {
    look_through(study, run, points(run.ids.first), settings, found);
    if (i + 1 < allocations) {
      run = study.space().run_at(run.ids.last);
    }
  }
  if (!found.best) {
    throw usage("no strategy of this study is so; 'scalesweep plan' shows which values there are");
  }
  return {std::get<2>(*found.best), how_chosen(axes, found)};
}

}  // namespace scalesweep::study

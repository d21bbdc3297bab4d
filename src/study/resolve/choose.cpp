#include "study/resolve/choose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "core/contracts.hpp"
#include "core/text.hpp"
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

void check_settings(const Study& study, const std::vector<Setting>& settings) {
  const std::vector<std::string> known = names_of(coordinates(study, study.point_at(0)));
  std::vector<std::string> seen;
  for (const Setting& setting : settings) {
    if (std::find(known.begin(), known.end(), setting.name) == known.end()) {
      throw usage(fmt::format("--set {}: a point of this study has no '{}'{}", setting.name,
                              setting.name, suggestion(setting.name, known)));
    }
    if (std::find(seen.begin(), seen.end(), setting.name) != seen.end()) {
      throw usage(fmt::format("--set {}: given twice; a point has one value of it", setting.name));
    }
    seen.push_back(setting.name);
  }
}

const Setting* setting_of(const std::vector<Setting>& settings, const std::string& name) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& setting) { return setting.name == name; });
  return found == settings.end() ? nullptr : &*found;
}

struct AxisChoice {
  std::vector<std::int32_t> index;
  std::vector<std::string> open;  // axes that took their first of several values
  bool allocates = false;         // all values of `allocation`, the last axis, are to be tried
};

AxisChoice choose_axes(const Study& study, const std::vector<Setting>& settings) {
  AxisChoice choice;
  for (const space::Axis& axis : study.space().axes()) {
    const Setting* setting = setting_of(settings, axis.name);
    std::int32_t index = 0;
    if (setting != nullptr) {
      const auto found = std::find(axis.labels.begin(), axis.labels.end(), setting->value);
      if (found == axis.labels.end()) {
        throw usage(fmt::format("--set {}={}: the study has no such value{}", axis.name,
                                setting->value, suggestion(setting->value, axis.labels)));
      }
      index = static_cast<std::int32_t>(found - axis.labels.begin());
    } else if (axis.name == "allocation") {
      choice.allocates = true;
    } else if (axis.size() > 1) {
      choice.open.push_back(fmt::format("{} = {}", axis.name, axis.labels.front()));
    }
    choice.index.push_back(index);
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
    estimator = study.kind().estimator(point.job, point.system, {});
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

Choice choose_point(const Study& study, const std::vector<Setting>& settings) {
  check_settings(study, settings);
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

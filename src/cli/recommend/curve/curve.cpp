#include "cli/recommend/curve/curve.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "analysis/selection/read_layout.hpp"
#include "reduce/spread.hpp"

namespace scalesweep::cli {
namespace {

constexpr const char* device_axis = "device";
constexpr const char* framework_axis = "framework";
constexpr const char* device_time = "device_seconds_per_token";
constexpr const char* user_time = "time_per_output_token";
constexpr std::size_t least_shown = 4;  // the ends, the knee and one more (reduce::thinned)

// What each value has a curve of its own of.
std::vector<std::string> curve_axes(const analysis::StudyLayout& layout) {
  const auto framework = layout.axis(framework_axis);
  return framework && layout.axes[*framework].labels.size() > 1
             ? std::vector<std::string>{device_axis, framework_axis}
             : std::vector<std::string>{device_axis};
}

// Axes of the rows that somebody chooses, the load among them.
std::vector<std::string> chosen_axes(const analysis::StudyLayout& layout) {
  std::vector<std::string> names;
  for (const store::AxisValues& axis : layout.axes) {
    const bool has_curve = axis.name == device_axis || axis.name == framework_axis;
    if (!has_curve && (axis.labels.size() > 1 || axis.name == load_axis)) {
      names.push_back(axis.name);
    }
  }
  return names;
}

CurvePoint point_of(Layout layout, const std::vector<std::string>& chosen) {
  CurvePoint point;
  point.user_per_s = 1.0 / figure(layout, analysis::FigureKind::time);
  point.device_per_s = 1.0 / layout.value;
  const auto load = std::find(chosen.begin(), chosen.end(), load_axis) - chosen.begin();
  point.open = std::stoll(layout.choice[static_cast<std::size_t>(load)]);
  point.layout = std::move(layout);
  return point;
}

}  // namespace

Curves find_curves(const store::StudyReader& reader, const study::Study& study) {
  const analysis::StudyLayout layout = analysis::read_layout(reader, {});
  Curves result;
  result.chosen = chosen_axes(layout);
  const std::vector<std::string> per = curve_axes(layout);
  const LayoutReader layouts(reader, study, layout, {per, result.chosen, device_time});
  analysis::QueryOptions options;
  options.frontier = true;
  options.objectives = {{device_time, analysis::Direction::minimize},
                        {user_time, analysis::Direction::minimize}};
  options.per = per;
  const auto label = [&](const std::string& axis, std::int64_t index) {
    return layout.axes[*layout.axis(axis)].labels[static_cast<std::size_t>(index)];
  };
  for (auto& [key, members] : layouts.read(options)) {
    Curve curve = {label(device_axis, key.front()),
                   per.size() > 1 ? label(framework_axis, key.back()) : "",
                   {}};
    for (Layout& member : members) {
      curve.points.push_back(point_of(std::move(member), result.chosen));
    }
    std::sort(curve.points.begin(), curve.points.end(),
              [](const CurvePoint& a, const CurvePoint& b) { return a.user_per_s > b.user_per_s; });
    result.curves.push_back(std::move(curve));
  }
  return result;
}

const CurvePoint* point_at_least(const Curve& curve, double user_per_s) {
  if (curve.points.back().user_per_s >= user_per_s) {
    return nullptr;
  }
  const CurvePoint* found = nullptr;
  for (const CurvePoint& point : curve.points) {
    if (point.user_per_s >= user_per_s) {
      found = &point;
    }
  }
  return found;
}

std::vector<std::size_t> shown_points(const Curve& curve, std::size_t most) {
  std::vector<double> user_s;
  std::vector<double> device_s;
  for (const CurvePoint& point : curve.points) {
    user_s.push_back(1.0 / point.user_per_s);
    device_s.push_back(1.0 / point.device_per_s);
  }
  std::vector<std::int64_t> places(curve.points.size());
  std::iota(places.begin(), places.end(), std::int64_t{0});
  const std::array<std::span<const double>, 2> objectives = {user_s, device_s};
  return reduce::thinned(reduce::normalised(objectives), places, std::max(most, least_shown)).rows;
}

}  // namespace scalesweep::cli

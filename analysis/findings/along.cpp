#include "analysis/findings/along.hpp"

#include <algorithm>

#include "analysis/words/words.hpp"
#include "core/contracts.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

std::size_t place_of(const std::vector<std::size_t>& axes, std::size_t axis) {
  return static_cast<std::size_t>(std::find(axes.begin(), axes.end(), axis) - axes.begin());
}

}  // namespace

Along make_along(const StudyLayout& layout) {
  Along along;
  along.axes = layout.along_axes;
  std::size_t length = 1;
  for (const std::size_t axis : along.axes) {
    length = std::max(length, layout.axes[axis].labels.size());
  }
  for (std::size_t step = 0; step < length; ++step) {
    along.steps.emplace_back();
    for (const std::size_t axis : along.axes) {
      const std::size_t last = layout.axes[axis].labels.size() - 1;
      const std::size_t index =
          length == 1 ? 0 : (2 * step * last + length - 1) / (2 * (length - 1));
      along.steps.back().push_back(static_cast<std::int32_t>(index));
    }
  }
  return along;
}

StudyLayout layout_along(const StudyLayout& layout, const Along& along) {
  if (along.axes.size() == 1) {
    return layout;
  }
  StudyLayout shown = layout;
  std::vector<std::string> names;
  for (const std::size_t axis : along.axes) {
    names.push_back(layout.axes[axis].name);
  }
  store::AxisValues path{std::string(path_axis), "", listed(names) + " together", {}, {}};
  for (const std::vector<std::int32_t>& step : along.steps) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < step.size(); ++i) {
      labels.push_back(layout.axes[along.axes[i]].labels[static_cast<std::size_t>(step[i])]);
    }
    // A device with its own memory, both of one name, is named once.
    const bool all_alike = std::equal(labels.begin() + 1, labels.end(), labels.begin());
    path.labels.push_back(all_alike ? labels.front() : join(labels, "+"));
    path.values.push_back(static_cast<double>(path.values.size()));
  }
  shown.axes.push_back(path);
  shown.along = shown.axes.size() - 1;
  std::erase_if(shown.panels, [&](std::size_t axis) {
    return std::find(along.axes.begin(), along.axes.end(), axis) != along.axes.end();
  });
  return shown;
}

std::vector<std::size_t> cells_along(const Along& along, const Grid& all, const Grid& shown) {
  std::vector<std::size_t> cells;
  for (std::size_t cell = 0; cell < shown.size(); ++cell) {
    const std::vector<std::int32_t> at = shown.coordinates(cell);
    const std::vector<std::int32_t>& step = along.steps[static_cast<std::size_t>(at.back())];
    std::vector<std::int32_t> coordinates;
    for (const std::size_t axis : all.axes()) {
      const std::size_t stepped = place_of(along.axes, axis);
      const std::size_t panel = place_of(shown.axes(), axis);
      SCALESWEEP_ASSERT(stepped < along.axes.size() || panel < shown.axes().size());
      coordinates.push_back(stepped < along.axes.size() ? step[stepped] : at[panel]);
    }
    cells.push_back(all.cell(coordinates));
  }
  return cells;
}

}  // namespace scalesweep::analysis

#include "analysis/effects/phases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/file/columns.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

template <typename Range, typename Value>
bool contains(const Range& range, const Value& value) {
  return std::find(range.begin(), range.end(), value) != range.end();
}

// Whether the two have no other combinations than of values at the same place: no plane.
bool advance_together(const StudyLayout& layout, std::size_t one, std::size_t other) {
  return contains(layout.group_of(layout.axes[one].name), layout.axes[other].name);
}

// Those of the cells whose best points are known.
std::vector<std::size_t> varying(const StudyLayout& layout) {
  std::vector<std::size_t> axes;
  for (const std::size_t axis : layout.along_axes) {
    if (layout.axes[axis].labels.size() > 1 &&
        (axis == layout.along || contains(layout.panels, axis))) {
      axes.push_back(axis);
    }
  }
  // What is built before what is asked, the preferred ones first.
  const auto add = [&](auto wanted) {
    for (const std::size_t axis : layout.panels) {
      if (!contains(axes, axis) && wanted(layout.axes[axis].name)) {
        axes.push_back(axis);
      }
    }
  };
  for (const std::string_view preferred : along_preference) {
    add([&](const std::string& name) { return name == preferred; });
  }
  add([](const std::string& name) { return !is_workload_axis(name); });
  add([](const std::string&) { return true; });
  return axes;
}

std::vector<std::size_t> named_axes(const StudyLayout& layout,
                                    const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const std::size_t axis : varying(layout)) {
    names.push_back(layout.axes[axis].name);
  }
  std::vector<std::size_t> axes;
  for (const std::string& name : wanted) {
    if (!contains(names, name)) {
      refuse(layout.is_axis(name)
                 ? fmt::format("a phase diagram over '{}': the axis has one value, is searched, or "
                               "the file keeps the best of its values alone; those that vary are "
                               "{}",
                               name, join(names, ", "))
                 : fmt::format("a phase diagram over '{}': the study has no such axis{}", name,
                               suggestion(name, names)));
    }
    axes.push_back(*layout.axis(name));
  }
  if (axes.size() != 2 || axes[0] == axes[1]) {
    refuse("a phase diagram is over two different axes");
  }
  if (advance_together(layout, axes[0], axes[1])) {
    refuse(
        fmt::format("a phase diagram over '{}' and '{}': the two advance together; those that "
                    "vary are {}",
                    wanted[0], wanted[1], join(names, ", ")));
  }
  return axes;
}

}  // namespace

std::vector<std::size_t> phase_axes(const StudyLayout& layout,
                                    const std::vector<std::string>& wanted) {
  if (!wanted.empty()) {
    return named_axes(layout, wanted);
  }
  const std::vector<std::size_t> axes = varying(layout);
  const auto second = std::find_if(axes.begin(), axes.end(), [&](std::size_t axis) {
    return axis != axes.front() && !advance_together(layout, axes.front(), axis);
  });
  return second != axes.end() ? std::vector{axes.front(), *second} : std::vector<std::size_t>{};
}

}  // namespace scalesweep::analysis

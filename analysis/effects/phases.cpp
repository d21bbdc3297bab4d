#include "analysis/effects/phases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/file/columns.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

std::vector<std::size_t> varying(const StudyLayout& layout) {
  std::vector<std::size_t> axes;
  for (const std::size_t axis : layout.along_axes) {
    if (layout.axes[axis].labels.size() > 1) {
      axes.push_back(axis);
    }
  }
  // What is built before what is asked, the preferred ones first.
  const auto add = [&](auto wanted) {
    for (const std::size_t axis : layout.panels) {
      const bool known = std::find(axes.begin(), axes.end(), axis) != axes.end();
      if (!known && wanted(layout.axes[axis].name)) {
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
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      refuse(layout.is_axis(name)
                 ? fmt::format("a phase diagram over '{}': the axis has one value, or is "
                               "searched; those that vary are {}",
                               name, join(names, ", "))
                 : fmt::format("a phase diagram over '{}': the study has no such axis{}", name,
                               suggestion(name, names)));
    }
    axes.push_back(*layout.axis(name));
  }
  if (axes.size() != 2 || axes[0] == axes[1]) {
    refuse("a phase diagram is over two different axes");
  }
  return axes;
}

}  // namespace

std::vector<std::size_t> phase_axes(const StudyLayout& layout,
                                    const std::vector<std::string>& wanted) {
  if (!wanted.empty()) {
    return named_axes(layout, wanted);
  }
  std::vector<std::size_t> axes = varying(layout);
  if (axes.size() < 2) {
    return {};
  }
  axes.resize(2);
  return axes;
}

}  // namespace scalesweep::analysis

// Whether what the axes of a spec name goes together. The spec may have other mistakes: then axes
// may be missing.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "space/axes/together.hpp"
#include "space/read/spec.hpp"

namespace scalesweep::study {

struct WorkloadKind;

// Of a spec whose names are settled: reports scalings and nodes that the catalog lacks, what the
// kind has against the names, and limits that go with no technology.
void check_spec(const space::Spec& spec, const WorkloadKind& kind, const catalog::Catalog& catalog,
                Diagnostics& diagnostics);

// A node must be in every series that the spec asks for, or beyond its end if that is asked for.
void check_nodes(const space::Spec& spec, const catalog::Catalog& catalog,
                 Diagnostics& diagnostics);
// A limit above what a device draws anyway changes nothing: that is never meant for all devices.
void check_power_limits(const space::Spec& spec, const catalog::Catalog& catalog,
                        Diagnostics& diagnostics);

// No memory is sold with pins faster than its own: what only such ones could do is never meant, and
// where other memories of the study allow the rate, those that do not are named.
void check_pin_rates(const space::Spec& spec, const catalog::Catalog& catalog,
                     Diagnostics& diagnostics);

// A domain must hold whole blocks of what its link has inside.
void check_domains(const space::Spec& spec, const catalog::Catalog& catalog,
                   Diagnostics& diagnostics);

// function(value, label, position) for each value of an axis that may be missing.
template <typename Function>
void for_each_value(const space::Spec& spec, const std::string& axis_name, Function&& function) {
  if (const auto index = space::find_axis(spec.axes, axis_name)) {
    const space::Axis& axis = spec.axes[*index];
    for (std::size_t i = 0; i < axis.size(); ++i) {
      function(axis.values[i], axis.labels[i], axis.positions[i]);
    }
  }
}

// A value where it stands.
struct ValueAt {
  double number;
  const std::string& label;
  const SourcePosition& position;
};

// Whether an axis, which may be missing, has such a value.
inline bool has_label(const space::Spec& spec, const std::string& axis_name,
                      std::string_view label) {
  const auto axis = space::find_axis(spec.axes, axis_name);
  return axis && std::find(spec.axes[*axis].labels.begin(), spec.axes[*axis].labels.end(), label) !=
                     spec.axes[*axis].labels.end();
}

// function(one, other) for each two values of two axes that a point has; none where an axis is
// missing.
template <typename Function>
void for_each_pair(const space::Spec& spec, const std::string& one, const std::string& other,
                   Function&& function) {
  const auto a = space::find_axis(spec.axes, one);
  const auto b = space::find_axis(spec.axes, other);
  if (!a || !b) {
    return;
  }
  const auto at = [&](std::size_t axis, std::size_t i) -> ValueAt {
    const space::Axis& of = spec.axes[axis];
    return {of.values[i], of.labels[i], of.positions[i]};
  };
  for (std::size_t i = 0; i < spec.axes[*a].size(); ++i) {
    for (std::size_t j = 0; j < spec.axes[*b].size(); ++j) {
      if (space::meet(spec.axes, *a, i, *b, j)) {
        function(at(*a, i), at(*b, j));
      }
    }
  }
}

template <typename Function>
void for_each_label(const space::Spec& spec, const std::string& axis_name, Function&& function) {
  for_each_value(spec, axis_name,
                 [&](double, const std::string& label, const SourcePosition& position) {
                   function(label, position);
                 });
}

}  // namespace scalesweep::study

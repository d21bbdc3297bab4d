// Whether a catalog knows what the axes of a spec name. The spec may have other mistakes: then axes
// may be missing.
#pragma once

#include <string>

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "space/spec/spec.hpp"

namespace scalesweep::study {

struct WorkloadKind;

// Reports every name that the catalog lacks, at its place in the spec, with the closest one, what
// the kind has against the others, and nodes and limits that go with no technology.
void check_names(const space::Spec& spec, const WorkloadKind& kind, const catalog::Catalog& catalog,
                 Diagnostics& diagnostics);

// A node must be in every series that the spec asks for, or beyond its end if that is asked for.
void check_nodes(const space::Spec& spec, const catalog::Catalog& catalog,
                 Diagnostics& diagnostics);
// A limit above what a device draws anyway changes nothing: that is never meant for all devices.
void check_power_limits(const space::Spec& spec, const catalog::Catalog& catalog,
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

template <typename Function>
void for_each_label(const space::Spec& spec, const std::string& axis_name, Function&& function) {
  for_each_value(spec, axis_name,
                 [&](double, const std::string& label, const SourcePosition& position) {
                   function(label, position);
                 });
}

}  // namespace scalesweep::study

// The axes of [workload], [system], [economics], [run] and [allocate], in the canonical order of
// Space.
#pragma once

#include <optional>
#include <vector>

#include "config/document.hpp"
#include "space/read/spec_types.hpp"
#include "space/read/workload_form.hpp"

namespace scalesweep::space {

// Every axis that there can be, in the canonical order: those that decide which strategies are
// valid, up to `accelerators`, are slowest, then the rest of the workload, the device, the
// networks, economics, the whole run; candidates of [allocate] are fastest.
const std::vector<std::string>& axis_names();

struct AxisTables {
  const WorkloadForm& form;
  const WorkloadForms& forms;
  config::TableCursor workload;
  config::TableCursor system;
  config::TableCursor economics;  // may be absent
  config::TableCursor run;        // may be absent
  config::TableCursor allocate;   // may be absent
  config::TableCursor prefill;    // may be absent
  config::TableCursor decode;     // may be absent
  const std::vector<TrainingPhase>& phases;
};

// In the canonical order. Reports every mistake; axes that could not be read are left out.
// `allocation` is what was read of tables.allocate.
std::vector<Axis> read_axes(const AxisTables& tables, const std::optional<Allocation>& allocation);

}  // namespace scalesweep::space

// phases = [{ name = "base", share = 0.95, sequence = 8192 }, ...] of [workload]: the parts of a
// training run, each of its share of the tokens. They are the values of the axis `phase`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "space/read/spec_types.hpp"
#include "space/read/workload_form.hpp"

namespace scalesweep::space {

// Reports every mistake; empty where there are none, or nothing that can be read. What some phases
// leave to [workload] is filled in.
std::vector<TrainingPhase> read_phases(const config::TableCursor& workload,
                                       const WorkloadForm& form);

// Whether one of the phases has a key in place of [workload], which then is no axis.
bool phases_say(const config::TableCursor& workload, std::string_view key);

// Of one or more.
Axis axis_of(const std::vector<TrainingPhase>& phases);

// As an identity has them, a line each.
std::string phases_text(const std::vector<TrainingPhase>& phases);

}  // namespace scalesweep::space

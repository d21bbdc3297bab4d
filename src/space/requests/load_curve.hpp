// How the requests of a service vary over the day: written as a list, or counted in a trace.
#pragma once

#include <optional>
#include <vector>

#include "config/document.hpp"
#include "space/read/spec_types.hpp"
#include "space/read/workload_form.hpp"

namespace scalesweep::space {

// Arrivals in equal parts of the day over those of the fullest part, which is 1; empty where none
// is asked for, or it could not be read. `trace`: that the requests are of.
std::vector<double> read_load_curve(const config::TableCursor& workload, const WorkloadForm& form,
                                    const std::optional<RequestTrace>& trace);

}  // namespace scalesweep::space

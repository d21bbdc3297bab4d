// The [workload] table of a spec: what is trained, or which requests are served.
#pragma once

#include <vector>

#include "config/document.hpp"
#include "space/read/axis_reader.hpp"
#include "space/read/spec_types.hpp"
#include "space/read/workload_form.hpp"
#include "space/requests/request_trace.hpp"

namespace scalesweep::space {

// Of one of `forms`. Reports a kind that is missing or not known; the most probable then.
const WorkloadForm& read_kind(const config::TableCursor& workload, const WorkloadForms& forms);

// Its axes. A key of another kind is a mistake that says of which.
void read_workload(AxisReader& reader, const config::TableCursor& workload,
                   const WorkloadForm& form, const WorkloadForms& forms,
                   const std::vector<TrainingPhase>& phases);

// requests = [{ prompt = 500, output = 200, share = 0.7 }, ...] of serving.
// Or "trace.csv", a file beside the spec that is reduced to classes, with its arrivals.
struct Requests {
  std::vector<RequestClass> classes;
  std::optional<RequestTrace> trace = {};
};
// `known`: what that file was reduced to, if it is not to be read again.
Requests read_requests(const config::TableCursor& workload, const WorkloadForm& form,
                       const std::string& spec_file, const std::optional<ReducedTrace>& known,
                       Diagnostics& diagnostics);

}  // namespace scalesweep::space

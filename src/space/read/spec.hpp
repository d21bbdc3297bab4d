// What a user asks for in a spec file, checked for form but not against a catalog.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/diagnostic.hpp"
#include "space/read/spec_types.hpp"
#include "space/requests/request_trace.hpp"

namespace scalesweep::space {

// What only others know (a catalog, the columns of a study) of what could be read. Both report
// where it stands; axes may be missing.
struct SpecCheck {
  // Puts true names in the place of those that stand on the axes, before anything refers to them.
  std::function<void(std::vector<Axis>& axes)> names = {};
  std::function<void(const Spec& spec)> spec = {};
  // What the trace that the spec names was reduced to, where its file is not to be read again.
  std::optional<ReducedTrace> trace = {};
};

// Every mistake in the file goes to `diagnostics` in one pass; nothing if there was an error. The
// check is called even if there were mistakes elsewhere, unless the file is no TOML or of another
// schema. `forms` are the kinds of workload that there are.
std::optional<Spec> read_spec(const std::string& file, const std::string& text,
                              Diagnostics& diagnostics, const SpecCheck& check = {},
                              const WorkloadForms& forms = workload_forms());

}  // namespace scalesweep::space

// What a user asks for in a spec file, checked for form but not against a catalog.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/diagnostic.hpp"
#include "space/spec/spec_types.hpp"

namespace scalesweep::space {

// Looks at what could be read, for what only others know (a catalog, the columns of a study);
// reports where it stands. Axes may be missing.
using SpecCheck = std::function<void(const Spec& spec)>;

// Every mistake in the file goes to `diagnostics` in one pass; nothing if there was an error. The
// check is called even if there were mistakes elsewhere, unless the file is no TOML or of another
// schema. `forms` are the kinds of workload that there are.
std::optional<Spec> read_spec(const std::string& file, const std::string& text,
                              Diagnostics& diagnostics, const SpecCheck& check = {},
                              const WorkloadForms& forms = workload_forms());

}  // namespace scalesweep::space

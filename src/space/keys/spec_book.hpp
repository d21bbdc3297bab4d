// The rows of a spec as sweeps/README.md and `scalesweep help spec` show them.
#pragma once

#include <string>

#include "config/key_text.hpp"

namespace scalesweep::space {

const config::KeyBook& spec_book();

// A JSON schema of specs, for editors.
std::string spec_schema();

}  // namespace scalesweep::space

// What this machine is called.
#pragma once

#include <string>

namespace scalesweep {

// "unknown" where the system does not say.
std::string host_name();

}  // namespace scalesweep

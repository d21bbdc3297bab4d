// The devices that process prompts and nothing else, where a spec names them.
#pragma once

#include "catalog/systems.hpp"

namespace scalesweep::keys {

// As a type of its own: some keys set it, others the system beside it, and some both.
struct PrefillSystem {
  catalog::CataloguedSystem system;
};

}  // namespace scalesweep::keys

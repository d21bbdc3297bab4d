// The entry that another one takes what it lacks from. Internal to the folder.
#pragma once

#include "catalog/load/found.hpp"

namespace scalesweep::catalog {

struct Base {
  bool named = false;
  Found* entry = nullptr;  // null where it is not there, or waits for this one: then reported
  bool is_predecessor = false;
};

// Of one that is being read.
Base base_of(const Found& found, const FoundByName& all);

}  // namespace scalesweep::catalog

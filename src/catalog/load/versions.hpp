// Entries of a software stack in several versions, "vllm@0.9" and "vllm@0.11": the plain name
// stands for the newest, and an entry without a version in its name has the one that its layouts
// are of. Internal to the folder.
#pragma once

#include <deque>

#include "catalog/load/found.hpp"

namespace scalesweep::catalog {

// Gives plain names to the newest, by which other entries may call them. Reports names that are
// half a version, and plain entries beside versions of them.
void enter_newest(std::deque<Found>& all, FoundByName& by_name, Diagnostics& diagnostics);
// The same of entries that are read, and "vllm@0.11" to one that says version = "0.11".
void enter_versions(const FoundByName& by_name, CatalogData& data);

}  // namespace scalesweep::catalog

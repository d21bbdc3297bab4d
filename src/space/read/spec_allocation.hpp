// The [allocate] table of a spec: shares of the budgets that a study finds by itself.
#pragma once

#include <optional>

#include "config/document.hpp"
#include "space/read/spec_types.hpp"

namespace scalesweep::space {

// Keys of [allocate] and of [system.device], in the order in which candidates count: the last one
// fastest.
const std::vector<std::string>& share_names();

// Nothing if the table is absent or has a mistake, which is reported.
std::optional<Allocation> read_allocation(const config::TableCursor& allocate);

}  // namespace scalesweep::space

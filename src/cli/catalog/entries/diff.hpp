// scalesweep catalog diff A [B]: what differs between catalogs, overlays and finished studies.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.hpp"

namespace scalesweep::cli {

// One operand: from the catalog that is chosen to it. Two: from the first to the second.
ExitCode diff_catalogs(const std::vector<std::string>& operands, const CatalogChoice& choice,
                       Format format, const Streams& streams);

}  // namespace scalesweep::cli

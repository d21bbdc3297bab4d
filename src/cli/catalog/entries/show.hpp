// scalesweep catalog show NAME: what matters of an entry, then all of its values with sources.
#pragma once

#include <optional>
#include <string>

#include "catalog/catalog.hpp"
#include "cli/output/sheet.hpp"

namespace scalesweep::cli {

// Of all entries that have the name; Failure(usage) where none has.
ExitCode show_entries(const std::string& name, std::optional<catalog::Section> section,
                      const catalog::Catalog& catalog, Format format, const Streams& streams);

}  // namespace scalesweep::cli

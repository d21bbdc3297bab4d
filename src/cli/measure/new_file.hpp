// A file that a command writes and that must not be there yet; names that it asks the catalog for.
#pragma once

#include <string>

#include "catalog/catalog.hpp"
#include "cli/options/command.hpp"

namespace scalesweep::cli {

// Throws Failure(cannot_create) where `path` is there already or has no folder to be in. Nothing
// where it is "": what is made goes to standard output.
void check_new_file(const std::string& command, const std::string& path);

// To the file, or to standard output where `path` is "".
void write_new_file(const std::string& path, const std::string& text, const Streams& streams);

// The true name of what was given to an option; throws Failure(usage) where the catalog lacks it.
std::string known_entry(const catalog::Catalog& catalog, catalog::Section section,
                        const std::string& option, const std::string& what,
                        const std::string& name);

}  // namespace scalesweep::cli

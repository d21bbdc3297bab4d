// scalesweep catalog import config.json: a published model as a file of the catalog.
#pragma once

#include <memory>
#include <string>

#include "cli/options/command.hpp"

namespace scalesweep::cli {

struct ImportArguments {
  std::string output;  // standard output where empty
  std::string name;    // of the entry; the config's own where empty
};

std::shared_ptr<ImportArguments> add_import_options(Command& command);

ExitCode import_config(const std::string& file, const ImportArguments& arguments,
                       const Streams& streams);

}  // namespace scalesweep::cli

// scalesweep catalog import config.json: a published model as a file of the catalog.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "catalog/import/import_model.hpp"
#include "cli/options/command.hpp"

namespace scalesweep::cli {

struct ImportArguments {
  std::string output;  // standard output where empty
  std::string name;    // of the entry; the config's own where empty
};

std::shared_ptr<ImportArguments> add_import_options(Command& command);

// The config.json of a folder of a model; a file as it is.
std::string config_of(const std::string& place);

// The model of such a place, with what hf_quant_config.json says beside the config; "" as the name:
// the config's own. Nothing, and every mistake said, where it cannot be read.
std::optional<catalog::ImportedModel> imported_model(const std::string& place,
                                                     const std::string& name,
                                                     Diagnostics& diagnostics);

ExitCode import_config(const std::string& file, const ImportArguments& arguments,
                       const Streams& streams);

}  // namespace scalesweep::cli

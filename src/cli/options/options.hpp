// Options that several subcommands share, so that they are named and explained once.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cli/options/command.hpp"
#include "cli/output/sheet.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

// --catalog FOLDER
std::shared_ptr<std::string> add_catalog_option(CLI::App& app);

// --format text|json[|csv]
std::shared_ptr<Format> add_format_option(CLI::App& app, bool with_csv);

// For check(): a number that is not below `least`, or is above 0.
CLI::Validator at_least(int least);
CLI::Validator above_zero();

// A required operand, with a message of its own where it is missing.
Required required_operand(CLI::Option* option, const std::string& what, const std::string& usage);

// `given` if not empty, else $SCALESWEEP_NODES, else share/scalesweep/nodes beside the installed
// executable, else nodes/ of the source tree that this was built from. Throws Failure(no_input)
// that lists where was looked.
std::filesystem::path find_catalog(const std::string& given);

// Reads the spec and the catalog; prints every mistake and warning to streams.err. Nothing if there
// was a mistake: the caller returns ExitCode::bad_input.
std::optional<study::Study> load_study(const std::string& spec_file, const std::string& catalog,
                                       const Streams& streams);

// Which values of the catalog a study rests on that nobody has verified; "" if there are none.
std::string unverified_note(const study::Study& study);

}  // namespace scalesweep::cli

// Options that several subcommands share, so that they are named and explained once.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cli/options/command.hpp"
#include "cli/output/sheet.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

// --catalog FOLDER
std::shared_ptr<std::string> add_catalog_option(Command& command);

// --format text|json[|csv]
std::shared_ptr<Format> add_format_option(Command& command, bool with_csv);

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

// What derived devices take over from the architecture of their template, whatever their node; ""
// where none is derived.
std::string template_note(const study::Study& study);

}  // namespace scalesweep::cli

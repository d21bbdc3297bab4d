// Options that several subcommands share, so that they are named and explained once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/places.hpp"
#include "cli/options/command.hpp"
#include "cli/output/sheet.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

// Where a command reads its catalog, as it was told.
struct CatalogChoice {
  std::string folder;  // "": the usual one
  std::vector<std::string> added;

  bool given() const { return !folder.empty() || !added.empty(); }
};

// --catalog FOLDER, --catalog-add PLACE ...
std::shared_ptr<CatalogChoice> add_catalog_option(Command& command);

// --format text|json[|csv]
std::shared_ptr<Format> add_format_option(Command& command, bool with_csv);

// The folder that was given, else $SCALESWEEP_NODES, else share/scalesweep/nodes beside the
// installed executable, else nodes/ of the source tree that this was built from, with what was
// added. Throws Failure(no_input) that lists where was looked.
catalog::Places find_catalog(const CatalogChoice& choice);

// Reads the spec and the catalog, with overlays from a folder nodes/ beside the spec; prints every
// mistake and warning, and which overlays there are, to streams.err. Nothing if there was a
// mistake: the caller returns ExitCode::bad_input.
std::optional<study::Study> load_study(const std::string& spec_file, const CatalogChoice& catalog,
                                       const Streams& streams);

// One line that tells the overlays that were loaded, and what of them the study rests on; "" where
// there are none.
std::string overlay_note(const study::Study& study);

// Which values of the catalog a study rests on that nobody has verified; "" if there are none.
std::string unverified_note(const study::Study& study);

// What derived devices take over from the architecture of their template, whatever their node; ""
// where none is derived.
std::string template_note(const study::Study& study);

// Which framework is taken where a spec of devices of the catalog names none, and which one
// recommend takes in its place; "" where there is nothing to say.
std::string framework_note(const study::Study& study);

}  // namespace scalesweep::cli

// scalesweep calibrate: constants of a device, its links, libraries and frameworks from measured
// cases. The fitting is that of the scripts which made the constants of the catalog
// (nodes/calibration).
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <filesystem>

#include "cli/measure/new_file.hpp"
#include "cli/options/options.hpp"
#include "cli/output/terminal.hpp"
#include "config/toml_text.hpp"
#include "core/host/files.hpp"
#include "core/host/installation.hpp"
#include "core/host/process.hpp"
#include "core/host/temporary_folder.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;
using catalog::Section;

constexpr const char* script_name = "nodes/calibration/calibrate.py";

struct CalibrateArguments {
  std::vector<std::string> cases;
  std::string device;
  std::string like;
  std::string output;
  bool whole = false;
};

fs::path find_script() {
  std::vector<std::string> looked;
  for (const fs::path& place : places_of(script_name, script_name)) {
    if (fs::is_regular_file(place)) {
      return place;
    }
    looked.push_back(place.string());
  }
  throw Failure(ExitCode::no_input, fmt::format("calibrate: the script {} is missing: looked at {}",
                                                script_name, join(looked, " and ")));
}

void check_names(const catalog::Catalog& catalog, CalibrateArguments& arguments) {
  if (arguments.like.empty()) {
    if (arguments.whole) {
      throw Failure(ExitCode::usage, "--whole belongs to --like: without it entries are whole");
    }
    if (!catalog.has(Section::devices, arguments.device)) {
      throw Failure(
          ExitCode::usage,
          fmt::format("--device: the catalog has no device '{}'{}; --like PARENT makes it "
                      "a new one that is like another",
                      arguments.device, catalog.suggestion(Section::devices, arguments.device)));
    }
    arguments.device = *catalog.canonical(Section::devices, arguments.device);
    return;
  }
  arguments.like = known_entry(catalog, Section::devices, "--like", "device", arguments.like);
  if (catalog.has(Section::devices, arguments.device)) {
    throw Failure(ExitCode::usage, fmt::format("--device: '{}' is in the catalog, and --like makes "
                                               "a new device; name it otherwise",
                                               arguments.device));
  }
  if (!config::is_bare_key(arguments.device)) {
    throw Failure(ExitCode::usage, fmt::format("--device: '{}' cannot name an entry; letters, "
                                               "digits, '-' and '_' do",
                                               arguments.device));
  }
}

ExitCode run_script(const CalibrateArguments& arguments, const catalog::Places& places,
                    const Streams& streams) {
  const TemporaryFolder folder;
  const fs::path made = folder / "calibrated.toml";
  std::vector<std::string> line = {
      "python3",           "-B",        find_script().string(), "--program",
      own_file().string(), "--catalog", places.folder.string(), "--device",
      arguments.device};
  if (!arguments.like.empty()) {
    line.insert(line.end(), {"--like", arguments.like});
  }
  if (arguments.whole) {
    line.emplace_back("--whole");
  }
  for (const fs::path& place : places.overlays) {
    line.insert(line.end(), {"--add", place.string()});
  }
  line.insert(line.end(), {"--output", made.string(), "--"});
  line.insert(line.end(), arguments.cases.begin(), arguments.cases.end());
  const ProcessResult done = run_process(
      line, [&streams](const std::string& text) { tell(streams, fmt::format("{}\n", text)); });
  if (!done.started) {
    throw Failure(ExitCode::report_unavailable,
                  "calibrate needs python3, which is not found (Debian, Ubuntu: apt-get install "
                  "python3; Fedora: dnf install python3)");
  }
  fmt::print(streams.out, "{}", done.output);
  if (done.status != 0) {
    return done.status == static_cast<int>(ExitCode::bad_input) ? ExitCode::bad_input
                                                                : ExitCode::internal;
  }
  if (!arguments.output.empty()) {
    write_file_durably(arguments.output, read_file(made));
    fmt::print(streams.out, "wrote {}\n", arguments.output);
  }
  return ExitCode::ok;
}

}  // namespace

Command calibrate_command() {
  Command command("calibrate",
                  "Fit a device, its links, libraries and frameworks to measured cases: entries");
  auto arguments = std::make_shared<CalibrateArguments>();
  command.operand("cases", arguments->cases, "CASES...",
                  "Measured cases, as 'scalesweep validate' reads them", "the case file",
                  "calibrate --device NAME CASES.csv -o ENTRY.toml");
  const Option device = command.option("--device", arguments->device, "NAME",
                                       "The device of the cases, an entry of the catalog; with "
                                       "--like the name of a new one");
  command.option("--like", arguments->like, "PARENT",
                 "A device that the new one is like: what the cases do not tell is of it");
  command.flag("--whole", arguments->whole,
               "With --like: write all of the new device, not what differs from the parent alone");
  command.option("-o,--output", arguments->output, "FILE",
                 "A new file for the entries (default: only the report)");
  const auto choice = add_catalog_option(command);
  command.require(device, "say which device: --device NAME");
  command.body = [arguments, choice](const Streams& streams) {
    const catalog::Places places = find_catalog(*choice);
    Diagnostics diagnostics;
    const auto catalog = catalog::Catalog::load(places, diagnostics);
    tell(streams, diagnostics.text());
    if (!catalog) {
      return ExitCode::bad_input;
    }
    check_names(*catalog, *arguments);
    check_new_file("calibrate", arguments->output);
    for (const std::string& file : arguments->cases) {
      read_file(file);  // says why where it cannot be read
    }
    return run_script(*arguments, places, streams);
  };
  return command;
}

}  // namespace scalesweep::cli

// scalesweep publish OUT.h5 -o FOLDER: a finished study as a folder for a repository of data.
#include "publish/publish.hpp"
#include "core/documents/shell.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include "cli/options/command.hpp"
#include "cli/options/savings.hpp"
#include "cli/output/reading_line.hpp"
#include "cli/output/terminal.hpp"
#include "core/diagnostic.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "space/keys/spec_keys.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

struct PublishArguments {
  std::string file;
  std::string folder;
  std::string dataset;
  bool parquet = false;
  bool csv = false;
  bool spreadsheet = false;
  bool no_figures = false;
  std::size_t threads = 0;
};

ExitCode publish_file(const PublishArguments& arguments, const Streams& streams) {
  publish::PublishOptions options;
  options.study = arguments.file;
  options.folder = arguments.folder;
  options.parquet = arguments.parquet;
  options.csv = arguments.csv;
  options.spreadsheet = arguments.spreadsheet;
  if (arguments.spreadsheet && !arguments.csv) {
    throw Failure(ExitCode::usage, "publish: --spreadsheet is about the CSV file; add --csv");
  }
  options.figures = !arguments.no_figures;
  if (!arguments.dataset.empty()) {
    Diagnostics mistakes;
    options.over =
        citation::dataset_of_text(arguments.dataset, read_file(arguments.dataset),
                                  space::spec_keys(), citation::Beside::nothing, mistakes);
    tell(streams, mistakes.text());
    if (!options.over) {
      return ExitCode::bad_input;
    }
  }
  std::error_code unreadable;
  options.executable = fs::read_symlink("/proc/self/exe", unreadable);
  ReadingLine reading(streams);
  options.reading = {arguments.threads, reading.progress()};
  options.savings = savings_in(fs::path(arguments.file));
  const publish::PublishReport made = publish::publish_study(options);
  reading.end();
  for (const std::string& note : made.notes) {
    tell(streams, fmt::format("note     {}\n", note));
  }
  fmt::print(streams.out, "{}: {} files, {}; the study is {}\n", arguments.folder, made.files,
             with_si_prefix(static_cast<double>(made.bytes), "B"),
             made.is_copy ? "the same file, byte for byte"
                          : "a copy with its texts written anew: the same rows, without names of "
                            "hosts and folders");
  fmt::print(streams.out, "next: scalesweep verify {}\n", shell_word(arguments.folder));
  return ExitCode::ok;
}

}  // namespace

Command publish_command() {
  Command command("publish", "A folder for a repository of data: study, metadata, card, figures");
  auto arguments = std::make_shared<PublishArguments>();
  command.operand("file", arguments->file, "OUT.h5", "A finished study; it is not changed",
                  "the file", "publish OUT.h5 -o FOLDER");
  command.require(command.option("-o,--output", arguments->folder, "FOLDER",
                                 "The folder to make; nothing may be there"),
                  "nowhere to write; add -o FOLDER");
  command.section("What is written");
  command.option("--dataset", arguments->dataset, "FILE.toml",
                 "A file with the table [dataset] of a spec: creators, licence, summary and what "
                 "else it says stand in place of what the study says");
  command.flag("--parquet", arguments->parquet, "Also all rows and columns as Apache Parquet");
  command.flag("--csv", arguments->csv,
               "Also as CSV, with a file of units and types after CSV on the Web");
  command.flag("--spreadsheet", arguments->spreadsheet,
               "In CSV: an apostrophe before names that a spreadsheet would take for a formula");
  command.flag("--no-figures", arguments->no_figures, "No figures");
  command.option("--threads", arguments->threads, "N", "Threads that read (default: one per core)")
      .at_least(0);
  command.body = [arguments](const Streams& streams) { return publish_file(*arguments, streams); };
  return command;
}

}  // namespace scalesweep::cli

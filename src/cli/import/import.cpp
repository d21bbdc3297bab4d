// scalesweep import: configurations of other programs as specs and entries of the catalog.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <filesystem>

#include "cli/measure/new_file.hpp"
#include "cli/options/options.hpp"
#include "cli/output/terminal.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "deploy/import/import_run.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;
using catalog::Section;

struct RunImport {
  std::vector<std::string> files;
  std::string from;
  deploy::ImportQuestion question;
  std::string folder;
};

std::vector<deploy::GivenFile> read_all(const RunImport& arguments) {
  std::vector<deploy::GivenFile> files;
  for (const std::string& path : arguments.files) {
    files.push_back({fs::path(path).filename().string(), read_file(path)});
  }
  return files;
}

deploy::ImportFormat chosen_format(const RunImport& arguments,
                                   const std::vector<deploy::GivenFile>& files) {
  const std::string known = join(deploy::import_format_names.list(), ", ");
  if (!arguments.from.empty()) {
    const auto format = deploy::import_format_names.find(arguments.from);
    if (!format) {
      throw Failure(ExitCode::usage,
                    fmt::format("--from: '{}' is none of {}", arguments.from, known));
    }
    return *format;
  }
  const auto format = deploy::format_of(files.front());
  if (!format) {
    refuse(fmt::format("{}: of which program it is cannot be told; say --from {}",
                       arguments.files.front(), known));
  }
  return *format;
}

void write_files(const deploy::Imported& imported, const std::string& folder,
                 const Streams& streams) {
  const fs::path spec = fs::path(folder) / "spec.toml";
  const fs::path entries = fs::path(folder) / "nodes" / "imported.toml";
  for (const fs::path& file : {spec, entries}) {
    if (fs::exists(file)) {
      throw Failure(ExitCode::cannot_create,
                    fmt::format("{} exists, and import overwrites nothing; name a new folder",
                                file.string()));
    }
  }
  std::error_code error;
  fs::create_directories(imported.entries.empty() ? fs::path(folder) : entries.parent_path(),
                         error);
  if (error) {
    throw Failure(ExitCode::cannot_create,
                  fmt::format("cannot create the folder '{}': {}", folder, error.message()));
  }
  if (imported.has_spec()) {
    write_file_durably(spec, deploy::spec_text(imported));
    tell(streams, fmt::format("wrote {}\n", spec.string()));
  }
  if (!imported.entries.empty()) {
    write_file_durably(entries, imported.entries);
    tell(streams, fmt::format("wrote {}\n", entries.string()));
  }
}

ExitCode import_all(const catalog::Catalog& catalog, RunImport arguments, const Streams& streams) {
  deploy::ImportQuestion& question = arguments.question;
  const auto named = [&catalog](Section section, const std::string& option, const std::string& what,
                                std::string& name) {
    if (!name.empty()) {
      name = known_entry(catalog, section, option, what, name);
    }
  };
  named(Section::devices, "--device", "device", question.device);
  named(Section::devices, "--like", "device", question.like);
  named(Section::models, "--model", "model", question.model);
  const std::vector<deploy::GivenFile> files = read_all(arguments);
  const deploy::ImportFormat format = chosen_format(arguments, files);
  const deploy::Imported imported = deploy::import_files(format, files, catalog, question);
  if (arguments.folder.empty()) {
    fmt::print(streams.out, "{}{}{}", imported.has_spec() ? deploy::spec_text(imported) : "",
               imported.has_spec() && !imported.entries.empty() ? "\n" : "", imported.entries);
  } else {
    write_files(imported, arguments.folder, streams);
  }
  for (const std::string& note : imported.notes) {
    tell(streams, fmt::format("note: {}\n", note));
  }
  for (const std::string& key : imported.left_out) {
    tell(streams, fmt::format("not carried over: {}\n", key));
  }
  tell(streams, fmt::format("{}: its format is from memory, unverified; {} keys are not carried "
                            "over\n",
                            imported.origin, imported.left_out.size()));
  return ExitCode::ok;
}

}  // namespace

Command import_command() {
  Command command("import",
                  "Configurations of other programs as a spec and entries of the catalog");
  auto arguments = std::make_shared<RunImport>();
  deploy::ImportQuestion& question = arguments->question;
  command.operand("files", arguments->files, "FILES...",
                  "A command of Megatron-LM, a job of torchtitan, files of Calculon, hardware of "
                  "LLMCompass or RAPID-LLM, or a case of AIConfigurator",
                  "the file", "import FILE");
  command.option("--from", arguments->from, "PROGRAM",
                 fmt::format("Whose they are (default: told by what they hold): {}",
                             join(deploy::import_format_names.list(), ", ")));
  command.choices("--from", deploy::import_format_names.list());
  command.option("--device", question.device, "NAME", "Of the catalog: what the run is on");
  command.option("--devices", question.devices, "NUMBER", "On how many").at_least(1);
  command.option("--model", question.model, "NAME",
                 "Of the catalog: what runs (default: of this shape)");
  command.option("--vocab", question.vocab, "NUMBER", "Of a model that the catalog does not have")
      .at_least(1);
  command.option("--like", question.like, "NAME",
                 "Of the catalog: a device that has what a hardware file does not say");
  command.option("--name", question.name, "NAME", "Of the new entry (default: what the file says)");
  command.option("-o,--output", arguments->folder, "FOLDER",
                 "Write spec.toml and nodes/imported.toml into it (default: standard output)");
  const auto catalog_folder = add_catalog_option(command);
  command.body = [arguments, catalog_folder](const Streams& streams) {
    Diagnostics diagnostics;
    const auto catalog = catalog::Catalog::load(find_catalog(*catalog_folder), diagnostics);
    tell(streams, diagnostics.text());
    return catalog ? import_all(*catalog, *arguments, streams) : ExitCode::bad_input;
  };
  return command;
}

}  // namespace scalesweep::cli

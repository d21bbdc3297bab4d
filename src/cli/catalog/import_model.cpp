#include "cli/catalog/import_model.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <filesystem>

#include "catalog/import/import_model.hpp"
#include "cli/output/terminal.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {

std::shared_ptr<ImportArguments> add_import_options(Command& command) {
  auto arguments = std::make_shared<ImportArguments>();
  command.option("-o,--output", arguments->output, "FILE",
                 "import: a new file for the entry (default: standard output)");
  command.option("--name", arguments->name, "NAME",
                 "import: of the entry (default: what the config says)");
  return arguments;
}

std::string config_of(const std::string& place) {
  return std::filesystem::is_directory(place)
             ? (std::filesystem::path(place) / "config.json").string()
             : place;
}

std::optional<catalog::ImportedModel> imported_model(const std::string& place,
                                                     const std::string& name,
                                                     Diagnostics& diagnostics) {
  const std::string file = config_of(place);
  const std::filesystem::path beside =
      parent_folder(file) / std::string(catalog::quantization_file);
  std::optional<catalog::JsonFile> quantization;
  if (std::filesystem::is_regular_file(beside)) {
    quantization = {beside.string(), read_file(beside)};
  }
  return catalog::import_model(file, read_file(file), name, diagnostics, quantization);
}

ExitCode import_config(const std::string& file, const ImportArguments& arguments,
                       const Streams& streams) {
  if (!arguments.output.empty() && std::filesystem::exists(arguments.output)) {
    throw Failure(
        ExitCode::cannot_create,
        fmt::format("{} exists, and import overwrites nothing; name a new file", arguments.output));
  }
  Diagnostics diagnostics;
  const auto imported = imported_model(file, arguments.name, diagnostics);
  tell(streams, diagnostics.text());
  if (!imported) {
    return ExitCode::bad_input;
  }
  const std::string text = catalog::catalog_text(*imported);
  if (arguments.output.empty()) {
    fmt::print(streams.out, "{}", text);
    return ExitCode::ok;
  }
  write_file_durably(arguments.output, text);
  fmt::print(streams.out, "{}: model '{}' with {} parameters\n", arguments.output,
             imported->model.name, trim(with_si_prefix(imported->model.parameters(), "")));
  return ExitCode::ok;
}

}  // namespace scalesweep::cli

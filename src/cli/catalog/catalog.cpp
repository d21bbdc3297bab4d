// scalesweep catalog [list|show NAME|diff A B|derive ...|compare ...|import CONFIG]: what
// technologies, devices and models are known and how well, what differs between catalogs, what
// devices follow from them, and models from elsewhere.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>

#include "catalog/catalog.hpp"
#include "cli/catalog/compare.hpp"
#include "cli/catalog/derive.hpp"
#include "cli/catalog/entries/diff.hpp"
#include "cli/catalog/entries/show.hpp"
#include "cli/catalog/import_model.hpp"
#include "cli/options/options.hpp"
#include "cli/output/terminal.hpp"
#include "core/documents/shell.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

struct CatalogArguments {
  std::string action = "list";
  std::vector<std::string> names;
  std::string kind;
  std::shared_ptr<DeriveArguments> derive;
  std::shared_ptr<ImportArguments> imported;
};

Failure usage(const std::string& message) {
  return Failure(ExitCode::usage, message);
}

std::optional<catalog::Section> wanted_section(const std::string& kind) {
  if (kind.empty()) {
    return std::nullopt;
  }
  const auto section = catalog::section_names.find(kind);
  if (!section) {
    throw usage(fmt::format("--kind {}: no such kind{}", kind,
                            suggestion(kind, catalog::section_names.list())));
  }
  return section;
}

// "datasheet 12, derived 3": how the values of an entry are known.
std::string kinds_text(const catalog::Entry& entry) {
  std::map<catalog::SourceKind, int> counts;
  for (const catalog::Value& value : entry.values) {
    ++counts[value.kind];
  }
  std::vector<std::string> words;
  for (const auto& [kind, count] : counts) {
    words.push_back(fmt::format("{} {}", catalog::name_of(kind), count));
  }
  return join(words, ", ");
}

ExitCode list_entries(const catalog::Catalog& catalog, std::optional<catalog::Section> section,
                      Format format, const Streams& streams) {
  Sheet sheet{"entries",
              "",
              {{"kind", "kind", Align::left},
               {"name", "name", Align::left},
               {"values", "how its values are known", Align::left}},
              {},
              true};
  for (const catalog::Entry& entry : catalog.entries()) {
    if (!section || entry.section == *section) {
      sheet.rows.push_back(
          {std::string(catalog::name_of(entry.section)), entry.name, kinds_text(entry)});
    }
  }
  print(streams, {sheet}, format);
  return ExitCode::ok;
}

std::vector<std::string> all_actions() {
  return {"list", "show", "diff", "derive", "compare", "import"};
}

// What an action may not be given, and what it must.
void check_arguments(const CatalogArguments& arguments) {
  const std::vector<std::string> actions = all_actions();
  const std::string& action = arguments.action;
  if (std::find(actions.begin(), actions.end(), action) == actions.end()) {
    throw usage(fmt::format("catalog: unknown action '{}'{}", action, suggestion(action, actions)));
  }
  if (action == "show" && arguments.names.size() != 1) {
    throw usage("catalog: show what? write 'scalesweep catalog show NAME'");
  }
  if (action == "diff" && (arguments.names.empty() || arguments.names.size() > 2)) {
    throw usage(
        "catalog: diff takes one or two catalogs, overlays or studies; write 'scalesweep catalog "
        "diff A B', or 'scalesweep catalog diff A' for what A has beside the catalog in use");
  }
  if (action == "list" && !arguments.names.empty()) {
    throw usage(fmt::format("catalog: list takes no name; write 'scalesweep catalog show {}'",
                            shell_word(arguments.names.front())));
  }
  if (action == "derive" && !arguments.names.empty()) {
    throw usage(
        fmt::format("catalog: derive takes options, not '{}'; for a product write "
                    "'scalesweep catalog derive --like {}'",
                    arguments.names.front(), shell_word(arguments.names.front())));
  }
  if (action == "import" && arguments.names.size() != 1) {
    throw usage("catalog: import what? write 'scalesweep catalog import config.json'");
  }
  if (action != "import" && !(arguments.imported->output + arguments.imported->name).empty()) {
    throw usage(fmt::format("catalog: --output and --name belong to import, not to {}", action));
  }
}

ExitCode run_catalog(const CatalogArguments& arguments, const CatalogChoice& choice, Format format,
                     const Streams& streams) {
  check_arguments(arguments);
  if (arguments.action == "import") {
    return import_config(arguments.names.front(), *arguments.imported, streams);
  }
  if (arguments.action == "diff") {
    return diff_catalogs(arguments.names, choice, format, streams);
  }
  const auto section = wanted_section(arguments.kind);
  Diagnostics diagnostics;
  const auto catalog = catalog::Catalog::load(find_catalog(choice), diagnostics);
  tell(streams, diagnostics.text());
  if (!catalog) {
    return ExitCode::bad_input;
  }
  if (arguments.action == "derive") {
    return derive_device(*arguments.derive, *catalog, format, streams);
  }
  if (arguments.action == "compare") {
    return compare_devices(arguments.names, arguments.derive->architecture, *catalog, format,
                           streams);
  }
  return arguments.action == "list"
             ? list_entries(*catalog, section, format, streams)
             : show_entries(arguments.names.front(), section, *catalog, format, streams);
}

}  // namespace

Command catalog_command() {
  Command command("catalog", "Devices, technologies and models, each value with its source");
  auto arguments = std::make_shared<CatalogArguments>();
  command.option("action", arguments->action, join(all_actions(), "|"),
                 "list (default); show one entry; diff two catalogs, overlays or finished "
                 "studies, or one and the catalog in use; derive a device from budgets; compare "
                 "derived devices with the products they are given the budgets of, in whole work; "
                 "import a model from the config.json that Hugging Face publishes with it");
  command.choices("action", all_actions());
  command.option("name", arguments->names, "NAME",
                 "Of the entry to show, of the places to diff, of the devices to compare, of the "
                 "file to import");
  command.option("--kind", arguments->kind, "KIND",
                 "Only one of " + join(catalog::section_names.list(), ", "));
  command.choices("--kind", catalog::section_names.list());
  command.section("Of derive and compare");
  arguments->derive = add_derive_options(command);
  command.section("Of import");
  arguments->imported = add_import_options(command);
  command.section("Of all");
  const auto choice = add_catalog_option(command);
  const auto format = add_format_option(command, true);
  command.body = [arguments, choice, format](const Streams& streams) {
    return run_catalog(*arguments, *choice, *format, streams);
  };
  return command;
}

}  // namespace scalesweep::cli

// scalesweep catalog [list|show NAME|derive ...|compare ...|import CONFIG]: what technologies,
// devices and models are known and how well, what devices follow from them, and models from
// elsewhere.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>

#include "catalog/catalog.hpp"
#include "cli/catalog/compare.hpp"
#include "cli/catalog/derivation_sheets.hpp"
#include "cli/catalog/derive.hpp"
#include "cli/catalog/import_model.hpp"
#include "cli/catalog/ownership_sheets.hpp"
#include "cli/options/options.hpp"
#include "cli/output/terminal.hpp"
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

std::vector<const catalog::Entry*> entries_named(const catalog::Catalog& catalog,
                                                 std::optional<catalog::Section> section,
                                                 const std::string& name) {
  std::vector<const catalog::Entry*> found;
  std::vector<std::string> known;
  for (const catalog::Entry& entry : catalog.entries()) {
    if (section && entry.section != *section) {
      continue;
    }
    known.push_back(entry.name);
    known.insert(known.end(), entry.aliases.begin(), entry.aliases.end());
    const std::string_view full = entry.name;
    const std::string_view short_name = full.substr(full.find('/') + 1);  // foundry/N7 -> N7
    if (catalog.entry(entry.section, name) == &entry || short_name == name ||
        std::find(entry.aliases.begin(), entry.aliases.end(), name) != entry.aliases.end()) {
      found.push_back(&entry);
    }
  }
  if (found.empty()) {
    const std::string near = near_name(name, known);
    throw usage(fmt::format("the catalog has no entry '{}'{}", name,
                            near.empty() ? "; 'scalesweep catalog' lists what there is" : near));
  }
  return found;
}

// All entries in one table, for programs.
Sheet values_sheet(const std::vector<const catalog::Entry*>& entries) {
  Sheet sheet{"values", "", {}, {}, true};
  for (const char* column : {"entry_kind", "entry", "key", "value", "known_as", "source"}) {
    sheet.columns.push_back({column, column, Align::left});
  }
  for (const catalog::Entry* entry : entries) {
    for (const catalog::Value& value : entry->values) {
      sheet.rows.push_back({std::string(catalog::name_of(entry->section)), entry->name, value.key,
                            value.text, std::string(catalog::name_of(value.kind)),
                            value.note.empty() ? value.source : value.source + "; " + value.note});
    }
  }
  return sheet;
}

// Key, value and how it is known, with a number for its source; the sources follow, each once.
void print_entry(const Streams& streams, const catalog::Entry& entry) {
  Sheet sheet{"values",
              "",
              {{"key", "key", Align::left},
               {"value", "value", Align::left},
               {"known_as", "known as", Align::left},
               {"source", "source", Align::left},
               {"note", "note", Align::left}},
              {},
              true};
  std::vector<std::string> sources;
  for (const catalog::Value& value : entry.values) {
    auto found = std::find(sources.begin(), sources.end(), value.source);
    if (found == sources.end()) {
      sources.push_back(value.source);
      found = sources.end() - 1;
    }
    sheet.rows.push_back({value.key, value.text, std::string(catalog::name_of(value.kind)),
                          fmt::format("[{}]", found - sources.begin() + 1), value.note});
  }
  print(streams, {sheet}, Format::text);
  fmt::print(streams.out, "\n");
  constexpr std::size_t number_width = 8;
  constexpr std::size_t widest = 100;  // longer lines are hard to read
  const std::size_t terminal = terminal_width(streams);
  const std::size_t source_width =
      (terminal > number_width ? std::min(terminal, widest) : widest) - number_width;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::vector<std::string> lines = split(wrapped(sources[i], source_width), '\n');
    fmt::print(streams.out, "  {:<5} {}\n", fmt::format("[{}]", i + 1), join(lines, "\n        "));
  }
}

// What a device with its usual networks takes to make and to buy; nothing if that is not known.
void print_price(const Streams& streams, const catalog::Catalog& catalog,
                 const std::string& device) {
  const auto own =
      catalog.ownership(catalog.catalogued_system({.device = device}), catalog.economics());
  if (own) {
    fmt::print(streams.out, "\n");
    print(streams, {cost_sheet(*own), price_sheet(*own)}, Format::text);
  }
}

ExitCode show_entries(const std::vector<const catalog::Entry*>& entries,
                      const catalog::Catalog& catalog, Format format, const Streams& streams) {
  if (format != Format::text) {
    print(streams, {values_sheet(entries)}, format);
    return ExitCode::ok;
  }
  for (const catalog::Entry* entry : entries) {
    fmt::print(streams.out, "{}{} {}{}\n{}:{}\n\n", entry == entries.front() ? "" : "\n",
               catalog::name_of(entry->section), entry->name,
               entry->aliases.empty() ? "" : fmt::format(" (also {})", join(entry->aliases, ", ")),
               entry->position.file, entry->position.line);
    print_entry(streams, *entry);
    if (entry->section == catalog::Section::devices) {
      print_price(streams, catalog, entry->name);
    }
  }
  return ExitCode::ok;
}

// What an action may not be given, and what it must.
void check_arguments(const CatalogArguments& arguments) {
  const std::vector<std::string> actions = {"list", "show", "derive", "compare", "import"};
  const std::string& action = arguments.action;
  if (std::find(actions.begin(), actions.end(), action) == actions.end()) {
    throw usage(fmt::format("catalog: unknown action '{}'{}", action, suggestion(action, actions)));
  }
  if (action == "show" && arguments.names.size() != 1) {
    throw usage("catalog: show what? write 'scalesweep catalog show NAME'");
  }
  if (action == "list" && !arguments.names.empty()) {
    throw usage(fmt::format("catalog: list takes no name; write 'scalesweep catalog show {}'",
                            arguments.names.front()));
  }
  if (action == "derive" && !arguments.names.empty()) {
    throw usage(
        fmt::format("catalog: derive takes options, not '{}'; for a product write "
                    "'scalesweep catalog derive --like {}'",
                    arguments.names.front(), arguments.names.front()));
  }
  if (action == "import" && arguments.names.size() != 1) {
    throw usage("catalog: import what? write 'scalesweep catalog import config.json'");
  }
  if (action != "import" && !(arguments.imported->output + arguments.imported->name).empty()) {
    throw usage(fmt::format("catalog: --output and --name belong to import, not to {}", action));
  }
}

ExitCode run_catalog(const CatalogArguments& arguments, const std::string& folder, Format format,
                     const Streams& streams) {
  check_arguments(arguments);
  if (arguments.action == "import") {
    return import_config(arguments.names.front(), *arguments.imported, streams);
  }
  const auto section = wanted_section(arguments.kind);
  Diagnostics diagnostics;
  const auto catalog = catalog::Catalog::load(find_catalog(folder), diagnostics);
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
             : show_entries(entries_named(*catalog, section, arguments.names.front()), *catalog,
                            format, streams);
}

}  // namespace

Command catalog_command() {
  Command command("catalog", "Devices, technologies and models, each value with its source");
  auto arguments = std::make_shared<CatalogArguments>();
  command.option("action", arguments->action, "list|show|derive|compare|import",
                 "list (default); show one entry; derive a device from budgets; compare derived "
                 "devices with the products they are given the budgets of, in whole work; import "
                 "a model from "
                 "the config.json that Hugging Face publishes with it");
  command.choices("action", {"list", "show", "derive", "compare", "import"});
  command.option("name", arguments->names, "NAME",
                 "Of the entry to show, of the devices to compare, "
                 "of the file to import");
  command.option("--kind", arguments->kind, "KIND",
                 "Only one of " + join(catalog::section_names.list(), ", "));
  command.choices("--kind", catalog::section_names.list());
  command.section("Of derive and compare");
  arguments->derive = add_derive_options(command);
  command.section("Of import");
  arguments->imported = add_import_options(command);
  command.section("Of all");
  const auto folder = add_catalog_option(command);
  const auto format = add_format_option(command, true);
  command.body = [arguments, folder, format](const Streams& streams) {
    return run_catalog(*arguments, *folder, *format, streams);
  };
  return command;
}

}  // namespace scalesweep::cli

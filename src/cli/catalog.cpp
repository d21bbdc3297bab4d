// scalesweep catalog [list|show NAME]: what technologies, devices and models are known, and how
// well.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>

#include "catalog/catalog.hpp"
#include "cli/help_format.hpp"
#include "cli/options.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

struct CatalogArguments {
  std::string action = "list";
  std::string name;
  std::string kind;
};

Failure usage(const std::string& message) {
  return Failure(ExitCode::usage, message);
}

std::optional<catalog::Section> wanted_section(const std::string& kind) {
  if (kind.empty()) {
    return std::nullopt;
  }
  const auto section = catalog::section_from(kind);
  if (!section) {
    const std::vector<std::string> known(catalog::section_names.begin(),
                                         catalog::section_names.end());
    throw usage(fmt::format("--kind {}: no such kind{}", kind, suggestion(kind, known)));
  }
  return section;
}

// "datasheet 12, derived 3": how the values of an entry are known.
std::string kinds_text(const catalog::Entry& entry) {
  std::map<std::size_t, int> counts;
  for (const catalog::Value& value : entry.values) {
    ++counts[static_cast<std::size_t>(value.kind)];
  }
  std::vector<std::string> words;
  for (const auto& [kind, count] : counts) {
    words.push_back(fmt::format("{} {}", catalog::source_kind_names[kind], count));
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
  print(streams.out, {sheet}, format);
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
    const std::string_view full = entry.name;
    const std::string_view short_name = full.substr(full.find('/') + 1);  // foundry/N7 -> N7
    if (full == name || short_name == name ||
        std::find(entry.aliases.begin(), entry.aliases.end(), name) != entry.aliases.end()) {
      found.push_back(&entry);
    }
  }
  if (found.empty()) {
    const auto near = closest(name, known);
    throw usage(fmt::format("the catalog has no entry '{}'{}", name,
                            near ? fmt::format("; did you mean '{}'?", *near)
                                 : "; 'scalesweep catalog' lists what there is"));
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
void print_entry(std::ostream& out, const catalog::Entry& entry) {
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
  print(out, {sheet}, Format::text);
  fmt::print(out, "\n");
  constexpr std::size_t source_width = 92;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::vector<std::string> lines = split(wrapped(sources[i], source_width), '\n');
    fmt::print(out, "  {:<5} {}\n", fmt::format("[{}]", i + 1), join(lines, "\n        "));
  }
}

ExitCode show_entries(const std::vector<const catalog::Entry*>& entries, Format format,
                      const Streams& streams) {
  if (format != Format::text) {
    print(streams.out, {values_sheet(entries)}, format);
    return ExitCode::ok;
  }
  for (const catalog::Entry* entry : entries) {
    fmt::print(streams.out, "{}{} {}{}\n{}:{}\n\n", entry == entries.front() ? "" : "\n",
               catalog::name_of(entry->section), entry->name,
               entry->aliases.empty() ? "" : fmt::format(" (also {})", join(entry->aliases, ", ")),
               entry->position.file, entry->position.line);
    print_entry(streams.out, *entry);
  }
  return ExitCode::ok;
}

ExitCode run_catalog(const CatalogArguments& arguments, const std::string& folder, Format format,
                     const Streams& streams) {
  const std::vector<std::string> actions = {"list", "show"};
  if (arguments.action != "list" && arguments.action != "show") {
    throw usage(fmt::format("catalog: unknown action '{}'{}", arguments.action,
                            suggestion(arguments.action, actions)));
  }
  if (arguments.action == "show" && arguments.name.empty()) {
    throw usage("catalog: show what? write 'scalesweep catalog show NAME'");
  }
  if (arguments.action == "list" && !arguments.name.empty()) {
    throw usage(fmt::format("catalog: list takes no name; write 'scalesweep catalog show {}'",
                            arguments.name));
  }
  const auto section = wanted_section(arguments.kind);
  Diagnostics diagnostics;
  const auto catalog = catalog::Catalog::load(find_catalog(folder), diagnostics);
  fmt::print(streams.err, "{}", diagnostics.text());
  if (!catalog) {
    return ExitCode::bad_input;
  }
  return arguments.action == "list"
             ? list_entries(*catalog, section, format, streams)
             : show_entries(entries_named(*catalog, section, arguments.name), format, streams);
}

}  // namespace

Command add_catalog(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "catalog", "Devices, technologies and models, each value with its source");
  auto arguments = std::make_shared<CatalogArguments>();
  app->add_option("action", arguments->action, "list (default), or show one entry")
      ->type_name("list|show");
  app->add_option("name", arguments->name, "Of the entry to show")->type_name("NAME");
  const std::vector<std::string> kinds(catalog::section_names.begin(),
                                       catalog::section_names.end());
  app->add_option("--kind", arguments->kind, "Only one of " + join(kinds, ", "))->type_name("KIND");
  const auto folder = add_catalog_option(*app);
  const auto format = add_format_option(*app, true);
  auto body = [arguments, folder, format](const Streams& streams) {
    return run_catalog(*arguments, *folder, *format, streams);
  };
  return {app, {}, body};
}

}  // namespace scalesweep::cli

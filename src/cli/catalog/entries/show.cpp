#include "cli/catalog/entries/show.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "cli/catalog/derivation_sheets.hpp"
#include "cli/catalog/entries/source_list.hpp"
#include "cli/catalog/entries/summary.hpp"
#include "cli/catalog/ownership_sheets.hpp"
#include "cli/output/terminal.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

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
    throw Failure(ExitCode::usage,
                  fmt::format("the catalog has no entry '{}'{}", name,
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
void print_values(const Streams& streams, const catalog::Entry& entry) {
  Sheet sheet{"values",
              "",
              {{"key", "key", Align::left},
               {"value", "value", Align::left},
               {"known_as", "known as", Align::left},
               {"source", "source", Align::left},
               {"note", "note", Align::left}},
              {},
              true};
  SourceList sources;
  for (const catalog::Value& value : entry.values) {
    sheet.rows.push_back({value.key, value.text, std::string(catalog::name_of(value.kind)),
                          sources.mark(value), value.note});
  }
  print(streams, {sheet}, Format::text);
  fmt::print(streams.out, "\n");
  sources.print(streams);
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

// "nodes/devices-nvidia.toml:12", and what it rests on.
std::string place_text(const catalog::Entry& entry) {
  const std::string base = !entry.predecessor.empty()
                               ? fmt::format(", after its predecessor {}", entry.predecessor)
                           : !entry.like.empty() ? fmt::format(", like {}", entry.like)
                                                 : "";
  return fmt::format("{}:{}{}{}", entry.position.file, entry.position.line,
                     entry.overlay == nullptr ? "" : ", an overlay", base);
}

void print_entry(const Streams& streams, const catalog::Entry& entry,
                 const catalog::Catalog& catalog) {
  const std::string title =
      id_of(entry) +
      (entry.aliases.empty() ? "" : fmt::format(" (also {})", join(entry.aliases, ", ")));
  const std::size_t width = terminal_width(streams);
  fmt::print(streams.out, "{}\n{}\n\n", width > 0 ? wrapped(title, width) : title,
             place_text(entry));
  const Sheet summary = summary_sheet({&entry}, catalog);
  if (!summary.rows.empty()) {
    print(streams, {for_people(summary)}, Format::text);
    fmt::print(streams.out, "\n");
  }
  print_values(streams, entry);
  if (entry.section == catalog::Section::devices) {
    print_price(streams, catalog, entry.name);
  }
}

}  // namespace

ExitCode show_entries(const std::string& name, std::optional<catalog::Section> section,
                      const catalog::Catalog& catalog, Format format, const Streams& streams) {
  const std::vector<const catalog::Entry*> entries = entries_named(catalog, section, name);
  if (format == Format::csv) {
    print(streams, {values_sheet(entries)}, format);
    return ExitCode::ok;
  }
  if (format == Format::json) {
    print(streams, {summary_sheet(entries, catalog), values_sheet(entries)}, format);
    return ExitCode::ok;
  }
  for (const catalog::Entry* entry : entries) {
    fmt::print(streams.out, "{}", entry == entries.front() ? "" : "\n");
    print_entry(streams, *entry, catalog);
  }
  return ExitCode::ok;
}

}  // namespace scalesweep::cli

#include "cli/catalog/entries/diff.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "catalog/catalog.hpp"
#include "catalog/differences.hpp"
#include "catalog/keys/catalog_keys.hpp"
#include "cli/catalog/entries/source_list.hpp"
#include "cli/output/terminal.hpp"
#include "core/text.hpp"
#include "study/file/study_of_file.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;
using catalog::Catalog;
using catalog::Difference;
using catalog::Entry;
using catalog::Value;

// What is compared: a catalog, and which of its entries are meant.
struct Side {
  std::string name;
  Catalog catalog;
  std::set<std::string> ids;  // of an overlay or a study; empty: of all
};

// Nothing, and every mistake told, where it cannot be read.
std::optional<Catalog> loaded(const catalog::Places& places, const Streams& streams) {
  Diagnostics diagnostics;
  auto catalog = Catalog::load(places, diagnostics);
  tell(streams, diagnostics.text());
  return catalog;
}

std::set<std::string> ids_of(const Catalog& catalog) {
  std::set<std::string> ids;
  for (const Entry& entry : catalog.entries()) {
    ids.insert(id_of(entry));
  }
  return ids;
}

// An overlay is read beside the catalog that is chosen: it may rest on that.
std::optional<Side> overlay_side(const std::string& operand, catalog::Places places,
                                 const Catalog& chosen, const Streams& streams) {
  places.overlays.emplace_back(operand);
  auto catalog = loaded(places, streams);
  if (!catalog) {
    return std::nullopt;
  }
  Side side{operand, std::move(*catalog), {}};
  for (const Entry& entry : side.catalog.entries()) {
    if (chosen.entry(entry.section, entry.name) == nullptr) {
      side.ids.insert(id_of(entry));
    }
  }
  return side;
}

std::optional<Side> side_of(const std::string& operand, const catalog::Places& places,
                            const Catalog& chosen, const Streams& streams) {
  if (!fs::exists(operand)) {
    throw Failure(ExitCode::no_input,
                  fmt::format("catalog diff: no '{}'; give a catalog folder, an overlay (a .toml "
                              "file or a folder of them) or a finished study",
                              operand));
  }
  if (study::is_study_file(operand)) {
    Diagnostics diagnostics;
    auto catalog = study::entries_of_file(operand, diagnostics);
    tell(streams, diagnostics.text());
    if (!catalog) {
      return std::nullopt;
    }
    std::set<std::string> ids = ids_of(*catalog);
    return Side{operand, std::move(*catalog), std::move(ids)};
  }
  if (!catalog::is_catalog(operand)) {
    return overlay_side(operand, places, chosen, streams);
  }
  auto catalog = loaded({operand, {}}, streams);
  return catalog ? std::optional(Side{operand, std::move(*catalog), {}}) : std::nullopt;
}

const char* change_of(const Difference& difference) {
  const bool has_values = difference.from_value != nullptr || difference.to_value != nullptr;
  const bool is_added = has_values ? difference.from_value == nullptr : difference.from == nullptr;
  const bool is_removed = has_values ? difference.to_value == nullptr : difference.to == nullptr;
  return is_added ? "added" : is_removed ? "removed" : "changed";
}

const Entry& entry_of(const Difference& difference) {
  return difference.from != nullptr ? *difference.from : *difference.to;
}

// "data rate" of a quantity; "" of all others.
std::string measure_of(const Difference& difference) {
  const config::Key* key =
      config::KeyScope{catalog::keys_of(entry_of(difference).section), ""}.find(difference.key);
  return key != nullptr && key->kind == config::KeyKind::quantity
             ? config::dimension_name(key->dimension)
             : "";
}

std::optional<double> number_of(const Value* value) {
  return value == nullptr || value->numbers.size() != 1 ? std::nullopt
                                                        : std::optional(value->numbers.front());
}

// "like h100-sxm; 3 of 52 values its own"
std::string entry_text(const Entry& entry) {
  const auto own = std::count_if(entry.values.begin(), entry.values.end(),
                                 [](const Value& value) { return value.from.empty(); });
  const std::string& base = entry.predecessor.empty() ? entry.like : entry.predecessor;
  return base.empty()
             ? fmt::format("{} values", entry.values.size())
             : fmt::format("like {}, {} of {} values its own", base, own, entry.values.size());
}

// For programs: every fact in a cell of its own.
Sheet changes_sheet(const std::vector<Difference>& changes) {
  Sheet sheet{"changes", "", {}, {}, true};
  for (const char* column :
       {"change", "entry_kind", "entry", "key", "measure", "from", "to", "from_si", "to_si",
        "from_known_as", "to_known_as", "from_source", "to_source"}) {
    sheet.columns.push_back({column, column, Align::left});
  }
  const auto cell = [](const Value* value, const std::string& text) {
    return value == nullptr ? Cell{"", nullptr} : Cell{text};
  };
  const auto text_of = [&](const Value* value) {
    return cell(value, value == nullptr ? "" : value->text);
  };
  const auto kind_of = [&](const Value* value) {
    return cell(value, value == nullptr ? "" : std::string(catalog::name_of(value->kind)));
  };
  const auto source_of = [&](const Value* value) {
    return cell(value, value == nullptr ? "" : value->source);
  };
  const auto si_of = [](const Value* value) {
    const auto number = number_of(value);
    return number ? Cell{fmt::format("{}", *number), *number} : Cell{"", nullptr};
  };
  for (const Difference& change : changes) {
    const Value* const from = change.from_value;
    const Value* const to = change.to_value;
    sheet.rows.push_back(
        {change_of(change), std::string(catalog::name_of(entry_of(change).section)),
         entry_of(change).name, change.key, measure_of(change), text_of(from), text_of(to),
         si_of(from), si_of(to), kind_of(from), kind_of(to), source_of(from), source_of(to)});
  }
  return sheet;
}

// In one line, as lists of many numbers are not.
std::string value_text(const Value* value) {
  std::vector<std::string> words;
  for (const std::string& line : split(value == nullptr ? "-" : value->text, '\n')) {
    words.emplace_back(trim(line));
  }
  return join(words, " ");
}

// "+20 %" where both are one number.
std::string ratio_text(const Difference& change) {
  const auto from = number_of(change.from_value);
  const auto to = number_of(change.to_value);
  return from && to && *from != 0.0 ? fmt::format("{:+.3g} %", 100.0 * (*to / *from - 1.0)) : "";
}

std::string known_text(const Difference& change, SourceList& sources) {
  std::vector<std::string> words;
  for (const Value* value : {change.from_value, change.to_value}) {
    words.push_back(value == nullptr ? "-"
                                     : fmt::format("{} {}", catalog::name_of(value->kind),
                                                   sources.mark(*value)));
  }
  return words[0] == words[1] ? words[0] : words[0] + " -> " + words[1];
}

Sheet entries_sheet(const std::vector<Difference>& changes) {
  Sheet sheet{"entries",
              "Entries",
              {{"change", "", Align::left},
               {"kind", "kind", Align::left},
               {"entry", "entry", Align::left},
               {"holds", "holds", Align::left}},
              {},
              true};
  for (const Difference& change : changes) {
    if (change.key.empty()) {
      const Entry& entry = entry_of(change);
      sheet.rows.push_back({change_of(change), std::string(catalog::name_of(entry.section)),
                            entry.name, entry_text(entry)});
    }
  }
  return sheet;
}

Sheet values_sheet(const std::vector<Difference>& changes, SourceList& sources) {
  Sheet sheet{"values",
              "Values",
              {{"entry", "entry", Align::left},
               {"key", "key", Align::left},
               {"from", "from", Align::left},
               {"to", "to", Align::left},
               {"change", "change", Align::right},
               {"known_as", "known as", Align::left}},
              {},
              true};
  for (const Difference& change : changes) {
    if (!change.key.empty()) {
      sheet.rows.push_back({id_of(entry_of(change)), change.key, value_text(change.from_value),
                            value_text(change.to_value), ratio_text(change),
                            known_text(change, sources)});
    }
  }
  return sheet;
}

void print_text(const std::vector<Difference>& changes, const Streams& streams) {
  SourceList sources;
  std::vector<Sheet> sheets = {entries_sheet(changes), values_sheet(changes, sources)};
  std::erase_if(sheets, [](const Sheet& sheet) { return sheet.rows.empty(); });
  if (sheets.empty()) {
    fmt::print(streams.out, "no entry and no value differs\n");
    return;
  }
  print(streams, sheets, Format::text);
  if (sheets.back().name == "values") {
    fmt::print(streams.out, "\n");
    sources.print(streams);
  }
}

}  // namespace

ExitCode diff_catalogs(const std::vector<std::string>& operands, const CatalogChoice& choice,
                       Format format, const Streams& streams) {
  const catalog::Places places = find_catalog(choice);
  const auto chosen = loaded(places, streams);
  if (!chosen) {
    return ExitCode::bad_input;
  }
  std::vector<Side> sides;
  if (operands.size() == 1) {
    sides.push_back({places.folder.string(), *chosen, {}});
  }
  for (const std::string& operand : operands) {
    auto side = side_of(operand, places, *chosen, streams);
    if (!side) {
      return ExitCode::bad_input;
    }
    sides.push_back(std::move(*side));
  }
  std::set<std::string> ids = sides[0].ids;
  ids.insert(sides[1].ids.begin(), sides[1].ids.end());
  const auto changes = catalog::differences(sides[0].catalog, sides[1].catalog, ids);
  if (format == Format::text) {
    fmt::print(streams.out, "from {} to {}\n\n", sides[0].name, sides[1].name);
    print_text(changes, streams);
  } else {
    print(streams, {changes_sheet(changes)}, format);
  }
  return ExitCode::ok;
}

}  // namespace scalesweep::cli

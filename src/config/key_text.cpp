#include "config/key_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <sstream>

#include "config/key_relations.hpp"
#include "core/text.hpp"

namespace scalesweep::config {
namespace {

std::string code(std::string_view text) {
  return fmt::format("`{}`", text);
}

// True for what could stand in a file, false for words about it.
bool is_value(std::string_view text) {
  const bool number = !text.empty() && text.front() >= '0' && text.front() <= '9' &&
                      text.find(' ') == std::string_view::npos;
  return number || text != unquoted(text) || text == "true" || text == "false";
}

// True if a path stands in a table or in one inside it.
bool within(std::string_view table, std::string_view path) {
  return table.empty()
             ? path.find('.') == std::string_view::npos
             : path.size() > table.size() && path.starts_with(table) && path[table.size()] == '.';
}

// The group that shows a row: the deepest table, then the fewest variants.
const KeyGroup* group_of(const Key& key, const KeyBook& book) {
  const KeyGroup* best = nullptr;
  for (const KeyGroup& group : book.groups) {
    const auto all = static_cast<Variants>((1U << group.variant_names.size()) - 1U);
    const Variants variants = group.variant_names.empty() ? every_variant : key.variants & all;
    if (!within(group.table, key.path) || (variants & group.variants) != variants) {
      continue;
    }
    const bool deeper = best != nullptr && group.table.size() > best->table.size();
    const bool same = best != nullptr && group.table.size() == best->table.size();
    if (best == nullptr || deeper ||
        (same && std::popcount(group.variants) < std::popcount(best->variants))) {
      best = &group;
    }
  }
  return best;
}

std::string names_of(Variants variants, std::span<const std::string_view> names) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((variants >> i & 1U) != 0) {
      found.emplace_back(names[i]);
    }
  }
  return join(found, ", ");
}

constexpr std::string_view tick = "`";

// The rows of the table of a key in any of its variants.
std::vector<const Key*> rows_beside(const Key& key, const KeyBook& book) {
  std::vector<const Key*> rows;
  for (const Key& other : book.keys) {
    if (other.table() == key.table() && (other.variants & key.variants) != 0) {
      rows.push_back(&other);
    }
  }
  return rows;
}

bool is_among(std::string_view name, std::span<const Partner> partners) {
  return std::any_of(partners.begin(), partners.end(),
                     [name](const Partner& partner) { return partner.key == name; });
}

// "Needs `draft`", or of a key that has others beside it in some variants alone "Of diffusion it
// needs `work = "training"`".
std::string needs_text(const Key& key, KeyRows rows, std::span<const std::string_view> names) {
  const std::vector<Partner> partners = partners_among(key.needs, rows);
  if (partners.empty() || key.need == Need::with_others) {
    return "";
  }
  Variants with = 0;
  for (const Key* row : rows) {
    with = is_among(row->name(), partners) ? with | row->variants : with;
  }
  const std::string text = text_of(partners, tick);
  return (key.variants & ~with) == 0
             ? fmt::format("Needs {}", text)
             : fmt::format("Of {} it needs {}", names_of(with & key.variants, names), text);
}

// What a key says of others, and what those say that need it.
std::string relations_of(const Key& key, const KeyGroup& group, const KeyBook& book) {
  const std::vector<const Key*> rows = rows_beside(key, book);
  std::vector<std::string> texts = {needs_text(key, rows, group.variant_names)};
  for (const Key* other : rows) {
    const bool asks =
        other->need == Need::with_others && is_among(key.name(), partners_in(other->needs));
    texts.push_back(asks ? fmt::format("Needs `{}`", other->name()) : "");
  }
  const bool is_choice = key.need == Need::required;  // of which its default tells
  if (const auto excluded = partners_among(key.excludes, rows); !excluded.empty() && !is_choice) {
    texts.push_back(fmt::format("Not with {}", text_of(excluded, tick)));
  }
  std::erase(texts, "");
  return join(texts, ". ");
}

std::string kind_text(const Key& key) {
  switch (key.kind) {
    case KeyKind::text:
      return "text";
    case KeyKind::name:
      return key.list ? "names" : "name";
    case KeyKind::integer:
      return "integer";
    case KeyKind::number:
      return "number";
    case KeyKind::quantity:
      return dimension_name(key.dimension);
    case KeyKind::truth:
      return "`true`, `false`";
    case KeyKind::sizes:
      return "sizes";
    case KeyKind::range:
      return "`{ from = ..., to = ... }`";
    case KeyKind::table:
      return "table";
    case KeyKind::tables:
      return "list of tables";
    case KeyKind::file_or_tables:
      return "a file, or a list of tables";
    case KeyKind::name_or_table:
      return "names, or a table";
    case KeyKind::names_or_tables:
      return "names, tables";
  }
  return "";
}

}  // namespace

std::vector<KeyEntry> entries_of(const KeyGroup& group, const KeyBook& book) {
  std::vector<KeyEntry> entries;
  std::vector<Variants> variants;
  for (const Key& key : book.keys) {
    if (group_of(key, book) != &group) {
      continue;
    }
    const auto same = std::find_if(entries.begin(), entries.end(),
                                   [&](const KeyEntry& e) { return e.key->path == key.path; });
    if (same == entries.end()) {
      const std::size_t skip = group.table.empty() ? 0 : group.table.size() + 1;
      entries.push_back({&key, std::string(key.path.substr(skip)), "", ""});
      variants.push_back(key.variants);
    } else {
      variants[static_cast<std::size_t>(same - entries.begin())] |= key.variants;
    }
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string of_group = names_of(group.variants, group.variant_names);
    const std::string own = names_of(variants[i] & group.variants, group.variant_names);
    entries[i].only = own == of_group ? "" : own;
    entries[i].relations = relations_of(*entries[i].key, group, book);
  }
  return entries;
}

std::string type_text(const Key& key) {
  std::vector<std::string> parts;
  for (const std::string_view word : key.words) {
    parts.push_back(fmt::format("`\"{}\"`", word));
  }
  if (key.words.empty() || key.kind == KeyKind::integer || key.kind == KeyKind::number) {
    parts.push_back(kind_text(key));
  }
  if (!key.units.empty()) {
    parts.emplace_back(key.units);
  }
  if (key.kind == KeyKind::number || (key.kind == KeyKind::integer && key.range.high)) {
    parts.push_back(key.range.text());
  } else if (key.zero) {
    parts.emplace_back("may be zero");
  }
  if (key.none) {
    parts.emplace_back("`\"none\"`");
  }
  if (key.continuous) {
    parts.emplace_back("`{ from, to, values }`");
  }
  if (key.uncertain) {
    parts.emplace_back("`{ mean, spread }`");
  }
  return join(parts, ", ");
}

std::string fallback_text(const Key& key) {
  if (key.need == Need::required) {
    return key.unless.empty() ? "required" : fmt::format("required, or `{}`", key.unless);
  }
  if (key.need == Need::with_others) {
    return fmt::format("required with {}", text_of(partners_in(key.needs), tick));
  }
  return is_value(key.fallback) ? code(key.fallback) : std::string(key.fallback);
}

std::string description_text(const KeyEntry& entry) {
  std::string text(entry.key->description);
  if (!entry.key->axis.empty() && entry.key->axis != entry.key->name()) {
    text += fmt::format(". Axis `{}`", entry.key->axis);
  }
  if (!entry.relations.empty()) {
    text += fmt::format(". {}", entry.relations);
  }
  if (!entry.only.empty()) {
    text += fmt::format(". Of {} only", entry.only);
  }
  return text;
}

std::string markdown_table(const KeyGroup& group, const KeyBook& book) {
  std::string table = "| key | type | default | example | meaning |\n|---|---|---|---|---|\n";
  for (const KeyEntry& entry : entries_of(group, book)) {
    const Key& key = *entry.key;
    table += fmt::format("| `{}` | {} | {} | {} | {} |\n", entry.name, type_text(key),
                         fallback_text(key), key.example.empty() ? "" : code(key.example),
                         description_text(entry));
  }
  return table;
}

std::string with_tables(const std::string& document, const KeyBook& book) {
  constexpr std::string_view begin = "<!-- keys: ";
  constexpr std::string_view end = "<!-- end -->";
  std::istringstream lines(document);
  std::string text;
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    inside = inside && line != end;
    if (!inside) {
      text += line + "\n";
    }
    if (!line.starts_with(begin)) {
      continue;
    }
    const std::string name = line.substr(begin.size(), line.find(" -->") - begin.size());
    for (const KeyGroup& group : book.groups) {
      if (group.name == name) {
        text += markdown_table(group, book);
        inside = true;
      }
    }
  }
  return text;
}

}  // namespace scalesweep::config

#include "config/key_relations.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace scalesweep::config {
namespace {

constexpr std::string_view separator = " or ";
constexpr std::string_view equals = " = ";

bool has_word(const TableCursor& table, const Key& row, std::string_view word) {
  const auto value = table.value(row.name());
  if (!value) {
    return unquoted(row.fallback) == word;
  }
  const std::vector<ValueCursor> values = value->list_or_single();
  return std::any_of(values.begin(), values.end(), [&](const ValueCursor& one) {
    return one.form() == ValueCursor::Form::string && one.string() == word;
  });
}

std::vector<Partner> standing(const TableCursor& table, std::vector<Partner> partners,
                              KeyRows rows) {
  std::erase_if(partners, [&](const Partner& partner) {
    return partner.word.empty() ? !table.has(partner.key)
                                : !has_word(table, *row_of(partner.key, rows), partner.word);
  });
  return partners;
}

std::string reason(const Key& key) {
  return key.because.empty() ? "" : fmt::format(": {}", key.because);
}

// "acceptance = 0.8"
std::string written(const Key& key) {
  return fmt::format("{} = {}", key.name(), one_example(key));
}

bool check_needs(const TableCursor& table, const Key& key, KeyRows rows) {
  const std::vector<Partner> partners = partners_among(key.needs, rows);
  if (partners.empty() || !table.has(key.name()) || !standing(table, partners, rows).empty()) {
    return true;
  }
  const Partner& first = partners.front();
  const std::string way_out =
      first.word.empty() ? fmt::format(", for example {}", written(*row_of(first.key, rows)))
                         : "; leave it out";
  table.error(key.name(), fmt::format("'{}' goes with {}{}{}", key.name(), text_of(partners),
                                      reason(key), way_out));
  return false;
}

// A key that must stand where one of those that it needs does.
bool check_demand(const TableCursor& table, const Key& key, KeyRows rows) {
  if (key.need != Need::with_others || table.has(key.name())) {
    return true;
  }
  const std::vector<Partner> others = standing(table, partners_among(key.needs, rows), rows);
  std::string meaning(key.description);
  std::erase(meaning, '`');
  for (const Partner& other : others) {
    table.error(other.key, fmt::format("'{}' needs {} ({}), for example {}", other.key, key.name(),
                                       meaning, written(key)));
  }
  return others.empty();
}

bool check_excluded(const TableCursor& table, const Key& key, KeyRows rows) {
  if (!table.has(key.name())) {
    return true;
  }
  const std::vector<Partner> found = standing(table, partners_among(key.excludes, rows), rows);
  for (const Partner& other : found) {
    table.error(key.name(), other.key == key.unless
                                ? fmt::format("'{}' is said by '{}' already; leave one of them out",
                                              key.name(), other.key)
                                : fmt::format("'{}' does not go with {}{}; leave one of them out",
                                              key.name(), text_of({&other, 1}), reason(key)));
  }
  return found.empty();
}

}  // namespace

const Key* row_of(std::string_view name, KeyRows rows) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Key* row) { return row->name() == name; });
  return found == rows.end() ? nullptr : *found;
}

std::vector<Partner> partners_in(std::string_view relation) {
  std::vector<Partner> partners;
  while (!relation.empty()) {
    const std::size_t end = relation.find(separator);
    const std::string_view one = relation.substr(0, end);
    relation = end == std::string_view::npos ? "" : relation.substr(end + separator.size());
    const std::size_t word = one.find(equals);
    if (one != unquoted(one)) {
      partners.push_back({partners.back().key, unquoted(one)});
    } else if (word == std::string_view::npos) {
      partners.push_back({one});
    } else {
      partners.push_back({one.substr(0, word), unquoted(one.substr(word + equals.size()))});
    }
  }
  return partners;
}

std::vector<Partner> partners_among(std::string_view relation, KeyRows rows) {
  std::vector<Partner> partners = partners_in(relation);
  std::erase_if(partners,
                [&](const Partner& partner) { return row_of(partner.key, rows) == nullptr; });
  return partners;
}

std::string text_of(std::span<const Partner> partners, std::string_view quote) {
  std::string text;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    const auto& [key, word] = partners[i];
    const bool is_last = i + 1 == partners.size();
    const bool is_same = i > 0 && !word.empty() && key == partners[i - 1].key;
    const std::string one = word.empty() ? std::string(key)
                            : is_same    ? fmt::format("\"{}\"", word)
                                         : fmt::format("{} = \"{}\"", key, word);
    text += i == 0 ? "" : is_last ? separator : std::string_view(", ");
    text += fmt::format("{0}{1}{0}", quote, one);
  }
  return text;
}

std::string_view one_example(const Key& key) {
  constexpr std::string_view none_first = "[0, ";
  if (!key.example.starts_with(none_first)) {
    return key.example;
  }
  const std::string_view rest = key.example.substr(none_first.size());
  return rest.substr(0, rest.find_first_of(",]"));
}

bool check_relations(const TableCursor& table, KeyRows rows) {
  bool good = true;
  for (const Key* key : rows) {
    good = check_needs(table, *key, rows) && good;
    good = check_demand(table, *key, rows) && good;
    good = check_excluded(table, *key, rows) && good;
  }
  return good;
}

}  // namespace scalesweep::config

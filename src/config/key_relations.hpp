// What a key says of others of its table: which it needs, and which it does not go with.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "config/key.hpp"

namespace scalesweep::config {

// The rows of a table, one for each key, of the variants that a file has.
using KeyRows = std::span<const Key* const>;

// Another key, and the word that it must have, or have among others; "": whatever it has.
struct Partner {
  std::string_view key;
  std::string_view word = "";
};

// Null where no row has the name.
const Key* row_of(std::string_view name, KeyRows rows);

// Those of `needs` or `excludes`: `draft`, `images or recordings`, `policy = "best" or "frontier"`.
std::vector<Partner> partners_in(std::string_view relation);
// Those of them that are keys of a table.
std::vector<Partner> partners_among(std::string_view relation, KeyRows rows);
// As a relation is written, each key between two `quotes`.
std::string text_of(std::span<const Partner> partners, std::string_view quote = "");

// The example of a key, of a list with zero the value after it: what to write to have one.
std::string_view one_example(const Key& key);

// Reports each key of the table that stands without what it needs, or beside what it excludes;
// true if there is none.
bool check_relations(const TableCursor& table, KeyRows rows);

}  // namespace scalesweep::config

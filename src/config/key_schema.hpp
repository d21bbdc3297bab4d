// The rows of keys as a JSON schema (draft 7), which editors of TOML read (Taplo, Even Better
// TOML).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/key.hpp"

namespace scalesweep::config {

// Words of a choice that are none: the value is a table, or is no table.
inline constexpr std::string_view a_table = "{}";
inline constexpr std::string_view no_table = "no {}";

// A choice in a file that decides which variants of keys some of its tables have.
struct SchemaCase {
  std::string_view table;                // "workload": where the choice stands
  std::string_view key;                  // "kind"
  std::string_view word;                 // the choice
  Variants variants = every_variant;     // of the keys then
  std::vector<std::string_view> tables;  // whose keys depend on it
};

// Of a file whose top level has the rows `keys`.
std::string file_schema(std::string_view title, std::span<const Key> keys,
                        std::span<const SchemaCase> cases);

// A table of entries, [device.NAME] or [logic.SERIES.NODE].
struct EntryTable {
  std::string_view name;
  std::string_view description;
  int levels = 1;  // of names
  std::span<const Key> keys;
  std::string_view unless = "";  // a key that stands in the place of all that must be there
};

// Of a file of entries, beside the rows `top`. A value of an entry may be a table: its value with
// what the rows `notes` say of it.
std::string entries_schema(std::string_view title, std::span<const Key> top,
                           std::span<const EntryTable> tables, std::span<const Key> notes);

}  // namespace scalesweep::config

// The rows of keys as people read them: tables of a README.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/key.hpp"

namespace scalesweep::config {

// Rows that are shown together: those of a table, and of the tables in it that have no group of
// their own, if no other group of the table fits their variants better.
struct KeyGroup {
  std::string_view name;   // "workload-training", of a region of a README
  std::string_view table;  // "workload"; "" is the top level
  std::string_view title;  // "[workload], kind = \"training\""
  Variants variants = every_variant;
  std::span<const std::string_view> variant_names = {};  // of the table
};

// All keys of one sort of files.
struct KeyBook {
  std::span<const Key> keys;
  std::span<const KeyGroup> groups;
};

// A key as a group shows it.
struct KeyEntry {
  const Key* key = nullptr;  // the first of its rows in the group
  std::string name;          // "device.die_area": its path below the table of the group
  std::string only;          // "inference": its variants, where they are not all of the group
  std::string relations;     // "Needs `draft`. Not with `draft_model`"
};

// In the order of the rows.
std::vector<KeyEntry> entries_of(const KeyGroup& group, const KeyBook& book);

// "integer, tokens"; "`\"flash\"`, `\"unfused\"`".
std::string type_text(const Key& key);
// "required", "`\"bf16\"`", "of the device".
std::string fallback_text(const Key& key);
// With what follows from the row: "inference only", "axis `economics`", "needs `draft`".
std::string description_text(const KeyEntry& entry);

// | key | type | default | example | meaning |
std::string markdown_table(const KeyGroup& group, const KeyBook& book);

// A document whose regions
//   <!-- keys: NAME -->
//   ...
//   <!-- end -->
// hold the tables of the groups of that name. A name that no group has stays as it is.
std::string with_tables(const std::string& document, const KeyBook& book);

}  // namespace scalesweep::config

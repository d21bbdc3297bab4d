// Reads the values of one entry of a catalog file as their rows say, and remembers where each comes
// from.
//
// A value is written plainly, and then has the source and kind that its entry names, or as a table
// with what differs:
//   bandwidth = "2039 GB/s"
//   energy = { value = "4.3 pJ/bit", source = "moon", kind = "published", note = "..." }
// What the entry lacks is that of the entry it rests on, where it names one. What a template lacks
// all the same is told in one message (lacking.hpp).
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/provenance.hpp"
#include "config/document.hpp"

namespace scalesweep::catalog {

struct Sources {
  std::map<std::string, std::string> citations = {};  // by their keys in the file
  bool left_behind = false;  // they are in another file: a key stands for its citation
};

// A value of any form, with where it stands, for checks that follow.
struct Located {
  std::string text;
  SourcePosition position;
};

class EntryReader {
 public:
  // Reads the defaults (source, kind) of the entry. `base` has been read and has what this one
  // lacks; nothing if there is none, and without values where it was named wrongly (and then
  // reported). `entry`, `sources` and `base` must outlive the reader.
  EntryReader(config::TableCursor table, const Sources& sources, Entry& entry,
              const Entry* base = nullptr);

  // As the row of the key says, quantities in SI. What must be there and is missing or wrong is
  // reported, and a harmless 1 comes back; what may be left out has the default of the row.
  double value(std::string_view key);
  double needed(std::string_view key);  // must be there, because of another key
  // The same; `otherwise` where the row says its default in words.
  double value_or(std::string_view key, double otherwise);
  std::int64_t integer_or(std::string_view key, std::int64_t otherwise);
  bool truth_or(std::string_view key, bool otherwise);
  std::string text_or(std::string_view key, const std::string& otherwise);
  std::int64_t integer(std::string_view key);
  bool truth(std::string_view key);
  // Nothing if it is absent or wrong (and then reported).
  std::optional<double> given(std::string_view key);
  std::optional<std::int64_t> given_integer(std::string_view key);
  std::optional<bool> given_truth(std::string_view key);
  Located text(std::string_view key);
  std::optional<Located> given_text(std::string_view key);
  std::vector<std::int64_t> integers(std::string_view key);
  // Names of the row's words, one or a list; empty where there are none.
  std::vector<std::string> words(std::string_view key);

  // A table of values inside the entry ([device.x.dram]); may name its own source and kind.
  EntryReader group(std::string_view key);
  EntryReader optional_group(std::string_view key);  // every value in it must be optional
  // Keys of the table that are values, here or in what the entry rests on: all but source, kind,
  // note, aliases.
  std::vector<std::string> value_keys() const;

  // Of two sets of keys an entry has one at most: where keys of one stand here, those of the other
  // are not taken over.
  void either(const std::vector<std::string_view>& keys,
              const std::vector<std::string_view>& others);

  // What the entry rests on says of itself with this key.
  void leave(std::string_view key);

  // A value or a table of values, here or in what the entry rests on.
  bool has(std::string_view key) const;
  // Whether one of those that were read so far, of a table ("dram."), is of one of these kinds.
  bool has_value_of(std::string_view table, std::initializer_list<SourceKind> kinds) const;
  bool exists() const { return table_.exists(); }
  const config::TableCursor& table() const { return table_; }

 private:
  struct Defaults {
    std::string source;
    std::optional<SourceKind> kind;
  };
  EntryReader(config::TableCursor table, const Sources& sources, Entry& entry, const Entry* base,
              std::string prefix, Defaults defaults);
  EntryReader inside(config::TableCursor table, std::string_view key) const;

  void read_defaults();
  std::string citation(const config::TableCursor& table, const std::string& key) const;
  // The value itself, out of its table if it has one; its provenance goes to the entry.
  std::optional<config::ValueCursor> open(std::string_view key);
  // Whether that has values in a table, "core.", which may be taken over.
  bool base_holds(const std::string& table) const;
  // Neither here nor in what the entry rests on, as far as that is known.
  bool lacks(std::string_view key) const;
  // Reports a key as missing, or has it reported with the others of the entry.
  template <typename Report>
  void miss(std::string_view key, const Report& report);
  const Value* inherited(std::string_view key) const;
  bool is_left(std::string_view path) const;
  // Takes a value over into the entry; its numbers in SI, empty where they were wrong (and then
  // reported where they stand) or where there are none.
  const std::vector<double>& take_over(const Value& value);
  // The row of a key, which there must be.
  const config::Key& row(std::string_view key) const;

  config::TableCursor table_;
  const Sources* sources_;
  Entry* entry_;
  const Entry* base_ = nullptr;
  std::string prefix_;  // "dram."
  Defaults defaults_;
  std::vector<std::string> left_;  // paths that are not taken over
};

// A name out of a few; `fallback` where none is given.
template <class E, class Names>
E read_choice(EntryReader& entry, std::string_view key, const Names& names, E fallback) {
  const std::optional<Located> given = entry.given_text(key);
  if (!given) {
    return fallback;
  }
  const auto found = names.find(given->text);
  if (!found) {
    entry.table().error(key,
                        fmt::format("'{}' is neither {}", given->text, fmt::join(names, " nor ")));
  }
  return found.value_or(fallback);
}

}  // namespace scalesweep::catalog

// What a key of a TOML file is. One row says how its value is read, what is suggested for a
// misspelt one, what the tables of a README and `scalesweep help` say, and what an editor is told.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/quantity_text.hpp"

namespace scalesweep::config {

enum class KeyKind : std::uint8_t {
  text,             // any string
  name,             // of what others know: a device, a model, a column
  integer,          // at least 1
  number,           // without a unit
  quantity,         // with one
  truth,            // true or false
  sizes,            // "divisors", integers, { powers_of_two_to = N }, { divisors_to = N }
  range,            // { from = ..., to = ... }
  table,            // holds keys
  tables,           // a list of tables
  file_or_tables,   // a path, or a list of tables
  name_or_table,    // names, or one table
  names_or_tables,  // names and tables in one list
};

enum class Need : std::uint8_t {
  optional,
  required,
  standing,     // where it is not written, its default stands there as if it were
  with_others,  // required where one of those stands that it needs
};

// Which numbers without a unit a key takes.
struct NumberRange {
  double low = 0.0;
  bool low_included = false;
  std::optional<double> high = std::nullopt;
  bool high_included = false;

  bool holds(double number) const;
  std::string text() const;  // "above 0 and below 1"
};
inline constexpr NumberRange above_zero = {0.0, false};
inline constexpr NumberRange from_zero = {0.0, true};
inline constexpr NumberRange open_share = {0.0, false, 1.0, false};
inline constexpr NumberRange share_or_zero = {0.0, true, 1.0, false};
inline constexpr NumberRange share_or_all = {0.0, false, 1.0, true};
inline constexpr NumberRange any_share = {0.0, true, 1.0, true};

// Whose names a key takes.
struct EntryNames {
  std::string_view section = "";  // of the catalog
  // What one is called in a message; "": whoever knows what else may stand there says that a name
  // is unknown.
  std::string_view noun = "";
  std::span<const std::string_view> others = {};  // words that name no entry
};

// The keys of a table may depend on one of its words (the kind of a workload); bit i of a mask is
// its i-th word.
using Variants = std::uint8_t;
inline constexpr Variants every_variant = 0xff;

struct Key {
  std::string_view path;  // "device.die_area", below the table whose rows these are
  KeyKind kind = KeyKind::text;
  Need need = Need::optional;
  std::string_view fallback = "";     // as it would be written, or what holds then in words
  std::string_view example = "";      // as it is written, in most cases another one
  std::string_view units = "";        // of an integer or number: "tokens"
  std::string_view description = "";  // for people
  std::span<const std::string_view> words = {};  // if not empty, the only values of a name
  Dimension dimension = Dimension::bytes;        // of a quantity
  NumberRange range = {};                        // of a number
  bool zero = false;                             // a quantity or integer may be zero
  bool none = false;  // a quantity may be "none", which is larger than all
  bool list = false;  // may be several in a list
  // What lies between two of its values is one, too, and all that follows from it between: values
  // may be { from = ..., to = ..., values = ... }, and be searched.
  bool continuous = false;
  bool uncertain = false;      // may be { mean = ..., spread = ... }, of which values are drawn
  std::string_view axis = "";  // of a study, whose values it gives
  // Says what is asked rather than what is built: results for different values do not compete.
  bool asked = false;
  EntryNames names = {};  // of a name
  Variants variants = every_variant;
  std::string_view instead = "";  // what the other variants write
  std::string_view unless = "";   // a key of the same table, or of the entry, in its place
  // Others of the same table, `draft` or `work = "training"`, several with " or " (key_relations).
  std::string_view needs = "";     // one of them must stand there
  std::string_view excludes = "";  // none of them may
  std::string_view because = "";   // why, where the names do not tell

  constexpr std::string_view name() const { return path.substr(path.rfind('.') + 1); }
  constexpr std::string_view table() const {  // the path of the table it stands in
    const std::size_t dot = path.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
  }
};

// The rows of a table: those whose path begins with `prefix`, of these variants.
struct KeyScope {
  std::span<const Key> keys;
  std::string prefix;  // "" or "device."
  Variants variants = every_variant;

  // Nothing if there is no row; `*` in a path is any name.
  const Key* find(std::string_view name) const;
  std::vector<std::string> names() const;  // of the keys of this table, each once
  // Of a table in it; without rows if none says what it holds.
  KeyScope inside(std::string_view name) const;
};

// `text` without its quotes: what a string that is written so means.
std::string_view unquoted(std::string_view text);

}  // namespace scalesweep::config

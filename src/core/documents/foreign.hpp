// Documents of strangers, before a parser takes them: parsers, and what reads their trees, call
// themselves, and would end the program where a text nests without end.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace scalesweep {

// Of lists and objects in each other, and of parts of a dotted key.
inline constexpr std::size_t most_levels = 100;

// Where a key of more parts has the first that is too many, in a text of TOML: "a.b.c" has three.
// Values nest no deeper than the parser's own limit.
std::optional<std::size_t> deep_key_of_toml(std::string_view text);

// What is no JSON, nests too deep, or has a number that no machine has.
struct JsonError : std::runtime_error {
  JsonError(std::size_t where, const std::string& words)
      : std::runtime_error(words), offset(where) {}
  std::size_t offset = 0;  // of the text
};
// Throws JsonError.
nlohmann::json parsed_json(std::string_view text);

}  // namespace scalesweep

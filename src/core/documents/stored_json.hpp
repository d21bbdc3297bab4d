// Texts of JSON that a file of ours holds, which may be damaged or of a program that is none of
// ours.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/documents/foreign.hpp"

namespace scalesweep {

// What `read` makes of the document; its empty value of a text that is no JSON, or where `read`
// asks for what the document has not.
template <typename Read>
auto read_stored_json(std::string_view text, const Read& read) {
  using Result = decltype(read(std::declval<const nlohmann::json&>()));
  try {
    return read(parsed_json(text));
  } catch (const JsonError&) {
  } catch (const nlohmann::json::exception&) {
  }
  return Result();
}

}  // namespace scalesweep

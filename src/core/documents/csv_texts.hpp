// CSV for programs, and for spreadsheets, which compute what they read.
#pragma once

#include <string>
#include <string_view>

#include "core/documents/csv.hpp"

namespace scalesweep {

// Texts that somebody wrote: as they are, or so that a spreadsheet computes none of them.
enum class CsvTexts { plain, spreadsheet };
// The same of such a text: for a spreadsheet one that it would take for a formula has an apostrophe
// before it. Numbers are no such texts.
inline std::string csv_field(const std::string& text, CsvTexts texts) {
  const bool is_formula = texts == CsvTexts::spreadsheet && !text.empty() &&
                          std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  return csv_field(is_formula ? "'" + text : text);
}

}  // namespace scalesweep

// The words of a condition: names, numbers, strings in quotes and symbols, each with its place.
// Filters of a spec and conditions over the columns of a study are written in them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"

namespace scalesweep::space {

struct FilterProblem {
  Severity severity = Severity::error;
  std::size_t offset = 0;  // of a character of the expression
  std::string message;
};

enum class WordKind { name, number, text, symbol };

struct FilterWord {
  WordKind kind = WordKind::symbol;
  std::string text;  // of a string: without its quotes
  std::size_t offset = 0;
  std::size_t length = 0;  // in the expression
};

// Up to the first character that belongs to no word, which is reported.
std::vector<FilterWord> cut_filter(const std::string& expression,
                                   std::vector<FilterProblem>& problems);

// and, or, not, true, false
bool is_filter_keyword(std::string_view name);
// ==, !=, <=, >=, <, >
bool is_comparison(std::string_view symbol);

}  // namespace scalesweep::space

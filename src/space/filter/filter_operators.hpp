// The operators of filter expressions. Stricter than those of muParserX: every side is computed,
// and sides of different kinds do not compare, so that one evaluation shows every mistake.
#pragma once

#include <mpParser.h>

#include <stdexcept>
#include <string>

namespace scalesweep::space {

// An operator between things that it does not take; `offset` is where the operator stands.
struct OperandError : std::runtime_error {
  OperandError(const std::string& message, int at) : std::runtime_error(message), offset(at) {}
  int offset;
};

// Gives a parser without packages numbers, strings, true, false and these operators (&& for and,
// || for or, ! for not), and nothing else: no functions, no assignment.
void define_filter_language(mup::ParserX& parser);

}  // namespace scalesweep::space

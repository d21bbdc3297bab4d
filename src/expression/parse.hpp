// Expressions as people write them in filters of a spec and after --where:
//
//   tensor_parallel <= 8 and memory == 'HBM4' and not power > '0.7 kW'
//
// Here: their words, and what binds to what. What the names stand for comes in with check.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.hpp"

namespace scalesweep::expression {

struct Problem {
  std::size_t offset = 0;  // of a character of the expression
  std::string message;
  Severity severity = Severity::error;
};

enum class Operation : std::uint8_t {
  // words
  number,
  text,
  name,
  truth,
  // arithmetic
  negate,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  // comparison
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  // logic
  logical_not,
  logical_and,
  logical_or,
};
inline bool is_word(Operation operation) {
  return operation <= Operation::truth;
}

struct Node {
  Operation operation = Operation::number;
  std::size_t offset = 0;           // of the word, or of the operator
  std::size_t left = 0, right = 0;  // operands, which are earlier nodes; of one operand: both
  double number = 0.0;              // of a number; 1 or 0 of a truth
  std::string text = {};            // of a text without its quotes, of a name
  bool enclosed = false;            // in parentheses of its own
};

struct Name {
  std::string text;
  std::size_t offset = 0;
};

struct Tree {
  std::vector<Node> nodes;        // operands before what is computed of them; the last is the whole
  std::vector<Name> names;        // every name there is, also behind a mistake
  std::vector<Problem> problems;  // of words
  std::optional<Problem> syntax;  // where reading stopped; of the nodes, those before it are there
};

// `what` it is, for messages: "the filter is empty".
Tree parse(const std::string& text, const std::string& what);

}  // namespace scalesweep::expression

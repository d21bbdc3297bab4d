// What an expression means: its names are looked up, texts beside a comparison become what the
// other side is made of, and sides that do not go together are reported where they stand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "expression/parse.hpp"
#include "expression/program.hpp"

namespace scalesweep::expression {

enum class Kind : std::uint8_t { number, name, condition, unknown };

// "a number", "a name", "a condition"
const char* text_of(Kind kind);

// What a name stands for.
struct Symbol {
  std::string name;
  Kind kind = Kind::number;
  std::string units = {};                // of a quantity
  std::vector<std::string> labels = {};  // of names: by stored value
  std::vector<std::string> others = {};  // other names of the same, in their order; or none
  std::vector<double> values = {};       // of others: by stored value; empty: the value itself
  std::string example = {};              // as a person writes a value of it
  bool takes_bare_numbers = true;        // of a quantity: also a number in SI units
  // That a text is none of the labels:
  Severity never = Severity::error;
  std::string never_where = {};  // " in this study"
};

struct Found {
  std::optional<Symbol> symbol;
  std::string problem = {};  // why there is none; empty: it cannot be told
};

struct Quantity {
  std::optional<double> si;
  std::string problem = {};  // why not
};

// The names of the place that an expression is written in.
class Scope {
 public:
  Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  virtual ~Scope() = default;
  virtual Found find(const std::string& name) const = 0;
  virtual Quantity quantity(const std::string& text, const Symbol& symbol) const = 0;
};

struct Checked {
  std::vector<Problem> problems;  // the first is what to mend first
  // There is a program: no errors, and every name is known.
  bool complete() const { return kind != Kind::unknown; }
  Kind kind = Kind::unknown;  // of the whole
  Program program;
};

// `what` it is, for messages: "the filter is empty".
Checked check(const std::string& text, const std::string& what, const Scope& scope);

}  // namespace scalesweep::expression

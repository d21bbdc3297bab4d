// An expression made ready to be computed many times: for one point after another, or for blocks of
// rows. Everything is a number: of names equal ones have equal numbers, a condition is 1 or 0.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "expression/parse.hpp"

namespace scalesweep::expression {

struct Variable {
  std::string name;
  std::vector<double> table;  // what each stored value means; empty: the stored value itself
};

struct Instruction {
  Operation operation = Operation::negate;
  std::size_t left = 0, right = 0;  // slots
};

// Each value has a slot: first those of the variables, then the constants, then one for each
// instruction.
struct Program {
  std::vector<Variable> variables;
  std::vector<double> constants;
  std::vector<Instruction> code;
  std::size_t result = 0;  // slot
};

// The values of a program for up to `width` rows at once. Nothing is allocated after that.
class Evaluation {
 public:
  // The program must stay where it is.
  explicit Evaluation(const Program& program, std::size_t width = 1);

  // To be filled with its value in each row.
  double* variable(std::size_t index) { return slot(index); }
  // Of the first `count` rows. What has no value (NaN) compares false with everything, with !=,
  // too.
  const double* run(std::size_t count = 1);

 private:
  double* slot(std::size_t index) { return values_.data() + index * width_; }

  const Program* program_;
  std::size_t width_;
  std::vector<double> values_;
};

}  // namespace scalesweep::expression

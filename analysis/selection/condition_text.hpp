// A condition as a tree whose types are checked: what condition.hpp computes. The language is that
// of the filters of a spec, over the columns of a study.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/file/meaning.hpp"
#include "store/read/study_file.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

enum class Operation {
  constant,
  column,
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

// Names are numbers: equal names have equal numbers, whichever column they are from. A condition
// is 1 or 0.
struct ConditionNode {
  Operation operation = Operation::constant;
  double constant = 0.0;
  std::size_t column = 0;           // into ConditionText::columns
  std::size_t left = 0, right = 0;  // nodes; of one operand: left
};

struct ConditionColumn {
  std::string name;
  std::vector<double> table;  // what each stored value means; empty: the stored value itself
};

struct ConditionText {
  std::vector<ConditionNode> nodes;  // operands before what is computed of them; the last is the
                                     // condition
  std::vector<ConditionColumn> columns;
};

// Throws Failure(bad_input): the problem, the way out, and the expression with a mark below the
// place.
ConditionText parse_condition(const std::string& text, const store::Schema& schema,
                              const std::vector<store::AxisValues>& axes);

}  // namespace scalesweep::analysis

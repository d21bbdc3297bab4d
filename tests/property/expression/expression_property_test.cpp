// Random expressions: what is written comes back when it is read, and a program computes what a
// plain walk over the tree does.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "expression/check.hpp"

namespace scalesweep::expression {
namespace {

constexpr std::array<const char*, 19> symbols = {
    "",   "",   "",  "",   "-", "+",  "-",    "*",     "/",   "%",
    "==", "!=", "<", "<=", ">", ">=", "not ", " and ", " or "};
const std::vector<std::string> labels = {"red", "green", "blue"};

// A tree of its own, not that of the parser.
struct Expression {
  Operation operation = Operation::number;
  double number = 0.0;
  std::string text = {};
  std::vector<Expression> operands = {};
};

int below(int n) {
  return *rc::gen::inRange(0, n);
}

Operation one_between(Operation first, Operation last) {
  return static_cast<Operation>(
      *rc::gen::inRange(static_cast<int>(first), static_cast<int>(last) + 1));
}

Expression some_number(int depth);

Expression some_name() {
  return below(2) == 0
             ? Expression{Operation::name, 0.0, "colour"}
             : Expression{Operation::text, 0.0, labels[static_cast<std::size_t>(below(3))]};
}

Expression some_condition(int depth) {
  switch (depth <= 0 ? below(2) : below(6)) {
    case 0:
      return {Operation::truth, static_cast<double>(below(2))};
    case 1:
      return {Operation::name, 0.0, "ready"};
    case 2:
      return {Operation::logical_not, 0.0, "", {some_condition(depth - 1)}};
    case 3:
      return {
          one_between(Operation::equal, Operation::not_equal), 0.0, "", {some_name(), some_name()}};
    case 4:
      return {one_between(Operation::equal, Operation::greater_equal),
              0.0,
              "",
              {some_number(depth - 1), some_number(depth - 1)}};
    default:
      return {below(3) == 0 ? one_between(Operation::equal, Operation::not_equal)
                            : one_between(Operation::logical_and, Operation::logical_or),
              0.0,
              "",
              {some_condition(depth - 1), some_condition(depth - 1)}};
  }
}

Expression some_number(int depth) {
  switch (depth <= 0 ? below(2) : below(5)) {
    case 0:
      return {Operation::number, below(9) / 4.0};
    case 1:
      return {Operation::name, 0.0, below(2) == 0 ? "a" : "b"};
    case 2:
      return {Operation::negate, 0.0, "", {some_number(depth - 1)}};
    default:
      return {one_between(Operation::add, Operation::remainder),
              0.0,
              "",
              {some_number(depth - 1), some_number(depth - 1)}};
  }
}

// How tightly it binds, so that no parentheses are written that are not needed.
int tightness(Operation operation) {
  switch (operation) {
    case Operation::logical_or:
      return 0;
    case Operation::logical_and:
      return 1;
    case Operation::logical_not:
      return 2;
    case Operation::equal:
    case Operation::not_equal:
      return 3;
    case Operation::less:
    case Operation::less_equal:
    case Operation::greater:
    case Operation::greater_equal:
      return 4;
    case Operation::add:
    case Operation::subtract:
      return 5;
    case Operation::multiply:
    case Operation::divide:
    case Operation::remainder:
      return 6;
    case Operation::negate:
      return 7;
    default:
      return 8;
  }
}

std::string written(const Expression& what);

std::string operand(const Expression& what, int least) {
  return tightness(what.operation) < least ? "(" + written(what) + ")" : written(what);
}

std::string written(const Expression& what) {
  const int binds = tightness(what.operation);
  const std::string symbol = symbols.at(static_cast<std::size_t>(what.operation));
  switch (what.operation) {
    case Operation::number:
      return std::to_string(what.number);
    case Operation::truth:
      return what.number == 1.0 ? "true" : "false";
    case Operation::name:
      return what.text;
    case Operation::text:
      return "'" + what.text + "'";
    case Operation::negate:
    case Operation::logical_not:
      return symbol + operand(what.operands[0], binds);
    default:
      return operand(what.operands[0], binds) + symbol + operand(what.operands[1], binds + 1);
  }
}

void expect_same(const Expression& wanted, const Tree& tree, std::size_t at) {
  const Node& node = tree.nodes[at];
  RC_ASSERT(node.operation == wanted.operation);
  RC_ASSERT(node.number == wanted.number);
  RC_ASSERT(node.text == wanted.text);
  if (!wanted.operands.empty()) {
    expect_same(wanted.operands.front(), tree, node.left);
    expect_same(wanted.operands.back(), tree, node.right);
  }
}

struct Row {
  double a = 0.0;
  double b = 0.0;
  double colour = 0.0;  // an index
  double ready = 0.0;
};

Row some_row() {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  return {below(8) - 2.0, below(9) == 0 ? nothing : below(5) / 2.0, static_cast<double>(below(3)),
          static_cast<double>(below(2))};
}

// Names are their index in `labels`.
double walked(const Expression& what, const Row& row) {
  const auto of = [&](std::size_t i) { return walked(what.operands[i], row); };
  switch (what.operation) {
    case Operation::number:
    case Operation::truth:
      return what.number;
    case Operation::text:
      return what.text == "red" ? 0.0 : what.text == "green" ? 1.0 : 2.0;
    case Operation::name:
      return what.text == "a"        ? row.a
             : what.text == "b"      ? row.b
             : what.text == "colour" ? row.colour
                                     : row.ready;
    case Operation::negate:
      return -of(0);
    case Operation::add:
      return of(0) + of(1);
    case Operation::subtract:
      return of(0) - of(1);
    case Operation::multiply:
      return of(0) * of(1);
    case Operation::divide:
      return of(0) / of(1);
    case Operation::remainder:
      return std::fmod(of(0), of(1));
    case Operation::equal:
      return of(0) == of(1) ? 1.0 : 0.0;
    case Operation::not_equal:
      return !std::isnan(of(0)) && !std::isnan(of(1)) && of(0) != of(1) ? 1.0 : 0.0;
    case Operation::less:
      return of(0) < of(1) ? 1.0 : 0.0;
    case Operation::less_equal:
      return of(0) <= of(1) ? 1.0 : 0.0;
    case Operation::greater:
      return of(0) > of(1) ? 1.0 : 0.0;
    case Operation::greater_equal:
      return of(0) >= of(1) ? 1.0 : 0.0;
    case Operation::logical_not:
      return of(0) == 1.0 ? 0.0 : 1.0;
    case Operation::logical_and:
      return of(0) == 1.0 && of(1) == 1.0 ? 1.0 : 0.0;
    case Operation::logical_or:
      return of(0) == 1.0 || of(1) == 1.0 ? 1.0 : 0.0;
  }
  return 0.0;
}

class RowScope : public Scope {
 public:
  Found find(const std::string& name) const override {
    Symbol symbol{name};
    symbol.kind = name == "colour" ? Kind::name : name == "ready" ? Kind::condition : Kind::number;
    symbol.labels = labels;
    return {symbol};
  }
  Quantity quantity(const std::string& text, const Symbol&) const override {
    return {std::nullopt, text + " is no quantity"};
  }
};

double value_in(const Row& row, const Variable& variable) {
  const double stored = walked({Operation::name, 0.0, variable.name}, row);
  return variable.table.empty() ? stored : variable.table[static_cast<std::size_t>(stored)];
}

RC_GTEST_PROP(Expression, what_is_written_is_read, ()) {
  const Expression wanted = some_condition(5);
  const std::string text = written(wanted);
  RC_LOG(text);
  const Tree tree = parse(text, "condition");
  RC_ASSERT(!tree.syntax.has_value());
  expect_same(wanted, tree, tree.nodes.size() - 1);
}

RC_GTEST_PROP(Expression, programs_compute_what_a_walk_does, ()) {
  const Expression wanted = some_condition(5);
  const std::string text = written(wanted);
  RC_LOG(text);
  const Checked checked = check(text, "condition", RowScope());
  RC_ASSERT(checked.problems.empty());
  RC_ASSERT(checked.kind == Kind::condition);
  const Program& program = checked.program;
  constexpr std::size_t rows = 7;
  Evaluation together(program, rows);
  Evaluation alone(program);
  std::vector<double> expected;
  for (std::size_t r = 0; r < rows; ++r) {
    const Row row = some_row();
    expected.push_back(walked(wanted, row));
    for (std::size_t v = 0; v < program.variables.size(); ++v) {
      together.variable(v)[r] = *alone.variable(v) = value_in(row, program.variables[v]);
    }
    RC_ASSERT(*alone.run() == expected.back());
  }
  // A condition without variables has one result for all rows, in each of them.
  const double* result = together.run(rows);
  RC_ASSERT(std::vector<double>(result, result + rows) == expected);
}

}  // namespace
}  // namespace scalesweep::expression

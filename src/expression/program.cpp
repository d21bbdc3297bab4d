#include "expression/program.hpp"

#include <algorithm>
#include <cmath>

#include "core/contracts.hpp"

namespace scalesweep::expression {
namespace {

double truth(bool holds) {
  return holds ? 1.0 : 0.0;
}

template <typename Compute>
void each(std::size_t count, const double* a, const double* b, double* out, Compute compute) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = compute(a[i], b[i]);
  }
}

void compute(Operation operation, std::size_t count, const double* a, const double* b,
             double* out) {
  switch (operation) {
    case Operation::number:
    case Operation::text:
    case Operation::name:
    case Operation::truth:
      return;
    case Operation::negate:
      return each(count, a, b, out, [](double x, double) { return -x; });
    case Operation::add:
      return each(count, a, b, out, [](double x, double y) { return x + y; });
    case Operation::subtract:
      return each(count, a, b, out, [](double x, double y) { return x - y; });
    case Operation::multiply:
      return each(count, a, b, out, [](double x, double y) { return x * y; });
    case Operation::divide:
      return each(count, a, b, out, [](double x, double y) { return x / y; });
    case Operation::remainder:
      return each(count, a, b, out, [](double x, double y) { return std::fmod(x, y); });
    case Operation::equal:
      return each(count, a, b, out, [](double x, double y) { return truth(x == y); });
    case Operation::not_equal:
      // Not x != y, which holds for NaN.
      return each(count, a, b, out, [](double x, double y) { return truth(x < y) + truth(x > y); });
    case Operation::less:
      return each(count, a, b, out, [](double x, double y) { return truth(x < y); });
    case Operation::less_equal:
      return each(count, a, b, out, [](double x, double y) { return truth(x <= y); });
    case Operation::greater:
      return each(count, a, b, out, [](double x, double y) { return truth(x > y); });
    case Operation::greater_equal:
      return each(count, a, b, out, [](double x, double y) { return truth(x >= y); });
    case Operation::logical_not:
      return each(count, a, b, out, [](double x, double) { return truth(x != 1.0); });
    case Operation::logical_and:
      return each(count, a, b, out, [](double x, double y) { return x * y; });
    case Operation::logical_or:
      return each(count, a, b, out, [](double x, double y) { return std::max(x, y); });
  }
}

}  // namespace

Evaluation::Evaluation(const Program& program, std::size_t width)
    : program_(&program),
      width_(width),
      values_(width * (program.variables.size() + program.constants.size() + program.code.size())) {
  for (std::size_t c = 0; c < program.constants.size(); ++c) {
    std::fill_n(slot(program.variables.size() + c), width, program.constants[c]);
  }
}

const double* Evaluation::run(std::size_t count) {
  SCALESWEEP_EXPECT(count <= width_);
  std::size_t next = program_->variables.size() + program_->constants.size();
  for (const Instruction& step : program_->code) {
    compute(step.operation, count, slot(step.left), slot(step.right), slot(next++));
  }
  return slot(program_->result);
}

}  // namespace scalesweep::expression

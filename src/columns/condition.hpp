// A condition over the columns of a study, in the language of the filters of a spec:
//
//   Condition condition("tensor_parallel <= 8 and memory == 'HBM4' and step_time < '2 s'",
//                       reader.schema(), reader.axes());
//   const store::Table rows = reader.read(condition.columns(), first, last);
//   condition.select(rows, schema_of(condition.columns()), holds);
//
// Columns of axes mean the values of the axis, enums their labels, "off" and "on" false and true.
// Quantities in quotes have a unit; a bare number beside a computed column is in the SI units of
// the file. A value that does not exist (NaN) compares false with everything, with != as well.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expression/program.hpp"
#include "store/read/study_file.hpp"
#include "store/read/table.hpp"

namespace scalesweep::columns {

// What is wrong with it, and where; a whole that is no condition stands at its beginning.
std::vector<expression::Problem> condition_problems(const std::string& text,
                                                    const store::Schema& schema,
                                                    const std::vector<store::AxisValues>& axes);

class Condition {
 public:
  // Throws Failure(bad_input): the problem, the way out, and the expression with a mark below the
  // place.
  Condition(const std::string& text, const store::Schema& schema,
            const std::vector<store::AxisValues>& axes);

  // That it reads, each once.
  const std::vector<std::string>& columns() const { return columns_; }

  // For each row 1 where it holds, else 0. `rows` has at least columns(), `of_rows` is its schema.
  // May be called from several threads at once.
  void select(const store::Table& rows, const store::Schema& of_rows,
              std::vector<std::uint8_t>& holds) const;

 private:
  expression::Program program_;
  std::vector<std::string> columns_;
};

}  // namespace scalesweep::columns

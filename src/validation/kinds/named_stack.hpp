// The software that a row of a kind of its own runs on.
#pragma once

#include <string>
#include <string_view>

#include "validation/cases/row_reader.hpp"
#include "validation/systems.hpp"

namespace scalesweep::workload {
struct Framework;
struct ServingStack;
}  // namespace scalesweep::workload

namespace scalesweep::validation {

// What a stack must be able to do.
struct NeededStack {
  std::string_view usual;           // of rows that name none, where the command does not either
  bool workload::Framework::*does;  // how it does so is known
  std::string_view what;            // "runs diffusion models"
  std::string_view table;           // of an entry that says how; "": any entry may
  std::string_view column = "framework";
};

// Of that column; one that does not do so, or is not there, is an error of the row.
workload::Framework read_stack(RowReader& row, const CaseDefaults& defaults,
                               const NeededStack& needed);

// How the stack of the column `framework` serves, if the cell names one that is known to; an error
// of the row if it is not. Its name, "" where there is none.
std::string read_serving_stack(RowReader& row, workload::ServingStack& stack);

}  // namespace scalesweep::validation

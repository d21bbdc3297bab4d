// The software that a row of a kind of its own runs on.
#pragma once

#include <string_view>

#include "validation/cases/row_reader.hpp"
#include "validation/systems.hpp"
#include "workload/framework.hpp"

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

}  // namespace scalesweep::validation

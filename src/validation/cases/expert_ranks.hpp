// Which ranks the experts of a row are spread over: its column `ep` says how many.
#pragma once

#include <string_view>

#include "parallel/strategy.hpp"
#include "validation/cases/row_reader.hpp"

namespace scalesweep::validation {

// The replicas alone where the number divides theirs, else the tensor-parallel ranks as well.
// False, and left as it is, where neither can be.
bool place_experts(parallel::Strategy& strategy);

// The same, and an error of the row where neither can be.
void place_experts(RowReader& row, parallel::Strategy& strategy, std::string_view column = "ep");

}  // namespace scalesweep::validation

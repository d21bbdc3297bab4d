// By which recipe the operands of a row were scaled.
#pragma once

#include <optional>
#include <string_view>

#include "technology/precision.hpp"
#include "validation/cases/row_reader.hpp"
#include "workload/recipe.hpp"

namespace scalesweep::validation {

// What the cell `recipe` says of operands in this format, in the words of publications ("current
// scaling", "tensorwise"): nothing where it is empty. Rows may write fp8 and name mxfp8: then that
// is the format.
std::optional<workload::Recipe> read_recipe(RowReader& row, technology::Precision& format);

// Where no cell says it: what the name of the case says, else what its source is known to have used
// before its stack's usual recipe of today. Nothing where neither does.
std::optional<workload::Recipe> named_recipe(const RowReader& row, technology::Precision format);

// Whether a library multiplies operands that are ready, so that a measured GEMM is that alone: the
// vendor's, not an inference library, whose linear layers quantise activations first.
bool multiplies_ready_operands(std::string_view library);

// What the cell `operands` says of that, else as the row's library does.
bool has_ready_operands(RowReader& row);

// Weights may be stored in less than they are multiplied in; a mistake of the column if in more.
void check_weights(RowReader& row, std::string_view column, technology::Precision weights,
                   technology::Precision operands);

}  // namespace scalesweep::validation

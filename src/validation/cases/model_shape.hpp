// The model of a row: one of the catalog, or its shape in columns; and the images that it is given.
#pragma once

#include <cstdint>

#include "validation/cases/row_reader.hpp"
#include "validation/systems.hpp"
#include "workload/model.hpp"

namespace scalesweep::validation {

// What shapes do not say, and the row or its source does.
struct ShapeDefaults {
  std::int64_t positions = 0;  // tokens that the model has positions for
  // Without a gated MLP and grouped heads: biases, dropout and learned positions, as GPT.
  bool plain_gpt = true;
};

// Mistakes go to the row; the model is then not to be used. A model of the catalog is as published:
// cells of experts, heads and windows beside its name have to agree with it.
workload::TransformerModel read_model(RowReader& row, const CaseDefaults& defaults,
                                      const ShapeDefaults& shape);

// Gives its encoder the images or recordings of the row, of each sequence or request. Mistakes go
// to the row.
void read_inputs(RowReader& row, workload::TransformerModel& model);

// A catalogued model by its name, any other by its size.
std::string shape_name(const workload::TransformerModel& model);

}  // namespace scalesweep::validation

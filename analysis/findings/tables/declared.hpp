// All result tables there are.
#pragma once

#include <vector>

#include "analysis/findings/tables/table_spec.hpp"

namespace scalesweep::analysis {

// In the order in which they are written.
const std::vector<TableSpec>& declared_tables();

// Each as it is declared.
std::vector<ResultTable> make_tables(const std::vector<TableSpec>& specs,
                                     const TableInputs& inputs);

}  // namespace scalesweep::analysis

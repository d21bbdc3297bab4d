// Which of two layouts is the simpler one, by what the table of strategy fields says of each field
// (parallel::Burden): the fewer kinds of parallelism are on; then the fewer devices work on one
// replica; then, field by field in the order in which a strategy is written, the smaller value of
// the first option that differs: no chunks, no recomputation, a lower ZeRO stage, ...
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scalesweep::analysis {

// Compared from the front, the smaller is the simpler.
using Complexity = std::vector<std::int64_t>;

// Of the values of strategy columns; a field without a column is as in a plain strategy.
Complexity complexity_of(const std::vector<std::string>& columns,
                         const std::vector<double>& values);

}  // namespace scalesweep::analysis

// Ids that share everything but the strategy.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/id_range.hpp"
#include "parallel/strategy.hpp"

namespace scalesweep::space {

struct Run {
  IdRange ids;
  std::vector<std::int32_t> axis_index;            // into Space::axes(), one per axis
  std::int64_t first_strategy = 0;                 // of ids.first, in `strategies`
  std::span<const parallel::Strategy> strategies;  // the whole table of this block
};

}  // namespace scalesweep::space

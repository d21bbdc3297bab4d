// What to measure next as people and as programs read it.
#pragma once

#include <cstddef>
#include <string>

#include "cli/recommend/measure_next/measurements.hpp"
#include "core/documents/json.hpp"

namespace scalesweep::cli {

// A paragraph and a table of at most five rows, with an empty line behind them.
std::string measure_next_text(const MeasureNext& next, std::size_t width);

Json measure_next_json(const MeasureNext& next);

}  // namespace scalesweep::cli

// [search]: axes that are not gone along value by value, but divided where the best may be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "space/read/spec_types.hpp"

namespace scalesweep::space {

// Marks the axes that it names, and puts them behind all others, so that ids that differ in them
// alone are one range. Reports axes that have no order, that nobody can say of what lies between
// two of their values, whose values do not rise, or of which there are less than two; nothing where
// the table is not there or there was a mistake. `complete`: false where axes may be missing.
std::optional<AxisSearch> read_search(const config::TableCursor& search, std::vector<Axis>& axes,
                                      bool complete);

// As an identity names what is settled: "die_area, power; tolerance 0.001; devices 100000",
// "die_area; tolerance 0.001; devices 400; method model", "die_area; transitions; first values 9".
std::string search_text(const AxisSearch& search);

}  // namespace scalesweep::space

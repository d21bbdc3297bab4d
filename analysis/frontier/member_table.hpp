// What a frontier tells of its members, as columns.
#pragma once

#include <cstdint>

#include "analysis/frontier/result.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

// What a frontier tells of each member: rank where more than one is asked for, beyond_doubt where
// the study has error bars, knee and crowding.
store::Schema member_schema(std::int32_t ranks, bool error_bars);

// That of all members, groups one after the other.
store::Table member_table(const FrontierResult& frontiers);

}  // namespace scalesweep::analysis

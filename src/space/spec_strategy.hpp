// The [strategy] table of a spec.
#pragma once

#include "config/document.hpp"
#include "parallel/enumerate.hpp"

namespace scalesweep::space {

// Every key is optional; what is not said is tried in every valid way. Reports every mistake.
parallel::StrategyRules read_strategy_rules(const config::TableCursor& strategy);

}  // namespace scalesweep::space

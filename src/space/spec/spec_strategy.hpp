// The [strategy] table of a spec, and those of pools, which say what is different there.
#pragma once

#include "config/document.hpp"
#include "parallel/strategy.hpp"

namespace scalesweep::space {

// Every key is optional; without it `rules` stay, as the kind of workload has them. Reports every
// mistake. A key that means nothing for the kind of workload is one of them.
parallel::StrategyRules read_strategy_rules(const config::TableCursor& strategy,
                                            parallel::StrategyRules rules);

}  // namespace scalesweep::space

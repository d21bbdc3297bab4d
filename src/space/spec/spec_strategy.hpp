// The [strategy] table of a spec.
#pragma once

#include "config/document.hpp"
#include "parallel/strategy.hpp"

namespace scalesweep::space {

// Every key is optional. Sizes, recomputation, ZeRO up to stage 1 and sequence parallelism are
// tried in every valid way where nothing is said; all else is left off. Reports every mistake.
// A key that means nothing for the kind of workload is one of them.
parallel::StrategyRules read_strategy_rules(const config::TableCursor& strategy,
                                            parallel::WorkloadKind kind);

}  // namespace scalesweep::space

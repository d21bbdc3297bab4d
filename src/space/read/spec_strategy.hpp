// The [strategy] table of a spec, and those of pools, which say what is different there.
#pragma once

#include <vector>

#include "config/document.hpp"
#include "parallel/strategy.hpp"
#include "space/read/spec_types.hpp"
#include "space/read/workload_form.hpp"

namespace scalesweep::space {

// Every key is optional; without it `rules` stay, as the kind of workload has them. Reports every
// mistake. A key that means nothing for the kind of workload is one of them.
parallel::StrategyRules read_strategy_rules(const config::TableCursor& strategy,
                                            parallel::StrategyRules rules);

// What is tried where a spec says nothing, of a kind with these axes.
const parallel::StrategyRules& strategies_of(const WorkloadForm& form,
                                             const std::vector<Axis>& axes);

}  // namespace scalesweep::space

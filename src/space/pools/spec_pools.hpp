// The [prefill] and [decode] tables of a spec: a service whose prompts are processed on devices of
// their own.
#pragma once

#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "parallel/strategy.hpp"
#include "space/read/spec_types.hpp"
#include "space/read/workload_form.hpp"

namespace scalesweep::space {

// All but the workload may be absent.
struct PoolTables {
  config::TableCursor workload;
  config::TableCursor prefill;
  config::TableCursor decode;
};

// Where a key of [system] stands: [decode] takes its place. Reports a key that stands in both.
const config::TableCursor& table_with(std::string_view key, const config::TableCursor& system,
                                      const config::TableCursor& decode);

// Adds the axes of [prefill] to those of the spec, where `batching` becomes "disaggregated" if it
// is not written. Reports what does not go with pools.
void read_pools(const PoolTables& tables, const WorkloadForm& form, std::vector<Axis>& axes);

// What is tried in a pool: its own keys, `rules` for the others.
parallel::StrategyRules read_pool_rules(const config::TableCursor& pool, const WorkloadForm& form,
                                        const parallel::StrategyRules& rules);

}  // namespace scalesweep::space

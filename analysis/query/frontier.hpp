// The rows of a query that lie on frontiers. Private to query.
#pragma once

#include "analysis/query/options.hpp"

namespace scalesweep::analysis {

// Rows in the order in which they are shown, and what choosing tells of them: columns that the
// study does not have.
struct ChosenRows {
  std::vector<std::int64_t> rows;
  store::Schema schema;
  store::Table told{store::Schema{}};
};

// Columns that frontier_rows tells of its rows.
store::Schema frontier_columns(const store::StudyReader& reader, const QueryOptions& options);

// Throws Failure(bad_input) for options that a frontier does not take, and gives their columns'
// names and the defaults.
void resolve_frontier(const store::StudyReader& reader, QueryOptions& options);

// Groups in the order of their keys, in each the better ranks first, then ascending. Resolved
// options. Throws as find_frontier.
ChosenRows frontier_rows(const store::StudyReader& reader, const QueryOptions& options,
                         QueryCounts& counts);

}  // namespace scalesweep::analysis

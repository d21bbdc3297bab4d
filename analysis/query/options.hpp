// What a query asks for, what it comes to, and what was counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/file/columns.hpp"
#include "analysis/file/objective.hpp"
#include "analysis/selection/rows.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

struct SortKey {
  std::string column;
  bool descending = false;  // what has no value comes last either way
};

// Stands in QueryOptions::select for all columns of a strategy.
inline constexpr std::string_view strategy_word = "strategy";
// The same for all columns that there are.
inline constexpr std::string_view all_word = "all";

struct QueryOptions {
  RowFilter rows;
  std::vector<std::string> select;  // columns to show; empty: default_columns
  std::vector<SortKey> sort;
  std::optional<SortKey> best;        // the least of a column, or the largest
  std::int64_t top = 1;               // of `best`: so many of every group
  bool frontier = false;              // points that no other of their group dominates
  std::int32_t ranks = 1;             // of dominance: 2 is the frontier without that of rank 1, ...
  std::optional<std::int64_t> thin;   // members of every frontier that stand for all, at most
  std::vector<Objective> objectives;  // of the frontier; empty: those of the study
  std::vector<std::string> per;       // columns that make the groups of `best` and `frontier`
  std::optional<std::int64_t> limit;  // rows to show at most
};

struct QueryPlan {
  QueryOptions options;     // with the names of columns and the defaults filled in
  store::Schema available;  // columns of the study, and those that choosing tells of its rows
  std::vector<std::string> columns;
  store::Schema schema;                 // of them, as rows are shown
  std::vector<ColumnMeaning> meanings;  // of them
};

struct QueryCounts {
  RowCounts rows;
  std::int64_t chosen = 0;         // of the selected: best, or on the frontier
  std::int64_t shown = 0;          // of these
  std::vector<std::string> notes;  // sentences on what was chosen
};

}  // namespace scalesweep::analysis

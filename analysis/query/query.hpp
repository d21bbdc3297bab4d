// Rows of a study that somebody asks for: those a condition selects, the best of every group, the
// frontier, in any order, with the columns wanted; and tables over two columns.
//
//   QueryOptions options;
//   options.rows.where = "tensor_parallel <= 8 and memory == 'HBM4'";
//   const QueryPlan plan = plan_query(reader, options);
//   const RowCounts counts = run_query(reader, plan, [](const store::Table& rows) { ... });
//
// The study is read slice by slice: memory is that of what is kept, never of the study.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/file/meaning.hpp"
#include "analysis/file/objective.hpp"
#include "analysis/selection/rows.hpp"
#include "store/read/reader.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

struct SortKey {
  std::string column;
  bool descending = false;  // what has no value comes last either way
};

// "step_time" or, for the largest first, "-step_time".
SortKey sort_key(const std::string& text);

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

// Of a frontier there are columns that the study does not have: those of member_schema
// (frontier_tables.hpp). Throws Failure(bad_input) for columns that are not there, with a
// suggestion, and for what does not go together.
QueryPlan plan_query(const store::StudyReader& reader, const QueryOptions& options);

// The id, axes that vary, strategy columns, objectives, the time, the status where others than
// feasible rows are shown.
std::vector<std::string> default_columns(const store::StudyReader& reader, bool with_status);

// Those that the study names, else usual ones for what it is about.
std::vector<Objective> default_objectives(const store::StudyReader& reader);

struct QueryCounts {
  RowCounts rows;
  std::int64_t chosen = 0;         // of the selected: best, or on the frontier
  std::int64_t shown = 0;          // of these
  std::vector<std::string> notes;  // sentences on what was chosen
};

// Gives `show` the rows in their order, a part at a time, columns as in the file. Ties of `best`
// and of sorting go to the smaller id; groups are in the order of their values.
QueryCounts run_query(const store::StudyReader& reader, const QueryPlan& plan,
                      const std::function<void(const store::Table&)>& show);

}  // namespace scalesweep::analysis

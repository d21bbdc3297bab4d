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

#include <functional>
#include <string>
#include <vector>

#include "analysis/query/options.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// "step_time" or, for the largest first, "-step_time".
SortKey sort_key(const std::string& text);

// Of a frontier there are columns that the study does not have: those of member_schema
// (frontier/member_table.hpp). Throws Failure(bad_input) for columns that are not there, with a
// suggestion, and for what does not go together.
QueryPlan plan_query(const store::StudyReader& reader, const QueryOptions& options);

// The id, axes that vary, strategy columns, objectives, the time, the status where others than
// feasible rows are shown.
std::vector<std::string> default_columns(const store::StudyReader& reader, bool with_status);

// Gives `show` the rows in their order, a part at a time, columns as in the file. Ties of `best`
// and of sorting go to the smaller id; groups are in the order of their values.
QueryCounts run_query(const store::StudyReader& reader, const QueryPlan& plan,
                      const std::function<void(const store::Table&)>& show);

}  // namespace scalesweep::analysis

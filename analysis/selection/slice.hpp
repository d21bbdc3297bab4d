// Columns of a study as plain vectors, and rows picked out of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/file/layout.hpp"
#include "store/read/reader.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

std::vector<double> numbers(const store::Table& table, const store::Schema& schema,
                            const std::string& name);
std::vector<std::int64_t> integers(const store::Table& table, const store::Schema& schema,
                                   const std::string& name);

// The values of a column as quantities: of an axis, the value that each index stands for.
std::vector<double> quantities(const StudyLayout& layout, const store::Table& table,
                               const store::Schema& schema, const std::string& name);

// Indices into an axis of the layout, from those of the file, checked: throws Failure(bad_input)
// for one that the axis does not have. Of rows that do not take part any index is given.
std::vector<std::int64_t> axis_indices(const StudyLayout& layout, const store::Table& table,
                                       const store::Schema& schema, std::size_t axis);

// The schema of the named columns, in that order.
store::Schema schema_of(const StudyLayout& layout, const std::vector<std::string>& names);

// The given rows of the study, in the given order, with indices into the axes of the layout; reads
// each part of the file once at most.
store::Table gather(const store::StudyReader& reader, const StudyLayout& layout,
                    const std::vector<std::string>& columns, const std::vector<std::int64_t>& rows);

// Column `from_column` of `from` becomes column `to_column` of `to`; the types are the same.
void copy_column(const store::Table& from, std::size_t from_column, store::Table& to,
                 std::size_t to_column, store::ColumnType type);

}  // namespace scalesweep::analysis

// Columns of a study in the terms of its layout, and rows picked out of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/file/columns.hpp"
#include "analysis/file/study_layout.hpp"
#include "store/read/reader.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

// The values of a column as quantities: of an axis, the value that each index stands for.
std::vector<double> quantities(const StudyLayout& layout, const store::Table& table,
                               const store::Schema& schema, const std::string& name);

// Indices into an axis of the layout, from those of the file, checked: throws Failure(bad_input)
// for one that the axis does not have. Of rows that do not take part any index is given.
std::vector<std::int64_t> axis_indices(const StudyLayout& layout, const store::Table& table,
                                       const store::Schema& schema, std::size_t axis);

// The given rows of the study, in the given order, with indices into the axes of the layout; reads
// each part of the file once at most.
store::Table gather(const store::StudyReader& reader, const StudyLayout& layout,
                    const std::vector<std::string>& columns, const std::vector<std::int64_t>& rows);

}  // namespace scalesweep::analysis

// Result tables built from what a scan found.
#pragma once

#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/attribution.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Whole rows of the study with their shares and dominant resources; the rows in the given order.
ResultTable point_table(const store::StudyReader& reader, const StudyLayout& layout,
                        const Resources& resources, const std::vector<std::int64_t>& rows);

// The thinned cloud: identity, varying axes and objectives only.
ResultTable cloud_table(const store::StudyReader& reader, const StudyLayout& layout,
                        const std::vector<std::int64_t>& rows);

// Of every row of a table that has share_<resource> columns.
std::vector<Attribution> attributions(const ResultTable& table, const Resources& resources);

// One more column of indices behind the axes of a table of points.
void add_axis_column(ResultTable& points, const store::Column& column,
                     const std::vector<std::int32_t>& values);

// The axis column of a result table of our own: an index into the axis, with its labels.
store::Column axis_column(const StudyLayout& layout, std::size_t axis);

// The same of a column that tells groups of points apart, an axis or not.
store::Column group_column(const StudyLayout& layout, const std::string& name);

}  // namespace scalesweep::analysis

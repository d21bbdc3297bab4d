// Axes, columns and rules of several studies as those of one, source by source. Private to union.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/file/union/input.hpp"
#include "store/read/study_file.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

// joined_axes.cpp.
// The axes of several studies as those of one. Private to union.

struct JoinedAxis {
  store::AxisValues axis;
  // Of each study: the place in `axis` of each of its own values; where it has no such axis, of the
  // one value that all its points have.
  std::vector<std::vector<std::int32_t>> places;
};

// First the axis that names the studies, then those of the first study, and those that others have
// beside them where these have them. Names are the same by themselves, quantities by their values.
// Throws Failure(bad_input) where an axis has other units in another study; names both files.
std::vector<JoinedAxis> joined_axes(const std::vector<Input>& inputs);

// Groups of axes that vary together in each of the studies and still do.
std::string joined_together(const std::vector<Input>& inputs, const std::vector<JoinedAxis>& axes);

// joined_columns.cpp.
// The columns of several studies as those of one. Private to union.

// How the values of a column come out of those of one study.
struct ColumnSource {
  std::optional<std::size_t> column;  // of the study; nothing: it has none
  std::vector<std::int32_t> places;   // by stored value: the new one; empty: it stays as it is
  double added = 0.0;                 // to a value that stays
  double otherwise = 0.0;             // where the study has no such column, or no value of it
};

struct JoinedColumn {
  store::Column column;
  std::vector<ColumnSource> sources;  // of each study
};

// point_id, the study, the id there, then the columns of all studies, in an order that keeps that
// of each. `first_ids`: what is added to the ids of each study. What a study has no column for is
// NaN, -1, or of names `none`; of strategies the usual value that the column says. Throws
// Failure(bad_input) where a column has other units, another role or other kinds of values in
// another study; names both files.
std::vector<JoinedColumn> joined_columns(const std::vector<Input>& inputs,
                                         const std::vector<JoinedAxis>& axes,
                                         const std::vector<std::int64_t>& first_ids);

// joined_keep.cpp.
// What several studies keep of their points, as one rule. Private to union.

// The rule of which all studies keep at least the points: of each study, and of each combination of
// the axes that make groups in all of them or have one value in a study. A text that is no rule
// where there is none, as of a best and a frontier or of other objectives; readers then say that
// they do not know what was dropped.
std::string joined_keep(const std::vector<Input>& inputs, const std::vector<JoinedAxis>& axes);

}  // namespace scalesweep::analysis

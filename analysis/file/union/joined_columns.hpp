// The columns of several studies as those of one. Private to union.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/file/union/input.hpp"
#include "analysis/file/union/joined_axes.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

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

}  // namespace scalesweep::analysis

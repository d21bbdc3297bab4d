// The order in which a study is read: along one axis, or along several that advance together, like
// a roadmap of nodes and memories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/file/study_layout.hpp"

namespace scalesweep::analysis {

struct Along {
  std::vector<std::size_t> axes;                 // into StudyLayout::axes
  std::vector<std::vector<std::int32_t>> steps;  // an index into each axis; never going back
};

// As many steps as the longest axis has values; the others go from their first to their last value
// as evenly as they can.
Along make_along(const StudyLayout& layout);

// The layout in which the study is read along one axis only: itself, or with one more axis `path`
// whose values are the steps, "N5+HBM3", in place of the axes that make it.
StudyLayout layout_along(const StudyLayout& layout, const Along& along);

// For every cell of `shown`, over the panels and the axis of layout_along, the cell of `all`, over
// the panels and the axis of `layout`.
std::vector<std::size_t> cells_along(const Along& along, const Grid& all, const Grid& shown);

}  // namespace scalesweep::analysis

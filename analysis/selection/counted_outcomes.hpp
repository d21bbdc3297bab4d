// How many of all points of a study ended in which status, also of those that its file does not
// keep: what it counted while it ran.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/file/study_layout.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Of some points, by status of the layout.
struct OutcomesOfGroup {
  std::vector<std::int64_t> points;
  // The best of the column that says how near they came to being feasible, of bytes over the
  // capacity of a device; NaN where none says.
  std::vector<double> nearest;
};

// By the values of some axes, indices of the layout.
using OutcomesByGroup = std::map<std::vector<std::int64_t>, OutcomesOfGroup>;

// Of the points that have values of the layout and, if there is a condition, fulfil it. Nothing
// where the file does not say: a version that did not count wrote it, `per` names more than axes,
// or together with the axes of the condition they have more combinations than were counted.
std::optional<OutcomesByGroup> counted_outcomes(const store::StudyReader& reader,
                                                const StudyLayout& layout,
                                                const std::vector<std::string>& per,
                                                const std::string& where);

}  // namespace scalesweep::analysis

// Which axes and which fields of a strategy matter at all: Sobol indices of the logarithm of the
// best time, exactly, over all combinations (factorial.hpp).
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "analysis/effects/strategies.hpp"
#include "analysis/file/study_layout.hpp"

namespace scalesweep::analysis {

// What an axis or a field explains by itself, and with others.
struct EffectRow {
  std::size_t factor = 0;
  bool is_field = false;
  std::size_t levels = 0;
  std::size_t left_out = 0;
  double first_order = std::numeric_limits<double>::quiet_NaN();
  double total = std::numeric_limits<double>::quiet_NaN();
  std::size_t combinations = 0;
};

// What two axes explain only together.
struct Interaction {
  std::size_t first = 0;
  std::size_t second = 0;
  double second_order = 0.0;
};

struct Effects {
  bool is_known = false;             // false: there are too many combinations
  std::vector<std::string> factors;  // names of the axes, then of the fields
  std::vector<EffectRow> rows;       // one per axis, then per field of the strategy
  std::vector<Interaction> interactions;
  std::vector<std::string> notes;  // what was left out, and why
};

// `better` by cell of `grid`: what the best strategy comes to there; infinity where nothing is
// feasible. Every level weighs the same, and levels stay in the study as they were chosen: an axis
// with a wider range matters more. Combinations that are missing make levels fall out
// (complete_part), which is noted; where then fewer than two factors vary, indices have nothing to
// compare: they are NaN, which is noted too. A field of the strategy is one more factor beside all
// axes: the best time with the field at each of its values.
Effects effects_of(const StudyLayout& layout, const Grid& grid, const std::vector<double>& better,
                   const std::vector<FieldBests>& fields);

}  // namespace scalesweep::analysis

// Going along the best points of each panel: consecutive values, what is told of a pair of them,
// and the quantity that varies meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/file/study_layout.hpp"

namespace scalesweep::analysis {

// The best points of one panel in the order of the axis; -1 in `rows` where nothing is feasible.
struct Path {
  std::vector<std::int32_t> panel;  // index into each panel axis
  std::size_t first_cell = 0;       // of the grid: that of value 0
  std::vector<std::int64_t> rows;   // of the best table, by value of the axis
};

// `best_rows` by cell of `grid`, whose last axis is the one to go along.
std::vector<Path> paths_of(const Grid& grid, const std::vector<std::int64_t>& best_rows);

// Two consecutive values of the axis at which something is feasible.
struct Step {
  const Path* path = nullptr;
  std::size_t from = 0;  // indices of the axis
  std::size_t to = 0;
  std::size_t from_row = 0;  // rows of the best table
  std::size_t to_row = 0;
};

// None where the values do not follow each other (has_order).
std::vector<Step> steps_of(const StudyLayout& layout, const std::vector<Path>& paths);

// The columns that tables of steps begin with: number, panel axes, the two values, the two points.
store::Schema step_schema(const StudyLayout& layout, const std::string& number);

// Fills them and returns the number of the next column.
std::size_t add_step(store::Table& table, const Step& step,
                     const std::vector<std::int64_t>& point_ids);

// What the values of the axis stand for: themselves, where they are quantities; of names the column
// that stands for them, at the best points: a memory means the DRAM bandwidth that the best
// device has with it.
struct Quantity {
  std::string name;            // a column, or the axis; empty: none
  std::string units;           // SI; "1" of numbers
  std::vector<double> values;  // by row of the table of points; NaN: not known
  bool is_axis = false;        // the values of the axis itself
  std::string rate_of = {};    // the resource that works at this rate, if one does
};

// At least one, without a name where the study has none; several where a name stands for more than
// one, or where axes advance together.
std::vector<Quantity> quantities_along(const StudyLayout& layout, const ResultTable& points);

// At a place between two values (0 at the first, 1 at the second): equal steps are equal ratios.
// NaN where the quantity is not known, or is the same at both: to 1 % if it is not the axis itself.
double quantity_at(const Quantity& quantity, const Step& step, double place);

}  // namespace scalesweep::analysis

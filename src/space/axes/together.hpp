// Axes that vary together: the i-th value of one goes with the i-th of the others, where other axes
// make every combination.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/document.hpp"
#include "space/read/spec_types.hpp"

namespace scalesweep::space {

// Reads [[together]] into the axes: all of a group but the slowest follow that one. Reports
// mistakes at their places; `complete` is false where some axes could not be read.
void read_together(const config::TableCursor& root, std::vector<Axis>& axes, bool complete);

// The axes of each group, and as an identity names them: "sequence, global_batch; device,
// precision", "" where there are none.
std::vector<std::vector<std::string>> groups_together(const std::vector<Axis>& axes);
std::string together_text(const std::vector<Axis>& axes);

// The axis whose index this one has: itself, or the one that it follows.
std::size_t leader_of(const std::vector<Axis>& axes, std::size_t axis);
// Whether a point has the value `i` of one axis and the value `j` of another.
bool meet(const std::vector<Axis>& axes, std::size_t one, std::size_t i, std::size_t other,
          std::size_t j);

}  // namespace scalesweep::space

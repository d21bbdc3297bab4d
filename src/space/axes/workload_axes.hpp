// Axes that say what is asked rather than what is built: results for different values of these do
// not compete with each other, and each combination of them has a frontier of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "space/read/spec_types.hpp"

namespace scalesweep::space {

// What nobody knows is asked as well: each draw of it is a question of its own (draws.hpp).
inline constexpr std::string_view draw_axis = "draw";

// Of a training run in several phases, each of which is asked for and has its best.
inline constexpr std::string_view phase_axis = "phase";

// Those that the rows of their keys say so of (config::Key::asked), in the order of the rows.
const std::vector<std::string_view>& workload_axes();
bool is_workload_axis(std::string_view name);

// Whether the values of an axis of names follow each other, as nodes, memories, links and networks
// do in the catalog; devices, models, assumptions and words of a key stand side by side.
bool has_order(std::string_view name);

// Axes up to this one decide which strategies are valid.
inline constexpr std::string_view last_job_axis = "accelerators";

// Its values are candidates of a search rather than conditions: of them, as of strategies, the best
// is taken.
inline constexpr std::string_view searched_axis = "allocation";

// Those of a study that have more than one value, in its order.
std::vector<std::string> varying_workload_axes(const std::vector<Axis>& axes);

}  // namespace scalesweep::space

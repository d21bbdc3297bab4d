// The rules by which a study keeps points and looks for them, as attributes of its file: JSON in
// the words of a spec, and back. What reads them gets nothing of any other text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "space/read/spec_types.hpp"

namespace scalesweep::space {

// {"policy": "best", "k": 3, "per": ["logic"], "counts": "bounded"}: what is not said is not there.
std::string keep_json(const Keep& keep);
std::optional<Keep> keep_of_json(std::string_view text);
// As people read it: "all", "frontier per model", "best 3 per logic, memory; counts bounded".
std::string keep_text(const Keep& keep);

// [{"minimize": "step_time"}, {"maximize": "tokens_per_second"}], in the order in which they count.
std::string objectives_json(const std::vector<Objective>& objectives);
std::vector<Objective> objectives_of_json(std::string_view text);

// Of what is settled: {"axes": ["die_area"], "find": "best", "method": "bounds", "tolerance":
// 0.001, "devices": 100000}; with "first_values" of transitions.
std::string search_json(const AxisSearch& search);
std::optional<AxisSearch> search_of_json(std::string_view text);

// Groups of axes that vary together: [["sequence", "global_batch"], ["device", "precision"]].
using AxisGroups = std::vector<std::vector<std::string>>;
std::string groups_json(const AxisGroups& groups);
AxisGroups groups_of_json(std::string_view text);

}  // namespace scalesweep::space

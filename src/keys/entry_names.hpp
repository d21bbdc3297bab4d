// Words that stand among names of entries and name none.
#pragma once

#include <array>
#include <string_view>

namespace scalesweep::keys {

// What drafts tokens, where it is no model of the catalog.
inline constexpr std::string_view own_module = "mtp";
inline constexpr std::string_view head_behind = "eagle";
inline constexpr std::array<std::string_view, 2> drafters = {own_module, head_behind};

// Where no model scores: there is no critic, and a reward is a rule.
inline constexpr std::array<std::string_view, 1> no_model = {"none"};
inline constexpr std::array<std::string_view, 1> scored_by_rule = {"rule"};

}  // namespace scalesweep::keys

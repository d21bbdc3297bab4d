// What people read in place of a name: of axes, resources and groups of them, statuses. Columns of
// a study have long names of their own in the file. Names stay as they are where they are typed, in
// conditions and options, and where programs read them, in the heads of tables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scalesweep::analysis {

// "scale_out" -> "scale-out network"; of any other name the blanks for its underscores.
std::string words(std::string_view name);

// "N5", and of what could be a value of several axes with its name: "batch 8", "power 500 W".
std::string value_words(std::string_view axis, const std::string& label);

// The same of each axis with its value. Where prompts have devices of their own (`prompts_apart`)
// the devices say what they are for: "decode on h200-sxm", "prompts on b200-sxm".
std::vector<std::string> choice_words(const std::vector<std::string>& axes,
                                      const std::vector<std::string>& labels, bool prompts_apart);

// "a", "a and b", "a, b and c"; nothing for none.
std::string listed(std::span<const std::string> texts);

// Names whose words are more than that, for who reads the tables elsewhere.
std::span<const std::pair<std::string_view, std::string_view>> names_with_words();

}  // namespace scalesweep::analysis

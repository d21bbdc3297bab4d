// A command line as text: as it is written into a study, and back.
#pragma once

#include <string>
#include <vector>

namespace scalesweep::cli {

// "scalesweep run spec.toml -o 'my study.h5'": the line as it could be typed again.
std::string quoted_line(const std::vector<std::string>& arguments);

// What follows an option each time that it is given, as its next word or behind "=".
std::vector<std::string> option_values(const std::vector<std::string>& words,
                                       const std::string& option);
// The first of these; "" where the words have no such option.
std::string option_value(const std::vector<std::string>& words, const std::string& option);

}  // namespace scalesweep::cli

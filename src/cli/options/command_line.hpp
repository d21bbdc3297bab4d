// A command line as text: as it is written into a study, and back.
#pragma once

#include <string>
#include <vector>

namespace scalesweep::cli {

// As a shell reads it: whole, whatever is in it.
std::string single_quoted(const std::string& word);

// The same: in single quotes only where it has blanks, quotes or signs that mean something.
std::string quoted_word(const std::string& word);

// "scalesweep run spec.toml -o 'my study.h5'": the line as it could be typed again.
std::string quoted_line(const std::vector<std::string>& arguments);

// The words of such a line.
std::vector<std::string> words_of_line(const std::string& line);

// What follows an option each time that it is given, as its next word or behind "=".
std::vector<std::string> option_values(const std::vector<std::string>& words,
                                       const std::string& option);
// The first of these; "" where the words have no such option.
std::string option_value(const std::vector<std::string>& words, const std::string& option);

}  // namespace scalesweep::cli

#include "cli/options/command_line.hpp"

#include "core/documents/shell.hpp"

namespace scalesweep::cli {

std::string quoted_line(const std::vector<std::string>& arguments) {
  std::string line = "scalesweep";
  for (const std::string& argument : arguments) {
    line += " " + shell_word(argument);
  }
  return line;
}

std::vector<std::string> option_values(const std::vector<std::string>& words,
                                       const std::string& option) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option && i + 1 < words.size()) {
      values.push_back(words[++i]);
    } else if (words[i].starts_with(option + "=")) {
      values.push_back(words[i].substr(option.size() + 1));
    }
  }
  return values;
}

std::string option_value(const std::vector<std::string>& words, const std::string& option) {
  const std::vector<std::string> values = option_values(words, option);
  return values.empty() ? "" : values.front();
}

}  // namespace scalesweep::cli

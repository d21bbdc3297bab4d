#include "deploy/manifests/yaml_lines.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

#include "core/documents/escapes.hpp"

namespace scalesweep::deploy {

std::string indented(std::string_view text, std::size_t columns) {
  std::string result;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    result += line.empty() ? "\n" : std::string(columns, ' ') + line + "\n";
  }
  return result;
}

std::string yaml_block(std::string_view text, std::size_t columns) {
  const bool is_plain = std::all_of(text.begin(), text.end(),
                                    [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
  const bool is_block = is_plain && text.ends_with('\n') && !text.ends_with("\n\n") &&
                        !text.starts_with(' ') && !text.starts_with('\n');
  return is_block ? "|\n" + indented(text, columns) : yaml_text(std::string(text)) + "\n";
}

std::string container_argument(std::string_view value) {
  static const std::regex variable(R"(\$(\w+))");
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    text += value.substr(i, 2) == "$(" ? "$$" : std::string(1, value[i]);
  }
  return std::regex_replace(text, variable, "$$($1)");
}

}  // namespace scalesweep::deploy

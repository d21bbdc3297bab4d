#include "analysis/words/text_lines.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

std::size_t indent_of(const std::string& text) {
  return std::min(text.find_first_not_of(' '), text.size());
}

}  // namespace

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

std::vector<std::string> lines_of(const std::string& text, std::size_t width) {
  const std::size_t indent = indent_of(text);
  std::vector<std::string> lines = {std::string(indent, ' ')};
  for (const std::string& word : split(text.substr(indent), ' ')) {
    std::string& line = lines.back();
    if (line.size() == indent) {
      line += word;
    } else if (display_width(line) + 1 + display_width(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(std::string(indent, ' ') + word);
    }
  }
  return lines;
}

std::string in_lines(const std::string& text, std::size_t width) {
  return width == 0 ? text : join(lines_of(text, width), "\n");
}

std::size_t longest_word(const std::string& text) {
  const std::size_t indent = indent_of(text);
  std::size_t longest = 0;
  for (const std::string& word : split(text.substr(indent), ' ')) {
    longest = std::max(longest, indent + display_width(word));
  }
  return longest;
}

std::string flowing(const std::string& text, std::size_t width, std::size_t first,
                    std::size_t rest) {
  std::string result;
  std::string line(first, ' ');
  bool is_begun = false;
  for (const std::string& word : split(text, ' ')) {
    if (is_begun && display_width(line) + 1 + display_width(word) > width) {
      result += line + "\n";
      line = std::string(rest, ' ');
      is_begun = false;
    }
    line += (is_begun ? " " : "") + word;
    is_begun = true;
  }
  return result + line + "\n";
}

std::string within(const std::string& lines, std::size_t width) {
  constexpr std::size_t further = 2;
  std::string result;
  for (std::size_t first = 0; first < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', first), lines.size());
    const std::string line = lines.substr(first, end - first);
    const bool fits = width == 0 || display_width(line) <= width;
    const std::size_t indent = indent_of(line);
    result += fits ? line + "\n" : flowing(line.substr(indent), width, indent, indent + further);
    first = end + 1;
  }
  return result;
}

std::string paragraph(const std::string& text, std::size_t width) {
  return flowing(text, width, 2, 4);
}

}  // namespace scalesweep::analysis

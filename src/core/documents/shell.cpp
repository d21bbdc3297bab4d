#include "core/documents/shell.hpp"

#include <charconv>

namespace scalesweep {
namespace {

// The text that $'a\x1b' stands for, without the signs around it: bytes as \xHH, all else as it is.
std::string with_bytes(std::string_view quoted) {
  std::string text;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    int byte = 0;
    const char* const digits = quoted.data() + i + 2;
    if (quoted.substr(i).starts_with("\\x") && i + 3 < quoted.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      text += static_cast<char>(byte);
      i += 3;
    } else {
      text += quoted[i];
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool has_bytes = line.substr(i, 2) == "$'";
    if (has_bytes || line[i] == '\'') {
      const std::size_t first = i + (has_bytes ? 2 : 1);
      const std::size_t last = std::min(line.find('\'', first), line.size());
      const std::string_view quoted = line.substr(first, last - first);
      words.back() += has_bytes ? with_bytes(quoted) : std::string(quoted);
      i = last;
    } else if (line[i] == '\\' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else if (line[i] == ' ') {
      words.emplace_back();
    } else {
      words.back() += line[i];
    }
  }
  return words;
}

}  // namespace scalesweep

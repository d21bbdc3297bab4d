// Words of a shell's command line.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

namespace scalesweep {

inline bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// The word in quotes, whole, whatever is in it: 'it'\''s'. Control characters, which an editor or a
// YAML file would not keep, as $'\x1b', which bash reads; line breaks stay.
inline std::string shell_quoted(std::string_view word) {
  const bool has_control =
      std::any_of(word.begin(), word.end(), [](char c) { return is_control(c) && c != '\n'; });
  std::string text = has_control ? "$'" : "'";
  for (const char c : word) {
    if (has_control && (is_control(c) || c == '\\' || c == '\'')) {
      std::string escape(5, '\0');
      std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned char>(c));
      text += escape.c_str();
    } else {
      text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
  }
  return text + "'";
}

}  // namespace scalesweep

// Words of a shell's command line, and back.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

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

// The same, without quotes where a shell reads the word as it is.
inline std::string shell_word(std::string_view word) {
  constexpr std::string_view plain =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_@%+=:,./-";
  const bool is_plain = !word.empty() && word.find_first_not_of(plain) == std::string_view::npos;
  return is_plain ? std::string(word) : shell_quoted(word);
}

// The words of a line that was written by these.
std::vector<std::string> shell_words(std::string_view line);

}  // namespace scalesweep

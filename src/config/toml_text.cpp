#include "config/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace scalesweep::config {

namespace {

// Bytes of the character that the text begins with; 0 where it is none of UTF-8.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length < 2 || text.size() < length) {
    return length == 1 ? 1 : 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) {
      return 0;
    }
  }
  // Written longer than need be, half of a pair, or beyond the last character.
  const bool is_none = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                       (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
  return is_none ? 0 : length;
}

// With what `written` makes of control characters.
template <typename Written>
std::string on_one_line(std::string_view text, const Written& written) {
  std::string line;
  while (!text.empty()) {
    const std::size_t length = character_bytes(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0) {
      line += '?';
    } else if (first < 0x20 || first == 0x7f) {
      line += written(first);
    } else {
      line += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return line;
}

}  // namespace

std::string toml_text(std::string_view text) {
  std::string marked;  // a backslash before the signs that end a text or begin an escape
  for (const char c : text) {
    marked += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  }
  const auto escape = [](unsigned char c) {
    return c == '\n' ? std::string("\\n") : fmt::format("\\u{:04x}", c);
  };
  return "\"" + on_one_line(marked, escape) + "\"";
}

std::string toml_comment(std::string_view text) {
  return "# " + on_one_line(text, [](unsigned char) { return ' '; }) + "\n";
}

bool is_bare_key(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

std::string toml_key(std::string_view key) {
  return is_bare_key(key) ? std::string(key) : toml_text(key);
}

}  // namespace scalesweep::config

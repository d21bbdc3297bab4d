#include "config/toml_text.hpp"

#include <algorithm>

namespace scalesweep::config {

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, is_control ? ' ' : c);
  }
  return result + "\"";
}

bool is_bare_key(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

}  // namespace scalesweep::config

// Fields of comma-separated values.
#pragma once

#include <string>

namespace scalesweep {

// As RFC 4180 writes a field: quotes around what holds a comma, a quote or a line break, quotes in
// it doubled.
inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return quoted + "\"";
}

}  // namespace scalesweep

// Texts and keys as TOML spells them: https://toml.io/en/v1.0.0#keys and #string.
#pragma once

#include <string>
#include <string_view>

namespace scalesweep::config {

// In quotes, on one line, with escapes of what a line cannot hold; ? stands for what is no UTF-8.
std::string toml_text(std::string_view text);

// A comment of one line, whatever stands in the text.
std::string toml_comment(std::string_view text);

// Whether a key needs no quotes; an empty one does.
bool is_bare_key(std::string_view key);
// As it stands in a header or before a sign of equality, in quotes where it needs them.
std::string toml_key(std::string_view key);

}  // namespace scalesweep::config

#include "core/documents/escapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <utility>

#include "core/documents/json.hpp"
#include "core/documents/shell.hpp"

namespace scalesweep {
namespace {

// What Markdown reads as a sign wherever it stands.
constexpr std::string_view markdown_signs = "\\`*_[]<>&|~$";

// What makes a line a heading, an item or the rule under one: the sign at its begin, or that behind
// the digits there.
std::size_t sign_at_begin(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && std::isdigit(static_cast<unsigned char>(line[at])) != 0) {
    ++at;
  }
  const std::string_view signs = at == 0 ? "#+-=" : ".)";
  return at < line.size() && signs.find(line[at]) != std::string_view::npos ? at
                                                                            : std::string::npos;
}

std::string one_markdown_line(std::string_view line) {
  // Four blanks at the begin make a block of code.
  const std::size_t first = line.find_first_not_of(" \t");
  line = first == std::string_view::npos ? std::string_view() : line.substr(first);
  const std::size_t sign = sign_at_begin(line);
  std::string safe;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool is_sign = at == sign || markdown_signs.find(line[at]) != std::string_view::npos;
    safe += is_sign ? "\\" : "";
    safe += is_control(line[at]) ? ' ' : line[at];
  }
  return safe;
}

std::size_t longest_run(std::string_view text, char of) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == of ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string xml_text(std::string_view text) {
  constexpr std::array<std::pair<char, std::string_view>, 5> entities = {
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};
  std::string safe;
  for (const char c : text) {
    const auto* const found = std::find_if(entities.begin(), entities.end(),
                                           [c](const auto& one) { return one.first == c; });
    if (found != entities.end()) {
      safe += found->second;
    } else {
      safe += is_control(c) && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return safe;
}

std::string markdown_text(std::string_view text) {
  std::string safe;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    safe += (begin == 0 ? "" : "\n") + one_markdown_line(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return safe;
}

std::string markdown_line(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return one_markdown_line(line);
}

std::string markdown_block(std::string_view text) {
  const std::string fence(std::max<std::size_t>(3, longest_run(text, '`') + 1), '`');
  return fmt::format("{}\n{}{}{}\n", fence, text, text.ends_with('\n') ? "" : "\n", fence);
}

std::string markdown_address(std::string_view url) {
  std::string safe = "<";
  for (const char c : url) {
    const bool is_plain =
        !is_control(c) && std::string_view(" <>|\\`\"").find(c) == std::string::npos;
    safe += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return safe + ">";
}

// A string of JSON is one of YAML, but for signs that YAML does not print: C1 controls, which UTF-8
// begins with C2, separators of lines and paragraphs, the mark of byte order.
std::string yaml_text(const std::string& text) {
  const std::string json = Json(text).dump();
  std::string safe;
  for (std::size_t at = 0; at < json.size();) {
    const auto byte = [&](std::size_t i) {
      return at + i < json.size() ? static_cast<unsigned char>(json[at + i]) : 0U;
    };
    const bool is_c1 = byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F;
    const bool is_separator =
        byte(0) == 0xE2 && byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9);
    const bool is_mark = byte(0) == 0xEF && byte(1) == 0xBB && byte(2) == 0xBF;
    if (is_c1) {
      safe += fmt::format("\\u{:04x}", byte(1));
      at += 2;
    } else if (is_separator || is_mark) {
      safe += is_mark ? "\\ufeff" : fmt::format("\\u{:04x}", 0x2000U + byte(2) - 0x80U);
      at += 3;
    } else {
      safe += json[at] == '\x7F' ? std::string("\\u007f") : std::string(1, json[at]);
      ++at;
    }
  }
  return safe;
}

std::string yaml_word(const std::string& text) {
  static const std::regex plain(R"([A-Za-z_][\w-]*)");
  static const std::regex other_type("y|n|yes|no|true|false|on|off|null", std::regex::icase);
  const bool is_plain = std::regex_match(text, plain) && !std::regex_match(text, other_type);
  return is_plain ? text : yaml_text(text);
}

}  // namespace scalesweep

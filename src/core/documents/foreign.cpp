#include "core/documents/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace scalesweep {
namespace {

// Behind a string or a comment that begins at `at`; `at` where none does.
std::size_t behind_toml_text(std::string_view text, std::size_t at) {
  if (text[at] == '#') {
    return std::min(text.find('\n', at), text.size());
  }
  for (const std::string_view quote : {R"(""")", "'''", "\"", "'"}) {
    if (!text.substr(at).starts_with(quote)) {
      continue;
    }
    const bool has_escapes = quote.front() == '"';
    for (std::size_t i = at + quote.size(); i < text.size(); ++i) {
      if (has_escapes && text[i] == '\\') {
        ++i;
      } else if (text.substr(i).starts_with(quote)) {
        return i + quote.size();
      } else if (quote.size() == 1 && text[i] == '\n') {
        return i;  // no end of it: the parser says so
      }
    }
    return text.size();
  }
  return at;
}

std::optional<std::size_t> deep_value_of_json(std::string_view text) {
  std::size_t levels = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        i += text[i] == '\\' ? 1 : 0;
      }
    } else if (text[i] == '[' || text[i] == '{') {
      if (++levels > most_levels) {
        return i;
      }
    } else if (text[i] == ']' || text[i] == '}') {
      levels -= levels > 0 ? 1 : 0;
    }
  }
  return std::nullopt;
}

// "number overflow parsing '401e30896'"
std::size_t offset_of_number(std::string_view text, const std::string& words) {
  const std::size_t quote = words.find('\'');
  const std::size_t end = words.rfind('\'');
  if (quote == std::string::npos || end <= quote) {
    return 0;
  }
  const std::size_t found = text.find(words.substr(quote + 1, end - quote - 1));
  return found == std::string_view::npos ? 0 : found;
}

}  // namespace

std::optional<std::size_t> deep_key_of_toml(std::string_view text) {
  std::size_t parts = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t behind = behind_toml_text(text, i);
    if (behind > i) {
      i = behind;
      continue;
    }
    if (text[i] == '.' && ++parts > most_levels) {
      return i;
    }
    if (std::string_view("=,[]{}\n").find(text[i]) != std::string_view::npos) {
      parts = 1;
    }
    ++i;
  }
  return std::nullopt;
}

nlohmann::json parsed_json(std::string_view text) {
  if (const auto deep = deep_value_of_json(text)) {
    throw JsonError(*deep,
                    fmt::format("more than {} lists and objects in each other", most_levels));
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& problem) {
    throw JsonError(problem.byte > 0 ? problem.byte - 1 : 0, "not JSON from here on");
  } catch (const nlohmann::json::out_of_range& problem) {
    throw JsonError(offset_of_number(text, problem.what()), "a number too large for any machine");
  }
}

}  // namespace scalesweep

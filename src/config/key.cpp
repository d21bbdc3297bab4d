#include "config/key.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace scalesweep::config {
namespace {

// True if a path of rows, where * is any name, is this one.
bool matches(std::string_view pattern, std::string_view path) {
  if (pattern.ends_with(".*")) {
    const std::string_view table = pattern.substr(0, pattern.size() - 1);
    return path.starts_with(table) && path.find('.', table.size()) == std::string_view::npos;
  }
  return pattern == path;
}

}  // namespace

bool NumberRange::holds(double number) const {
  const bool above = low_included ? number >= low : number > low;
  const bool below = !high || (high_included ? number <= *high : number < *high);
  return above && below;
}

std::string NumberRange::text() const {
  std::string words = fmt::format("{} {}", low_included ? "at least" : "above", low);
  return high ? fmt::format("{} and {} {}", words, high_included ? "at most" : "below", *high)
              : words;
}

const Key* KeyScope::find(std::string_view name) const {
  const std::string path = prefix + std::string(name);
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& key) {
    return (key.variants & variants) != 0 && matches(key.path, path);
  });
  return found == keys.end() ? nullptr : &*found;
}

std::vector<std::string> KeyScope::names() const {
  std::vector<std::string> names;
  for (const Key& key : keys) {
    if ((key.variants & variants) == 0 || !key.path.starts_with(prefix)) {
      continue;
    }
    const std::string_view rest = key.path.substr(prefix.size());
    const bool own = rest.find('.') == std::string_view::npos && rest != "*";
    if (own && std::find(names.begin(), names.end(), rest) == names.end()) {
      names.emplace_back(rest);
    }
  }
  return names;
}

KeyScope KeyScope::inside(std::string_view name) const {
  const std::string below = prefix + std::string(name) + ".";
  const bool known = std::any_of(keys.begin(), keys.end(),
                                 [&](const Key& key) { return key.path.starts_with(below); });
  return known ? KeyScope{keys, below, variants} : KeyScope{};
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace scalesweep::config

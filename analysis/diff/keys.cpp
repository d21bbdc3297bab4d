#include "analysis/diff/parts.hpp"

#include <algorithm>
#include <set>

#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

struct KeyedTexts {
  std::vector<std::string> keys;  // in the order of their first lines
  std::map<std::string, std::string> values;
  std::set<std::string> entries;  // of the catalog: keys without their last word

  std::string value(const std::string& key) const {
    const auto found = values.find(key);
    return found == values.end() ? "" : found->second;
  }
};

// "logic N7" of "logic N7 voltage".
std::string entry_of(const std::string& key) {
  const std::size_t space = key.rfind(' ');
  return space == std::string::npos ? "" : key.substr(0, space);
}

// A text of lines without keys is its own value.
KeyedTexts keyed(const std::string& text) {
  KeyedTexts result;
  for (const std::string& line : split(text, '\n')) {
    if (trim(line).empty()) {
      continue;
    }
    const std::size_t colon = line.find(": ");
    const std::string key = colon == std::string::npos ? "" : line.substr(0, colon);
    const std::string value =
        colon == std::string::npos ? std::string(trim(line)) : line.substr(colon + 2);
    const auto [found, is_new] = result.values.try_emplace(key, value);
    if (is_new) {
      result.keys.push_back(key);
    } else {
      found->second += "; " + value;
    }
    result.entries.insert(entry_of(key));
  }
  return result;
}

void compare_parts(const std::string& part, const std::string& from, const std::string& to,
                   std::vector<KeyChange>& changes) {
  const KeyedTexts before = keyed(from);
  const KeyedTexts after = keyed(to);
  std::vector<std::string> keys = before.keys;
  for (const std::string& key : after.keys) {
    if (before.values.find(key) == before.values.end()) {
      keys.push_back(key);
    }
  }
  for (const std::string& key : keys) {
    const std::string old_value = before.value(key);
    const std::string new_value = after.value(key);
    if (old_value != new_value) {
      const std::string entry = entry_of(key);
      const bool whole =
          !entry.empty() && before.entries.count(entry) != after.entries.count(entry);
      changes.push_back({part, key, old_value, new_value, whole ? entry : ""});
    }
  }
}

}  // namespace

std::vector<KeyChange> changed_keys(const std::map<std::string, std::string>& from,
                                    const std::map<std::string, std::string>& to) {
  std::vector<std::string> parts = {"spec", "catalog"};
  for (const auto* side : {&from, &to}) {
    for (const auto& [name, text] : *side) {
      if (std::find(parts.begin(), parts.end(), name) == parts.end()) {
        parts.push_back(name);
      }
    }
  }
  const auto text_of = [](const std::map<std::string, std::string>& side, const std::string& part) {
    const auto found = side.find(part);
    return found == side.end() ? std::string() : found->second;
  };
  std::vector<KeyChange> changes;
  for (const std::string& part : parts) {
    compare_parts(part, text_of(from, part), text_of(to, part), changes);
  }
  return changes;
}

}  // namespace scalesweep::analysis

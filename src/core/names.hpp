// Names as people write them: in any letter case, or cut short.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace scalesweep {

inline bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

// Whether `name` begins so, whatever the letter case, and not in the middle of a number or of what
// a number is followed by: "h100" and "llama" stand for "H100-SXM" and "llama-3", "l4" not for
// "l40s".
inline bool abbreviates(std::string_view start, std::string_view name) {
  if (start.empty() || start.size() >= name.size() ||
      !same_but_for_case(start, name.substr(0, start.size()))) {
    return false;
  }
  const auto next = static_cast<unsigned char>(name[start.size()]);
  return std::isdigit(static_cast<unsigned char>(start.back())) == 0 ||
         (std::isalnum(next) == 0 && next != '.');
}

// Which of `names` is written so: by itself or one of `others`, their other names in the same
// order; where none is equal, the first that is but for letter case.
inline std::optional<std::size_t> find_name(std::string_view written,
                                            std::span<const std::string> names,
                                            std::span<const std::string> others = {}) {
  const auto exactly = [&](const std::string& name) { return name == written; };
  const auto in_other_case = [&](const std::string& name) {
    return same_but_for_case(name, written);
  };
  const auto find = [](std::span<const std::string> list,
                       const auto& fits) -> std::optional<std::size_t> {
    const auto found = std::find_if(list.begin(), list.end(), fits);
    return found == list.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - list.begin()));
  };
  for (const std::span<const std::string> list : {names, others}) {
    if (const auto found = find(list, exactly)) {
      return found;
    }
  }
  for (const std::span<const std::string> list : {names, others}) {
    if (const auto found = find(list, in_other_case)) {
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace scalesweep

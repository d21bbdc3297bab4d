// How a column says that there is no value: FORMAT.md has it for every reader.
#pragma once

#include <string_view>

#include "store/read/table.hpp"

namespace scalesweep::store {

// Floating-point columns have NaN. Integers have this:
inline constexpr double absent_integer = -1.0;
// Of names the one that this attribute of the column tells; without it every name is a value.
inline constexpr const char* absent_attribute = "absent";

inline std::string_view absent_label(const Column& column) {
  const auto found = column.attributes.find(absent_attribute);
  return found == column.attributes.end() ? std::string_view() : found->second;
}

}  // namespace scalesweep::store

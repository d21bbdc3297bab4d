// Reads specs that must be right, or must be refused.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "space/read/spec.hpp"
#include "support/specs.hpp"

namespace scalesweep::space {

inline Spec good(const std::string& text) {
  Diagnostics diagnostics;
  const auto spec = read_spec("a.toml", text, diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  EXPECT_TRUE(spec.has_value());
  return spec.value_or(Spec{});
}

// The messages about a text that must not be taken.
inline std::string refused(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_spec("a.toml", text, diagnostics).has_value()) << text;
  EXPECT_TRUE(diagnostics.has_errors());
  return diagnostics.text();
}

inline std::vector<std::string> names_of(const Spec& spec) {
  std::vector<std::string> names;
  for (const Axis& axis : spec.axes) {
    names.push_back(axis.name);
  }
  return names;
}

inline const Axis& axis_of(const Spec& spec, const std::string& name) {
  const auto found = find_axis(spec.axes, name);
  if (!found) {
    throw std::logic_error("no axis " + name);
  }
  return spec.axes[*found];
}

}  // namespace scalesweep::space

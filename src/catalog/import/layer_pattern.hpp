// What brings the tokens of each layer of a model together, as runs of layers alike: "5 window, 1
// whole", "3 linear, 1 whole".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalesweep::catalog {

inline constexpr std::string_view every_layer = "1 window";

// A layer attends to all tokens, to a window of them, or has a state instead.
enum class LayerForm { whole, window, linear };

struct FormCounts {
  std::int64_t window = 0;
  std::int64_t whole = 0;
  std::int64_t linear = 0;

  std::int64_t layers() const { return window + whole + linear; }
};

// Of such a text; an empty one has no layers. Nothing where it is wrong: `problem` then says why,
// and what is right.
std::optional<FormCounts> count_forms(std::string_view text, std::string& problem);

// The shortest pattern that the layers repeat, and what is left behind the last of them.
struct LayerPattern {
  std::string pattern;
  std::string rest;  // empty where nothing is left
};

// Of each layer, at least one.
LayerPattern pattern_of(const std::vector<LayerForm>& layers);

}  // namespace scalesweep::catalog

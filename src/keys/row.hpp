// A key of a spec as one row: how it is read and what it says to people, and what it sets.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/key.hpp"
#include "keys/setter.hpp"

namespace scalesweep::keys {

struct Row {
  config::Key key;
  // Where the values of its axis go; nothing where they are read by what makes other values of them
  // (a format, a draw, a phase).
  Setters set = {};
  // A key whose entry this one changes a part of, and that stands further down; rows above are set
  // before it anyway.
  std::string_view after = {};
};

// Those of [workload], [system], [prefill], [decode], [draws], [economics] and [run].
std::span<const Row> axis_rows();
// Those of [strategy], which are those of what is tried of a strategy; they set rules.
std::span<const config::Key> strategy_keys();

// A setter of a target, and the axis whose values it takes.
struct AxisSetter {
  std::string_view axis;
  void (*set)(void* target, const AxisValue& value);
};
// One for each axis: in the order of the rows, behind all others those that change what a later
// row sets.
std::vector<AxisSetter> setters_of(Target target, std::span<const Row> rows = axis_rows());

}  // namespace scalesweep::keys

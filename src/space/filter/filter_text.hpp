// What a filter expression says, before it is computed: its words and their places, the names it
// uses, the quantities in it. Everything that is wrong with the words is found here.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "space/filter/filter_words.hpp"
#include "space/spec/spec.hpp"

namespace scalesweep::space {

struct FilterText {
  // As long as the expression, so that offsets agree: `and` is "&&", 'x' is "x" in double quotes,
  // a quantity is the name of a constant.
  std::string normalized;
  std::map<std::string, double> constants;  // SI
  std::vector<std::string> axes;            // used, each once
  std::vector<std::string> fields;          // of the strategy, used, each once
  bool complete = true;                     // false: names an axis that could not be read
  std::vector<FilterProblem> problems;
};

// `axes_complete` is false where some axes of the spec could not be read: then an axis that is
// missing is no problem of the filter.
FilterText analyse_filter(const std::string& expression, const std::vector<Axis>& axes,
                          bool axes_complete = true);

// Fields of a strategy that a filter may name: tensor_parallel, recompute, ...
const std::vector<std::string>& strategy_field_names();

}  // namespace scalesweep::space

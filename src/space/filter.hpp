// The [[filter]] expressions of a spec, by muParserX: numbers and strings, comparisons, and, or,
// not(...). A point that one rejects keeps its id.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/diagnostic.hpp"
#include "parallel/strategy.hpp"
#include "space/spec.hpp"

namespace scalesweep::space {

class FilterSet {
 public:
  // Every expression that does not parse, names something unknown or is no condition is reported.
  FilterSet(const std::vector<Filter>& filters, const std::vector<Axis>& axes,
            Diagnostics& diagnostics);
  ~FilterSet();
  FilterSet(const FilterSet&) = delete;
  FilterSet& operator=(const FilterSet&) = delete;

  // True if every filter holds. One evaluation at a time: calls from other threads wait.
  bool accepts(std::span<const std::int32_t> axis_index, const parallel::Strategy& strategy);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scalesweep::space

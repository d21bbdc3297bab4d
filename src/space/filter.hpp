// The [[filter]] expressions of a spec: axes and strategy fields, numbers, names and quantities in
// quotes, comparisons, arithmetic, and, or, not. A point that one rejects keeps its id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "core/diagnostic.hpp"
#include "parallel/strategy.hpp"
#include "space/read/spec_types.hpp"
#include "space/run.hpp"

namespace scalesweep::space {

// Reports, at the character where it stands, what does not parse, names nothing, compares things
// that cannot be compared or is no condition. An expression without an error computes for every
// point. `axes_complete` is false where some axes of the spec could not be read: then an axis that
// is missing is no problem of the filter.
void check_filter(const Filter& filter, const std::vector<Axis>& axes, bool axes_complete,
                  Diagnostics& diagnostics);

// All filters of a study. Computing changes it: one per thread.
class FilterSet {
 public:
  // Throws Failure(bad_input) for an expression that check_filter would not let pass.
  FilterSet(const std::vector<Filter>& filters, const std::vector<Axis>& axes);
  ~FilterSet();
  FilterSet(const FilterSet&) = delete;
  FilterSet& operator=(const FilterSet&) = delete;
  FilterSet(FilterSet&&) noexcept;
  FilterSet& operator=(FilterSet&&) noexcept;

  bool empty() const;

  // Positions of the axes in filters that name axes alone, each once, and whether these filters
  // pass a combination of them.
  std::set<std::size_t> axes_of_axis_filters() const;
  bool axes_pass(std::span<const std::int32_t> axis_index);

  // True if every filter holds for `run.strategies[strategy]`. Made for going along ids: strategies
  // are looked at in blocks. The tables of all runs must stay where they are.
  bool passes(const Run& run, std::size_t strategy);
  // The same for a single configuration.
  bool passes(std::span<const std::int32_t> axis_index, const parallel::Strategy& strategy);

 private:
  class Condition;
  std::vector<std::unique_ptr<Condition>> conditions_;
};

}  // namespace scalesweep::space

// Which shares of the budgets the values of the axis `allocation` stand for.
//
// The first round is a grid over the ranges; each later one is a grid of three values a share
// around the best candidate of all earlier rounds, half as far apart as in the round before. The
// candidates of a later round therefore follow from the objective of the earlier ones of the same
// combination of the other axes, and from nothing else: whoever needs them computes them.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "space/read/spec.hpp"
#include "technology/derive/derive.hpp"

namespace scalesweep::study {

// One value per share of an Allocation, in its order.
using SharePoint = std::vector<double>;

technology::Shares shares_at(const space::Allocation& allocation, const SharePoint& point);

// 0 for the first round.
int round_of(const space::Allocation& allocation, std::int64_t candidate);
// Of the first candidate of a round.
std::int64_t first_of_round(const space::Allocation& allocation, int round);
// The last share varies fastest. `centre` matters to later rounds only.
SharePoint candidate_at(const space::Allocation& allocation, std::int64_t candidate,
                        const SharePoint& centre);

class AllocationSearch {
 public:
  // The smallest objective of all strategies of a candidate; infinity if none is feasible.
  using Objective = std::function<double(std::int64_t candidate, const technology::Shares& shares)>;

  explicit AllocationSearch(space::Allocation allocation) : allocation_(std::move(allocation)) {}

  // `others` are the indices of all axes but `allocation`; the objective must depend on them and
  // the shares alone. What was found for the last combination is remembered.
  technology::Shares shares(std::span<const std::int32_t> others, std::int64_t candidate,
                            const Objective& objective);

 private:
  void start(std::span<const std::int32_t> others);
  void search_round(const Objective& objective);

  space::Allocation allocation_;
  std::vector<std::int32_t> others_;
  std::vector<SharePoint> centres_;  // of the rounds that are known; empty: nothing is
  double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace scalesweep::study

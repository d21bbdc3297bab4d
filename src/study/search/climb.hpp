// From one place of a grid step by step to whatever is better, with shorter steps where nothing is
// (compass search: T. G. Kolda, R. M. Lewis and V. Torczon, "Optimization by Direct Search", SIAM
// Review 45(3), 2003, section 1.2), and along whole lines where that ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace scalesweep::study {

// A place on each axis of a grid.
using GridPlace = std::vector<std::int32_t>;

// Looks at places, each once at most.
class Climber {
 public:
  // `sizes`: places along each axis, outlives it. `look_at` looks at a place: whether it is the
  // best so far. `may_look`: whether another may be looked at.
  Climber(std::span<const std::int32_t> sizes, std::function<bool(const GridPlace& place)> look_at,
          std::function<bool()> may_look)
      : sizes_(sizes), look_at_(std::move(look_at)), may_look_(std::move(may_look)) {}

  bool knows(const GridPlace& place) const { return seen_.contains(place); }
  // Looks at it where it is new and another may be: whether it is the best so far.
  bool is_best(const GridPlace& place);
  // Looks at it and, if it is the best so far, at what is better from there on.
  void climb_from(const GridPlace& place);
  // The same of one that is known to be the best so far.
  void climb_on(GridPlace place);

 private:
  std::optional<GridPlace> better_beside(const GridPlace& from, double step);
  std::optional<GridPlace> better_along(const GridPlace& from);
  GridPlace climb_beside(GridPlace place);

  std::span<const std::int32_t> sizes_;
  std::function<bool(const GridPlace&)> look_at_;
  std::function<bool()> may_look_;
  std::set<GridPlace> seen_;
};

}  // namespace scalesweep::study

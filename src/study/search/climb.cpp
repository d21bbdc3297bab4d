#include "study/search/climb.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace scalesweep::study {

bool Climber::is_best(const GridPlace& place) {
  return may_look_() && seen_.insert(place).second && look_at_(place);
}

// The next place that is better, `step` parts of the grid away along one axis; nothing if none is.
std::optional<GridPlace> Climber::better_beside(const GridPlace& from, double step) {
  for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
    const auto places = std::max(1, static_cast<int>(std::lround(step * sizes_[axis])));
    for (const int move : {-places, places}) {
      GridPlace place = from;
      place[axis] = std::clamp(place[axis] + move, 0, sizes_[axis] - 1);
      if (is_best(place)) {
        return place;
      }
    }
  }
  return std::nullopt;
}

// Whatever is better along a line through it, how far away that may be: whole tiles, waves and
// stacks make more than one way up.
std::optional<GridPlace> Climber::better_along(const GridPlace& from) {
  constexpr int most_looked_at = 64;
  std::optional<GridPlace> better;
  for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
    GridPlace place = better.value_or(from);
    const int looked_at = std::min(most_looked_at, sizes_[axis]);
    for (int i = 0; i < looked_at; ++i) {
      place[axis] = looked_at == 1 ? 0 : i * (sizes_[axis] - 1) / (looked_at - 1);
      if (is_best(place)) {
        better = place;
      }
    }
  }
  return better;
}

GridPlace Climber::climb_beside(GridPlace place) {
  const std::int32_t longest = *std::max_element(sizes_.begin(), sizes_.end());
  for (double step = 0.25; step * longest >= 0.5;) {
    if (auto better = better_beside(place, step)) {
      place = *std::move(better);
    } else {
      step /= 2.0;
    }
  }
  return place;
}

void Climber::climb_from(const GridPlace& place) {
  if (is_best(place)) {
    climb_on(place);
  }
}

void Climber::climb_on(GridPlace place) {
  for (std::optional<GridPlace> next = place; next; next = better_along(place)) {
    place = climb_beside(*next);
  }
}

}  // namespace scalesweep::study

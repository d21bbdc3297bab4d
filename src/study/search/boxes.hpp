// The best places of a grid, and the proof that they are. First a climb from the middle. Then boxes
// of the grid, which are divided where something better may be and left out where a bound says that
// there is none (A. H. Land and A. G. Doig, "An automatic method of solving discrete programming
// problems", Econometrica 28(3), 1960): from the most promising one down to a place, and again from
// the one that is then the most promising.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "study/search/climb.hpp"

namespace scalesweep::study {

// All places between two, both among them.
struct GridBox {
  GridPlace low;
  GridPlace high;

  bool is_one_place() const { return low == high; }
  GridPlace middle() const;
  // In two, across the axis along which it is longest, the first of several; not of one place.
  std::pair<GridBox, GridBox> halves() const;
};

struct BoxWork {
  // What no place of the box is better than, as it is minimised; infinity where nothing can be
  // there, nothing where nobody knows.
  std::function<std::optional<std::vector<double>>(const GridBox& box)> least;
  // Looks at a place, each once at most; whether that is the best in its first value so far.
  std::function<bool(const GridPlace& place)> look_at;
  // Whether something that is no better than this may stay beside what was found so far.
  std::function<bool(std::span<const double> least)> can_be_kept;
};

struct BoxesSearched {
  std::int64_t places = 0;  // looked at
  std::int64_t boxes = 0;   // that were bounded
  // Of all that was not looked at, what its first value is at least; infinity where there is none
  // such, or nothing can be there.
  double least_left = std::numeric_limits<double>::infinity();
};

// `sizes`: places along each axis; `values`: how many a bound has. Looks at `most` places and boxes
// at most; what is then left is in `least_left`. The same in every run: ties go to the box that was
// made first.
BoxesSearched search_boxes(std::span<const std::int32_t> sizes, std::size_t values,
                           const BoxWork& work, std::int64_t most);

}  // namespace scalesweep::study

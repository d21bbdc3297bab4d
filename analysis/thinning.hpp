// Points thinned for a picture: one per cell of a logarithmic grid over their quantities, the one
// with the smallest id. Bounded memory, and the same points however the input is cut into pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/id_range.hpp"

namespace scalesweep::analysis {

class Thinning {
 public:
  // At most `most` points stay; cells start at 1/64 of an octave and double until they fit.
  explicit Thinning(std::size_t most) : most_(most) {}

  void add(std::int64_t group, std::span<const double> quantities, PointId id, std::int64_t row);
  // Ascending.
  std::vector<std::int64_t> rows() const;

 private:
  struct Member {
    PointId id = 0;
    std::int64_t row = 0;
  };
  using Key = std::vector<std::int64_t>;

  void coarsen();

  std::size_t most_;
  double cells_per_octave_ = 64.0;
  std::map<Key, Member> members_;
};

}  // namespace scalesweep::analysis

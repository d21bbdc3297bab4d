// Points thinned for a picture: one per cell of a logarithmic grid over their quantities, the one
// with the smallest id. Bounded memory, and the same points however the input is cut into pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/id_range.hpp"

namespace scalesweep::analysis {

class Thinning {
 public:
  static constexpr std::size_t most_quantities = 8;

  // At most `most` points stay; cells start at 1/64 of a factor of two and double until they fit.
  explicit Thinning(std::size_t most) : most_(most) {}

  void add(std::int64_t group, std::span<const double> quantities, PointId id, std::int64_t row);
  void merge(const Thinning& other);  // with the same bound
  // Ascending.
  std::vector<std::int64_t> rows() const;

 private:
  struct Member {
    PointId id = 0;
    std::int64_t row = 0;
  };
  struct Key {
    std::int64_t group = 0;
    std::array<std::int32_t, most_quantities> cells{};
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  using Members = std::unordered_map<Key, Member, Hash>;

  static void put(Members& members, const Key& key, const Member& member);
  static Key coarser(Key key, int doublings);
  void coarsen(int doublings);
  void coarsen_to_fit();

  std::size_t most_;
  int doublings_ = 0;  // of the size of cells
  Members members_;
};

}  // namespace scalesweep::analysis

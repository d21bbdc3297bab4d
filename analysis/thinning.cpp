#include "analysis/thinning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scalesweep::analysis {
namespace {

// Cell of what has no logarithm.
constexpr std::int64_t no_cell = std::numeric_limits<std::int64_t>::min();

}  // namespace

void Thinning::add(std::int64_t group, std::span<const double> quantities, PointId id,
                   std::int64_t row) {
  Key key{group};
  for (const double quantity : quantities) {
    const bool positive = quantity > 0.0 && std::isfinite(quantity);
    key.push_back(
        positive ? static_cast<std::int64_t>(std::floor(std::log2(quantity) * cells_per_octave_))
                 : no_cell);
  }
  const auto [place, is_new] = members_.try_emplace(std::move(key), Member{id, row});
  if (!is_new && id < place->second.id) {
    place->second = {id, row};
  }
  while (members_.size() > most_ && cells_per_octave_ > 1.0) {
    coarsen();
  }
}

// Cells of twice the size are unions of cells, so that nothing depends on when this happens.
void Thinning::coarsen() {
  cells_per_octave_ /= 2.0;
  std::map<Key, Member> coarse;
  for (const auto& [fine_key, member] : members_) {
    Key key = fine_key;
    for (std::size_t i = 1; i < key.size(); ++i) {
      if (key[i] != no_cell) {
        key[i] = key[i] >= 0 ? key[i] / 2 : (key[i] - 1) / 2;
      }
    }
    const auto [place, is_new] = coarse.try_emplace(std::move(key), member);
    if (!is_new && member.id < place->second.id) {
      place->second = member;
    }
  }
  members_ = std::move(coarse);
}

std::vector<std::int64_t> Thinning::rows() const {
  std::vector<std::int64_t> rows;
  rows.reserve(members_.size());
  for (const auto& [key, member] : members_) {
    rows.push_back(member.row);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace scalesweep::analysis

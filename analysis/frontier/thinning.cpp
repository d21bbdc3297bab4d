#include "analysis/frontier/thinning.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/contracts.hpp"

namespace scalesweep::analysis {
namespace {

// Cell of what has no logarithm.
constexpr std::int32_t no_cell = -1;
// Leading bits of a double say its cell: 11 of the exponent, then 6 that cut every factor of two
// into 64 equal parts.
constexpr int cell_bits = 6;
constexpr int dropped_bits = 52 - cell_bits;
constexpr int most_doublings = 11 + cell_bits;

std::int32_t cell_of(double quantity) {
  const bool positive = quantity > 0.0 && quantity <= std::numeric_limits<double>::max();
  return positive
             ? static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(quantity) >> dropped_bits)
             : no_cell;
}

}  // namespace

// FNV-1a, a number at a time.
std::size_t Thinning::Hash::operator()(const Key& key) const {
  constexpr std::uint64_t prime = 1099511628211U;
  std::uint64_t hash = 14695981039346656037U;
  const auto mix = [&](std::uint64_t value) {
    hash = (hash ^ value) * prime;
    hash ^= hash >> 29;
  };
  mix(static_cast<std::uint64_t>(key.group));
  for (const std::int32_t cell : key.cells) {
    mix(static_cast<std::uint64_t>(cell));
  }
  return hash;
}

void Thinning::put(Members& members, const Key& key, const Member& member) {
  const auto [place, is_new] = members.try_emplace(key, member);
  if (!is_new && member.id < place->second.id) {
    place->second = member;
  }
}

Thinning::Key Thinning::coarser(Key key, int doublings) {
  for (std::int32_t& cell : key.cells) {
    cell = cell == no_cell ? no_cell : cell >> doublings;
  }
  return key;
}

void Thinning::add(std::int64_t group, std::span<const double> quantities, PointId id,
                   std::int64_t row) {
  SCALESWEEP_EXPECT(quantities.size() <= most_quantities);
  Key key{group, {}};
  std::transform(quantities.begin(), quantities.end(), key.cells.begin(), cell_of);
  put(members_, coarser(key, doublings_), {id, row});
  coarsen_to_fit();
}

// Cells of twice the size are unions of cells, so that nothing depends on when this happens.
void Thinning::coarsen(int doublings) {
  Members coarse;
  for (const auto& [key, member] : members_) {
    put(coarse, coarser(key, doublings), member);
  }
  members_ = std::move(coarse);
  doublings_ += doublings;
}

void Thinning::coarsen_to_fit() {
  while (members_.size() > most_ && doublings_ < most_doublings) {
    coarsen(1);
  }
}

void Thinning::merge(const Thinning& other) {
  SCALESWEEP_EXPECT(most_ == other.most_);
  if (other.doublings_ > doublings_) {
    coarsen(other.doublings_ - doublings_);
  }
  for (const auto& [key, member] : other.members_) {
    put(members_, coarser(key, doublings_ - other.doublings_), member);
  }
  coarsen_to_fit();
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

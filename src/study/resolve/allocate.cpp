#include "study/resolve/allocate.hpp"

#include <algorithm>
#include <cmath>

#include "core/contracts.hpp"

namespace scalesweep::study {
namespace {

constexpr std::int64_t values_later = 3;  // of each share, in every round after the first

// Where the first later round looks if nothing was feasible before.
SharePoint middle_of(const space::Allocation& allocation) {
  SharePoint middle;
  for (const space::ShareRange& share : allocation.shares) {
    middle.push_back((share.from + share.to) / 2.0);
  }
  return middle;
}

// Distance of two neighbouring values of a share.
double spacing(const space::Allocation& allocation, const space::ShareRange& share, int round) {
  return (share.to - share.from) / (allocation.grid - 1) / std::exp2(round);
}

}  // namespace

technology::Shares shares_at(const space::Allocation& allocation, const SharePoint& point) {
  SCALESWEEP_EXPECT(point.size() == allocation.shares.size());
  technology::Shares shares;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const std::string& name = allocation.shares[i].name;
    if (name == "core_area_share") {
      shares.core_area = point[i];
    } else if (name == "memory_edge_share") {
      shares.memory_edge = point[i];
    } else {
      SCALESWEEP_EXPECT(name == "memory_power_share");
      shares.memory_power = point[i];
    }
  }
  return shares;
}

int round_of(const space::Allocation& allocation, std::int64_t candidate) {
  SCALESWEEP_EXPECT(candidate >= 0 && candidate < allocation.candidates());
  const std::int64_t later = candidate - allocation.first_round();
  return later < 0 ? 0 : 1 + static_cast<int>(later / allocation.later_round());
}

std::int64_t first_of_round(const space::Allocation& allocation, int round) {
  return round == 0 ? 0 : allocation.first_round() + (round - 1) * allocation.later_round();
}

SharePoint candidate_at(const space::Allocation& allocation, std::int64_t candidate,
                        const SharePoint& centre) {
  const int round = round_of(allocation, candidate);
  const std::int64_t values = round == 0 ? allocation.grid : values_later;
  std::int64_t place = candidate - first_of_round(allocation, round);
  SharePoint point(allocation.shares.size());
  for (std::size_t i = point.size(); i-- > 0;) {
    const space::ShareRange& share = allocation.shares[i];
    const auto step = static_cast<double>(place % values);
    place /= values;
    const double start = round == 0 ? share.from : centre[i] - spacing(allocation, share, round);
    point[i] = std::clamp(start + step * spacing(allocation, share, round), share.from, share.to);
  }
  return point;
}

void AllocationSearch::start(std::span<const std::int32_t> others) {
  others_.assign(others.begin(), others.end());
  centres_ = {middle_of(allocation_)};
  best_ = std::numeric_limits<double>::infinity();
}

// Computes the last round that is known, and with it the centre of the next.
void AllocationSearch::search_round(const Objective& objective) {
  const int round = static_cast<int>(centres_.size()) - 1;
  SharePoint centre = centres_.back();
  for (std::int64_t candidate = first_of_round(allocation_, round);
       candidate < first_of_round(allocation_, round + 1); ++candidate) {
    const SharePoint point = candidate_at(allocation_, candidate, centres_.back());
    const double value = objective(candidate, shares_at(allocation_, point));
    if (value < best_) {
      best_ = value;
      centre = point;
    }
  }
  centres_.push_back(std::move(centre));
}

technology::Shares AllocationSearch::shares(std::span<const std::int32_t> others,
                                            std::int64_t candidate, const Objective& objective) {
  if (centres_.empty() ||
      !std::equal(others.begin(), others.end(), others_.begin(), others_.end())) {
    start(others);
  }
  const auto round = static_cast<std::size_t>(round_of(allocation_, candidate));
  while (centres_.size() <= round) {
    search_round(objective);
  }
  return shares_at(allocation_, candidate_at(allocation_, candidate, centres_[round]));
}

}  // namespace scalesweep::study

#include "store/read/number_list.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/contracts.hpp"

namespace scalesweep::store {
namespace {

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

}  // namespace

bool operator==(const NumberList& one, const NumberList& other) {
  return std::ranges::equal(one.values_, other.values_, {}, bits, bits);
}

NumberList::NumberList(std::vector<double> values)
    : values_(std::move(values)), ascending_(values_.size()) {
  SCALESWEEP_EXPECT(are_distinct(values_));
  std::iota(ascending_.begin(), ascending_.end(), 0U);
  std::sort(ascending_.begin(), ascending_.end(),
            [this](auto a, auto b) { return bits(values_[a]) < bits(values_[b]); });
}

bool NumberList::are_distinct(const std::vector<double>& values) {
  std::vector<std::uint64_t> sorted;
  for (const double value : values) {
    sorted.push_back(bits(value));
  }
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

std::optional<std::size_t> NumberList::index_of(double value, std::size_t guess) const {
  if (guess < values_.size() && bits(values_[guess]) == bits(value)) {
    return guess;
  }
  const auto found =
      std::lower_bound(ascending_.begin(), ascending_.end(), bits(value),
                       [this](auto place, auto wanted) { return bits(values_[place]) < wanted; });
  const bool is_one = found != ascending_.end() && bits(values_[*found]) == bits(value);
  return is_one ? std::optional<std::size_t>(*found) : std::nullopt;
}

}  // namespace scalesweep::store

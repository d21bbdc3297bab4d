#include "reduce/top_k.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace scalesweep::reduce {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::size_t> best(const std::vector<double>& objective,
                              const std::vector<std::int64_t>& group,
                              const std::vector<std::int64_t>& ids, std::size_t k) {
  return best_per_group(objective, group, ids, k);
}

TEST(TopK, KeepsTheSmallestOfEachGroup) {
  EXPECT_THAT(best({3.0, 1.0, 2.0, 5.0, 4.0}, {0, 0, 0, 1, 1}, {0, 1, 2, 3, 4}, 2),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(best({3.0, 1.0, 2.0, 5.0, 4.0}, {0, 0, 0, 1, 1}, {0, 1, 2, 3, 4}, 1),
              ElementsAre(1, 4));
}

TEST(TopK, TiesGoToTheSmallerId) {
  EXPECT_THAT(best({1.0, 1.0, 1.0}, {0, 0, 0}, {8, 2, 5}, 2), ElementsAre(1, 2));
}

TEST(TopK, NanIsNeverKept) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(best({nan, 1.0}, {0, 0}, {0, 1}, 2), ElementsAre(1));
  EXPECT_THAT(best({nan}, {0}, {0}, 1), IsEmpty());
}

TEST(TopK, AGroupSmallerThanKStaysWhole) {
  EXPECT_THAT(best({1.0, 2.0}, {-5, 900}, {0, 1}, 10), ElementsAre(0, 1));
}

TEST(GroupNumbers, AreEqualExactlyWhereAllKeysAre) {
  const std::vector<std::int64_t> a = {1, 1, 2, 2, 1};
  const std::vector<std::int64_t> b = {7, 8, 7, 7, 7};
  const std::vector<std::span<const std::int64_t>> keys = {a, b};
  EXPECT_THAT(group_numbers(keys, 5), ElementsAre(0, 1, 2, 2, 0));
}

TEST(GroupNumbers, NoKeysMakeOneGroup) {
  EXPECT_THAT(group_numbers({}, 3), ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace scalesweep::reduce

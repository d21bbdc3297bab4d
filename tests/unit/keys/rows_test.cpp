// What holds for the rows of all axes together.
#include <gtest/gtest.h>

#include <algorithm>

#include "keys/row.hpp"

namespace scalesweep::keys {
namespace {

// The first row of an axis is the one whose setter is used.
TEST(AxisRows, SetTheSameInAllRowsOfAnAxis) {
  const auto rows = axis_rows();
  for (const Row& row : rows) {
    for (const Setter& setter : row.set) {
      EXPECT_FALSE(row.key.axis.empty()) << row.key.path << " sets what no axis has";
      for (const Row& other : rows) {
        for (const Setter& one : other.set) {
          const bool is_same = one.target != setter.target || other.key.axis != row.key.axis;
          EXPECT_TRUE(is_same || one.set == setter.set)
              << row.key.path << " and " << other.key.path << " set different members";
        }
      }
    }
  }
}

TEST(AxisRows, ComeAfterKeysOfTheSameTableThatSetTheSame) {
  int later = 0;
  const auto rows = axis_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].after.empty()) {
      continue;
    }
    ++later;
    ASSERT_EQ(rows[i].set.size(), 1U) << rows[i].key.path;
    EXPECT_TRUE(std::any_of(rows.begin() + static_cast<std::ptrdiff_t>(i), rows.end(),
                            [&](const Row& row) {
                              return row.key.name() == rows[i].after &&
                                     row.key.variants == rows[i].key.variants &&
                                     row.set.front().target == rows[i].set.front().target;
                            }))
        << rows[i].key.path << " comes after " << rows[i].after << ", which is no row below it";
  }
  EXPECT_GT(later, 0);
}

}  // namespace
}  // namespace scalesweep::keys

#include "core/host/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace scalesweep {
namespace {

// Items take turns to be quick and slow, so that threads finish in another order than they began.
void dawdle(std::size_t item) {
  std::this_thread::sleep_for(std::chrono::microseconds(item % 3 == 0 ? 300 : 10));
}

std::vector<std::size_t> used_with(std::size_t threads, std::size_t count) {
  std::vector<std::size_t> used;
  for_each_in_order(
      threads, count,
      [](std::size_t item) {
        dawdle(item);
        return item;
      },
      [&](std::size_t& item) { used.push_back(item); });
  return used;
}

TEST(ForEachInOrder, UsesItemsInOrder) {
  std::vector<std::size_t> expected(200);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  for (const std::size_t threads : {1u, 2u, 5u}) {
    EXPECT_EQ(used_with(threads, expected.size()), expected) << threads;
  }
  EXPECT_TRUE(used_with(3, 0).empty());
  EXPECT_EQ(used_with(3, 1).size(), 1u);
}

TEST(ForEachInOrder, UsesByTheCallersThread) {
  const std::thread::id caller = std::this_thread::get_id();
  for_each_in_order(
      4, 50, [](std::size_t item) { return item; },
      [&](std::size_t&) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(ForEachInOrder, MakesFewAhead) {
  std::atomic<std::size_t> made{0};
  std::size_t used = 0;
  std::size_t most = 0;
  for_each_in_order(
      4, 300,
      [&](std::size_t item) {
        ++made;
        return item;
      },
      [&](std::size_t& item) {
        dawdle(item);
        most = std::max(most, made - used);
        ++used;
      });
  EXPECT_EQ(used, 300u);
  EXPECT_LE(most, 4u * 3u + 1u);  // that being used among them
}

TEST(ForEachInOrder, ThrowsWhenTheTurnOfTheItemComes) {
  for (const std::size_t threads : {1u, 4u}) {
    std::vector<std::size_t> used;
    try {
      for_each_in_order(
          threads, 100,
          [](std::size_t item) {
            dawdle(item);
            if (item == 30 || item == 31) {
              throw std::runtime_error(std::to_string(item));
            }
            return item;
          },
          [&](std::size_t& item) { used.push_back(item); });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "30");
    }
    EXPECT_EQ(used.size(), 30u) << threads;
  }
}

TEST(ForEachInOrder, EndsWhenUsingThrows) {
  EXPECT_THROW(for_each_in_order(
                   4, 1000, [](std::size_t item) { return item; },
                   [](std::size_t& item) {
                     if (item == 5) {
                       throw std::runtime_error("enough");
                     }
                   }),
               std::runtime_error);
}

}  // namespace
}  // namespace scalesweep

#include "technology/precision.hpp"

#include <gtest/gtest.h>

namespace scalesweep::technology {
namespace {

TEST(Precision, NamesAreReadBack) {
  for (std::size_t i = 0; i < precision_count; ++i) {
    const auto precision = static_cast<Precision>(i);
    EXPECT_EQ(precision_from(name_of(precision)), precision);
  }
  EXPECT_EQ(precision_from("bf17"), std::nullopt);
  EXPECT_EQ(precision_from(""), std::nullopt);
}

TEST(Precision, TakesItsBytes) {
  EXPECT_EQ(element_bytes(Precision::bf16), 2.0);
  EXPECT_EQ(element_bytes(Precision::tf32), 4.0);
  EXPECT_EQ(element_bytes(Precision::fp4), 0.5);
}

}  // namespace
}  // namespace scalesweep::technology

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
  // Scales of 8 bits for 32 elements.
  EXPECT_EQ(element_bytes(Precision::mxfp8), (32.0 * 8.0 + 8.0) / (32.0 * 8.0));
  EXPECT_EQ(element_bytes(Precision::mxfp6), (32.0 * 6.0 + 8.0) / (32.0 * 8.0));
  EXPECT_EQ(element_bytes(Precision::mxfp4), (32.0 * 4.0 + 8.0) / (32.0 * 8.0));
}

}  // namespace
}  // namespace scalesweep::technology

#include "core/names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace scalesweep {
namespace {

using Names = std::vector<std::string>;

TEST(SameButForCase, comparesLetters) {
  EXPECT_TRUE(same_but_for_case("H100-SXM", "h100-sxm"));
  EXPECT_FALSE(same_but_for_case("h100", "h100-sxm"));
  EXPECT_FALSE(same_but_for_case("h100_sxm", "h100-sxm"));
}

TEST(Abbreviates, BeginsSoAndEndsNoNumberEarly) {
  EXPECT_TRUE(abbreviates("B300", "b300-sxm"));
  EXPECT_TRUE(abbreviates("h100-s", "h100-sxm"));
  EXPECT_TRUE(abbreviates("Tensor", "tensor-core-gpu"));
  EXPECT_FALSE(abbreviates("b300-sxm", "b300-sxm")) << "that is the name itself";
  EXPECT_FALSE(abbreviates("", "b300-sxm"));
  EXPECT_FALSE(abbreviates("sxm", "b300-sxm"));
  EXPECT_FALSE(abbreviates("l4", "l40s")) << "another product";
  EXPECT_FALSE(abbreviates("mi300", "mi300x")) << "a product with variants";
  EXPECT_FALSE(abbreviates("llama-3", "llama-3.1-8b")) << "another version";
}

TEST(FindName, BySpellingThenByLetters) {
  const Names names = {"N7", "n7", "a10"};
  const Names others = {"seven", "", "N1"};
  EXPECT_EQ(find_name("n7", names), 1U);
  EXPECT_EQ(find_name("A10", names), 2U);
  EXPECT_EQ(find_name("N1", names, others), 2U);
  EXPECT_EQ(find_name("Seven", names, others), 0U);
  EXPECT_EQ(find_name("seven", names), std::nullopt);
}

}  // namespace
}  // namespace scalesweep

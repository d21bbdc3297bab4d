// What is suggested for a name that nobody knows.
#include <gtest/gtest.h>

#include "core/text.hpp"

namespace scalesweep {
namespace {

using Names = std::vector<std::string>;

const Names devices = {"v100",    "a100",   "a100-sxm-40gb", "a100-sxm-80gb", "h20",
                       "h100",    "h200",   "h800",          "b200",          "b300",
                       "gb200",   "mi250x", "mi300x",        "tpu-v4",        "tpu-v5e",
                       "tpu-v6e", "gaudi2", "trainium2",     "xeon-8592plus"};

std::string spelt(const std::string& name) {
  return "; did you mean '" + name + "'?";
}
std::string another(const std::string& name) {
  return " (nearest: '" + name + "', another generation or size)";
}

TEST(Join, NamesTheFirstOfMany) {
  const std::vector<std::string> words = {"a", "b", "c"};
  EXPECT_EQ(join_first(3, words), "a, b, c");
  EXPECT_EQ(join_first(2, words, "; "), "a; b and 1 more");
  EXPECT_EQ(join_first(2, std::vector<std::string>(1'002, "a")), "a, a and 1,000 more");
  EXPECT_EQ(join_first(2, {}), "");
}

TEST(NearName, SuggestsWhatDiffersInSpellingAlone) {
  EXPECT_EQ(near_name("H-100", devices), spelt("h100"));
  EXPECT_EQ(near_name("h100x", devices), spelt("h100"));
  EXPECT_EQ(near_name("tup-v4", devices), spelt("tpu-v4"));
  EXPECT_EQ(near_name("tpu_v5", devices), spelt("tpu-v5e"));
  EXPECT_EQ(near_name("tranium2", devices), spelt("trainium2"));
  EXPECT_EQ(near_name("a100-sxm-80g", devices), spelt("a100-sxm-80gb"));
  EXPECT_EQ(near_name("mi250", devices), spelt("mi250x"));
}

TEST(NearName, SaysSoWhereTheNumberIsAnother) {
  EXPECT_EQ(near_name("h300", devices), another("h200"));
  EXPECT_EQ(near_name("h900", devices), another("h800"));
  EXPECT_EQ(near_name("tpu-v7", devices), another("tpu-v6e"));
  EXPECT_EQ(near_name("gaudi4", devices), another("gaudi2"));
  EXPECT_EQ(near_name("mi355x", devices), another("mi300x"));
  EXPECT_EQ(near_name("a100-sxm-60gb", devices), another("a100-sxm-40gb"));
  EXPECT_EQ(near_name("llama-4-8b", Names{"llama-2-7b", "llama-3-8b", "llama-3-70b"}),
            another("llama-3-8b"));
  EXPECT_EQ(near_name("vllm-2025", Names{"vllm", "vllm-2023"}), another("vllm-2023"));
  EXPECT_EQ(near_name("NVLink7", Names{"NVLink5", "NVLink6"}), another("NVLink6"));
  EXPECT_EQ(near_name("N33", Names{"N12", "N7", "N3"}), another("N3"));
}

// A letter or two before the number are a series, whatever the number is.
TEST(NearName, SaysSoWhereTheSeriesIsAnother) {
  EXPECT_EQ(near_name("b100", devices), another("b200"));
  EXPECT_EQ(near_name("gb300", devices), another("gb200"));
  EXPECT_EQ(near_name("gh200", devices), another("h200"));
  EXPECT_EQ(near_name("k100", Names{"v100"}), another("v100"));
}

// The same numbers in another word are no answer while another number is nearer.
TEST(NearName, PrefersFewerChanges) {
  const Names cards = {"a100-sxm-40gb", "a100-pcie-80gb"};
  EXPECT_EQ(near_name("a100-pcie-40gb", cards), another("a100-pcie-80gb"));
}

TEST(NearName, IsSilentWhereNothingIsNear) {
  EXPECT_EQ(near_name("abacus", devices), "");
  EXPECT_EQ(near_name("h100", Names{}), "");
  EXPECT_EQ(near_name("fsd", Names{"fsdp", "nanotron"}), spelt("fsdp"));
}

TEST(Suggestion, OfManyNamesTheNearestAreTold) {
  Names many;
  for (int i = 0; i < 40; ++i) {
    many.push_back("encoder-" + std::to_string(i));
  }
  many.insert(many.end(), {"llama-3-70b", "llama-3-8b", "code-llama-34b"});
  EXPECT_EQ(suggestion("meta-llama-3.3-70b-instruct", many),
            "; the nearest of 43 are llama-3-70b, llama-3-8b, code-llama-34b");
  EXPECT_EQ(suggestion("quux", many),
            "; known are encoder-0, encoder-1, encoder-2, encoder-3, encoder-4 and 38 more");
  EXPECT_EQ(suggestion("quux", Names{"a", "b"}), "; known are a, b");
}

}  // namespace
}  // namespace scalesweep

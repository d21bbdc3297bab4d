// Names of stacks with versions, and which of two is the newer.
#include "workload/stacks/versions.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace scalesweep::workload {
namespace {

TEST(StackNames, HaveAVersionBehindTheSign) {
  EXPECT_EQ(stack_name("vllm@0.11").stack, "vllm");
  EXPECT_EQ(stack_name("vllm@0.11").version, "0.11");
  EXPECT_EQ(stack_name("megatron-lm").stack, "megatron-lm");
  EXPECT_EQ(stack_name("megatron-lm").version, "");
  EXPECT_EQ(stack_name("vllm@").version, "");
  EXPECT_EQ(stack_name("a@b@c").version, "b@c");
}

// Each list from old to new: every one is newer than all before it and than none behind it.
TEST(Versions, AreOrderedByTheirNumbers) {
  const std::vector<std::vector<std::string>> lists = {
      {"0.2.6", "0.9", "0.11", "0.11.1", "0.11.2", "0.19", "1.0", "1.0.1", "10.0"},
      {"core_r0.9", "core_r0.12", "core_r0.12.1", "core_r1.0"},
      {"2023", "2024", "2025-06", "2025-11"},
      {"", "0", "0.1"},
      {"99999999999999999998", "99999999999999999999", "100000000000000000000"}};
  for (const std::vector<std::string>& versions : lists) {
    for (std::size_t i = 0; i < versions.size(); ++i) {
      for (std::size_t j = 0; j < versions.size(); ++j) {
        EXPECT_EQ(is_newer(versions[i], versions[j]), i > j) << versions[i] << " " << versions[j];
      }
    }
  }
  EXPECT_FALSE(is_newer("0.011", "0.11"));
  EXPECT_FALSE(is_newer("0.11", "0.011"));
}

}  // namespace
}  // namespace scalesweep::workload

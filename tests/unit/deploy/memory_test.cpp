// The memory that options give beside the memory that estimates need.
#include "deploy/memory/engine_memory.hpp"

#include <gmock/gmock.h>

#include "deploy/parts/documents.hpp"
#include "deploy/parts/hosts.hpp"

namespace scalesweep::deploy {
namespace {

using ::testing::HasSubstr;

technology::Device device_of(double bytes) {
  technology::Device device;
  device.dram.capacity = Bytes::si(bytes);
  return device;
}

// 10 GB of weights, 1 GB of activations, so much cache for 10 sequences of 100 tokens.
CacheDemand demand_of(double cache_bytes) {
  CacheDemand demand;
  demand.memory.weights_bytes = 10e9;
  demand.memory.activations_bytes = 1e9;
  demand.memory.cache_bytes = cache_bytes;
  demand.sequences = 10.0;
  demand.tokens_of_sequence = 100.0;
  return demand;
}

MemoryCheck check(ShareOf share_of, double default_share, double cache_bytes) {
  return check_memory({"--share", share_of, default_share, 50, 1e9}, demand_of(cache_bytes),
                      device_of(100e9), "");
}

TEST(EngineMemory, TheDefaultStaysWhereItSuffices) {
  const MemoryCheck made = check(ShareOf::device, 0.9, 39e9);
  EXPECT_TRUE(made.fits);
  EXPECT_DOUBLE_EQ(made.share, 0.9);
  EXPECT_DOUBLE_EQ(made.budget_bytes, 78e9);  // 90 - 10 - 1 - 1
  EXPECT_DOUBLE_EQ(made.sequences_that_fit, 20.0);
  EXPECT_DOUBLE_EQ(made.tokens_that_fit, 2000.0);
  EXPECT_THAT(made.text, HasSubstr("--share 0.9 (the default)"));
}

TEST(EngineMemory, TheSmallestShareThatSufficesIsChosen) {
  const MemoryCheck made = check(ShareOf::device, 0.9, 80.5e9);
  EXPECT_TRUE(made.fits);
  EXPECT_DOUBLE_EQ(made.share, 0.93);
  EXPECT_THAT(made.text, HasSubstr("--share 0.93 (instead of the default 0.9)"));
}

TEST(EngineMemory, WhatDoesNotFitAtAllSaysWhatDoes) {
  const MemoryCheck made = check(ShareOf::device, 0.9, 95e9);
  EXPECT_FALSE(made.fits);
  EXPECT_DOUBLE_EQ(made.share, 0.98);  // 2 GB are the driver's
  EXPECT_DOUBLE_EQ(made.sequences_that_fit, 9.0);
  EXPECT_THAT(made.text, HasSubstr("needs 95 GB of cache for 10 sequences of a replica"));
}

TEST(EngineMemory, AStaticPartLeavesRoomForTheRest) {
  const MemoryCheck made = check(ShareOf::static_part, 0.99, 10e9);
  EXPECT_DOUBLE_EQ(made.share, 0.96);  // 100 - 2 - 1 - 1
  EXPECT_DOUBLE_EQ(made.budget_bytes, 86e9);
}

TEST(EngineMemory, AShareOfWhatIsFree) {
  const MemoryCheck made = check(ShareOf::free, 0.9, 10e9);
  EXPECT_DOUBLE_EQ(made.budget_bytes, 0.9 * 86e9);
}

TEST(EngineMemory, PrefixesTakeTheirPart) {
  CacheDemand demand = demand_of(10e9);
  demand.memory.prefix_bytes = 20e9;
  const MemoryCheck made =
      check_memory({"--share", ShareOf::device, 0.9, 50, 1e9}, demand, device_of(100e9), "decode");
  EXPECT_DOUBLE_EQ(made.cache_bytes, 30e9);
  EXPECT_DOUBLE_EQ(made.sequences_that_fit, 58.0);
}

technology::System system_of(int domain, int inside) {
  technology::System system;
  if (inside > 0) {
    system.levels.insert(system.levels.begin(), technology::LinkLevel{{}, inside});
    system.domain_level = 1;
  }
  system.scale_up_domain() = domain;
  return system;
}

TEST(Hosts, AreDomainsOrTheBlocksInThem) {
  EXPECT_EQ(hosts_of(system_of(8, 0), 64).nodes, 8);
  EXPECT_EQ(hosts_of(system_of(8, 0), 4).per_node, 4);
  EXPECT_EQ(hosts_of(system_of(72, 0), 72).per_node, 4);
  EXPECT_THAT(hosts_of(system_of(72, 0), 72).note, HasSubstr("are an assumption"));
  EXPECT_EQ(hosts_of(system_of(64, 16), 64).per_node, 16);
  EXPECT_EQ(hosts_of(system_of(64, 16), 64).note, "");
  EXPECT_THAT(hosts_of(system_of(8, 0), 12).note, HasSubstr("12 devices do not fill 2 servers"));
}

TEST(Documents, KeepTheKindsOfValues) {
  const std::vector<Flag> flags = {{"a.whole", "8", "", "f"},      {"a.part", "0.5", "", "f"},
                                   {"a.truth", "true", "", "f"},   {"a.text", "op", "", "f"},
                                   {"a.digits", "\"2\"", "", "f"}, {"--not-in-it", "1", "", ""}};
  EXPECT_EQ(document(flags, Language::toml),
            "[a]\ndigits = \"2\"\npart = 0.5\ntext = \"op\"\ntruth = true\nwhole = 8\n");
  EXPECT_THAT(document(flags, Language::json), HasSubstr("\"part\": 0.5"));
  EXPECT_EQ(document(flags, Language::json).find("not-in-it"), std::string::npos);
}

TEST(Documents, WordsOfAShellAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(option_word("0.9"), "0.9");
  EXPECT_EQ(option_word("$DATA"), "\"$DATA\"");
  EXPECT_EQ(option_word("([0]*3+[1]*58)"), "'([0]*3+[1]*58)'");
  EXPECT_EQ(option_word("{\"a\": 1}"), "'{\"a\": 1}'");
  EXPECT_EQ(option_word("it's"), R"('it'\''s')");
  EXPECT_EQ(option_word("'; rm -r x; '"), R"(''\''; rm -r x; '\''')");
  EXPECT_EQ(option_word("a\x1b[31m'b\\"), R"($'a\x1b[31m\x27b\x5c')");
  EXPECT_EQ(option_word(""), "''");
}

TEST(Documents, TextsOfYamlStayTexts) {
  const auto yaml = [](const std::string& value) {
    const std::vector<Flag> flags = {{"a.key", value, "", "f"}};
    return document(flags, Language::yaml);
  };
  EXPECT_EQ(yaml("op"), "a: \n  key: op\n");
  EXPECT_EQ(yaml("0.5"), "a: \n  key: 0.5\n");
  EXPECT_EQ(yaml("true"), "a: \n  key: true\n");
  EXPECT_EQ(yaml("[1, 2]"), "a: \n  key: \n    - 1\n    - 2\n");
  for (const char* word : {"no", "Null", "on", "-", "1e5x", "a: b", "#", "{a}", "*x"}) {
    EXPECT_EQ(yaml(word), std::string("a: \n  key: \"") + word + "\"\n");
  }
  EXPECT_EQ(yaml("\"2\""), "a: \n  key: \"2\"\n");
  EXPECT_EQ(yaml("it's"), "a: \n  key: \"it's\"\n");
  EXPECT_EQ(yaml("a\x1b\nb"), "a: \n  key: \"a\\u001b\\nb\"\n");
  EXPECT_EQ(yaml("\xf0\x9f\x9a\x80 \xc2\x85"), "a: \n  key: \"\xf0\x9f\x9a\x80 \\u0085\"\n");
}

}  // namespace
}  // namespace scalesweep::deploy

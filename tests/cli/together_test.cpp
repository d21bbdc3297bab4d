// A study whose axes vary together, through every command.
#include <nlohmann/json.hpp>

#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;

class Together : public CliTest {
 protected:
  // Pairs of sequence and batch over two memories, with a second group of names.
  std::string pairs(const std::string& groups) const {
    std::string text = replaced(small_spec(), "sequence = 2048", "sequence = [2048, 4096]");
    text = replaced(text, "global_batch = 32", "global_batch = [32, 16]");
    return write("pairs.toml", text + groups);
  }
  std::string pairs() const {
    return pairs(
        "[[together]]\naxes = [\"global_batch\", \"sequence\"]\n"
        "[[together]]\naxes = [\"memory\", \"logic\"]\n");
  }
  std::string run_of(const std::string& spec, const std::string& file) const {
    const Said said = scalesweep({"run", spec, "-o", path(file), "--quiet"});
    EXPECT_EQ(said.code, 0) << said.err;
    return path(file);
  }
  static std::string rows_of(const std::string& file, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"query", file, "--format", "csv"};
    words.insert(words.end(), more.begin(), more.end());
    const Said said = scalesweep(words);
    EXPECT_EQ(said.code, 0) << said.err;
    return said.out;
  }
};

TEST_F(Together, HasARowForEachPairAndNoOther) {
  const std::string file = run_of(pairs(), "out.h5");
  const std::string best =
      rows_of(file, {"--best", "step_time", "--per", "sequence,global_batch,logic,memory",
                     "--select", "sequence,global_batch,logic,memory", "--sort", "sequence,logic"});
  EXPECT_EQ(best,
            "sequence,global_batch,logic,memory\n"
            "2048,32,N7,HBM2E\n"
            "2048,32,N3,HBM3\n"
            "4096,16,N7,HBM2E\n"
            "4096,16,N3,HBM3\n");
  // The same numbers as where every combination is asked for, of other points by their ids.
  const std::string all = run_of(pairs(""), "all.h5");
  const std::vector<std::string> figures = {"--select", "tp,pp,step_time,memory_total",
                                            "--all-statuses", "--where"};
  auto of_pairs = figures;
  of_pairs.emplace_back("sequence == 4096");
  auto of_all = figures;
  of_all.emplace_back(
      "sequence == 4096 and global_batch == 16 and ((logic == 'N7' and memory == 'HBM2E') or "
      "(logic == 'N3' and memory == 'HBM3'))");
  EXPECT_EQ(rows_of(file, of_pairs), rows_of(all, of_all));
}

TEST_F(Together, IsCheckedPlannedAndExplained) {
  const std::string spec = pairs();
  EXPECT_EQ(scalesweep({"check", spec}).code, 0);
  const Said plan = scalesweep({"plan", spec});
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_TRUE(contains(plan.out, "2 with sequence")) << plan.out;
  EXPECT_TRUE(contains(plan.out, "2 with logic")) << plan.out;
  const auto explained = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> words = {"explain", spec, "--format", "json"};
    for (const std::string& setting : settings) {
      words.insert(words.end(), {"--set", setting});
    }
    return scalesweep(words);
  };
  const Said point = explained({"global_batch=16", "logic=N3"});
  ASSERT_EQ(point.code, 0) << point.err;
  std::map<std::string, json> values;
  const json sheet = json::parse(point.out);
  for (const json& row : sheet.at("point")) {
    values[row.at("name")] = row.at("value");
  }
  EXPECT_EQ(values.at("sequence"), "4096");
  EXPECT_EQ(values.at("memory"), "HBM3");
  EXPECT_TRUE(contains(explained({"sequence=2048", "global_batch=16"}).err,
                       "--set global_batch=16: global_batch varies together with sequence and is "
                       "32 where that is 2048"))
      << explained({"sequence=2048", "global_batch=16"}).err;
}

TEST_F(Together, RunsInShards) {
  const std::string spec = pairs();
  const std::string whole = run_of(spec, "whole.h5");
  for (const char* shard : {"2/2", "1/2"}) {
    const Said said =
        scalesweep({"run", spec, "-o", path("parts.h5"), "--quiet", "--shard", shard});
    EXPECT_TRUE(said.code == 0 || said.code == 75) << said.err;
  }
  const Said merged = scalesweep({"run", spec, "-o", path("parts.h5"), "--quiet"});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(rows_of(path("parts.h5"), {"--all-statuses"}), rows_of(whole, {"--all-statuses"}));
}

TEST_F(Together, IsAnalysedAlongTheAxesOfAGroup) {
  const std::string file = run_of(pairs(), "out.h5");
  const Said said = scalesweep({"analyze", file, "--no-figures"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "N7+HBM2E")) << said.out;
  EXPECT_TRUE(contains(said.out, "N3+HBM3")) << said.out;
  EXPECT_FALSE(contains(said.out, "none in the file")) << said.out;
  const Said by_batch = scalesweep({"analyze", file, "--no-figures", "--along", "scale_out"});
  EXPECT_EQ(by_batch.code, 0) << by_batch.err;
  EXPECT_FALSE(contains(by_batch.out, "none in the file")) << by_batch.out;
  EXPECT_FALSE(contains(by_batch.out, "Nothing in the file")) << by_batch.out;
}

TEST_F(Together, IsAStudyOfItsOwn) {
  const Said said = scalesweep({"diff", run_of(pairs(""), "all.h5"), run_of(pairs(), "pairs.h5")});
  EXPECT_EQ(said.code, 1) << said.err;
  EXPECT_TRUE(contains(said.out, "together")) << said.out;
}

}  // namespace
}  // namespace scalesweep::test

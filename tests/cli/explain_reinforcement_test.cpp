// Explanations of iterations of reinforcement learning, and what is not drawn of them.
#include <nlohmann/json.hpp>

#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;

std::string policy_spec(const std::string& more = "") {
  return R"(schema = 1
title = "Policy"
[workload]
kind = "reinforcement_learning"
model = "llama-3-8b"
critic = "llama-3-8b"
prompts = 64
samples = 4
prompt = 512
output = 1024
output_spread = 0.8
)" + more +
         R"([system]
accelerators = 16
device = "h100-sxm"
[strategy]
tensor_parallel = 1
pipeline_parallel = 1
micro_batch = 1
zero = 3
recompute = "full"
sequence_parallel = false
)";
}

class ExplainReinforcement : public CliTest {
 protected:
  std::string explain(const std::string& format, const std::string& more = "") const {
    const Said said = scalesweep(
        {"explain", write("spec.toml", policy_spec(more)), "--point", "0", "--format", format});
    EXPECT_EQ(said.code, 0) << said.err;
    return said.out;
  }
};

double sum_of(const json& sheet) {
  double sum = 0.0;
  for (const json& row : sheet) {
    sum += row.at("time").get<double>();
  }
  return sum;
}

TEST_F(ExplainReinforcement, TextHasAllSheets) {
  const std::string text = explain("text");
  for (const char* word :
       {"Point 0 of Policy", "iteration_time", "colocated: rollouts and training take turns",
        "rollout_tensor_parallel", "Time of an iteration by phase", "Terms of an iteration",
        "decode with few sequences", "scoring", "updates of the policy", "updates of the critic",
        "while it trains", "in rollouts", "Device and networks"}) {
    EXPECT_TRUE(contains(text, word)) << word << "\n" << text;
  }
}

TEST_F(ExplainReinforcement, PartsSumToTheIteration) {
  const json sheets = json::parse(
      explain("json", "placement = \"separate\"\nrollout_share = 0.5\nstaleness = 2\n"));
  double time_s = 0.0;
  for (const json& row : sheets.at("result")) {
    time_s = row.at("name") == "iteration_time" ? row.at("value").get<double>() : time_s;
  }
  EXPECT_GT(time_s, 0.0);
  EXPECT_NEAR(sum_of(sheets.at("resources")), time_s, 1e-9 * time_s);
  EXPECT_NEAR(sum_of(sheets.at("phases")), time_s, 1e-9 * time_s);
}

TEST_F(ExplainReinforcement, CsvIsTheTerms) {
  EXPECT_EQ(explain("csv").substr(0, 22), "name,times,all_s,bound");
}

TEST_F(ExplainReinforcement, IsNotDrawn) {
  const Said said = scalesweep(
      {"explain", write("spec.toml", policy_spec()), "--point", "0", "--trace", path("a.json")});
  EXPECT_EQ(said.code, 64) << said.out;
  EXPECT_TRUE(contains(said.err, "points of kind = \"reinforcement_learning\" are not drawn"))
      << said.err;
}

}  // namespace
}  // namespace scalesweep::test

// recommend --what-to-measure: what is proposed, and that its rows are of the layouts that they
// name.
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli_fixture.hpp"
#include "core/text.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words mixture = {"recommend",
                       "--model",
                       "qwen3-30b-a3b",
                       "--device",
                       "b200",
                       "--devices",
                       "8",
                       "--train",
                       "--sequence",
                       "4096",
                       "--global-batch",
                       "512",
                       "--framework",
                       "megatron-bridge",
                       "--precision",
                       "bf16",
                       "--what-to-measure"};
const Words two_devices = {
    "recommend",       "--model", "llama-3-70b",   "--device", "h100,gaudi3",
    "--devices",       "8",       "--serve",       "--prompt", "2000",
    "--output-tokens", "500",     "--concurrency", "64",       "--what-to-measure"};

json answer_of(const Words& words) {
  const Said said = scalesweep(joined(words, {"--format", "json"}));
  EXPECT_EQ(said.code, 0) << said.err;
  return json::parse(said.out);
}

// A case file of one row, with `cell` in `column`.
std::string case_file(json row, const std::string& column, double cell) {
  row[column] = std::to_string(cell);
  std::string header;
  std::string line;
  for (const auto& [name, value] : row.items()) {
    header += (header.empty() ? "" : ",") + name;
    line += (line.empty() ? "" : ",") + value.get<std::string>();
  }
  return header + "\n" + line + "\n";
}

class RecommendMeasure : public CliTest {
 protected:
  // Of the row of a step, filled in with what recommend says of its layout: what it is estimated
  // to be, over that.
  double against_own_estimate(const json& measurement, const json& answer,
                              const std::string& column, const std::string& figure) {
    for (const json& layout : answer.at("layouts")) {
      if (layout.at("point_id") == measurement.at("point_id")) {
        const double value = layout.at(figure);
        std::ofstream(path("rows.csv")) << case_file(measurement.at("case"), column, value);
        const Said said = scalesweep({"validate", path("rows.csv"), "--predictions",
                                      path("predictions.csv"), "--format", "json"});
        EXPECT_EQ(said.code, 0) << said.err;
        std::ifstream file(path("predictions.csv"));
        std::string header;
        std::string cells;
        std::getline(file, header);
        std::getline(file, cells);
        const auto names = split(header, ',');
        const auto values = split(cells, ',');
        for (std::size_t i = 0; i < names.size(); ++i) {
          if (names[i] == "predicted_" + column) {
            return std::stod(std::string(values[i])) / value;
          }
        }
      }
    }
    return nothing;
  }

  // Every row that is told gives its layout's own estimate back, to this part; there is one.
  void expect_own_estimates(const Words& words, const std::string& column,
                            const std::string& figure, double part) {
    const json answer = answer_of(words);
    int tried = 0;
    for (const json& one : answer.at("measure_next").at("measurements")) {
      const double ratio =
          one.contains("case") ? against_own_estimate(one, answer, column, figure) : nothing;
      if (!std::isnan(ratio)) {
        ++tried;
        EXPECT_NEAR(ratio, 1.0, part) << one.dump(2);
      }
    }
    EXPECT_GT(tried, 0);
  }
};

TEST_F(RecommendMeasure, SaysWhatTheChoiceLosesAndWhatMakesThatLess) {
  const json next = answer_of(mixture).at("measure_next");
  EXPECT_GT(next.at("contenders"), 0);
  const json& list = next.at("measurements");
  ASSERT_GT(list.size(), 0U);
  EXPECT_LE(list.size(), 5U);
  double before = 0.0;
  for (const json& one : list) {
    const double loss = one.at("expected_loss");
    EXPECT_GE(loss, before);  // what brings most is first
    EXPECT_LE(loss, 0.95 * next.at("expected_loss").get<double>());
    before = loss;
  }
}

TEST_F(RecommendMeasure, RowsOfTrainingAreOfTheirLayouts) {
  expect_own_estimates(mixture, "step_time_s", "step_time_s", 1e-4);
}

TEST_F(RecommendMeasure, RowsOfServicesAreOfTheirLayouts) {
  expect_own_estimates(two_devices, "value", "tokens_per_second", 0.02);
}

// Where a device was not measured its kernels are listed, by a line that runs.
TEST_F(RecommendMeasure, KernelsOfADeviceThatNobodyMeasured) {
  const json answer = answer_of(two_devices);
  std::string command;
  for (const json& one : answer.at("measure_next").at("measurements")) {
    if (one.at("what") == "kernels") {
      command = one.at("command");
      EXPECT_EQ(one.at("words"), "kernels of gaudi3");
    }
  }
  EXPECT_EQ(command, "scalesweep measure --device gaudi3 --models llama-3-70b");
  const Said said = scalesweep({"measure", "--device", "gaudi3", "--models", "llama-3-70b"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "matmul-gaudi3-bf16")) << said.out.substr(0, 400);
}

TEST_F(RecommendMeasure, TextFitsATerminal) {
  for (const Words& words : {mixture, two_devices}) {
    const Said said = scalesweep(words);
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(contains(said.out, "measure next: with errors drawn from the bars")) << said.out;
    EXPECT_TRUE(contains(said.out, "once it is measured")) << said.out;
    EXPECT_TRUE(contains(said.out, " % -> ")) << said.out;
    const std::string told =
        said.out.substr(0, said.out.find("To run it with"));  // its lines are not ours
    for (const std::string& line : split(told, '\n')) {
      EXPECT_LE(line.size(), 80U) << line;
    }
  }
  Words silent = mixture;
  silent.pop_back();
  EXPECT_FALSE(contains(scalesweep(silent).out, "measure next"));
}

TEST_F(RecommendMeasure, WhatIsApartNeedsNothing) {
  const Words one_layout = {"recommend",
                            "--model",
                            "llama-3-8b",
                            "--device",
                            "l40s,b200",
                            "--devices",
                            "1",
                            "--serve",
                            "--prompt",
                            "500",
                            "--output-tokens",
                            "100",
                            "--concurrency",
                            "1",
                            "--top",
                            "1",
                            "--what-to-measure"};
  const json next = answer_of(one_layout).at("measure_next");
  EXPECT_EQ(next.at("contenders"), 0) << next.dump(2);
  EXPECT_TRUE(next.at("measurements").empty());
  EXPECT_FALSE(next.contains("expected_loss"));
  const Said said = scalesweep(one_layout);
  EXPECT_TRUE(contains(said.out, "measure next: nothing; by the error bars the proposed layout is"))
      << said.out;
}

TEST_F(RecommendMeasure, ACurveHasNoOneLayout) {
  const Said said = scalesweep({"recommend", "--model", "llama-3-8b", "--device", "h100",
                                "--devices", "8", "--serve", "--prompt", "500", "--output-tokens",
                                "100", "--curve", "--what-to-measure"});
  EXPECT_EQ(said.code, 64);
  EXPECT_TRUE(contains(said.err,
                       "--what-to-measure is about one proposed layout and --curve has "
                       "one at each rate; leave one of the two out"))
      << said.err;
}

}  // namespace
}  // namespace scalesweep::test

// Two points beside each other, and what runs when.
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

#include "cli_fixture.hpp"
#include "support/specs.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;

std::map<std::string, json> by_name(const json& rows) {
  std::map<std::string, json> found;
  for (const json& row : rows) {
    found[row.at("name")] = row;
  }
  return found;
}

class ExplainAgainst : public CliTest {
 protected:
  Said explain(const std::vector<std::string>& rest) const {
    std::vector<std::string> arguments = {"explain"};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return scalesweep(arguments);
  }
  json explained(const std::vector<std::string>& rest) const {
    std::vector<std::string> arguments = rest;
    arguments.insert(arguments.end(), {"--format", "json"});
    const Said said = explain(arguments);
    EXPECT_EQ(said.code, 0) << said.err;
    return json::parse(said.out);
  }
};

TEST_F(ExplainAgainst, SaysWhatDiffersTermByTerm) {
  const std::string file = spec();
  const json both = explained({file, "--point", "3", "--against", "9"});
  const json one = explained({file, "--point", "3"});
  const json other = explained({file, "--point", "9"});
  for (const auto& [sheet, column] : {std::pair{"phases", "time"}, std::pair{"resources", "time"},
                                      std::pair{"energy", "energy"}}) {
    const auto ones = by_name(one.at(sheet));
    const auto others = by_name(other.at(sheet));
    double last = INFINITY;
    double sum = 0.0;
    for (const json& row : both.at(sheet)) {
      const std::string name = row.at("name");
      const double a = ones.contains(name) ? ones.at(name).at(column).get<double>() : 0.0;
      const double b = others.contains(name) ? others.at(name).at(column).get<double>() : 0.0;
      const double difference = row.at("difference");
      EXPECT_NEAR(difference, a - b, 1e-12 * std::abs(a)) << name;
      EXPECT_LE(std::abs(difference), last) << name;
      last = std::abs(difference);
      sum += difference;
    }
    EXPECT_EQ(both.at(sheet).size(), std::max(ones.size(), others.size())) << sheet;
    EXPECT_NE(sum, 0.0) << sheet;
  }
  // Terms of one name are one row: their differences sum to that of the step.
  double terms_s = 0.0;
  for (const json& row : both.at("terms")) {
    terms_s += row.at("difference").get<double>();
  }
  const double step_s = by_name(both.at("result")).at("step_time").at("difference");
  EXPECT_NEAR(terms_s, step_s, 1e-9 * std::abs(step_s));
}

TEST_F(ExplainAgainst, BeginsWithSentencesThatSayWhy) {
  const std::string file = spec();
  const json both = explained({file, "--point", "3", "--against", "9"});
  const json& why = both.at("why");
  ASSERT_GE(why.size(), 3U);
  const json step = by_name(both.at("result")).at("step_time");
  const double one_s = step.at("one");
  const double other_s = step.at("other");
  const std::string verdict = why[0].at("sentence");
  EXPECT_EQ(contains(verdict, "3 is ") && contains(verdict, " % faster than 9: step_time "),
            one_s < other_s)
      << verdict;
  const std::string choices = why[why.size() - 2].at("sentence");
  for (const json& row : both.at("choices")) {
    EXPECT_TRUE(contains(choices, row.at("name").get<std::string>() + " " +
                                      row.at("one").get<std::string>() + " against " +
                                      row.at("other").get<std::string>()) ||
                contains(choices, " more."))
        << choices;
  }
  const json& largest = both.at("phases").front();
  std::string words = largest.at("name");
  std::replace(words.begin(), words.end(), '_', ' ');
  EXPECT_TRUE(contains(why.back().at("sentence"),
                       (largest.at("difference").get<double>() < 0.0 ? "less " : "more ") + words))
      << why.back();
}

TEST_F(ExplainAgainst, APointOfAnotherStudyIsNamedWithIt) {
  const std::string file = study();
  const std::string bigger =
      write("other.toml", replaced(small_spec(), "sequence = 2048", "sequence = 4096"));
  const Said by_colon = explain({file, "--point", "3", "--against", bigger + ":3"});
  EXPECT_EQ(by_colon.code, 0) << by_colon.err;
  EXPECT_TRUE(contains(by_colon.out, "sequence")) << by_colon.out;
  EXPECT_TRUE(contains(by_colon.out, bigger + ":3")) << by_colon.out;
  const Said by_option =
      explain({file, "--point", "3", "--against", bigger, "--against-point", "3"});
  EXPECT_EQ(by_option.out, by_colon.out);
  const Said same = explain({file, "--point", "3", "--against", "3"});
  EXPECT_TRUE(contains(same.out, "3 and 3 are alike: step_time ")) << same.out;
  EXPECT_TRUE(contains(same.out, "Both are the same point.")) << same.out;
}

TEST_F(ExplainAgainst, CsvIsOneTable) {
  const Said said = explain({spec(), "--point", "3", "--against", "9", "--format", "csv"});
  EXPECT_EQ(said.out.substr(0, said.out.find('\n')), "part,name,one,other,difference,relative");
  EXPECT_TRUE(contains(said.out, "\nphases,forward,"));
}

TEST_F(ExplainAgainst, InferenceAndServingAreComparedToo) {
  const std::string text = replaced(tests::inference_spec(1), "batch = 1\n", "batch = [1, 8]\n");
  const std::string file = write("inference.toml", text);
  const json both = explained({file, "--point", "0", "--against", "1"});
  EXPECT_TRUE(both.contains("decode_operators"));
  EXPECT_TRUE(contains(both.at("why")[1].at("sentence"), "batch")) << both.at("why");
}

TEST_F(ExplainAgainst, WhatCannotBeComparedIsSaid) {
  const std::string file = spec();
  const std::string inference = write("inference.toml", tests::inference_spec(1));
  const auto error = [&](const std::vector<std::string>& rest) {
    std::vector<std::string> arguments = {file, "--point", "3"};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    const Said said = explain(arguments);
    EXPECT_EQ(said.code, 64) << said.err;
    EXPECT_EQ(said.out, "");
    return said.err;
  };
  EXPECT_EQ(
      error({"--against", inference + ":0"}),
      "scalesweep: error: --against: 3 is a point of kind = \"training\" and " + inference +
          ":0 one of kind = \"inference\"; only points of one kind of workload are compared\n");
  EXPECT_EQ(error({"--against", "forty"}),
            "scalesweep: error: --against forty: write the id of a point of the same study, or "
            "STUDY:ID of another, for example --against other.h5:40\n");
  EXPECT_TRUE(contains(error({"--against", "100000"}),
                       "--against 100000: the points of this study are 0 to "));
  EXPECT_TRUE(contains(error({"--against-point", "1"}), "--against-point goes with --against"));
  EXPECT_TRUE(contains(error({"--against", "1", "--trace", path("a.json")}),
                       "--trace draws one point; leave --against out"));
}

class ExplainTrace : public ExplainAgainst {
 protected:
  json drawn(const std::string& study, const std::string& point) const {
    const Said said = explain({study, "--point", point, "--trace", path("trace.json"), "--force"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(contains(said.err, "trace.json written\n")) << said.err;
    return json::parse(content(path("trace.json")));
  }
  // End of each lane in microseconds; fails where one event begins before another ends.
  static std::map<int, double> ends(const json& trace) {
    std::map<int, double> ends;
    for (const json& event : trace.at("traceEvents")) {
      if (event.at("ph") != "X") {
        continue;
      }
      double& end = ends[event.at("tid").get<int>()];
      const double start = event.at("ts");
      EXPECT_GE(start, end - 1e-6 * end);
      end = start + event.at("dur").get<double>();
    }
    return ends;
  }
};

TEST_F(ExplainTrace, OfAStepEndsAtItsTimeOnEveryStage) {
  const std::string file = write(
      "spec.toml",
      replaced(replaced(small_spec(), "pipeline_parallel = [1, 2, 4]", "pipeline_parallel = 4"),
               "chunks = [1, 2]", "chunks = 1"));
  const json trace = drawn(file, "0");
  const std::map<int, double> lanes = ends(trace);
  ASSERT_EQ(lanes.size(), 4U);
  const json result = explained({file, "--point", "0"}).at("result");
  const double step_s = by_name(result).at("step_time").at("value");
  for (const auto& [lane, end] : lanes) {
    EXPECT_NEAR(end, 1e6 * step_s, 1e-6 * end) << lane;
  }
  const json notes = trace.at("otherData").at("notes");
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_TRUE(contains(notes[0].get<std::string>(), "ends at the step_time of the estimate"));
  EXPECT_TRUE(contains(notes[1].get<std::string>(), "peaks at the memory_total of the estimate"));
}

TEST_F(ExplainTrace, CountsWhatAStageHoldsUpToTheMemoryOfTheEstimate) {
  const std::string file =
      write("spec.toml",
            replaced(small_spec(), "pipeline_parallel = [1, 2, 4]", "pipeline_parallel = 4"));
  const json memory = by_name(explained({file, "--point", "0"}).at("memory")).at("total");
  std::map<std::string, double> peaks;
  std::map<std::string, double> last;
  const json trace = drawn(file, "0");
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "C") {
      const std::string name = event.at("name");
      last[name] = event.at("args").at("bytes");
      peaks[name] = std::max(peaks[name], last[name]);
    }
  }
  ASSERT_EQ(peaks.size(), 4U);
  const double first = memory.at("first_stage");
  EXPECT_NEAR(peaks.at("memory of stage 0"), first, 1e-9 * first);
  const double end = memory.at("last_stage");
  EXPECT_NEAR(peaks.at("memory of stage 3"), end, 1e-9 * end);
  for (const auto& [name, bytes] : last) {
    EXPECT_LT(bytes, peaks.at(name)) << name;
  }
}

TEST_F(ExplainTrace, OfAnIterationHasItsOperatorsInOrder) {
  const std::string file = write("inference.toml", tests::inference_spec(1));
  const json trace = drawn(file, "0");
  const std::map<int, double> lanes = ends(trace);
  ASSERT_EQ(lanes.size(), 2U);
  const json sheets = explained({file, "--point", "0"});
  int lane = 0;
  for (const char* name : {"prefill_operators", "decode_operators"}) {
    double sum_s = 0.0;
    for (const json& row : sheets.at(name)) {
      sum_s += row.at("pass_s").get<double>();
    }
    ++lane;
    EXPECT_NEAR(lanes.at(lane), 1e6 * sum_s, 1e-6 * lanes.at(lane)) << name;
  }
}

TEST_F(ExplainTrace, IsAPictureWhereItsNameSaysSo) {
  const Said said = explain({spec(), "--point", "0", "--trace", path("step.svg")});
  EXPECT_EQ(said.code, 0) << said.err;
  const std::string picture = content(path("step.svg"));
  EXPECT_EQ(picture.substr(0, 4), "<svg");
  EXPECT_TRUE(contains(picture, "stage 0"));
  EXPECT_TRUE(contains(picture, "forward"));
  EXPECT_EQ(picture.substr(picture.size() - 7), "</svg>\n");
}

TEST_F(ExplainTrace, ReplacesNothingUnasked) {
  const std::string file = write("trace.json", "mine");
  const Said said = explain({spec(), "--point", "0", "--trace", file});
  EXPECT_EQ(said.code, 73);
  EXPECT_EQ(said.err, "scalesweep: error: " + file + " exists; --force replaces it\n");
  EXPECT_EQ(content(file), "mine");
  const Said other = explain({spec(), "--point", "0", "--trace", path("a.png")});
  EXPECT_EQ(other.code, 64);
  EXPECT_TRUE(contains(other.err, "name a file .json, for Perfetto")) << other.err;
}

TEST_F(ExplainTrace, OfDualPipeIsNotDrawn) {
  const std::string file =
      write("spec.toml", replaced(replaced(replaced(small_spec(), "pipeline_parallel = [1, 2, 4]",
                                                    "pipeline_parallel = 2"),
                                           "chunks = [1, 2]", "schedule = \"dual_pipe\""),
                                  "micro_batch = [1, 2]", "micro_batch = 1"));
  const Said said = explain({file, "--point", "0", "--trace", path("a.json")});
  EXPECT_EQ(said.code, 64) << said.out;
  EXPECT_TRUE(contains(said.err, "which are not drawn; take the same point with schedule 1f1b"))
      << said.err;
}

}  // namespace
}  // namespace scalesweep::test

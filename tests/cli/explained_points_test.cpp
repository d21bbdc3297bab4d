// What a report holds of single points.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/show/report.hpp"
#include "cli/report/sheet_pool.hpp"
#include "cli/report/step_picture.hpp"
#include "cli_fixture.hpp"
#include "support/edit_study.hpp"
#include "support/specs.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;

TEST(SheetPool, HoldsWhatSheetsShareOnce) {
  const auto sheet = [](const char* count) {
    return cli::Sheet{"fruits",
                      "Fruits",
                      {{"name", ""}, {"count", "count", cli::Align::right}},
                      {{"apple", count}, {"fig", "7"}}};
  };
  cli::SheetPool pool;
  EXPECT_EQ(pool.add(sheet("1")).dump(), "[0,0,0,1]");
  const std::size_t bytes = pool.bytes();
  EXPECT_EQ(pool.add(sheet("1")).dump(), "[0,0,0,1]");
  EXPECT_EQ(pool.add(sheet("7")).dump(), "[0,0,0,2]");
  EXPECT_LT(pool.bytes(), 2 * bytes);
  const json held = json::parse(Json::object(pool.members()).dump());
  EXPECT_EQ(held["texts"], json({"Fruits", "apple", "fig", "1", "7"}));
  EXPECT_EQ(held["columns"], json({{1, 2}, {3, 4}, {4, 4}}));
  EXPECT_EQ(held["heads"][0]["columns"][1],
            json({{"name", "count"}, {"header", "count"}, {"number", true}}));
}

// One stage, `micro_batches` forward passes of 1 s and backward passes of 2 s in turn, then 1 s.
cli::StepDrawing drawing_of(int micro_batches) {
  using estimator::PassKind;
  using estimator::Phase;
  cli::StepDrawing drawing;
  std::vector<estimator::TimelineSlice> stage;
  double start_s = 0.0;
  for (int m = 0; m < micro_batches; ++m) {
    stage.push_back({Phase::forward, PassKind::forward, 0, m, start_s, 1.0});
    stage.push_back({Phase::recompute, PassKind::backward, 0, m, start_s + 1.0, 0.5});
    stage.push_back({Phase::backward, PassKind::backward, 0, m, start_s + 1.5, 1.5});
    start_s += 3.0;
  }
  stage.push_back({Phase::optimizer, PassKind::backward, 0, -1, start_s, 1.0});
  estimator::StageMemory memory;
  memory.estimate.weights_bytes = 8.0;
  memory.kept_bytes = 2.0;
  memory.levels = estimator::held_levels(stage, 1);
  drawing.timeline = {{stage}, start_s + 1.0, start_s + 1.0};
  drawing.memory = {memory};
  drawing.notes = {"a note"};
  return drawing;
}

TEST(StepPicture, HasThePassesOfEveryStageAndWhatTheyAreMadeOf) {
  const json picture = json::parse(cli::step_picture(drawing_of(3)).dump());
  EXPECT_EQ(picture["end_s"], 10.0);
  EXPECT_EQ(picture["windows"], json({{0, 1'000'000}}));
  const json stage = picture["stages"][0];
  EXPECT_EQ(stage["kinds"], "FBFBFB");
  EXPECT_EQ(stage["starts"], json({0, 100'000, 300'000, 400'000, 600'000, 700'000}));
  EXPECT_EQ(stage["micro_batches"], json({0, 0, 1, 1, 2, 2}));
  EXPECT_FALSE(stage.contains("chunks"));
  EXPECT_EQ(picture["phases"], json({"forward", "recompute", "backward", "optimizer"}));
  EXPECT_EQ(stage["pieces"]["F"], json({{0, 100'000}}));
  EXPECT_EQ(stage["pieces"]["B"], json({{1, 50'000}, {2, 150'000}}));
  EXPECT_EQ(picture["once"], json({{3, 900'000, 100'000}}));
  EXPECT_EQ(picture["notes"], json({"a note"}));
  const json memory = picture["memory"][0];
  EXPECT_EQ(memory["weights"], 8.0);
  EXPECT_EQ(memory["kept"], 2.0);
  EXPECT_EQ(memory["peak"], 1.0);
  // A micro-batch comes as the one before it goes.
  EXPECT_EQ(memory["starts"], json({0, 300'000, 600'000, 900'000}));
  EXPECT_EQ(memory["held"], json({1.0, 1.0, 1.0, 0.0}));
}

TEST(StepPicture, OfManyPassesHasTheFirstAndTheLast) {
  const json picture = json::parse(cli::step_picture(drawing_of(33), 12).dump());
  const json stage = picture["stages"][0];
  EXPECT_EQ(stage["kinds"], "FBFBFBFBFBFB");
  EXPECT_EQ(stage["micro_batches"], json({0, 0, 1, 1, 2, 2, 30, 30, 31, 31, 32, 32}));
  EXPECT_EQ(picture["windows"], json({{0, 90'000}, {900'000, 1'000'000}}));
  const json memory = picture["memory"][0];
  EXPECT_EQ(memory["held"].size(), memory["starts"].size());
  EXPECT_LT(memory["starts"].size(), 10U);
  EXPECT_EQ(memory["held"].back(), 0.0);
}

class ExplainedPoints : public CliTest {
 protected:
  void SetUp() override {
    if (analysis::report_page().empty()) {
      GTEST_SKIP() << "built without the report: " << analysis::report_problem();
    }
  }
  json reported(const std::string& file, Said* said = nullptr) const {
    const Said told = scalesweep({"report", file, "-o", path("report.html")});
    EXPECT_EQ(told.code, 0) << told.err;
    if (said != nullptr) {
      *said = told;
    }
    const std::string html = content(path("report.html"));
    const std::string head = "<script type=\"application/json\" id=\"data\">";
    const std::size_t begin = html.find(head) + head.size();
    return json::parse(html.substr(begin, html.find("</script>", begin) - begin));
  }
  static std::string answer_of(const json& data) {
    return data["verdict"]["answers"][0]["points"][0]["id"];
  }
  // The cells of a sheet of a point, a list a row.
  static std::vector<std::vector<std::string>> sheet(const json& held, const std::string& id,
                                                     const std::string& name) {
    std::vector<std::vector<std::string>> rows;
    for (const json& places : held["points"][id]) {
      if (held["heads"][places[0].get<std::size_t>()]["name"] != name) {
        continue;
      }
      for (std::size_t c = 2; c < places.size(); ++c) {
        const json& column = held["columns"][places[c].get<std::size_t>()];
        rows.resize(column.size());
        for (std::size_t row = 0; row < rows.size(); ++row) {
          rows[row].push_back(held["texts"][column[row].get<std::size_t>()]);
        }
      }
    }
    return rows;
  }
};

TEST_F(ExplainedPoints, SayWhatExplainSays) {
  const std::string file = study();
  const json data = reported(file);
  const json& held = data["explanations"];
  EXPECT_EQ(held["problem"], "");
  EXPECT_EQ(held["command"], "scalesweep explain out.h5 --point");
  const std::string id = answer_of(data);
  const json explained =
      json::parse(scalesweep({"explain", file, "--point", id, "--format", "json"}).out);
  ASSERT_EQ(held["points"][id].size(), explained.size());
  const std::string text = scalesweep({"explain", file, "--point", id}).out;
  for (const char* name : {"result", "phases", "resources", "memory", "energy"}) {
    const auto rows = sheet(held, id, name);
    ASSERT_EQ(rows.size(), explained.at(name).size()) << name;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      EXPECT_EQ(rows[row][0], explained.at(name)[row].at("name"));
      for (const std::string& cell : rows[row]) {
        EXPECT_TRUE(contains(text, cell)) << name << ": " << cell;
      }
    }
  }
}

TEST_F(ExplainedPoints, OfTrainingHaveAPictureOfTheAnswer) {
  const std::string file = study();
  const json data = reported(file);
  const std::string id = answer_of(data);
  const json& picture = data["explanations"]["pictures"][id];
  const json explained =
      json::parse(scalesweep({"explain", file, "--point", id, "--format", "json"}).out);
  EXPECT_NEAR(picture["end_s"].get<double>(), explained["result"][1]["value"].get<double>(), 1e-9);
  const json& first = picture["memory"][0];
  double peak = first["kept"].get<double>() * first["peak"].get<double>();
  for (const char* part : {"weights", "gradients", "optimizer", "beside"}) {
    peak += first[part].get<double>();
  }
  for (const json& row : explained["memory"]) {
    if (row["name"] == "total") {
      EXPECT_NEAR(peak, row["first_stage"].get<double>(), 1e-9 * peak);
    }
  }
}

TEST_F(ExplainedPoints, OfInferenceAreExplainedWithoutAPicture) {
  const std::string spec = write("inference.toml", tests::inference_spec(1));
  ASSERT_EQ(scalesweep({"run", spec, "-o", path("out.h5"), "--quiet"}).code, 0);
  const json data = reported(path("out.h5"));
  const json& held = data["explanations"];
  EXPECT_FALSE(sheet(held, answer_of(data), "decode_operators").empty());
  EXPECT_TRUE(held["pictures"].empty());
}

TEST_F(ExplainedPoints, OfAnotherEstimatorAreLeftOutAndTheReportSaysWhy) {
  const std::string file = study();
  set_text(file, "provenance/identity/estimator", "0123");
  Said said;
  const json held = reported(file, &said)["explanations"];
  EXPECT_EQ(held["problem"], "the file was computed by another version of the estimator");
  EXPECT_FALSE(held.contains("points"));
  EXPECT_EQ(held["command"], "scalesweep explain out.h5 --point");
  EXPECT_TRUE(contains(said.err,
                       "note: the report explains no points: the file was computed by another "
                       "version of the estimator\n"))
      << said.err;
}

TEST_F(ExplainedPoints, OfAFileThatWasChangedAreLeftOutWithoutNamingItsFolder) {
  const std::string file = study();
  set_text(file, "provenance/catalog", "no catalog");
  Said said;
  const json held = reported(file, &said)["explanations"];
  EXPECT_FALSE(held["problem"].get<std::string>().empty());
  EXPECT_FALSE(contains(held.dump(), folder().string()));
  EXPECT_TRUE(contains(said.err, "note: the report explains no points: ")) << said.err;
}

TEST_F(ExplainedPoints, OfAnUnfinishedStudyAreLeftOut) {
  const std::string out = path("part.h5");
  ASSERT_EQ(scalesweep({"run", spec(), "-o", out, "--shard", "1/2", "--quiet"}).code, 0);
  EXPECT_EQ(reported(out)["explanations"]["problem"], "the study is not finished");
}

}  // namespace
}  // namespace scalesweep::test

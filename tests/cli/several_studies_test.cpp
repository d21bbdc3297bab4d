// Several studies asked as one: `query`, `analyze`, `report` of two files, `merge --union`, and
// what a union answers to the other commands.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli_fixture.hpp"
#include "support/edit_study.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// The small study in one file, and split into two by one of its axes.
class SeveralStudies : public CliTest {
 protected:
  std::string run(const std::string& name, const std::string& memories,
                  const std::string& rest = "") const {
    const std::string text =
        replaced(small_spec(rest), R"(memory = ["HBM2E", "HBM3"])", "memory = " + memories);
    const Said said =
        scalesweep({"run", write(name + ".toml", text), "-o", path(name + ".h5"), "--quiet"});
    EXPECT_EQ(said.code, 0) << said.err;
    return path(name + ".h5");
  }
  void run_all() const {
    run("whole", R"(["HBM2E", "HBM3"])");
    run("a", R"(["HBM2E"])");
    run("b", R"(["HBM3"])");
  }
  std::string a() const { return path("a.h5"); }
  std::string b() const { return path("b.h5"); }
  std::string both() const {
    const Said said = scalesweep({"merge", "--union", a(), b(), "-o", path("c.h5"), "--no-sync"});
    EXPECT_EQ(said.code, 0) << said.err;
    return path("c.h5");
  }
  static json rows_of(std::vector<std::string> files, const std::vector<std::string>& asked) {
    files.insert(files.begin(), "query");
    files.insert(files.end(), {"--format", "json"});
    files.insert(files.end(), asked.begin(), asked.end());
    const Said said = scalesweep(files);
    EXPECT_EQ(said.code, 0) << said.err;
    return json::parse(said.out)["rows"];
  }
  json analysis_of(std::vector<std::string> files) const {
    files.insert(files.begin(), "analyze");
    files.insert(files.end(), {"--no-figures", "--format", "json", "-o", path("answers")});
    const Said said = scalesweep(files);
    EXPECT_EQ(said.code, 0) << said.err;
    return json::parse(said.out);
  }
};

// Without what says which point of which file it is.
json without_ids(json value) {
  if (value.is_object()) {
    std::vector<std::string> ids;
    for (const auto& [name, one] : value.items()) {
      if (name == "study" || name.ends_with("_id")) {
        ids.push_back(name);
      }
    }
    for (const std::string& name : ids) {
      value.erase(name);
    }
  }
  if (value.is_structured()) {
    for (json& one : value) {
      one = without_ids(one);
    }
  }
  return value;
}

// What a union of a study's parts answers is what the study answers.
TEST_F(SeveralStudies, parts_of_a_study_answer_as_the_whole) {
  run_all();
  const std::vector<std::vector<std::string>> questions = {
      {"--best", "step_time", "--select", "logic,memory,scale_out,step_time,tensor_parallel"},
      {"--best", "step_time", "--per", "logic,memory", "--sort", "logic,memory", "--select",
       "logic,memory,step_time,micro_batch,charge_dram"},
      {"--frontier", "--minimize", "step_time,energy_per_token", "--sort", "step_time", "--select",
       "logic,memory,scale_out,step_time,energy_per_token,beyond_doubt,knee"}};
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const json whole = rows_of({path("whole.h5")}, questions[i]);
    EXPECT_FALSE(whole.empty());
    EXPECT_EQ(whole, rows_of({a(), b()}, questions[i])) << i;
  }
  const json whole = analysis_of({path("whole.h5")});
  const json parts = analysis_of({a(), b()});
  for (const char* answer :
       {"along", "panels", "findings", "verdicts", "runners_up", "frontier_groups", "best",
        "transitions", "strategy_changes", "coverage", "moves", "phases", "sensitivity",
        "improvements", "effects", "interactions"}) {
    ASSERT_TRUE(whole.contains(answer)) << answer;
    EXPECT_EQ(without_ids(whole[answer]), without_ids(parts[answer])) << answer;
  }
  EXPECT_EQ(whole["study"]["counts"], parts["study"]["counts"]);
}

TEST_F(SeveralStudies, the_verdict_names_the_study_of_the_best) {
  run_all();
  const Said said = scalesweep({"analyze", a(), b(), "--no-figures", "-o", path("answers")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("study "));
  const json best = rows_of({a(), b()}, {"--best", "step_time", "--select", "study"});
  EXPECT_THAT(said.out, HasSubstr("study " + best[0]["study"].get<std::string>()));
  EXPECT_FALSE(contains(said.out, "instead of a above"));
  EXPECT_TRUE(std::filesystem::exists(path("answers") + "/a+b.analysis.h5"));
}

TEST_F(SeveralStudies, rows_say_which_study_and_point_they_are) {
  run_all();
  const json rows = rows_of({a(), b()}, {"--best", "step_time", "--per", "study"});
  ASSERT_EQ(rows.size(), 2u);
  for (const json& row : rows) {
    const std::string file = path(row["study"].get<std::string>() + ".h5");
    const json own = rows_of({file}, {"--id", std::to_string(row["study_point_id"].get<int>())});
    ASSERT_EQ(own.size(), 1u);
    EXPECT_EQ(own[0]["step_time"], row["step_time"]);
  }
}

TEST_F(SeveralStudies, a_union_is_a_study_file) {
  run_all();
  const Said merged = scalesweep({"merge", "--union", a(), b(), "-o", path("c.h5")});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("c.h5: "));
  EXPECT_THAT(merged.out, HasSubstr("next: scalesweep analyze"));
  const std::vector<std::string> asked = {"--frontier", "--sort", "step_time"};
  EXPECT_EQ(rows_of({path("c.h5")}, asked), rows_of({a(), b()}, asked));
  const Said status = scalesweep({"status", path("c.h5")});
  EXPECT_THAT(status.out, HasSubstr("union of"));
  EXPECT_THAT(status.out, HasSubstr("b (ids "));
}

TEST_F(SeveralStudies, those_of_different_estimators_are_told) {
  run_all();
  const std::string words = "these studies were computed by different versions of the estimator";
  const std::vector<std::string> asked = {"query", a(), b(), "--best", "step_time"};
  EXPECT_THAT(scalesweep(asked).err, Not(HasSubstr(words)));
  EXPECT_THAT(scalesweep({"status", both()}).out, Not(HasSubstr("estimators")));
  std::filesystem::remove(path("c.h5"));

  set_text(b(), "/provenance/identity/estimator", "0123456789abcdef");
  EXPECT_THAT(scalesweep(asked).err, HasSubstr(words));
  EXPECT_THAT(scalesweep(asked).err, HasSubstr("b by 01234567): what differs"));
  EXPECT_THAT(scalesweep({"merge", "--union", a(), b(), "-o", path("c.h5")}).err, HasSubstr(words));
  EXPECT_THAT(scalesweep({"query", path("c.h5"), "--best", "step_time"}).err, HasSubstr(words));
  EXPECT_THAT(scalesweep({"analyze", path("c.h5"), "--no-figures", "-o", path("answers")}).out,
              HasSubstr("different versions of the estimator"));
  EXPECT_THAT(scalesweep({"status", path("c.h5")}).out, HasSubstr("b by 01234567"));
}

TEST_F(SeveralStudies, points_of_a_union_are_explained_and_launched) {
  run_all();
  const std::string c = both();
  const json row = rows_of({c}, {"--best", "step_time", "--where", "study == 'b'"})[0];
  const std::string id = std::to_string(row["point_id"].get<int>());
  const std::string own = std::to_string(row["study_point_id"].get<int>());
  const Said of_union = scalesweep({"explain", c, "--point", id});
  const Said of_part = scalesweep({"explain", b(), "--point", own});
  EXPECT_EQ(of_union.code, 0) << of_union.err;
  EXPECT_EQ(of_union.out, of_part.out);
  EXPECT_THAT(of_union.err, HasSubstr("note: point " + id + " of " + c + " is point " + own +
                                      " of study b (b.h5)"));
  const Said launched = scalesweep({"launch", c, "--point", id, "--for", "megatron-lm"});
  EXPECT_EQ(launched.out, scalesweep({"launch", b(), "--point", own, "--for", "megatron-lm"}).out);
  const Said against = scalesweep({"explain", c, "--point", id, "--against", "0"});
  EXPECT_EQ(against.code, 0) << against.err;
  const Said missing = scalesweep({"explain", c, "--point", "99999999"});
  EXPECT_EQ(missing.code, 64);
  EXPECT_THAT(missing.err, HasSubstr("none has a point 99999999"));
  const Said unnamed = scalesweep({"explain", c, "--set", "logic=N7"});
  EXPECT_THAT(unnamed.err, HasSubstr("is a union of studies, a (0 to "));
  EXPECT_THAT(unnamed.err, HasSubstr("say which point, by its id: --point ID"));
}

TEST_F(SeveralStudies, wrong_unions_say_what_to_do) {
  run_all();
  EXPECT_THAT(scalesweep({"merge", "--union", a(), b()}).err, HasSubstr("-o FILE.h5"));
  EXPECT_THAT(scalesweep({"merge", a(), b()}).err, HasSubstr("with --union -o FILE.h5"));
  EXPECT_THAT(scalesweep({"merge", a(), "-o", path("x.h5")}).err, HasSubstr("-o is for --union"));
  const Said twice = scalesweep({"query", a(), a()});
  EXPECT_EQ(twice.code, 64);
  EXPECT_THAT(twice.err, HasSubstr("is given twice"));
  const std::string before = content(b());
  EXPECT_EQ(scalesweep({"merge", "--union", a(), path("whole.h5"), "-o", b()}).code, 73);
  EXPECT_EQ(content(b()), before);
  const Said unknown = scalesweep({"analyze", a(), b(), "--no-figures", "--along", "nothing"});
  EXPECT_THAT(unknown.err, HasSubstr(path("a+b.h5") + ": the study has no axis 'nothing'"));
}

// What several studies are asked leaves files of theirs alone, and says what it is made of.
TEST_F(SeveralStudies, a_report_of_several) {
  run_all();
  const Said said = scalesweep({"report", a(), b()});
  if (said.code == 69) {
    GTEST_SKIP() << said.err;  // built without the page
  }
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, path("a+b.html") + "\n");
  const std::string page = content(path("a+b.html"));
  EXPECT_THAT(page, HasSubstr("scalesweep run a.toml -o a.h5"));
  EXPECT_THAT(page, HasSubstr("scalesweep report a.h5 b.h5"));
  EXPECT_THAT(page, HasSubstr("scalesweep merge --union a.h5 b.h5 -o a+b.h5 && scalesweep explain "
                              "a+b.h5 --point"));
  EXPECT_EQ(said.err.find("explains no points"), std::string::npos) << said.err;
  EXPECT_FALSE(contains(page, folder().string()));
  EXPECT_FALSE(std::filesystem::exists(path("a+b.h5")));
  EXPECT_EQ(scalesweep({"report", a(), b(), "-o", path("again.html")}).code, 0);
  EXPECT_EQ(content(path("again.html")), page);
}

TEST_F(SeveralStudies, other_objectives_are_told) {
  run("a", R"(["HBM2E"])");
  run("b", R"(["HBM3"])", "[objectives]\nminimize = [\"energy_per_token\"]\n");
  const Said said = scalesweep({"query", a(), b(), "--frontier"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("note     the objectives are those of a: "));
  EXPECT_THAT(said.err, HasSubstr("b has energy_per_token; --minimize and --maximize name others"));
}

}  // namespace
}  // namespace scalesweep::test

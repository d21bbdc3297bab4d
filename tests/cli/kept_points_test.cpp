// What is said of answers from a file that keeps some of its study's points: all of what such a
// file cannot know, and nothing where it can.
#include <nlohmann/json.hpp>

#include "analysis/show/report.hpp"
#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;

// Two batches, of which each has a frontier of its own.
class KeptPoints : public CliTest {
 protected:
  std::string run(const std::string& keep, const std::string& name) const {
    const std::string text =
        replaced(small_spec("[objectives]\nminimize = [\"step_time\", \"energy_per_token\"]\n"),
                 "global_batch = 32", "global_batch = [32, 64]");
    const Said said = scalesweep(
        {"run", write("batches.toml", text), "-o", path(name), "--keep", keep, "--quiet"});
    EXPECT_EQ(said.code, 0) << said.err;
    return path(name);
  }

  static Said ask(const std::string& file, const std::vector<std::string>& question) {
    std::vector<std::string> arguments = {"query", file, "--format", "csv"};
    arguments.insert(arguments.end(), question.begin(), question.end());
    return scalesweep(arguments);
  }

  std::vector<std::string> notes_of_analysis(const std::string& file,
                                             const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"analyze", file, "--no-figures", "--format",
                                          "json",    "-o", path("answers")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Said said = scalesweep(arguments);
    EXPECT_EQ(said.code, 0) << said.err;
    std::vector<std::string> notes;
    const json answers = json::parse(said.out);
    for (const std::string note : answers["notes"]) {
      if (contains(note, "the file keeps")) {
        notes.push_back(note);
      }
    }
    return notes;
  }
};

struct Question {
  std::vector<std::string> words;
  std::string known;  // letters of the files that know the answer: a(ll), e(very feasible one),
                      // f(rontier), b(est)
};

const std::vector<Question> questions = {
    {{"--frontier"}, "aef"},
    {{"--frontier", "--minimize", "step_time"}, "aefb"},
    {{"--frontier", "--minimize", "memory_total"}, "ae"},
    {{"--frontier", "--maximize", "tokens_per_second"}, "ae"},
    {{"--frontier", "--per", "logic"}, "ae"},
    {{"--frontier", "--per", "logic", "--minimize", "step_time"}, "aeb"},
    {{"--frontier", "--per", "accelerators"}, "aef"},  // which has one value
    {{"--frontier", "--ranks", "2"}, "ae"},
    {{"--frontier", "--where", "global_batch == 64"}, "aef"},
    {{"--frontier", "--where", "tp <= 2"}, "ae"},
    {{"--best", "step_time"}, "aefb"},
    {{"--best", "energy_per_token"}, "aef"},
    {{"--best", "step_time", "--per", "global_batch"}, "aefb"},
    {{"--best", "step_time", "--per", "logic,memory", "--top", "2"}, "aeb"},
    {{"--best", "step_time", "--per", "logic,memory", "--top", "3"}, "ae"},
    {{"--best", "step_time", "--per", "scale_out"}, "ae"},
    {{"--best", "-step_time"}, "ae"},
    {{"--best", "memory_total"}, "ae"},
    {{"--best", "memory_total", "--all-statuses"}, "a"},
    {{"--sort", "step_time", "--limit", "1000"}, "ae"},
    {{"--all-statuses"}, "a"},
    {{"--pivot", "logic,memory", "--value", "step_time"}, "aeb"},
    {{"--pivot", "logic,scale_out", "--value", "step_time"}, "ae"},
    {{"--pivot", "logic,memory", "--value", "step_time", "--with", "mean"}, "ae"},
    {{"--pivot", "logic,memory", "--with", "count"}, "ae"},
    {{"--pivot", "logic,memory", "--with", "count", "--all-statuses"}, "a"},
};

TEST_F(KeptPoints, AnswersAreThoseOfAllPointsOrSaidToBeOther) {
  const std::vector<std::pair<char, std::string>> files = {
      {'a', run("all", "all.h5")},
      {'e', run("feasible", "feasible.h5")},
      {'f', run("frontier", "frontier.h5")},
      {'b', run("best=2:logic,memory,global_batch", "best.h5")}};
  for (const Question& question : questions) {
    std::vector<std::string> words = question.words;
    if (words.front() != "--pivot") {
      words.insert(words.end(), {"--select", "step_time,energy_per_token"});
    }
    const std::string whole = ask(files.front().second, words).out;
    for (const auto& [letter, file] : files) {
      const Said said = ask(file, words);
      ASSERT_EQ(said.code, 0) << said.err;
      const bool known = question.known.find(letter) != std::string::npos;
      EXPECT_EQ(!contains(said.err, "note     the file keeps "), known)
          << letter << " " << ::testing::PrintToString(words) << "\n"
          << said.err;
      EXPECT_TRUE(!known || said.out == whole)
          << letter << " " << ::testing::PrintToString(words) << "\n"
          << said.out << whole;
    }
  }
}

TEST_F(KeptPoints, WhatAFileKeepsIsNamedWithTheWayOut) {
  const std::string ending = "; to ask of all that are feasible, run it with --keep feasible\n";
  const Said best = ask(run("best=2:logic,memory", "best.h5"), {"--frontier"});
  EXPECT_TRUE(contains(best.err, "note     the file keeps 8 of ")) << best.err;
  EXPECT_TRUE(contains(best.err,
                       " points (the 2 best by step_time of each logic, memory): the "
                       "frontier is of these alone, and others may be better" +
                           ending))
      << best.err;
  const std::string frontier = run("frontier", "frontier.h5");
  EXPECT_TRUE(contains(ask(frontier, {"--best", "memory_total"}).err,
                       "(the frontier in step_time, energy_per_token of each global_batch): the "
                       "best are of these alone, and others may be better" +
                           ending));
  EXPECT_TRUE(contains(ask(frontier, {}).err, "these alone can be shown" + ending));
  EXPECT_TRUE(contains(ask(frontier, {"--pivot", "logic,memory", "--with", "count"}).err,
                       "the table is of these alone" + ending));
  EXPECT_TRUE(contains(ask(frontier, {"--frontier", "--select", "beyond_doubt"}).err,
                       "whether a member is beyond doubt is judged by these alone" + ending));
  EXPECT_TRUE(contains(ask(run("feasible", "feasible.h5"), {"--all-statuses"}).err,
                       "(those that are feasible): these alone can be shown; to ask of all, run "
                       "it with --keep all\n"));
}

TEST_F(KeptPoints, RowsInAFileCarryTheNote) {
  const Said said = scalesweep({"query", run("best", "one.h5"), "--frontier", "--format", "json"});
  EXPECT_TRUE(
      contains(json::parse(said.out)["notes"][0].get<std::string>(),
               "(the best by step_time of each global_batch): the frontier is of these alone"))
      << said.out;
}

TEST_F(KeptPoints, AnalysisSaysOnceWhatItsAnswersAreOf) {
  EXPECT_TRUE(notes_of_analysis(run("all", "all.h5")).empty());
  EXPECT_TRUE(notes_of_analysis(run("feasible", "feasible.h5")).empty());
  const auto only_note = [&](const std::string& file,
                             const std::vector<std::string>& options = {}) {
    const std::vector<std::string> notes = notes_of_analysis(file, options);
    return notes.size() == 1 ? notes.front() : ::testing::PrintToString(notes);
  };
  const std::string frontier = run("frontier", "frontier.h5");
  EXPECT_TRUE(contains(only_note(frontier),
                       "of each global_batch): what is beyond doubt and the best of each "
                       "combination are of these alone, combinations may look empty that are not "
                       "and effects of the strategy are left out; to ask of all"))
      << only_note(frontier);
  EXPECT_TRUE(contains(only_note(frontier, {"--minimize", "memory_total"}),
                       ": the frontier and the best of each combination are of these alone, "))
      << only_note(frontier, {"--minimize", "memory_total"});
  const std::string best = run("best=1:logic,memory,scale_out,global_batch", "best.h5");
  EXPECT_TRUE(contains(only_note(best),
                       "): the frontier is of these alone and effects of the strategy are left "
                       "out; to ask of all"))
      << only_note(best);
}

// Of the networks the file has the best alone: a choice as the layout is, and no row of dashes.
TEST_F(KeptPoints, WhatTheBestWasTakenOfIsAChoice) {
  const std::string file = run("best=1:logic,memory,global_batch", "best.h5");
  const Said said =
      scalesweep({"analyze", file, "--no-figures", "--format", "json", "-o", path("answers")});
  ASSERT_EQ(said.code, 0) << said.err;
  const json answers = json::parse(said.out);
  EXPECT_EQ(answers["panels"].size(), 2U) << answers["panels"];  // memory and batch
  EXPECT_EQ(answers["best"].size(), answers["coverage"].size());
  for (const json& verdict : answers["verdicts"]) {
    EXPECT_TRUE(verdict["scale_out"].is_string()) << verdict;
    EXPECT_EQ(verdict["choices"], 4) << verdict;  // of logic and memory
  }
}

// The best of both batches is one point: of the other batch the file has none.
TEST_F(KeptPoints, AQuestionWithoutARowIsAskedAllTheSame) {
  const Said said =
      scalesweep({"analyze", run("best=1:logic", "one.h5"), "--no-figures", "-o", path("answers")});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "Verdict: the least step time, 2 questions\n")) << said.out;
  EXPECT_TRUE(contains(said.out, "none of its points is in the file")) << said.out;
  EXPECT_TRUE(contains(said.out, "the file has no value of any of its ")) << said.out;
  EXPECT_TRUE(contains(said.out, "note: best of the points that the file keeps")) << said.out;
}

// The second model fits nowhere: why, in the words of a file that keeps all points.
TEST_F(KeptPoints, WhyNothingIsFeasibleIsKeptWithEveryFile) {
  const std::string spec = write(
      "models.toml", replaced(small_spec(), "\"llama-2-7b\"", "[\"llama-2-7b\", \"gpt3-175b\"]"));
  const auto verdict_of = [&](const std::string& keep) {
    const std::string file = path(keep + ".h5");
    EXPECT_EQ(scalesweep({"run", spec, "-o", file, "--keep", keep, "--quiet"}).code, 0);
    const Said said =
        scalesweep({"analyze", file, "--no-figures", "--format", "json", "-o", path("answers")});
    EXPECT_EQ(said.code, 0) << said.err;
    const json answers = json::parse(said.out);
    json of_all;  // what every file knows
    for (const char* key : {"model", "obstacle", "obstacle_points", "points", "distance"}) {
      EXPECT_TRUE(answers["verdicts"][1].contains(key)) << key << answers["verdicts"][1];
      of_all[key] = answers["verdicts"][1][key];
    }
    return of_all;
  };
  const json all = verdict_of("all");
  EXPECT_EQ(all["obstacle"], "does_not_fit");
  EXPECT_GT(all["distance"], 1.0);
  for (const char* keep : {"feasible", "best", "frontier"}) {
    EXPECT_EQ(verdict_of(keep), all) << keep;
    const std::string text =
        scalesweep({"analyze", path(std::string(keep) + ".h5"), "--no-figures", "-o", path("text")})
            .out;
    EXPECT_TRUE(contains(text, "gpt3-175b: nothing feasible\n")) << text;
    EXPECT_TRUE(contains(text, "does not fit; at best needs ")) << text;
  }
}

TEST_F(KeptPoints, HowFarOffTheNearestIsSaidWhereNothingIsFeasibleAtAll) {
  const std::string spec =
      write("large.toml", replaced(small_spec(), "\"llama-2-7b\"", "\"gpt3-175b\""));
  const auto sentence_of = [&](const std::string& keep) {
    const Said said = scalesweep({"run", spec, "-o", path(keep + ".h5"), "--keep", keep});
    EXPECT_EQ(said.code, 0) << said.err;
    const std::size_t first = said.out.find("no layout fits into memory; what needs the least");
    EXPECT_NE(first, std::string::npos) << said.out;
    return said.out.substr(first, said.out.find("device", first) - first);
  };
  EXPECT_EQ(sentence_of("best"), sentence_of("all"));
}

// Points by status of every combination, kept or not.
TEST_F(KeptPoints, CoverageIsOfAllPoints) {
  const auto coverage_of = [&](const std::string& keep, const std::string& name,
                               const std::string& where) {
    const Said said = scalesweep({"analyze", run(keep, name), "--no-figures", "--format", "json",
                                  "-o", path("answers"), "--along", "logic", "--where", where});
    EXPECT_EQ(said.code, 0) << said.err;
    return json::parse(said.out)["coverage"];
  };
  for (const char* where : {"tp >= 1 or tp < 1", "memory == 'HBM3'"}) {
    const json all = coverage_of("all", "all.h5", where);
    const json best = coverage_of("best=1:logic,memory,scale_out,global_batch", "best.h5", where);
    if (std::string(where).starts_with("tp")) {
      EXPECT_NE(best, all) << "of strategies nothing is counted";
    } else {
      EXPECT_EQ(best, all) << where;
    }
  }
}

TEST_F(KeptPoints, ReportDoesNotCallAFrontierThatOfAllPoints) {
  if (analysis::report_page().empty()) {
    GTEST_SKIP() << "built without the report: " << analysis::report_problem();
  }
  ASSERT_EQ(scalesweep({"report", run("best", "one.h5")}).code, 0);
  EXPECT_TRUE(contains(content(path("one.html")), "\"frontier_is_whole\":false"));
  ASSERT_EQ(scalesweep({"report", run("frontier", "frontier.h5")}).code, 0);
  EXPECT_TRUE(contains(content(path("frontier.html")), "\"frontier_is_whole\":true"));
}

TEST_F(KeptPoints, DifferencesNameWhatWasKeptAndNoObjectiveThatIsTheSame) {
  const std::string all = run("all", "all.h5");
  const std::string best = run("best=2:logic", "best.h5");
  const Said said = scalesweep({"diff", all, best, "--format", "json"});
  EXPECT_EQ(said.code, 1) << said.err;
  const json found = json::parse(said.out);
  EXPECT_FALSE(contains(found["keys"].dump(), "minimize")) << found["keys"];
  EXPECT_TRUE(contains(found["keys"].dump(), "best 2 per logic")) << found["keys"];
  const std::string notes = found["notes"].dump();
  EXPECT_TRUE(contains(notes, best + ": the file keeps 4 of ")) << notes;
  EXPECT_TRUE(contains(notes, "these alone are compared, and answers are of these alone")) << notes;
  EXPECT_FALSE(contains(notes, all + ": the file keeps ")) << notes;
  EXPECT_FALSE(contains(scalesweep({"diff", best, best}).out, "the file keeps"));
  EXPECT_TRUE(contains(scalesweep({"diff", all, best, "--no-answers", "--format", "json"}).out,
                       "these alone are compared; to ask of all"));
}

TEST_F(KeptPoints, ObjectivesThatChangedAreADifferenceWhateverIsKept) {
  const std::string all = run("all", "all.h5");
  const std::string text =
      replaced(content(path("batches.toml")), "\"energy_per_token\"", "\"memory_total\"");
  const std::string other = path("other.h5");
  ASSERT_EQ(scalesweep({"run", write("other.toml", text), "-o", other, "-q"}).code, 0);
  EXPECT_TRUE(contains(scalesweep({"diff", all, other}).out,
                       "  minimize: step_time, energy_per_token -> step_time, memory_total\n"));
}

}  // namespace
}  // namespace scalesweep::test

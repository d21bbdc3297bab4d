// `run` in one process: places, policies, what stands in the way; and `status` of what it leaves.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli_fixture.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::test {
namespace {

namespace fs = std::filesystem;
using RunCommand = CliTest;

TEST_F(RunCommand, WritesAFileAndSaysSo) {
  const Said said = scalesweep({"run", spec(), "-o", path("out.h5")});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* word :
       {"Small study", "points", "ok", "does_not_fit", "points/s", "MB", "scalesweep analyze "}) {
    EXPECT_TRUE(contains(said.out, word)) << word << "\n" << said.out;
  }
  EXPECT_TRUE(fs::exists(folder() / "out.h5"));
  EXPECT_FALSE(fs::exists(folder() / "out.h5.d"));
  const store::StudyReader reader(folder() / "out.h5");
  EXPECT_EQ(reader.rows(), reader.points());
  EXPECT_EQ(reader.root_attributes().at("title"), "Small study");
  EXPECT_EQ(reader.provenance().at("spec"), small_spec());
  EXPECT_TRUE(contains(reader.provenance().at("command"), "scalesweep run ")) << "as typed";
}

TEST_F(RunCommand, QuietSaysNothing) {
  const Said said = scalesweep({"run", spec(), "-o", path("out.h5"), "-q"});
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, "");
}

TEST_F(RunCommand, FinishedStudyIsLeftAlone) {
  const std::string file = study();
  const std::string before = content(file);
  const Said said = scalesweep({"run", path("spec.toml"), "-o", file});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, file + " is this study, finished: nothing to do\n");
  EXPECT_EQ(content(file), before);
}

// A kill between the last two removals leaves the folder with nothing in it.
TEST_F(RunCommand, AnEmptyFolderOfAFinishedStudyIsRemovedAndNoOther) {
  const std::string file = study();
  const std::filesystem::path folder = file + ".d";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"run", path("spec.toml"), "-o", file}, {"merge", file}}) {
    std::filesystem::create_directory(folder);
    EXPECT_EQ(scalesweep(words).code, 0);
    EXPECT_FALSE(std::filesystem::exists(folder));
  }
  std::filesystem::create_directory(folder);
  write("out.h5.d/notes.txt", "mine");
  EXPECT_EQ(scalesweep({"run", path("spec.toml"), "-o", file}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "notes.txt"));
}

TEST_F(RunCommand, AnotherStudyIsNotOverwritten) {
  const std::string file = study();
  const std::string before = content(file);
  const std::string other = write("other.toml", replaced(small_spec(), "500 W", "600 W"));
  const Said said = scalesweep({"run", other, "-o", file});
  EXPECT_EQ(said.code, 73);
  EXPECT_TRUE(contains(said.err, file)) << said.err;
  EXPECT_TRUE(contains(said.err, "600 W")) << "the difference is shown: " << said.err;
  EXPECT_EQ(content(file), before);
}

TEST_F(RunCommand, ForeignFileIsNotOverwritten) {
  const std::string file = write("notes.txt", "my notes\n");
  const Said said = scalesweep({"run", spec(), "-o", file});
  EXPECT_EQ(said.code, 73);
  EXPECT_TRUE(contains(said.err, file)) << said.err;
  EXPECT_EQ(content(file), "my notes\n");
}

TEST_F(RunCommand, FolderThatIsNotThereIsNamedWithTheWayOut) {
  const Said said = scalesweep({"run", spec(), "-o", path("none/out.h5")});
  EXPECT_EQ(said.code, 73);
  EXPECT_EQ(said.err, "scalesweep: error: cannot write " + path("none/out.h5") +
                          ": there is no folder " + path("none") + "; make it with 'mkdir -p " +
                          path("none") + "' or choose another place with -o\n");
}

TEST_F(RunCommand, FolderAsOutputIsRefused) {
  const Said said = scalesweep({"run", spec(), "-o", folder().string()});
  EXPECT_EQ(said.code, 73);
  EXPECT_TRUE(contains(said.err, "is a folder; name a file in it")) << said.err;
}

TEST_F(RunCommand, KeepReplacesThePolicyOfTheSpec) {
  const auto rows = [&](const std::string& keep, const std::string& name) {
    const Said said = scalesweep({"run", spec(), "-o", path(name), "--keep", keep, "--quiet"});
    EXPECT_EQ(said.code, 0) << said.err;
    const store::StudyReader reader(folder() / name);
    std::int64_t counted = 0;
    for (const auto& [status, count] : reader.counts()) {
      counted += count;
    }
    EXPECT_EQ(counted, reader.points()) << "what is dropped is counted";
    return reader.rows();
  };
  const std::int64_t all = rows("all", "all.h5");
  const std::int64_t feasible = rows("feasible", "feasible.h5");
  EXPECT_LT(feasible, all);
  EXPECT_EQ(rows("best=2:logic,memory", "best.h5"), 8);
  EXPECT_EQ(rows("best", "one.h5"), 1);
  const std::int64_t frontier = rows("frontier", "frontier.h5");
  EXPECT_GE(frontier, 1);
  EXPECT_LT(frontier, feasible);
  EXPECT_GT(rows("frontier:logic,memory", "frontiers.h5"), frontier);
  EXPECT_EQ(store::StudyReader(folder() / "frontiers.h5").root_attributes().at("keep"),
            R"({"policy":"frontier","per":["logic","memory"]})");
}

TEST_F(RunCommand, FrontierAndBestAreKeptForEachThatIsAskedUnlessTheGroupsAreGiven) {
  const std::string two =
      write("two.toml", replaced(small_spec(), "sequence = 2048", "sequence = [1024, 2048]"));
  const auto kept = [&](const std::string& keep, const std::string& name) {
    const Said said = scalesweep({"run", two, "-o", path(name), "--keep", keep, "-q"});
    EXPECT_EQ(said.code, 0) << said.err;
    return store::StudyReader(folder() / name).root_attributes().at("keep");
  };
  EXPECT_EQ(kept("frontier", "each.h5"), R"({"policy":"frontier","per":["sequence"]})");
  EXPECT_EQ(kept("frontier:logic", "nodes.h5"), R"({"policy":"frontier","per":["logic"]})");
  EXPECT_EQ(kept("best=2", "two.h5"), R"({"policy":"best","k":2,"per":["sequence"]})");
  EXPECT_EQ(kept("best=2:logic", "best.h5"), R"({"policy":"best","k":2,"per":["logic"]})");
}

TEST_F(RunCommand, BoundedCountsSkipPointsAndSaySo) {
  const Said exact = scalesweep({"run", spec(), "-o", path("exact.h5"), "--keep", "best=2:logic"});
  EXPECT_EQ(exact.code, 0) << exact.err;
  EXPECT_FALSE(contains(exact.out, "skipped"));
  const Said bounded = scalesweep(
      {"run", spec(), "-o", path("bounded.h5"), "--keep", "best=2:logic", "--counts", "bounded"});
  EXPECT_EQ(bounded.code, 0) << bounded.err;
  EXPECT_TRUE(contains(bounded.out, " points that fit, and by their bounds cannot stay\n"))
      << bounded.out;
  EXPECT_EQ(store::StudyReader(path("bounded.h5")).root_attributes().at("keep"),
            R"({"policy":"best","k":2,"per":["logic"],"counts":"bounded"})");
  const Said same = scalesweep({"diff", path("exact.h5"), path("bounded.h5")});
  EXPECT_TRUE(contains(same.out, "the results are the same")) << same.out;
}

TEST_F(RunCommand, CountsThatCannotBeBoundedAreRefused) {
  const auto message = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"run", spec(), "-o", path("out.h5")};
    words.insert(words.end(), more.begin(), more.end());
    const Said said = scalesweep(words);
    EXPECT_EQ(said.code, 64);
    EXPECT_FALSE(fs::exists(folder() / "out.h5.d"));
    return said.err;
  };
  EXPECT_EQ(message({"--keep", "best", "--counts", "some"}),
            "scalesweep: error: --counts some: it is exact or bounded\n");
  EXPECT_EQ(message({"--keep", "feasible", "--counts", "bounded"}),
            "scalesweep: error: --counts bounded: only with --keep best or frontier can points be "
            "skipped\n");
  const std::string text = write("power.toml", small_spec("[objectives]\nminimize = "
                                                          "\"average_power\"\n"));
  const Said said =
      scalesweep({"run", text, "-o", path("out.h5"), "--keep", "frontier", "--counts", "bounded"});
  EXPECT_EQ(said.code, 64);
  EXPECT_EQ(said.err,
            "scalesweep: error: counts = \"bounded\" needs a bound of 'average_power' before it is "
            "estimated, and there is none; there are bounds of step_time and of throughput, "
            "energy, memory, cost and carbon; leave one of both out\n");
}

TEST_F(RunCommand, WhatMissesARequirementIsCountedAndSaid) {
  const std::string text = write("cheap.toml", small_spec(R"([[require]]
name = "in_budget"
where = "cost_per_step < '1e-6 USD'"
[keep]
policy = "best"
)"));
  const Said said = scalesweep({"run", text, "-o", path("cheap.h5")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "rows kept  0\n") || contains(said.out, "rows kept   0\n"))
      << said.out;
  EXPECT_TRUE(contains(said.out, "misses_in_budget")) << said.out;
  EXPECT_TRUE(contains(said.out, "nothing feasible")) << said.out;
  EXPECT_TRUE(contains(said.out, "misses in budget")) << said.out;
  const Said bounded = scalesweep({"run", text, "-o", path("b.h5"), "--counts", "bounded"});
  EXPECT_EQ(bounded.code, 0) << bounded.err;
  EXPECT_TRUE(contains(bounded.out, "misses in budget")) << bounded.out;
}

TEST_F(RunCommand, TellsWhatASearchLeavesOutAndWhatMayBeThere) {
  const std::string text = write(
      "search.toml",
      replaced(replaced(small_spec("[search]\naxes = [\"die_area\", \"power\"]\n[keep]\npolicy = "
                                   "\"best\"\n"),
                        "\"826 mm2\"", "{ from = \"400 mm2\", to = \"826 mm2\", values = 30 }"),
               "\"500 W\"", "{ from = \"200 W\", to = \"700 W\", values = 20 }"));
  const Said said = scalesweep({"run", text, "-o", path("search.h5")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "not_searched")) << said.out;
  EXPECT_TRUE(contains(said.out, "but        [search] left ")) << said.out;
  EXPECT_TRUE(contains(said.out, " of the points out: none")) << said.out;
  const Said best = scalesweep({"query", path("search.h5"), "--best", "step_time"});
  EXPECT_TRUE(contains(best.err, "points out; analyze says how much better the best")) << best.err;
  const Said more = scalesweep({"query", path("search.h5"), "--best", "memory_total"});
  EXPECT_TRUE(contains(more.err, "to ask of more, take [search] out of the spec")) << more.err;
  const Said all = scalesweep({"run", text, "-o", path("a.h5"), "--keep", "all"});
  EXPECT_EQ(all.code, 64);
  EXPECT_TRUE(contains(all.err, "[search] looks for what a policy keeps: write policy = \"best\""))
      << all.err;
}

TEST_F(RunCommand, TellsAnExpectationFromAProof) {
  const auto searched = [&](const std::string& method) {
    return write(
        method + ".toml",
        replaced(replaced(small_spec("[search]\naxes = [\"die_area\", \"power\"]\nmethod = "
                                     "\"" +
                                     method + "\"\n[keep]\npolicy = \"best\"\n"),
                          "\"826 mm2\"", "{ from = \"400 mm2\", to = \"826 mm2\", values = 30 }"),
                 "\"500 W\"", "{ from = \"200 W\", to = \"700 W\", values = 20 }"));
  };
  const Said model = scalesweep({"run", searched("model"), "-o", path("m.h5")});
  EXPECT_EQ(model.code, 0) << model.err;
  EXPECT_TRUE(contains(model.out, " of the points out: a model of the")) << model.out;
  EXPECT_TRUE(contains(model.out, "no proof")) << model.out;
  const Said of_model = scalesweep({"query", path("m.h5"), "--best", "step_time"});
  EXPECT_TRUE(contains(of_model.err, "analyze says what a model expects")) << of_model.err;
  const Said climb = scalesweep({"run", searched("climb"), "-o", path("c.h5")});
  EXPECT_EQ(climb.code, 0) << climb.err;
  EXPECT_TRUE(contains(climb.out, " of the points out: how much better")) << climb.out;
  const Said of_climb = scalesweep({"query", path("c.h5"), "--best", "step_time"});
  EXPECT_TRUE(contains(of_climb.err, "nobody knows by how much")) << of_climb.err;
}

// The dies in the middle have no room for their stacks, larger ones do.
TEST_F(RunCommand, ASearchBeginsElsewhereOrSaysThatItFoundNothing) {
  const auto searched = [&](const std::string& method, int devices) {
    std::string text = small_spec(
        fmt::format("[search]\naxes = [\"die_area\", \"power\"]\nmethod = \"{}\"\ndevices = {}\n"
                    "[keep]\npolicy = \"best\"\nper = []\n",
                    method, devices));
    text = replaced(text, "\"826 mm2\"", "{ from = \"300 mm2\", to = \"800 mm2\", values = 30 }");
    text = replaced(text, "\"500 W\"", "{ from = \"300 W\", to = \"1500 W\", values = 20 }");
    return write("search.toml", replaced(text, "stacks = 2", "stacks = 6"));
  };
  for (const std::string method : {"climb", "model"}) {
    const Said found = scalesweep({"run", searched(method, 400), "-o", path(method + ".h5")});
    EXPECT_EQ(found.code, 0) << found.err;
    EXPECT_TRUE(contains(found.out, "rows kept   1\n")) << found.out;
    EXPECT_TRUE(contains(found.out, "    best       ")) << found.out;
    const std::string file = path(method + "-none.h5");
    const Said none = scalesweep({"run", searched(method, 1), "-o", file});
    EXPECT_EQ(none.code, 0) << none.err;
    for (const std::string& out : {none.out, scalesweep({"analyze", file}).out}) {
      EXPECT_TRUE(contains(out, ": not found\n")) << out;
      EXPECT_TRUE(contains(out, "nothing is known")) << out;
      EXPECT_FALSE(contains(out, "othing feasible\n")) << out;
      EXPECT_FALSE(contains(out, "nothing is feasible")) << out;
    }
  }
  // What bounds prove stays a proof.
  const Said proved = scalesweep(
      {"run",
       write("p.toml", replaced(content(searched("bounds", 1000)), "\"800 mm2\"", "\"400 mm2\"")),
       "-o", path("p.h5")});
  EXPECT_EQ(proved.code, 0) << proved.err;
  EXPECT_TRUE(contains(proved.out, ": nothing feasible\n")) << proved.out;
}

TEST_F(RunCommand, FindsTransitionsAlongAnAxis) {
  const std::string text = write(
      "transitions.toml",
      replaced(
          replaced(small_spec("[search]\naxes = \"power\"\nfind = \"transitions\"\n[keep]\nbest = "
                              "{ per = [\"logic\", \"memory\", \"scale_out\", \"power\"] }\n"),
                   "\"500 W\"", "{ from = \"100 W\", to = \"900 W\", values = 201 }"),
          "[\"HDRx8\", \"NDRx8\"]", "[\"HDRx1\", \"NDRx8\"]"));
  const Said said = scalesweep({"run", text, "-o", path("t.h5")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "[search] left 9")) << said.out;
  EXPECT_TRUE(contains(said.out, "of the points out: they lie between values")) << said.out;
  // Along the axis of the search where no other is named; what was left out is passed over.
  const Said analysed = scalesweep({"analyze", path("t.h5")});
  EXPECT_TRUE(contains(analysed.out, "along the power per accelerator")) << analysed.out;
  EXPECT_TRUE(contains(analysed.out, "ompute-bound from ")) << analysed.out;
  EXPECT_FALSE(contains(analysed.out, "nothing in the file")) << analysed.out;
  EXPECT_FALSE(contains(analysed.out, "104 W, 108 W, 112 W")) << analysed.out;
  const Said best = scalesweep({"query", path("t.h5"), "--best", "step_time"});
  EXPECT_TRUE(contains(best.err, "they may be better: it looked for transitions")) << best.err;
}

TEST_F(RunCommand, WrongPolicyIsRefused) {
  const auto message = [&](const std::string& keep) {
    const Said said = scalesweep({"run", spec(), "-o", path("out.h5"), "--keep", keep});
    EXPECT_EQ(said.code, 64);
    EXPECT_FALSE(fs::exists(folder() / "out.h5.d"));
    return said.err;
  };
  EXPECT_EQ(message("feasable"),
            "scalesweep: error: --keep feasable: no such policy; did you mean 'feasible'?\n");
  EXPECT_EQ(
      message("best=0"),
      "scalesweep: error: --keep best=0: 0 is too small; at least 1: write how many as a whole "
      "number from 1, for example best=3\n");
  EXPECT_EQ(message("frontier:logik"),
            "scalesweep: error: --keep frontier:logik: there is no axis 'logik'; did you mean "
            "'logic'?\n");
  EXPECT_EQ(message("frontier=2"),
            "scalesweep: error: --keep frontier=2: a frontier is kept whole; leave '=2' out\n");
  EXPECT_EQ(message("best=2:logik"),
            "scalesweep: error: --keep best=2:logik: there is no axis 'logik'; did you mean "
            "'logic'?\n");
}

TEST_F(RunCommand, StatusTellsOfAFinishedStudy) {
  const Said said = scalesweep({"status", study()});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* word : {"Small study", "finished", "does_not_fit", "100.0 %"}) {
    EXPECT_TRUE(contains(said.out, word)) << word << "\n" << said.out;
  }
  const Said json = scalesweep({"status", path("out.h5"), "--format", "json", "--exit-code"});
  EXPECT_EQ(json.code, 0);
  const auto parsed = nlohmann::json::parse(json.out);
  EXPECT_EQ(parsed.at("study").at(0).at("value"), "Small study");
  EXPECT_EQ(parsed.at("status").size(), 2U);
}

TEST_F(RunCommand, StatusOfNothingAndOfSomethingElse) {
  const Said absent = scalesweep({"status", path("none.h5")});
  EXPECT_EQ(absent.code, 66);
  EXPECT_TRUE(contains(absent.err, "none.h5")) << absent.err;
  const Said foreign = scalesweep({"status", write("notes.txt", "my notes\n")});
  EXPECT_EQ(foreign.code, 65);
  EXPECT_TRUE(contains(foreign.err, "notes.txt")) << foreign.err;
}

}  // namespace
}  // namespace scalesweep::test

// What is wrong with specs and catalogs, as `check` and its kin tell it.
#include "cli_fixture.hpp"
#include "core/host/files.hpp"

namespace scalesweep::test {
namespace {

using Check = CliTest;

// Messages without the folder.
std::string short_messages(std::string text, const std::string& folder) {
  for (std::size_t at = 0; (at = text.find(folder + "/")) != std::string::npos;) {
    text.erase(at, folder.size() + 1);
  }
  return text;
}

TEST_F(Check, CorrectSpecIsCounted) {
  const Said said = scalesweep({"check", spec()});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "spec.toml: correct, ")) << said.out;
  EXPECT_TRUE(contains(said.out, " points\n")) << said.out;
}

// Points are estimated that the program of their framework refuses: that is told, with the rule.
TEST_F(Check, PointsThatCannotBeLaunchedAreTold) {
  const std::string made = write(
      "refused.toml",
      "schema = 1\ntitle = \"Refused\"\n[workload]\nkind = \"training\"\nmodel = "
      "\"llama-3-8b\"\nsequence = 4096\nglobal_batch = 64\nframework = \"nanotron\"\n[system]\n"
      "accelerators = 16\ndevice = [\"h100-sxm\", \"mi300x\"]\n[strategy]\nzero = [0, 3]\n"
      "tensor_parallel = 2\npipeline_parallel = 1\nmicro_batch = 1\nrecompute = \"full\"\n"
      "sequence_parallel = true\nchunks = 1\ncontext_parallel = 1\n");
  const Said said = scalesweep({"check", made});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.err,
                       "note: 3 of 4 points cannot be launched with nanotron main-2026-04-07:\n"
                       "  2: nanotron does not run on mi300x, but on GPUs of NVIDIA\n"
                       "  2: no option for ZeRO stage 3\n"))
      << said.err;
}

TEST_F(Check, ShippedSweepsAreCorrect) {
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "sweeps")) {
    if (entry.path().extension() == ".toml") {
      const Said said = scalesweep({"check", entry.path().string()});
      EXPECT_EQ(said.code, 0) << said.err;
    }
  }
}

TEST_F(Check, TechnologyScalingHasAMillionPoints) {
  const Said said =
      scalesweep({"check", (source_folder() / "sweeps/technology-scaling.toml").string()});
  const std::string count = said.out.substr(said.out.find("correct, ") + 9);
  std::string digits;
  for (const char c : count.substr(0, count.find(' '))) {
    digits += c == ',' ? "" : std::string(1, c);
  }
  EXPECT_GE(std::stoll(digits), 1'000'000) << said.out;
}

TEST_F(Check, SaysWhoseArchitectureDerivedDevicesHave) {
  const std::string note =
      "note: on every node, derived devices have the FLOP a clock, the latencies and the kernels "
      "of their template tensor-core-gpu, which are those of a100-sxm-80gb; there are ";
  const Said derived =
      scalesweep({"check", (source_folder() / "sweeps/technology-scaling.toml").string()});
  EXPECT_TRUE(contains(derived.err, note)) << derived.err;
  EXPECT_TRUE(contains(derived.err, "blackwell")) << derived.err;
  std::string text = read_file(source_folder() / "sweeps/technology-scaling.toml");
  const std::string usual = "template = \"tensor-core-gpu\"";
  text.replace(text.find(usual), usual.size(), "template = \"after-blackwell\"");
  const Said projected = scalesweep({"check", write("projected.toml", text)});
  EXPECT_TRUE(contains(projected.err, "their template after-blackwell, which are of no device: "))
      << projected.err;
  EXPECT_TRUE(contains(projected.err, " are stated for it and the rest those of blackwell ("))
      << projected.err;
  for (const char* fact : {"core.area_share", "l2.bytes_per_clock", "attention.softmax_flop"}) {
    EXPECT_TRUE(contains(projected.err, fact)) << fact << "\n" << projected.err;
  }
  EXPECT_FALSE(contains(projected.err, "kernel_latency")) << "stated for it: " << projected.err;
  const Said catalogued =
      scalesweep({"check", (source_folder() / "sweeps/gpu-generations.toml").string()});
  EXPECT_FALSE(contains(catalogued.err, "template")) << catalogued.err;
}

// A spec and `recommend` ask for the same software, or the spec says which it takes.
TEST_F(Check, SaysWhichFrameworkIsTakenWhereNoneIsNamed) {
  const std::string head =
      "schema = 1\ntitle = \"t\"\n[workload]\nkind = \"training\"\nmodel = \"llama-2-7b\"\n"
      "sequence = 4096\nglobal_batch = 64\n";
  const std::string rest =
      "[system]\naccelerators = 8\ndevice = \"h100\"\n[strategy]\n[objectives]\n"
      "minimize = \"step_time\"\n";
  const Said open = scalesweep({"check", write("open.toml", head + rest)});
  EXPECT_EQ(open.code, 0) << open.err;
  EXPECT_TRUE(contains(open.err,
                       "note: no framework is named, and overlapped, which nobody measured, is "
                       "taken; recommend takes megatron-lm in its place: write 'framework = "
                       "\"megatron-lm\"' for what it answers\n"))
      << open.err;
  const Said named =
      scalesweep({"check", write("named.toml", head + "framework = \"overlapped\"\n" + rest)});
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_FALSE(contains(named.err, "no framework")) << named.err;
}

TEST_F(Check, MissingSpecIsNoInput) {
  for (const char* command : {"check", "plan", "explain"}) {
    const Said said = scalesweep({command, path("none.toml")});
    EXPECT_EQ(said.code, 66) << command;
    EXPECT_TRUE(contains(said.err, path("none.toml"))) << said.err;
    EXPECT_EQ(said.out, "");
  }
}

TEST_F(Check, MissingCatalogIsNoInput) {
  const Said said = scalesweep({"check", spec(), "--catalog", path("none")});
  EXPECT_EQ(said.code, 66);
  EXPECT_EQ(said.err,
            "scalesweep: error: --catalog " + path("none") +
                ": no such folder; give one like the nodes/ that comes with scalesweep\n");
}

TEST_F(Check, EveryMistakeIsToldInOnePass) {
  std::string text = small_spec("[keep]\npolicy = \"bset\"\n");
  text = replaced(text, "global_batch = 32", "global_batch = 32\nbatch_size = 3");
  text = replaced(text, "\"HBM2E\", \"HBM3\"", "\"HBM2E\", \"HBM33\"");
  text = replaced(text, "\"500 W\"", "500");
  text = replaced(text, "\"826 mm2\"", "\"826 GB\"");
  text = replaced(text, "[\"HDRx8\", \"NDRx8\"]", "[]");
  const Said said = scalesweep({"check", write("bad.toml", text)});
  EXPECT_EQ(said.code, 65);
  EXPECT_EQ(said.out, "");
  const std::string messages = short_messages(said.err, folder().string());
  for (const char* place : {"bad.toml:8:1: error: ", "bad.toml:12:20: error: ",
                            "bad.toml:14:13: error: ", "bad.toml:15:", "bad.toml:22:10: error: "}) {
    EXPECT_TRUE(contains(messages, place)) << place << "\n" << messages;
  }
  EXPECT_TRUE(contains(messages, "'batch_size'")) << messages;
  EXPECT_TRUE(contains(messages, "did you mean 'best'?")) << messages;
  EXPECT_TRUE(contains(messages, "empty axis")) << messages;
  EXPECT_TRUE(contains(messages, "6 mistakes; nothing was run\n")) << messages;
}

TEST_F(Check, SyntaxErrorHasItsPlace) {
  const Said said = scalesweep({"check", write("bad.toml", "schema = 1\ntitle = \"x\n")});
  EXPECT_EQ(said.code, 65);
  EXPECT_TRUE(contains(said.err, "bad.toml:2:")) << said.err;
}

TEST_F(Check, ImpossibleRulesNameWhatRemovedTheStrategies) {
  const std::string text =
      replaced(small_spec(), "tensor_parallel = { powers_of_two_to = 8 }", "tensor_parallel = [3]");
  const Said said = scalesweep({"check", write("bad.toml", text)});
  EXPECT_EQ(said.code, 65);
  EXPECT_TRUE(contains(said.err, "tensor_parallel")) << said.err;
  EXPECT_TRUE(contains(said.err, "1 mistake; nothing was run\n")) << said.err;
}

TEST_F(Check, MistakesOfACatalogAreTold) {
  std::filesystem::create_directory(folder() / "nodes");
  write("nodes/models.toml", "schema = 1\n[model.m]\nhiden = 3\n");
  const Said said = scalesweep({"check", spec(), "--catalog", path("nodes")});
  EXPECT_EQ(said.code, 65);
  EXPECT_TRUE(contains(said.err, "models.toml:3:1: error: ")) << said.err;
  EXPECT_TRUE(contains(said.err, "hiden")) << said.err;
}

TEST_F(Check, RunAndPlanAndExplainRefuseABadSpecToo) {
  const std::string bad = write("bad.toml", replaced(small_spec(), "\"HBM3\"", "\"HBM33\""));
  const std::string message = "the catalog has no memory 'HBM33'";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", bad, "-o", path("out.h5")},
        {"plan", bad},
        {"explain", bad}}) {
    const Said said = scalesweep(arguments);
    EXPECT_EQ(said.code, 65) << arguments.front();
    EXPECT_TRUE(contains(said.err, message)) << said.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder() / "out.h5.d")) << "nothing was started";
}

}  // namespace
}  // namespace scalesweep::test

// scalesweep launch: what is printed, what is written, and what is refused.
#include <nlohmann/json.hpp>

#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;

std::string point_spec(const std::string& framework, const std::string& strategy = "") {
  return "schema = 1\ntitle = \"One point\"\n[workload]\nkind = \"training\"\nmodel = "
         "\"llama-3-8b\"\nsequence = 4096\nglobal_batch = 64\nframework = \"" +
         framework +
         "\"\n[system]\naccelerators = 16\ndevice = \"h100-sxm\"\n[strategy]\ntensor_parallel = "
         "2\npipeline_parallel = 1\nchunks = 1\nmicro_batch = 1\nrecompute = \"full\"\n"
         "sequence_parallel = true\n" +
         (strategy.empty() ? "zero = 1\n" : strategy);
}

class LaunchTest : public CliTest {
 protected:
  Said launch(const std::vector<std::string>& more = {},
              const std::string& framework = "megatron-lm-2025",
              const std::string& strategy = "") const {
    std::vector<std::string> arguments = {"launch",
                                          write("point.toml", point_spec(framework, strategy))};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return scalesweep(arguments);
  }
};

TEST_F(LaunchTest, PrintsACommandOfTheFrameworkOfThePoint) {
  const Said said = launch({"--point", "0"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(
      contains(said.out,
               "# megatron-lm main-2026-08-22: options as megatron/training/arguments.py and\n"
               "#   megatron/core/transformer has them at d98e8a64\n"))
      << said.out;
  EXPECT_TRUE(contains(said.out, "  --tensor-model-parallel-size 2 \\\n")) << said.out;
  EXPECT_EQ(said.out.find("torchrun"), said.out.rfind("torchrun")) << said.out;
  EXPECT_TRUE(said.out.ends_with("END_OF_FILE\n\nsbatch train.sbatch\n")) << said.out;
}

// Options of a version are not passed off as those of another one.
TEST_F(LaunchTest, OptionsAreOfTheVersionThatIsAskedFor) {
  for (const char* version : {"core_r0.12.0", "core_r0.12", "0.12", "0.12.3"}) {
    const Said same = launch({"--point", "0", "--for", std::string("megatron-lm@") + version});
    EXPECT_EQ(same.code, 0) << same.err;
    EXPECT_TRUE(contains(same.out, "# megatron-lm core_r0.12.0: options as")) << same.out;
  }
  // Between two that were read: the one before it, and that is said.
  const Said between = launch({"--point", "0", "--for", "megatron-lm@0.17"});
  EXPECT_TRUE(
      contains(between.out,
               "# options of megatron-lm 0.17 were not read: these are those of core_v0.15.0\n"))
      << between.out;
  const Said main = launch({"--point", "0", "--for", "megatron-lm@main"});
  EXPECT_TRUE(contains(main.out, "# megatron-lm main-2026-08-22: options as")) << main.out;
  const Said other = launch({"--point", "0", "--for", "megatron-lm@core_r0.9"});
  EXPECT_EQ(other.code, 64);
  EXPECT_TRUE(contains(other.err,
                       "--for megatron-lm@core_r0.9: options of megatron-lm core_r0.9 were not "
                       "read; those of core_r0.12.0, core_v0.15.0, core_v0.19.0, main-2026-08-22 "
                       "were: take --for megatron-lm, or megatron-lm@core_r0.12.0"))
      << other.err;
  const Said unknown = launch({"--point", "0"}, "megatron-lm@core_r0.9");
  EXPECT_EQ(unknown.code, 65);
  EXPECT_TRUE(contains(unknown.err,
                       "the catalog has no framework 'megatron-lm@core_r0.9'; of 'megatron-lm' it "
                       "has main-2026-08-22"))
      << unknown.err;
}

// A version of one's own runs as what it rests on, and is launched with options of the other one
// when that is said alone. The file keeps the version that a plain name stood for.
TEST_F(LaunchTest, VersionsOfOnesOwnAreRunAndTold) {
  const std::string head = "source = \"me\"\nkind = \"assumed\"\n";
  const std::string own =
      write("own.toml",
            "schema = 1\n[sources]\nme = \"Own estimate\"\n"
            "[framework.\"nanotron-fork@1.9\"]\nlike = \"nanotron\"\n" +
                head + "[framework.\"nanotron-fork@1.10\"]\nlike = \"nanotron-fork@1.9\"\n" + head);
  const std::string spec = write("point.toml", point_spec("nanotron-fork"));
  const Said refused = scalesweep({"launch", spec, "--point", "0", "--catalog-add", own});
  EXPECT_EQ(refused.code, 64);
  EXPECT_TRUE(contains(refused.err,
                       "launch: options of nanotron 1.10 were not read; those of 0.5, "
                       "main-2026-04-07 were: take --for nanotron, or nanotron@0.5"))
      << refused.err;
  const Said said =
      scalesweep({"launch", spec, "--point", "0", "--catalog-add", own, "--for", "nanotron"});
  EXPECT_EQ(said.code, 0) << said.err;
  const std::string file = path("own.h5");
  ASSERT_EQ(scalesweep({"run", spec, "-o", file, "-q", "--catalog-add", own}).code, 0);
  const Said explained = scalesweep({"explain", file, "--point", "0"});
  EXPECT_TRUE(contains(explained.out, "nanotron-fork@1.10")) << explained.out << explained.err;
}

TEST_F(LaunchTest, AFinishedFileKnowsWhatOtherFrameworksRun) {
  const std::string spec = write("point.toml", point_spec("megatron-lm-2025"));
  const std::string file = path("point.h5");
  ASSERT_EQ(scalesweep({"run", spec, "-o", file, "-q"}).code, 0);
  const Said other = scalesweep({"launch", file, "--point", "0", "--for", "torchtitan"});
  EXPECT_EQ(other.code, 65);
  EXPECT_TRUE(contains(other.err,
                       "torchtitan main-2026-08-21 has no option for ZeRO stage 1; megatron-lm, "
                       "megatron-bridge, nanotron"))
      << other.err;
  const Said bridge = scalesweep({"launch", file, "--point", "0", "--for", "megatron-bridge"});
  EXPECT_EQ(bridge.code, 0) << bridge.err;
  EXPECT_FALSE(contains(bridge.out, "is not checked")) << bridge.out;
  const Said nowhere = scalesweep(
      {"launch", file, "--point", "0", "--for", "megatron-bridge", "--catalog", path("none")});
  EXPECT_EQ(nowhere.code, 66) << nowhere.err;
}

TEST_F(LaunchTest, JsonHasAll) {
  const Said said = launch({"--point", "0", "--format", "json", "--for", "torchtitan"},
                           "torchtitan", "zero = 3\n");
  ASSERT_EQ(said.code, 0) << said.err;
  const json made = json::parse(said.out);
  EXPECT_EQ(made["target"], "torchtitan");
  EXPECT_EQ(made["version"], "main-2026-08-21");
  EXPECT_EQ(made["flags"]["parallelism.tensor_parallel_degree"], 2);
  EXPECT_EQ(made["flags"]["compile.enable"], true);
  EXPECT_TRUE(made["files"].contains("train.py"));
  EXPECT_GT(made["memory"]["weights_bytes"], 0.0);
  EXPECT_FALSE(made["notes"].empty());
  EXPECT_TRUE(contains(made["command"], "torchtitan.train"));
}

TEST_F(LaunchTest, WritesFilesOnceUnlessForced) {
  const std::vector<std::string> arguments = {"--point", "0", "--output", path("job")};
  const Said first = launch(arguments);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_TRUE(contains(content(folder() / "job" / "launch.sh"),
                       "#!/bin/bash\nCUDA_DEVICE_MAX_CONNECTIONS=1 torchrun"));
  EXPECT_TRUE(contains(content(folder() / "job" / "train.sbatch"), "#SBATCH --nodes=2"));
  write_text(folder() / "job" / "train.sbatch", "mine\n");
  const Said again = launch(arguments);
  EXPECT_EQ(again.code, 73);
  EXPECT_TRUE(contains(again.err,
                       "train.sbatch' is there already; another --output FOLDER, or "
                       "--force to replace it"))
      << again.err;
  EXPECT_EQ(content(folder() / "job" / "train.sbatch"), "mine\n");
  const Said forced = launch({"--point", "0", "--output", path("job"), "--force"});
  EXPECT_EQ(forced.code, 0) << forced.err;
  EXPECT_TRUE(contains(content(folder() / "job" / "train.sbatch"), "srun"));
}

TEST_F(LaunchTest, AFolderThatCannotBe) {
  const Said said = launch({"--point", "0", "--output", write("file", "") + "/job"});
  EXPECT_EQ(said.code, 73);
  EXPECT_TRUE(contains(said.err, "cannot create the folder '")) << said.err;
}

TEST_F(LaunchTest, WhichPoint) {
  const Said none = launch();
  EXPECT_EQ(none.code, 64);
  EXPECT_TRUE(contains(none.err, "launch: say which point, by its id: --point ID")) << none.err;
  const Said beyond = launch({"--point", "7"});
  EXPECT_EQ(beyond.code, 64);
  EXPECT_TRUE(contains(beyond.err, "--point 7: the points of this study are 0 to 0")) << beyond.err;
}

// Megatron-DeepSpeed has no latent attention: megatron/arguments.py at 4efb479d.
TEST_F(LaunchTest, AFrameworkThatRefusesTheModelIsAskedInVain) {
  const Said said = scalesweep({"recommend", "--model", "deepseek-v3", "--device", "h100",
                                "--devices", "64", "--train", "--framework", "deepspeed",
                                "--sequence", "4096", "--global-batch", "64"});
  EXPECT_EQ(said.code, 64) << said.out;
  EXPECT_TRUE(contains(said.err, "--framework deepspeed: it refuses latent attention ("))
      << said.err;
  EXPECT_TRUE(contains(said.err, "; take another one")) << said.err;
}

TEST_F(LaunchTest, AFrameworkThatIsNoProgramNeedsATarget) {
  const Said none = launch({"--point", "0"}, "overlapped");
  EXPECT_EQ(none.code, 64);
  EXPECT_TRUE(contains(none.err,
                       "the framework 'overlapped' of this point is nothing that can be started; "
                       "say what runs it, for training --for megatron-lm, --for megatron-bridge"))
      << none.err;
  EXPECT_EQ(launch({"--point", "0", "--for", "megatron-core"}, "overlapped").code, 0);
  const Said unknown = launch({"--point", "0", "--for", "vllm"}, "overlapped");
  EXPECT_EQ(unknown.code, 64);
  EXPECT_TRUE(contains(unknown.err, "--for vllm: for training there are megatron-lm, "))
      << unknown.err;
}

TEST_F(LaunchTest, ALayoutThatTheFrameworkLacks) {
  const Said said = launch({"--point", "0", "--for", "nanotron"}, "overlapped", "zero = 3\n");
  EXPECT_EQ(said.code, 65);
  EXPECT_TRUE(contains(
      said.err,
      "launch: point 0: nanotron main-2026-04-07 has no option for ZeRO stage 3; megatron-lm, "
      "megatron-bridge, torchtitan, deepspeed, maxtext can run this layout"))
      << said.err;
}

TEST_F(LaunchTest, APointWithoutAnEstimate) {
  const Said said =
      launch({"--point", "0"}, "megatron-lm", "zero = [0, 1]\n[[filter]]\nwhere = \"zero == 1\"\n");
  EXPECT_EQ(said.code, 65);
  EXPECT_TRUE(contains(said.err, "point 0 has no estimate: a filter of the spec leaves it out"))
      << said.err;
}

}  // namespace
}  // namespace scalesweep::test

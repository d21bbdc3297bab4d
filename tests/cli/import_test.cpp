// scalesweep catalog import: the file that is written, that a catalog takes it, what it refuses.
#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

using Import = CliTest;

const std::string config = R"({
  "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
  "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
  "vocab_size": 128256, "max_position_embeddings": 8192
})";

TEST_F(Import, PrintsAnEntry) {
  const Said said = scalesweep({"catalog", "import", write("config.json", config)});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(said.out.starts_with("schema = 1\n")) << said.out;
  EXPECT_TRUE(contains(said.out, "[model.llama]\n")) << said.out;
  EXPECT_TRUE(contains(said.out, "kv_heads = 8\n")) << said.out;
}

TEST_F(Import, WritesAFileThatACatalogTakes) {
  std::filesystem::create_directory(folder() / "nodes");
  const Said said = scalesweep({"catalog", "import", write("config.json", config), "--name", "mine",
                                "-o", path("nodes/mine.toml")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, path("nodes/mine.toml") + ": model 'mine' with 8.03 G parameters\n");
  const Said shown = scalesweep({"catalog", "show", "mine", "--catalog", path("nodes")});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, "128256")) << shown.out;
}

TEST_F(Import, TakesAFolderAndWhatLiesBesideTheConfig) {
  std::filesystem::create_directory(folder() / "model");
  write("model/config.json", config);
  write("model/hf_quant_config.json",
        R"({"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8",
            "exclude_modules": ["lm_head"]}})");
  const Said said = scalesweep({"catalog", "import", path("model")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "precision = \"fp8\"\n")) << said.out;
  // The head that stays wide needs no word: it does so here.
  EXPECT_FALSE(contains(said.err, "modules")) << said.err;
  EXPECT_TRUE(contains(said.err, "warning: keys and values are cached in fewer bits")) << said.err;
}

TEST_F(Import, OverwritesNothing) {
  const std::string taken = write("taken.toml", "mine");
  const Said said = scalesweep({"catalog", "import", write("config.json", config), "-o", taken});
  EXPECT_EQ(said.code, 73);
  EXPECT_TRUE(contains(said.err, taken + " exists, and import overwrites nothing; name a new file"))
      << said.err;
  EXPECT_EQ(content(taken), "mine");
}

TEST_F(Import, MistakesOfTheConfigAreBadInput) {
  const std::string file = write("config.json", "{\n  \"model_type\": \"mamba\"\n}");
  const Said said = scalesweep({"catalog", "import", file, "-o", path("new.toml")});
  EXPECT_EQ(said.code, 65);
  EXPECT_TRUE(contains(said.err, file + ":2:3: error: model_type 'mamba' is not known"))
      << said.err;
  EXPECT_FALSE(std::filesystem::exists(path("new.toml")));
}

TEST_F(Import, MissingFileIsNoInput) {
  const Said said = scalesweep({"catalog", "import", path("none.json")});
  EXPECT_EQ(said.code, 66);
  EXPECT_TRUE(contains(said.err, path("none.json"))) << said.err;
}

TEST_F(Import, WrongArgumentsAreUsage) {
  const Said none = scalesweep({"catalog", "import"});
  EXPECT_EQ(none.code, 64);
  EXPECT_TRUE(contains(none.err, "import what? write 'scalesweep catalog import config.json'"))
      << none.err;
  const Said list = scalesweep({"catalog", "list", "--name", "x"});
  EXPECT_EQ(list.code, 64);
  EXPECT_TRUE(contains(list.err, "--output and --name belong to import, not to list")) << list.err;
}

}  // namespace
}  // namespace scalesweep::test

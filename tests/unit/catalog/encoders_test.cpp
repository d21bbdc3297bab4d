// Encoders of images: how models name them, mistakes, and the sizes of those that ship.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "example_catalog.hpp"
#include "support/shipped_catalog.hpp"
#include "support/temporary_folder.hpp"
#include "workload/encoder/encoder.hpp"
#include "workload/encoder/inputs.hpp"
#include "workload/model.hpp"

namespace scalesweep::catalog {
namespace {

using test::complaints;
using test::example_text;
using test::load_text;
using test::with;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string before_eyes = "\n# The device that most tests look at.\n";
const std::string end_of_tiny = "max_positions = 128\n";

// Behind the model that names it.
const std::string eyes = R"(
[model.eyes]
aliases = ["an-eye"]
source = "paper"
kind = "published"
family = "encoder"
hidden = 48
layers = 3
heads = 4
ffn = 96
vocab = 1
max_positions = 17
patch_inputs = 588
)";

std::string seeing(const std::string& keys, const std::string& images,
                   const std::string& encoder = eyes) {
  const std::string text = with(example_text, before_eyes, encoder + before_eyes);
  const std::string table = images.empty() ? "" : "\n[model.tiny.images]\n" + images;
  return with(text, end_of_tiny, end_of_tiny + keys + table);
}

std::string complaints_of(const std::string& images) {
  return complaints(seeing("encoder = \"eyes\"\n", images));
}

TEST(Encoders, AreModelsThatStandAnywhere) {
  const Catalog catalog =
      load_text(seeing("encoder = \"an-eye\"\n",
                       "patch = 14\ntile = 56\nmost_tiles = 6\noverview = true\n"
                       "merged = 4\nprojector_ffn = 72\n"));
  const workload::TransformerModel model = catalog.model("tiny");
  ASSERT_TRUE(model.encoder.on());
  EXPECT_EQ(*model.encoder.model, catalog.model("eyes"));
  EXPECT_EQ(model.encoder.tiles, (workload::ImageTiles{14, 56, 6, true, 4}));
  EXPECT_EQ(model.encoder.projector_ffn, 72);
  EXPECT_FALSE(model.encoder.asked());
  EXPECT_EQ(catalog.entry(Section::models, "tiny")->inside, "an-eye");
  EXPECT_EQ(catalog.entry(Section::models, "tiny")->value("images.tile")->text, "56");
}

TEST(Encoders, AreNotThereWhereNoneIsNamed) {
  const Catalog catalog = load_text(seeing("", ""));
  EXPECT_FALSE(catalog.model("tiny").encoder.on());
  EXPECT_FALSE(catalog.model("eyes").encoder.on());
  EXPECT_EQ(catalog.entry(Section::models, "tiny")->inside, "");
}

TEST(Encoders, TakeImagesWholeWithoutATile) {
  const auto tiles = [](const std::string& keys) {
    return load_text(seeing("encoder = \"eyes\"\n", "patch = 14\n" + keys))
        .model("tiny")
        .encoder.tiles;
  };
  EXPECT_EQ(tiles(""), workload::ImageTiles{});
  EXPECT_EQ(tiles("least_tokens = 64\nmost_tokens = 1280\n"),
            (workload::ImageTiles{14, 0, 1, false, 1, 64, 1280}));
}

TEST(Encoders, MustBeKnownAndTakePatches) {
  const auto about = [](const std::string& encoder) {
    return complaints(seeing("encoder = \"" + encoder + "\"\n", "patch = 14\ntile = 56\n"));
  };
  EXPECT_THAT(about("eyes"), IsEmpty());
  EXPECT_THAT(about("eye"), AllOf(HasSubstr("91:11: error: "),
                                  HasSubstr("no entry 'eye' among models"), HasSubstr("'eyes'")));
  EXPECT_THAT(about("tiny"), HasSubstr("'tiny' has an encoder itself, 'tiny'; name that one, or "
                                       "another model that has patch_inputs"));
  EXPECT_THAT(complaints(seeing("encoder = \"eyes\"\n", "patch = 14\n",
                                with(eyes, "patch_inputs = 588\n", ""))),
              AllOf(HasSubstr("91:11: error: "),
                    HasSubstr("'eyes' takes neither images nor audio; name a model that "
                              "has patch_inputs")));
  EXPECT_THAT(complaints(seeing("encoder = \"eyes\"\n", "patch = 14\n",
                                eyes + "encoder = \"small\"\n\n[model.eyes.images]\npatch = 14\n")),
              HasSubstr("'eyes' has an encoder itself, 'small'"));
}

TEST(Encoders, GoWithImages) {
  EXPECT_THAT(complaints(seeing("encoder = \"eyes\"\n", "")),
              HasSubstr("nothing says what becomes tokens; give the table 'images' with patch, for "
                        "example 14, or 'audio' with clip, for example \"30 s\", or leave the "
                        "encoder out"));
  EXPECT_THAT(complaints(seeing("", "patch = 14\n")),
              HasSubstr("nothing encodes them; name a model that has patch_inputs as encoder, or "
                        "leave the table out"));
  EXPECT_THAT(complaints_of("tile = 56\n"),
              HasSubstr("missing key 'patch' in [model.tiny.images]"));
}

TEST(Encoders, CutImagesIntoWholePatchesAndTokens) {
  EXPECT_THAT(complaints_of("patch = 14\ntile = 60\n"),
              HasSubstr("60 pixels are no multiple of a patch of 14; give 56, what whole patches "
                        "fill"));
  EXPECT_THAT(complaints_of("patch = 14\nmerged = 3\n"),
              HasSubstr("3 is not a square number; patches of a square become one token"));
  EXPECT_THAT(complaints_of("patch = 14\ntile = 42\nmerged = 4\n"),
              HasSubstr("squares of 2 x 2 patches do not fill a tile of 3 x 3"));
  EXPECT_THAT(complaints_of("patch = 16\n"),
              HasSubstr("patches of 'eyes' have patch_inputs = 588, which are no whole number of "
                        "values for each of 16 x 16 pixels"));
  EXPECT_THAT(complaints_of("patch = 14\ntile = 70\n"),
              HasSubstr("a tile has 25 patches and 'eyes' positions for 17; give a smaller "
                        "images.tile, or name an encoder of larger images"));
}

TEST(Encoders, HaveTheKeysOfTilesOrOfWholeImages) {
  EXPECT_THAT(complaints_of("patch = 14\nmost_tiles = 4\noverview = true\n"),
              HasSubstr("is of images cut into tiles; give the pixels of their side as tile"));
  EXPECT_THAT(complaints_of("patch = 14\ntile = 56\nmost_tokens = 64\n"),
              HasSubstr("is of images that are encoded whole, and tiles have all one size"));
  EXPECT_THAT(complaints_of("patch = 14\nleast_tokens = 64\nmost_tokens = 32\n"),
              HasSubstr("64 are more than most_tokens = 32"));
}

TEST(Encoders, MayBeOfAnotherFolder) {
  const scalesweep::test::TemporaryFolder first;
  const scalesweep::test::TemporaryFolder second;
  test::write(first / "a.toml", with(example_text, before_eyes, eyes + before_eyes));
  test::write(second / "b.toml",
              "schema = 1\n[sources]\nown = \"mine\"\n[model.mine]\nsource = \"own\"\n"
              "kind = \"assumed\"\nfamily = \"llama\"\nhidden = 64\nlayers = 2\nheads = 8\n"
              "ffn = 256\nvocab = 1000\nmax_positions = 128\nencoder = \"eyes\"\n"
              "[model.mine.images]\npatch = 14\n");
  Diagnostics diagnostics;
  const auto catalog = Catalog::load(Places{first.path(), {second.path()}}, diagnostics);
  ASSERT_TRUE(catalog) << diagnostics.text();
  EXPECT_TRUE(catalog->model("mine").encoder.on());
}

TEST(Encoders, AreTakenOutWithTheirModels) {
  const Catalog catalog = load_text(seeing("encoder = \"eyes\"\n", "patch = 14\n"));
  const auto text_of = [&](const char* name) { return catalog.entry(Section::models, name)->text; };
  Diagnostics diagnostics;
  const auto both =
      Catalog::of_entries("study", text_of("tiny") + "\n" + text_of("eyes"), diagnostics);
  ASSERT_TRUE(both) << diagnostics.text();
  EXPECT_EQ(both->model("tiny"), catalog.model("tiny"));
  EXPECT_FALSE(Catalog::of_entries("study", text_of("tiny"), diagnostics));
  EXPECT_THAT(diagnostics.text(), HasSubstr("no entry 'eyes' among models"));
}

// `audio`: the table of a model whose encoder has 250 positions.
std::string hearing(const std::string& audio, const std::string& images = "") {
  const std::string ears = with(eyes, "max_positions = 17\n", "max_positions = 250\n");
  std::string text = seeing("encoder = \"eyes\"\n", images, ears);
  return text + "[model.tiny.audio]\n" + audio;
}

TEST(Encoders, OfAudioTakeClips) {
  const std::string clip = "clip = \"10 s\"\nvectors_per_second = 25\npooled = 2\n";
  const Catalog catalog = load_text(hearing(clip));
  const workload::Encoder& encoder = catalog.model("tiny").encoder;
  EXPECT_EQ(encoder.audio, (workload::AudioClips{10.0, 25.0, 2, 1}));
  EXPECT_TRUE(encoder.on());
  EXPECT_THAT(complaints(hearing("clip = \"10 s\"\nvectors_per_second = 25.03\n")),
              HasSubstr("10 s are 250.3 vectors; give a clip of a whole number of them"));
  EXPECT_THAT(
      complaints(hearing("clip = \"100 s\"\nvectors_per_second = 25\n")),
      HasSubstr("a clip has 2500 vectors and 'eyes' positions for 250; give a shorter audio.clip"));
  EXPECT_THAT(
      complaints(hearing(clip, "patch = 14\n")),
      HasSubstr("a model has one encoder, and 'images' says what it reads; leave one of the "
                "two tables out"));
}

// 8.4 and 4.7 billion; 24.3 (arXiv:2507.13264, table 1).
TEST(HearingModels, HaveThePublishedParameters) {
  const Catalog& catalog = scalesweep::test::shipped_catalog();
  EXPECT_NEAR(catalog.model("whisper-large-v3-encoder").parameters() / 637e6, 1.0, 0.01);
  EXPECT_NEAR(catalog.model("qwen2-audio-7b").parameters() / 8.4e9, 1.0, 0.02);
  EXPECT_NEAR(catalog.model("voxtral-mini-3b").parameters() / 4.68e9, 1.0, 0.01);
  EXPECT_NEAR(catalog.model("voxtral-small-24b").parameters() / 24.3e9, 1.0, 0.01);
}

double tokens_of(const char* name, std::int64_t width, std::int64_t height) {
  workload::Encoder encoder = scalesweep::test::shipped_catalog().model(name).encoder;
  encoder.inputs = 1.0;
  encoder.width = width;
  encoder.height = height;
  return workload::encoded_input(encoder).tokens;
}

TEST(SeeingModels, MakeThePublishedTokensOfAnImage) {
  EXPECT_EQ(tokens_of("llava-7b", 640, 480), 256.0);
  EXPECT_EQ(tokens_of("llava-1.5-7b", 640, 480), 576.0);
  EXPECT_EQ(tokens_of("llava-next-7b", 672, 672), 2880.0);
  EXPECT_EQ(tokens_of("internvl2.5-8b", 448, 448), 256.0);
  EXPECT_EQ(tokens_of("internvl2.5-8b", 1344, 896), 7.0 * 256.0);
  EXPECT_EQ(tokens_of("qwen2-vl-7b", 224, 224), 64.0);
  EXPECT_EQ(tokens_of("pixtral-12b", 1024, 1024), 4096.0);
  EXPECT_EQ(tokens_of("paligemma-3b-896", 640, 480), 4096.0);
  EXPECT_EQ(tokens_of("llama-4-scout-with-images", 336, 336), 144.0);
}

TEST(SeeingModels, HaveTheWindowsOfTheirEncoders) {
  const workload::Encoder encoder =
      scalesweep::test::shipped_catalog().model("qwen2.5-vl-7b").encoder;
  EXPECT_EQ(encoder.model->local, (workload::LocalAttention{64, 28, true}));
  EXPECT_FALSE(encoder.model->causal);
}

}  // namespace
}  // namespace scalesweep::catalog

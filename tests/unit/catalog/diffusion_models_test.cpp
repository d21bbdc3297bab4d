// Models that make images or videos of noise: what an entry can say, what it cannot, and those that
// ship.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "example_catalog.hpp"
#include "support/shipped_catalog.hpp"
#include "workload/diffusion/diffusion.hpp"
#include "workload/framework.hpp"

namespace scalesweep::catalog {
namespace {

using test::complaints;
using test::example_text;
using test::load_text;
using testing::HasSubstr;
using testing::IsEmpty;
using workload::DiffusionLayer;

const std::string small = R"(
[diffusion_model.small]
source = "paper"
kind = "published"
separate_layers = 2
joint_layers = 3
hidden = 64
heads = 4
ffn = 256
text_tokens = 8
text_width = 32
channels = 4
decoder_flop = 1e6
decoder_elements = 1e4
decoder_channels = 128
decoder_parameters = 5e7
)";

const std::string stack = R"(
[framework.painter]
source = "paper"
kind = "published"

[framework.painter.diffusion]
issue_interval = "20 us"
fused_pointwise = true
)";

std::string text_with(const std::string& from = "", const std::string& to = "") {
  std::string entry = small;
  if (!from.empty()) {
    entry.replace(entry.find(from), from.size(), to);
  }
  return example_text + entry;
}

std::string complaints_of(const std::string& from, const std::string& to) {
  return complaints(text_with(from, to));
}

TEST(DiffusionModels, WhatIsNotSaidIsUsual) {
  const Catalog catalog = load_text(text_with());
  const workload::DiffusionModel& model = catalog.diffusion_model("small");
  EXPECT_EQ(model.name, "small");
  EXPECT_EQ(model.layers_of(DiffusionLayer::separate), 2);
  EXPECT_EQ(model.layers_of(DiffusionLayer::joint), 3);
  EXPECT_EQ(model.layers_of(DiffusionLayer::cross), 0);
  EXPECT_EQ(model.head_dim, 16);
  EXPECT_EQ(model.modulation_width, 0);
  EXPECT_EQ(model.encoder_parameters, 0.0);
  EXPECT_EQ(model.pixels, 8);
  EXPECT_EQ(model.frames, 1);
  EXPECT_EQ(model.patch, 2);
  EXPECT_EQ(model.patch_frames, 1);
  EXPECT_EQ(model.steps, 50);
  EXPECT_EQ(model.passes, 2);
  EXPECT_FALSE(model.gated_ffn || model.parallel_mlp || model.makes_video());
}

TEST(DiffusionModels, SayWhatIsWrong) {
  EXPECT_THAT(complaints(text_with()), IsEmpty());
  EXPECT_THAT(complaints_of("separate_layers = 2\njoint_layers = 3\n", ""),
              HasSubstr("it has no layer; give separate_layers, joint_layers or cross_layers"));
  EXPECT_THAT(complaints_of("joint_layers = 3\n", "parallel_mlp = true\n"),
              HasSubstr("is of joint layers, and there are none"));
  EXPECT_THAT(complaints_of("heads = 4\n", "heads = 5\n"),
              HasSubstr("5 heads do not divide hidden = 64; give head_dim"));
  EXPECT_THAT(complaints_of("heads = 4\n", "heads = 5\nhead_dim = 16\n"), IsEmpty());
  EXPECT_THAT(complaints_of("text_width = 32\n", ""), HasSubstr("needs text_width"));
  EXPECT_THAT(complaints_of("text_width = 32\n", "text_width = 32\nencoder_parameters = 1e9\n"),
              HasSubstr("needs encoder_width"));
  EXPECT_THAT(complaints_of("channels = 4\n", "channels = 4\npasses = 3\n"),
              HasSubstr("3 is more than 2, with text and without"));
  EXPECT_THAT(complaints_of("channels = 4\n", "channels = 4\nsteps = 0\n"),
              HasSubstr("0 is too small; it must be at least 1"));
  EXPECT_THAT(complaints_of("decoder_flop = 1e6\n", ""), HasSubstr("missing key 'decoder_flop'"));
}

TEST(DiffusionModels, FrameworksSayHowTheyRunThem) {
  const Catalog catalog = load_text(example_text + stack);
  const workload::Framework& painter = catalog.framework("painter");
  EXPECT_TRUE(painter.diffuses);
  EXPECT_FALSE(painter.trains || painter.serves || painter.recommends);
  EXPECT_DOUBLE_EQ(painter.diffusion.issue_interval_s, 20e-6);
  EXPECT_TRUE(painter.diffusion.fused_pointwise);
  EXPECT_EQ(painter.diffusion.attention_share, 1.0);
  EXPECT_EQ(painter.diffusion.convolution_share, 0.25);
}

struct Published {
  const char* name;
  double parameters;
};

// Of the transformers, as their papers and pages state them.
TEST(DiffusionModels, ShippedOnesAreOfTheirPublishedSize) {
  constexpr std::array<Published, 10> published = {{{"dit-xl-2", 675e6},
                                                    {"pixart-sigma-xl", 0.6e9},
                                                    {"sd3-medium", 2.0e9},
                                                    {"sd3-8b", 8.1e9},
                                                    {"flux-1-dev", 11.9e9},
                                                    {"cogvideox-2b", 1.7e9},
                                                    {"cogvideox-5b", 5.6e9},
                                                    {"hunyuan-video", 13e9},
                                                    {"wan-2.1-t2v-1.3b", 1.4e9},
                                                    {"wan-2.1-t2v-14b", 14.3e9}}};
  const Catalog& shipped = scalesweep::test::shipped_catalog();
  for (const Published& one : published) {
    const workload::DiffusionModel& model = shipped.diffusion_model(one.name);
    EXPECT_NEAR(model.parameters() / one.parameters, 1.0, 0.05) << one.name;
    EXPECT_GT(model.all_parameters(), model.parameters()) << one.name;
  }
  EXPECT_TRUE(shipped.diffusion_model("cogvideox-1.5-5b").makes_video());
  EXPECT_FALSE(shipped.diffusion_model("flux-dev").makes_video());
}

TEST(DiffusionModels, ShippedFrameworksRunThem) {
  const Catalog& shipped = scalesweep::test::shipped_catalog();
  for (const char* name : {"diffusers", "diffusers-compiled", "xdit"}) {
    EXPECT_TRUE(shipped.framework(name).diffuses) << name;
    EXPECT_FALSE(shipped.framework(name).trains) << name;
  }
  EXPECT_FALSE(shipped.framework("megatron-lm").diffuses);
  // Launched as the eager framework launches.
  EXPECT_EQ(shipped.framework("diffusers").diffusion.issue_interval_s,
            shipped.framework("eager").training.issue_interval_s);
}

}  // namespace
}  // namespace scalesweep::catalog

// Models: what an entry can say, what it cannot, and the sizes of those that ship.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example_catalog.hpp"
#include "support/shipped_catalog.hpp"
#include "workload/feed_forward/expert_load.hpp"

namespace scalesweep::catalog {
namespace {

using test::complaints;
using test::example_text;
using test::load_text;
using test::with;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string end_of_tiny = "max_positions = 128\n";

workload::TransformerModel tiny_with(const std::string& keys) {
  return load_text(with(example_text, end_of_tiny, end_of_tiny + keys)).model("tiny");
}

std::string complaints_about(const std::string& keys) {
  return complaints(with(example_text, end_of_tiny, end_of_tiny + keys));
}

TEST(Models, FamiliesSetWhatTheirMembersShare) {
  const auto family = [](const std::string& name) {
    return load_text(with(example_text, "\"llama\"", "\"" + name + "\"")).model("tiny");
  };
  EXPECT_TRUE(family("llama").gated_ffn);
  EXPECT_TRUE(family("gpt").learned_positions);
  EXPECT_TRUE(family("gpt").causal);
  EXPECT_FALSE(family("plain").gated_ffn);
  EXPECT_FALSE(family("plain").biases);
  EXPECT_FALSE(family("plain").learned_positions);
  EXPECT_FALSE(family("encoder").causal);
  EXPECT_TRUE(family("encoder").tied_embeddings);
}

TEST(Models, TraitsOverrideTheFamily) {
  const workload::TransformerModel model = tiny_with(R"(qkv_biases = true
causal = false
parallel_blocks = true
rotary_share = 0.25
patch_inputs = 768
prediction_layers = 1
)");
  EXPECT_TRUE(model.qkv_biases);
  EXPECT_FALSE(model.causal);
  EXPECT_TRUE(model.parallel_blocks);
  EXPECT_EQ(model.rotary_share, 0.25);
  EXPECT_EQ(model.patch_inputs, 768);
  EXPECT_EQ(model.prediction_layers, 1);
}

TEST(Models, ExpertsAndLatentAttentionAreTables) {
  const workload::TransformerModel model = tiny_with(R"(
[model.tiny.latent]
query_rank = 48
kv_rank = 16
rope_dim = 4
nope_dim = 8
value_dim = 6

[model.tiny.experts]
count = 16
top_k = 3
ffn = 32
shared_ffn = 64
dense_layers = 1
every = 1
groups = 4
node_limit = 2
capacity = 1.25
imbalance = 1.5
)");
  EXPECT_EQ(model.latent, (workload::LatentAttention{48, 16, 4, 8, 6}));
  EXPECT_EQ(model.experts, (workload::Experts{16, 3, 32, 64, 1, 1, 4, 2, 1.25, false, 1.5}));
  EXPECT_EQ(model.expert_layers(), 1);
}

TEST(Models, MayHaveASkewOfTheirExperts) {
  const auto skew_of = [](const std::string& line) {
    return tiny_with("\n[model.tiny.experts]\ncount = 4\ntop_k = 2\nffn = 32\n" + line)
        .experts.skew;
  };
  EXPECT_EQ(skew_of("skew = 0.3\n"), 0.3);
  EXPECT_EQ(skew_of("skew = 0\n"), 0.0);
  EXPECT_EQ(skew_of(""), std::nullopt);
}

TEST(Models, MayHaveASkewOfRequestsAlone) {
  const auto experts_of = [](const std::string& line) {
    return tiny_with("\n[model.tiny.experts]\ncount = 4\ntop_k = 2\nffn = 32\n" + line).experts;
  };
  EXPECT_EQ(experts_of("request_skew = 0.7\n").request_skew, 0.7);
  EXPECT_EQ(experts_of("request_skew = 0.7\nimbalance = 1.1\n").imbalance, 1.1);
  EXPECT_EQ(experts_of("").request_skew, std::nullopt);
  const auto of_many = [](const std::string& line) {
    return tiny_with("\n[model.tiny.experts]\ncount = 32\ntop_k = 2\nffn = 32\n" + line)
        .experts.request_skew;
  };
  EXPECT_EQ(of_many(""), workload::usual_request_skew(32));
  EXPECT_EQ(of_many("skew = 0.2\n"), std::nullopt);
}

TEST(Models, LatentAttentionNeedsNoHeadsThatDivide) {
  const std::string latent =
      "\n[model.tiny.latent]\nkv_rank = 16\nrope_dim = 4\nnope_dim = 8\n"
      "value_dim = 8\n";
  std::string text = with(example_text, end_of_tiny, end_of_tiny + latent);
  text = with(text, "hidden = 64", "hidden = 60");
  EXPECT_THAT(complaints(text), IsEmpty());
  EXPECT_EQ(load_text(text).model("tiny").latent.query_rank, 0);
}

TEST(Models, MistakesAreToldWithTheWayOut) {
  EXPECT_THAT(complaints_about("rotary_share = 1.5\n"),
              HasSubstr("1.5 is not a fraction; it must be at least 0 and at most 1"));
  EXPECT_THAT(complaints_about("[model.tiny.experts]\ncount = 4\ntop_k = 5\nffn = 32\n"),
              HasSubstr("a token cannot go to 5 of 4 experts"));
  EXPECT_THAT(
      complaints_about("[model.tiny.experts]\ncount = 4\ntop_k = 2\nffn = 32\ndense_layers = 2\n"),
      HasSubstr("2 of 2 layers leave none with experts; it must be less"));
  EXPECT_THAT(
      complaints_about("[model.tiny.experts]\ncount = 4\ntop_k = 2\nffn = 32\nimbalance = 0.5\n"),
      HasSubstr("the busiest device cannot have less than the mean; it must be at least 1"));
  EXPECT_THAT(complaints_about("[model.tiny.experts]\ncount = 4\ntop_k = 2\nffn = 32\n"
                               "imbalance = 1.1\nskew = 0.3\n"),
              HasSubstr("the busiest device is either measured, as imbalance, or follows from a "
                        "skew; leave one of both out"));
  EXPECT_THAT(complaints_about("[model.tiny.experts]\ncount = 4\ntop_k = 2\nffn = 32\n"
                               "skew = 0.3\nrequest_skew = 0.7\n"),
              HasSubstr("'skew' holds for requests as well; leave one of both out"));
  EXPECT_THAT(complaints_about("[model.tiny.experts]\ncount = 4\ntop_k = 2\n"),
              HasSubstr("missing key 'ffn' in [model.tiny.experts]"));
  EXPECT_THAT(complaints_about("[model.tiny.latent]\nkv_rank = 4\nrope_dim = 0\nnope_dim = 8\n"
                               "value_dim = 8\n"),
              HasSubstr("0 is too small; it must be at least 1"));
}

TEST(Models, AnEntryWithADotInItsNameKeepsItsTables) {
  const std::string entry = R"([model."tiny-1.5"]
source = "paper"
kind = "published"
family = "llama"
hidden = 64
layers = 2
heads = 8
ffn = 256
vocab = 1000
max_positions = 128

[model."tiny-1.5".experts]
count = 4
top_k = 2
ffn = 32
)";
  const Catalog catalog = load_text(with(example_text, "[model.tiny]", entry + "\n[model.tiny]"));
  EXPECT_EQ(catalog.entry(Section::models, "tiny-1.5")->text, entry);
}

// The example has two layers; a model of so many more.
std::string tiny_of(int layers, const std::string& attention) {
  const std::string text =
      with(example_text, end_of_tiny, end_of_tiny + "[model.tiny.attention]\n" + attention);
  return with(text, "layers = 2\n", "layers = " + std::to_string(layers) + "\n");
}

TEST(Models, LayersMayAttendToAWindow) {
  const auto local = [](int layers, const std::string& keys) {
    return load_text(tiny_of(layers, "window = 64\n" + keys)).model("tiny").local;
  };
  EXPECT_FALSE(tiny_with("").local.on());
  EXPECT_EQ(local(2, ""), (workload::LocalAttention{64, 2, false}));
  EXPECT_EQ(local(2, "chunked = true\n"), (workload::LocalAttention{64, 2, true}));
  EXPECT_EQ(local(36, "pattern = \"1 window, 1 whole\"\n").layers, 18);
  EXPECT_EQ(local(62, "pattern = \"5 window, 1 whole\"\nrest = \"2 window\"\n").layers, 52);
  EXPECT_EQ(local(5, "pattern = \"1 whole,2 window\"\nrest = \"1 whole, 1 window\"\n").layers, 3);
}

TEST(Models, APatternFillsTheLayers) {
  const auto about = [](int layers, const std::string& keys) {
    return complaints(tiny_of(layers, "window = 64\n" + keys));
  };
  EXPECT_THAT(about(62, "pattern = \"5 window, 1 whole\"\n"),
              AllOf(HasSubstr("93:11: error: "),
                    HasSubstr("6 layers, 10 times, leave 2 of 62; name the last 2 as rest, as in "
                              "\"2 window\", or give a pattern that fills them")));
  EXPECT_THAT(about(2, "pattern = \"2 window, 1 whole\"\n"),
              HasSubstr("3 layers, with 0 of rest, are more than the model has, 2; give a shorter "
                        "pattern"));
  EXPECT_THAT(about(4, "rest = \"4 window\"\n"),
              HasSubstr("1 layers, with 4 of rest, are more than the model has, 4"));
  EXPECT_THAT(about(2, "pattern = \"2 wide\"\n"),
              HasSubstr("'2 wide' is no run of layers; give their number and what they attend to, "
                        "window or whole, as in \"5 window, 1 whole\""));
  EXPECT_THAT(about(2, "pattern = \"0 window\"\n"), HasSubstr("'0 window' is no run of layers"));
  EXPECT_THAT(about(2, "pattern = \"\"\n"), HasSubstr("it names no layer; give a run of them"));
  EXPECT_THAT(about(2, "pattern = \"1 whole\"\n"),
              HasSubstr("no layer has a window; name one, or leave the table out"));
  EXPECT_THAT(complaints(tiny_of(2, "pattern = \"1 window\"\n")),
              HasSubstr("missing key 'window' in [model.tiny.attention]"));
  EXPECT_THAT(complaints(tiny_of(2, "window = 0\n")), HasSubstr("it must be at least 1"));
}

struct Published {
  const char* name;
  double billions;
  double tolerance;
};

// Without a printed name of its own gtest shows the bytes of a parameter.
void PrintTo(const Published& published, std::ostream* out) {
  *out << published.name;
}

class PublishedSize : public testing::TestWithParam<Published> {};

TEST_P(PublishedSize, IsThatOfTheEntry) {
  const auto& [name, billions, tolerance] = GetParam();
  const double parameters = scalesweep::test::shipped_catalog().model(name).parameters() / 1e9;
  EXPECT_NEAR(parameters / billions, 1.0, tolerance) << parameters;
}

// As model cards and papers state them; within 0.2 % where they give three digits or more.
INSTANTIATE_TEST_SUITE_P(
    Shipped, PublishedSize,
    testing::Values(
        Published{"mixtral-8x7b", 46.7, 0.002}, Published{"mixtral-8x22b", 140.6, 0.002},
        Published{"deepseek-v2", 236.0, 0.002}, Published{"deepseek-v3", 671.0, 0.002},
        Published{"qwen2.5-72b", 72.7, 0.002}, Published{"qwen2.5-7b", 7.62, 0.002},
        Published{"qwen3-235b-a22b", 235.0, 0.002}, Published{"qwen3-30b-a3b", 30.5, 0.002},
        Published{"gpt-j-6b", 6.05, 0.002}, Published{"opt-13b", 13.0, 0.015},
        Published{"opt-6.7b", 6.7, 0.015},
        Published{"opt-350m", 0.331, 0.08},  // its table of words is narrower
        Published{"qwen2.5-1.5b", 1.54, 0.005}, Published{"code-llama-34b", 33.7, 0.005},
        Published{"opt-30b", 30.0, 0.015}, Published{"opt-66b", 66.0, 0.015},
        Published{"palm-540b", 540.35, 0.002}, Published{"bloom-176b", 176.25, 0.002},
        Published{"nemotron-4-340b", 341.0, 0.002}, Published{"mpt-7b", 6.65, 0.002},
        Published{"mpt-30b", 29.96, 0.002}, Published{"falcon-180b", 180.0, 0.01},
        Published{"internlm-20b", 20.1, 0.002}, Published{"mistral-7b", 7.24, 0.002},
        Published{"llama-65b", 65.2, 0.002}, Published{"gpt-1.3b", 1.3, 0.02},
        Published{"gpt-350m", 0.35, 0.02}, Published{"gpt-13b", 13.0, 0.015},
        Published{"gpt-5b", 5.0, 0.08}, Published{"gpt-6.7b", 6.7, 0.015},
        Published{"gpt-20b", 20.0, 0.02}, Published{"gpt-89b", 89.0, 0.02},
        Published{"gpt-175b", 175.0, 0.01}, Published{"gpt-310b", 310.0, 0.01},
        Published{"gpt-530b", 530.0, 0.01}, Published{"llama-2-7b", 6.74, 0.002},
        Published{"llama-2-13b", 13.02, 0.002}, Published{"llama-2-70b", 68.98, 0.002},
        Published{"llama-3-70b", 70.55, 0.002}, Published{"qwen-72b", 72.3, 0.002},
        Published{"bert-base", 0.11, 0.02}, Published{"bert-large", 0.335, 0.01},
        Published{"vit-b-16", 0.0866, 0.002}, Published{"vit-l-16", 0.3043, 0.002},
        Published{"vit-h-14", 0.632, 0.002}, Published{"gpt-oss-20b", 20.91, 0.002},
        Published{"gpt-oss-120b", 116.83, 0.002},
        Published{"llama-4-scout", 109.0, 0.02},  // images counted, 0.9 of them
        Published{"llama-4-maverick", 400.0, 0.005}, Published{"gemma-2-9b", 9.242, 0.002},
        Published{"gemma-2-27b", 27.227, 0.002}, Published{"gemma-3-12b", 11.771, 0.002},
        Published{"gemma-3-27b", 27.016, 0.002}, Published{"qwen3-coder-480b-a35b", 480.0, 0.002},
        Published{"kimi-k2", 1040.0, 0.015},
        Published{"glm-4.5", 355.0, 0.01},  // its prediction module counted, no tables
        Published{"glm-4.5-air", 106.0, 0.01}, Published{"minimax-m2", 230.0, 0.01},
        Published{"grok-1", 314.0, 0.01}, Published{"dbrx", 132.0, 0.005},
        Published{"phi-4", 14.7, 0.004}, Published{"mistral-large-2", 123.0, 0.005}));

// As model cards and papers state them, encoder and projector counted.
INSTANTIATE_TEST_SUITE_P(
    ShippedWithEncoders, PublishedSize,
    testing::Values(
        Published{"clip-vit-l-14-336", 0.3035, 0.002},
        Published{"internvit-300m-448", 0.304, 0.002}, Published{"internvit-6b-448", 5.54, 0.002},
        Published{"pixtral-vit", 0.4, 0.01}, Published{"llava-1.5-7b", 7.06, 0.002},
        Published{"llava-1.5-13b", 13.35, 0.002}, Published{"llava-next-34b", 34.75, 0.002},
        Published{"internvl2.5-8b", 8.08, 0.002}, Published{"internvl2.5-26b", 25.5, 0.002},
        Published{"internvl2.5-78b", 78.4, 0.002}, Published{"qwen2-vl-7b", 8.29, 0.002},
        Published{"qwen2-vl-72b", 73.4, 0.002}, Published{"qwen2.5-vl-3b", 3.75, 0.002},
        Published{"qwen2.5-vl-7b", 8.29, 0.002}, Published{"qwen2.5-vl-32b", 33.5, 0.002},
        Published{"qwen2.5-vl-72b", 73.4, 0.002}, Published{"pixtral-12b", 12.7, 0.003},
        Published{"paligemma-3b-224", 2.92, 0.002},
        Published{"llama-4-scout-with-images", 109.0, 0.005}));

TEST(ShippedModels, ActivateWhatIsPublished) {
  const Catalog& catalog = scalesweep::test::shipped_catalog();
  EXPECT_NEAR(catalog.model("mixtral-8x7b").active_parameters() / 12.9e9, 1.0, 0.005);
  EXPECT_NEAR(catalog.model("mixtral-8x22b").active_parameters() / 39e9, 1.0, 0.01);
  EXPECT_NEAR(catalog.model("deepseek-v2").active_parameters() / 21e9, 1.0, 0.02);
  EXPECT_NEAR(catalog.model("deepseek-v3").active_parameters() / 37e9, 1.0, 0.02);
  EXPECT_NEAR(catalog.model("qwen3-235b-a22b").active_parameters() / 22e9, 1.0, 0.01);
  // 11.5 of its own beside the shared table and head (published weights of the module).
  EXPECT_NEAR(catalog.model("deepseek-v3").prediction_parameters() / 11.5e9, 1.0, 0.01);
}

// `tables` of the two of the vocabulary are in the published number.
void expect_active(const char* name, double billions, double tables, double tolerance) {
  const auto model = scalesweep::test::shipped_catalog().model(name);
  const double active = model.active_parameters() - (2.0 - tables) * model.head_parameters();
  EXPECT_NEAR(active / 1e9 / billions, 1.0, tolerance) << name << " " << active;
}

TEST(ShippedModels, OfTheirSuccessorsActivateWhatIsPublished) {
  expect_active("gpt-oss-20b", 3.61, 1, 0.005);
  expect_active("gpt-oss-120b", 5.13, 1, 0.005);
  expect_active("llama-4-scout", 17.0, 2, 0.015);
  expect_active("llama-4-maverick", 17.0, 2, 0.015);
  expect_active("kimi-k2", 32.6, 2, 0.01);
  expect_active("glm-4.5", 32.0, 0, 0.01);
  expect_active("glm-4.5-air", 12.0, 0, 0.02);
  expect_active("dbrx", 36.0, 2, 0.02);
  expect_active("qwen3-coder-480b-a35b", 35.0, 2, 0.02);
  expect_active("minimax-m2", 10.0, 0, 0.02);
}

TEST(ShippedModels, HaveTheWindowsThatArePublished) {
  const Catalog& catalog = scalesweep::test::shipped_catalog();
  const auto local = [&](const char* name) { return catalog.model(name).local; };
  EXPECT_EQ(local("mistral-7b"), (workload::LocalAttention{4096, 32, false}));
  EXPECT_EQ(local("gpt-oss-20b"), (workload::LocalAttention{128, 12, false}));
  EXPECT_EQ(local("gpt-oss-120b"), (workload::LocalAttention{128, 18, false}));
  EXPECT_EQ(local("llama-4-maverick"), (workload::LocalAttention{8192, 36, true}));
  EXPECT_EQ(local("gemma-2-27b"), (workload::LocalAttention{4096, 23, false}));
  EXPECT_EQ(local("gemma-3-27b"), (workload::LocalAttention{1024, 52, false}));
  EXPECT_FALSE(local("mixtral-8x7b").on());
  EXPECT_FALSE(local("llama-2-7b").on());
}

TEST(ShippedModels, AreFoundByTheNamesOfCases) {
  const Catalog& catalog = scalesweep::test::shipped_catalog();
  for (const char* name :
       {"deepseek-v2", "deepseek-v3",  "falcon-180b", "gpt-1.3b",      "gpt-13b",
        "gpt-175b",    "gpt-1t",       "gpt-20b",     "gpt-22b",       "gpt-310b",
        "gpt-350m",    "gpt-530b",     "gpt-5b",      "gpt-6.7b",      "gpt-89b",
        "gpt-j-6b",    "internlm-20b", "llama-13b",   "llama-2-13b",   "llama-2-70b",
        "llama-2-7b",  "llama-3-405b", "llama-3-70b", "llama-3-8b",    "llama-3.3-70b",
        "llama-65b",   "llama-7b",     "mistral-7b",  "mixtral-8x22b", "mixtral-8x7b",
        "mpt-13b",     "mpt-30b",      "mpt-70b",     "mpt-7b",        "nemotron-340b",
        "opt-13b",     "opt-30b",      "opt-66b",     "qwen-72b",      "qwen2.5-72b",
        "deepseek-r1", "deepseek-v3.1"}) {
    EXPECT_TRUE(catalog.canonical(Section::models, name)) << name;
  }
}

}  // namespace
}  // namespace scalesweep::catalog

// Layers with a state, indexers and layers without an MLP: in entries of the catalog, in published
// configs, every mistake in either, and the models that ship.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/import/import_model.hpp"
#include "example_catalog.hpp"
#include "imported_model.hpp"
#include "support/shipped_catalog.hpp"

namespace scalesweep::catalog {
namespace {

using test::example_text;
using test::import_complaints;
using test::imported;
using test::load_text;
using test::with;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using workload::LinearAttention;
using workload::TransformerModel;

const std::string end_of_tiny = "max_positions = 128\n";
const std::string described = R"([model.tiny.linear]
heads = 8
key_heads = 4
key_dim = 16
value_dim = 32
)";

// The example has two layers; a model of so many more, with keys and tables behind its own.
std::string tiny_of(int layers, const std::string& keys) {
  const std::string text = with(example_text, end_of_tiny, end_of_tiny + keys);
  return with(text, "layers = 2\n", "layers = " + std::to_string(layers) + "\n");
}
TransformerModel tiny(int layers, const std::string& keys) {
  return load_text(tiny_of(layers, keys)).model("tiny");
}
std::string about(int layers, const std::string& keys) {
  return test::complaints(tiny_of(layers, keys));
}
std::string pattern(const std::string& runs, const std::string& more = "") {
  return "[model.tiny.attention]\npattern = \"" + runs + "\"\n" + more;
}

TEST(LinearModels, APatternNamesTheLayersWithAState) {
  const TransformerModel model = tiny(8, pattern("3 linear, 1 whole") + described);
  EXPECT_EQ(
      model.linear,
      (LinearAttention{.layers = 6, .heads = 8, .key_heads = 4, .key_dim = 16, .value_dim = 32}));
  EXPECT_FALSE(model.local.on());
  const TransformerModel all = tiny(2, pattern("1 linear") + R"([model.tiny.linear]
heads = 64
key_dim = 16
value_dim = 1
convolution = 4
gates = 1
gate_rank = 8
chunk = 64
delta_rule = true
)");
  EXPECT_EQ(all.linear, (LinearAttention{2, 64, 64, 16, 1, 4, 1, 8, 64, true}));
  const TransformerModel mixed =
      tiny(6, pattern("1 window, 1 linear, 1 whole", "window = 64\n") + described);
  EXPECT_EQ(mixed.local, (workload::LocalAttention{64, 2, false}));
  EXPECT_EQ(mixed.linear.layers, 2);
}

TEST(LinearModels, MistakesAreToldWithTheWayOut) {
  EXPECT_THAT(about(8, pattern("3 linear, 1 whole")),
              AllOf(HasSubstr(":1: error: "),
                    HasSubstr("6 layers are linear, and nothing says what they are; give the table "
                              "'linear' with heads, key_dim and value_dim, or name them window or "
                              "whole")));
  EXPECT_THAT(about(2, described),
              HasSubstr("no layer is linear; name some in attention.pattern, as in \"3 linear, 1 "
                        "whole\", or leave the table out"));
  EXPECT_THAT(about(6, pattern("3 linear, 1 whole") + described),
              HasSubstr("4 layers, 1 times, leave 2 of 6; name the last 2 as rest"));
  EXPECT_THAT(about(2, pattern("1 linear") + "[model.tiny.linear]\nheads = 8\nkey_dim = 16\n"),
              HasSubstr("missing key 'value_dim' in [model.tiny.linear]"));
  EXPECT_THAT(about(2, pattern("1 linear") + with(described, "key_heads = 4", "key_heads = 3")),
              HasSubstr("key_heads = 3 must divide heads = 8"));
  EXPECT_THAT(about(2, pattern("1 linear") + described + "gate_rank = 4\n"),
              HasSubstr("nothing comes out of it; give the number of gates of a head as gates"));
  EXPECT_THAT(about(2, "causal = false\n" + pattern("1 linear") + described),
              HasSubstr("a linear layer passes on what came before, and an encoder sees both ways; "
                        "set causal = true, or name its layers whole"));
  EXPECT_THAT(about(2, pattern("1 linear", "window = 64\n") + described),
              HasSubstr("no layer has a window; name one"));
  EXPECT_THAT(about(2, pattern("1 window, 1 linear") + described),
              HasSubstr("missing key 'window' in [model.tiny.attention]"));
  EXPECT_THAT(about(2, pattern("2 states")),
              HasSubstr("or linear where they have a state, as in \"3 linear, 1 whole\""));
}

TEST(SparseModels, ChooseAmongAllTokens) {
  const std::string index = "[model.tiny.sparse]\nindex_heads = 4\nindex_dim = 16\ntop_k = 32\n";
  EXPECT_EQ(tiny(2, index).sparse, (workload::SparseAttention{4, 16, 32}));
  EXPECT_THAT(about(2, "[model.tiny.attention]\nwindow = 64\n" + index),
              HasSubstr("2 layers attend to a window, and an indexer chooses among all tokens; "
                        "leave out the window or the table 'sparse'"));
  EXPECT_THAT(about(2, pattern("1 linear") + described + index),
              HasSubstr("no layer attends to tokens that could be chosen; name some whole"));
  EXPECT_THAT(about(2, "[model.tiny.sparse]\nindex_heads = 4\nindex_dim = 16\n"),
              HasSubstr("missing key 'top_k' in [model.tiny.sparse]"));
}

TEST(BareModels, HaveFewerMlpsThanMixers) {
  EXPECT_EQ(tiny(2, "layers_without_mlp = 1\n").bare_layers, 1);
  EXPECT_THAT(about(2, "layers_without_mlp = 2\n"), IsEmpty());
  EXPECT_THAT(about(2, "layers_without_mlp = 3\n"),
              HasSubstr("3 layers without an MLP are more than those without experts, 2; give at "
                        "most these"));
  EXPECT_TRUE(tiny(2, "gated_attention = true\n").gated_attention);
}

std::string config(const std::string& type, std::int64_t hidden, std::int64_t layers,
                   std::int64_t heads, std::int64_t kv_heads, std::int64_t ffn, std::int64_t vocab,
                   const std::string& rest) {
  return "{\"model_type\": \"" + type + "\", \"hidden_size\": " + std::to_string(hidden) +
         ", \"num_hidden_layers\": " + std::to_string(layers) +
         ", \"num_attention_heads\": " + std::to_string(heads) +
         ", \"num_key_value_heads\": " + std::to_string(kv_heads) +
         ", \"intermediate_size\": " + std::to_string(ffn) +
         ", \"vocab_size\": " + std::to_string(vocab) + ", \"max_position_embeddings\": 262144, " +
         rest + "}";
}

// What a config makes is the entry that ships, but for its name.
void expect_shipped(const std::string& config, const std::string& name) {
  TransformerModel shipped = scalesweep::test::shipped_catalog().model(name);
  TransformerModel model = imported(config);
  model.name = shipped.name;
  model.max_positions = shipped.max_positions;
  EXPECT_EQ(model, shipped) << name;
}

const std::string qwen3_next =
    config("qwen3_next", 2048, 48, 16, 2, 5120, 151936,
           R"("head_dim": 256, "partial_rotary_factor": 0.25, "full_attention_interval": 4,
       "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_num_key_heads": 16,
       "linear_num_value_heads": 32, "linear_value_head_dim": 128, "decoder_sparse_step": 1,
       "moe_intermediate_size": 512, "shared_expert_intermediate_size": 512, "num_experts": 512,
       "num_experts_per_tok": 10, "mlp_only_layers": [])");

TEST(ImportLinear, MakesWhatShips) {
  expect_shipped(qwen3_next, "qwen3-next-80b-a3b");
  std::string types;
  for (int layer = 0; layer < 80; ++layer) {
    types += std::string(layer > 0 ? ", " : "") + (layer % 8 == 7 ? "1" : "0");
  }
  const std::string lightning =
      R"("head_dim": 128, "rotary_dim": 64, "block_size": 256, "num_local_experts": 32,
         "num_experts_per_tok": 2, "attn_type_list": [)" +
      types + "]";
  expect_shipped(config("minimax_text_01", 6144, 80, 64, 8, 9216, 200064, lightning),
                 "minimax-text-01");
  expect_shipped(config("nemotron_h", 4096, 52, 32, 8, 21504, 131072,
                        R"("attention_head_dim": 128, "mamba_num_heads": 128, "n_groups": 8,
                           "ssm_state_size": 128, "mamba_head_dim": 64, "conv_kernel": 4,
                           "chunk_size": 128, "hybrid_override_pattern":
                           "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-")"),
                 "nemotron-h-8b");
  expect_shipped(config("jamba", 8192, 72, 64, 8, 24576, 65536,
                        R"("attn_layer_period": 8, "attn_layer_offset": 4,
                           "expert_layer_period": 2, "expert_layer_offset": 1, "num_experts": 16,
                           "num_experts_per_tok": 2, "mamba_d_state": 16, "mamba_d_conv": 4,
                           "mamba_expand": 2, "mamba_dt_rank": 512)"),
                 "jamba-1.5-large");
  expect_shipped(config("deepseek_v32", 7168, 61, 128, 128, 18432, 129280,
                        R"("q_lora_rank": 1536, "kv_lora_rank": 512, "qk_rope_head_dim": 64,
                           "qk_nope_head_dim": 128, "v_head_dim": 128, "n_routed_experts": 256,
                           "num_experts_per_tok": 8, "moe_intermediate_size": 2048,
                           "n_shared_experts": 1, "first_k_dense_replace": 3, "n_group": 8,
                           "topk_group": 4, "num_nextn_predict_layers": 1, "index_n_heads": 64,
                           "index_head_dim": 128, "index_topk": 2048)"),
                 "deepseek-v3.2");
}

TEST(ImportLinear, NamesLayersOneByOne) {
  const auto layers = [](const std::string& types) {
    return with(with(qwen3_next, "\"num_hidden_layers\": 48", "\"num_hidden_layers\": 3"),
                "\"full_attention_interval\": 4", "\"layer_types\": [" + types + "]");
  };
  const std::string two = "\"linear_attention\", \"linear_attention\"";
  EXPECT_EQ(imported(layers(two + ", \"full_attention\"")).linear.layers, 2);
  EXPECT_THAT(import_complaints(layers(two)),
              HasSubstr("names 2 layers, and num_hidden_layers is 3; both must be the same"));
  EXPECT_THAT(import_complaints(layers(two + ", \"mamba\"")),
              HasSubstr("layers of 'mamba' cannot be described beside those with a state; known "
                        "are full_attention and linear_attention"));
}

TEST(ImportLinear, TellsWhatIsMissingOrUnknown) {
  EXPECT_THAT(import_complaints(with(qwen3_next, "\"linear_key_head_dim\": 128, ", "")),
              HasSubstr("linear_key_head_dim"));
  const auto hybrid = [](const std::string& pattern, int layers) {
    return import_complaints(
        config("nemotron_h", 64, layers, 8, 8, 128, 1000,
               R"("mamba_num_heads": 4, "ssm_state_size": 16, "mamba_head_dim": 32,
                                "n_groups": 2, "hybrid_override_pattern": ")" +
                   pattern + "\""));
  };
  EXPECT_THAT(hybrid("M-*-", 4), IsEmpty());
  EXPECT_THAT(hybrid("M-*-", 5),
              HasSubstr("names 4 layers, and num_hidden_layers is 5; both must be the same"));
  EXPECT_THAT(hybrid("MEM*", 4), HasSubstr("'MEM*' has a layer that cannot be described; known are "
                                           "M (Mamba-2), * (attention) and - (MLP)"));
  EXPECT_THAT(hybrid("M---", 4), HasSubstr("3 MLPs are more than the 1 layers of M and * that they "
                                           "can stand behind; others cannot be described"));
}

struct Size {
  const char* name;
  double billions;
};

// As model cards and papers state them, most in three digits or fewer.
TEST(ShippedModels, WithStatesAndIndexersHaveThePublishedSize) {
  const Catalog& catalog = scalesweep::test::shipped_catalog();
  for (const auto& [name, billions] :
       {Size{"qwen3-next-80b-a3b", 80.0}, Size{"minimax-text-01", 456.0},
        Size{"nemotron-h-8b", 8.1}, Size{"nemotron-h-56b", 56.3}, Size{"jamba-1.5-large", 398.0},
        Size{"deepseek-v3.2", 671.0}}) {
    EXPECT_NEAR(catalog.model(name).parameters() / 1e9 / billions, 1.0, 0.02) << name;
  }
  const TransformerModel minimax = catalog.model("minimax-text-01");
  EXPECT_NEAR((minimax.active_parameters() - 2.0 * minimax.head_parameters()) / 45.9e9, 1.0, 0.01);
  EXPECT_NEAR(catalog.model("jamba-1.5-large").active_parameters() / 94e9, 1.0, 0.02);
}

}  // namespace
}  // namespace scalesweep::catalog

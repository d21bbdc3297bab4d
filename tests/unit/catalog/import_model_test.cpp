// config.json of Hugging Face: what becomes of each model_type, that the catalog loads what is
// written, and every mistake.
#include "catalog/import/import_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example_catalog.hpp"
#include "imported_model.hpp"

namespace scalesweep::catalog {
namespace {

using test::import_complaints;
using test::imported;
using test::load_text;
using test::with;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using workload::TransformerModel;

const std::string llama = R"({
  "model_type": "llama",
  "_name_or_path": "meta-llama/Llama-3-8B",
  "hidden_size": 4096,
  "num_hidden_layers": 32,
  "num_attention_heads": 32,
  "num_key_value_heads": 8,
  "intermediate_size": 14336,
  "vocab_size": 128256,
  "max_position_embeddings": 8192,
  "rope_theta": 500000.0
})";

// Keys of the usual names, in the braces of a config.
std::string config(const std::string& type, const std::string& rest, std::int64_t hidden,
                   std::int64_t layers, std::int64_t heads, std::int64_t ffn, std::int64_t vocab) {
  return "{\"model_type\": \"" + type + "\", \"hidden_size\": " + std::to_string(hidden) +
         ", \"num_hidden_layers\": " + std::to_string(layers) +
         ", \"num_attention_heads\": " + std::to_string(heads) +
         ", \"intermediate_size\": " + std::to_string(ffn) +
         ", \"vocab_size\": " + std::to_string(vocab) + ", \"max_position_embeddings\": 4096" +
         rest + "}";
}

double billions(const TransformerModel& model) {
  return model.parameters() / 1e9;
}

TEST(ImportModel, WindowsThatAreUsed) {
  const auto window = [](const std::string& type, const std::string& rest) {
    return imported(config(type, rest, 64, 2, 8, 128, 1000)).local.window;
  };
  EXPECT_EQ(window("mistral", ", \"sliding_window\": 1024"), 1024);
  EXPECT_EQ(window("mistral", ", \"sliding_window\": null"), 0);
  EXPECT_EQ(window("mistral", ""), 0);
  EXPECT_EQ(window("phi3", ", \"sliding_window\": 262144"), 0);  // wider than the context
  EXPECT_EQ(window("qwen2", ", \"sliding_window\": 1024"), 0);
  EXPECT_EQ(window("qwen2", ", \"sliding_window\": 1024, \"use_sliding_window\": true"), 1024);
}

TEST(ImportModel, LayersThatDifferInAttention) {
  const auto local = [](const std::string& type, const std::string& rest, int layers) {
    return imported(config(type, rest + ", \"num_local_experts\": 4, \"num_experts_per_tok\": 2",
                           64, layers, 8, 128, 1000))
        .local;
  };
  const std::string window = ", \"sliding_window\": 128";
  EXPECT_EQ(local("gpt_oss", window, 6), (workload::LocalAttention{128, 3, false}));
  EXPECT_EQ(local("gemma2", window, 6), (workload::LocalAttention{128, 3, false}));
  EXPECT_EQ(local("gemma3_text", window, 20), (workload::LocalAttention{128, 17, false}));
  EXPECT_EQ(local("gemma3_text", window + ", \"sliding_window_pattern\": 4", 20).layers, 15);
  const std::string named =
      ", \"layer_types\": [\"full_attention\", \"sliding_attention\", "
      "\"sliding_attention\"]";
  EXPECT_EQ(local("mistral", window + named, 3).layers, 2);
  const std::string chunk = ", \"attention_chunk_size\": 512";
  EXPECT_EQ(local("llama4_text", chunk, 8), (workload::LocalAttention{512, 6, true}));
  EXPECT_EQ(local("llama4_text", chunk + ", \"no_rope_layers\": [1, 0, 1]", 3).layers, 2);
  EXPECT_EQ(local("llama4_text", chunk + ", \"no_rope_layer_interval\": 2", 8).layers, 4);
  EXPECT_THAT(import_complaints(config("mistral", window + named, 64, 4, 8, 128, 1000)),
              HasSubstr("names 3 layers, and num_hidden_layers is 4; both must be the same"));
  EXPECT_THAT(
      import_complaints(config("mistral", window + ", \"layer_types\": [\"linear_attention\"]", 64,
                               1, 8, 128, 1000)),
      HasSubstr("layers of 'linear_attention' cannot be described; known are"));
  EXPECT_THAT(
      import_complaints(config("mistral", window + ", \"layer_types\": 3", 64, 1, 8, 128, 1000)),
      HasSubstr("'layer_types' must be a list of texts, one a layer, not 3"));
}

TEST(ImportModel, PatternsAreTheShortestOnes) {
  const auto pattern = [](const std::string& layers) {
    std::vector<LayerForm> forms;
    for (const char layer : layers) {
      forms.push_back(layer == 'w'   ? LayerForm::window
                      : layer == 'l' ? LayerForm::linear
                                     : LayerForm::whole);
    }
    const LayerPattern found = pattern_of(forms);
    return found.pattern + "; " + found.rest;
  };
  EXPECT_EQ(pattern("wwww"), "1 window; ");
  EXPECT_EQ(pattern("w-w-"), "1 window, 1 whole; ");
  EXPECT_EQ(pattern("www-www-ww"), "3 window, 1 whole; 2 window");
  EXPECT_EQ(pattern("-www"), "1 whole, 3 window; ");
  EXPECT_EQ(pattern("lll-lll-l"), "3 linear, 1 whole; 1 linear");
}

TEST(ImportModel, LlamaAndItsRelatives) {
  EXPECT_NEAR(billions(imported(llama)), 8.030, 0.001);
  const auto qwen2 =
      imported(config("qwen2", ", \"num_key_value_heads\": 8", 8192, 80, 64, 29568, 152064));
  EXPECT_TRUE(qwen2.qkv_biases);
  EXPECT_NEAR(billions(qwen2), 72.706, 0.001);
  const auto qwen3 = imported(config("qwen3", ", \"num_key_value_heads\": 8, \"head_dim\": 128",
                                     5120, 64, 64, 25600, 151936));
  EXPECT_EQ(qwen3.head_dim, 128);
  EXPECT_NEAR(billions(qwen3), 32.76, 0.01);
  const auto mistral = imported(config(
      "mistral", ", \"num_key_value_heads\": 8, \"head_dim\": null", 4096, 32, 32, 14336, 32000));
  EXPECT_NEAR(billions(mistral), 7.242, 0.001);
  const auto phi =
      imported(config("phi3", ", \"tie_word_embeddings\": true", 3072, 32, 32, 8192, 32064));
  EXPECT_TRUE(phi.tied_embeddings);
}

TEST(ImportModel, ModelsWithExperts) {
  const auto mixtral = imported(config("mixtral",
                                       ", \"num_key_value_heads\": 8, \"num_local_experts\": 8, "
                                       "\"num_experts_per_tok\": 2",
                                       4096, 32, 32, 14336, 32000));
  EXPECT_NEAR(billions(mixtral), 46.70, 0.01);
  const auto qwen3 = imported(
      config("qwen3_moe",
             ", \"num_key_value_heads\": 4, \"head_dim\": 128, \"num_experts\": 128, "
             "\"num_experts_per_tok\": 8, \"moe_intermediate_size\": 1536, \"mlp_only_layers\": []",
             4096, 94, 64, 12288, 151936));
  EXPECT_NEAR(billions(qwen3), 235.09, 0.01);
  const auto qwen2 = imported(
      config("qwen2_moe",
             ", \"num_key_value_heads\": 4, \"num_experts\": 64, \"num_experts_per_tok\": 8, "
             "\"moe_intermediate_size\": 2560, \"shared_expert_intermediate_size\": 20480, "
             "\"mlp_only_layers\": [1, 0], \"decoder_sparse_step\": 1",
             3584, 28, 28, 18944, 151936));
  EXPECT_EQ(qwen2.experts.shared_ffn, 20480);
  EXPECT_EQ(qwen2.experts.dense_layers, 2);
}

TEST(ImportModel, NewerModelsWithExperts) {
  const auto oss = imported(config("gpt_oss",
                                   ", \"num_key_value_heads\": 8, \"head_dim\": 64, "
                                   "\"num_local_experts\": 128, \"num_experts_per_tok\": 4, "
                                   "\"attention_bias\": true, \"sliding_window\": 128",
                                   2880, 36, 64, 2880, 201088));
  EXPECT_NEAR(billions(oss), 116.8, 0.1);
  EXPECT_TRUE(oss.qkv_biases);
  const auto maverick = imported(
      R"({"model_type": "llama4", "_name_or_path": "a/b", "text_config": )" +
      config("llama4_text",
             ", \"num_key_value_heads\": 8, \"head_dim\": 128, \"num_local_experts\": 128, "
             "\"num_experts_per_tok\": 1, \"intermediate_size_mlp\": 16384, "
             "\"interleave_moe_layer_step\": 2, \"attention_chunk_size\": 1024",
             5120, 48, 40, 8192, 202048) +
      "}");
  EXPECT_NEAR(billions(maverick), 400.7, 0.1);
  EXPECT_EQ(maverick.experts.every, 2);
  EXPECT_EQ(maverick.rotary_share, 0.75);  // layers that attend to all have no positions
  const auto glm = imported(
      config("glm4_moe",
             ", \"num_key_value_heads\": 8, \"head_dim\": 128, \"attention_bias\": true, "
             "\"n_routed_experts\": 160, \"num_experts_per_tok\": 8, \"n_shared_experts\": 1, "
             "\"moe_intermediate_size\": 1536, \"first_k_dense_replace\": 3, \"n_group\": 1, "
             "\"topk_group\": 1, \"num_nextn_predict_layers\": 1",
             5120, 92, 96, 12288, 151552));
  EXPECT_NEAR(billions(glm), 352.8, 0.1);
  EXPECT_EQ(glm.rotary_share, 0.5);
  EXPECT_EQ(glm.experts.node_limit, 0);
  const auto dbrx = imported(R"({"model_type": "dbrx", "d_model": 6144, "n_layers": 40,
    "n_heads": 48, "max_seq_len": 32768, "vocab_size": 100352, "attn_config": {"kv_n_heads": 8},
    "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4}})");
  EXPECT_NEAR(billions(dbrx), 131.6, 0.1);
  const auto grok = imported(config("grok-1",
                                    ", \"num_key_value_heads\": 8, \"num_experts\": 8, "
                                    "\"num_experts_per_tok\": 2",
                                    6144, 64, 48, 32768, 131072));
  EXPECT_NEAR(billions(grok), 315.7, 0.1);
  EXPECT_TRUE(grok.tied_embeddings);
  const auto minimax = imported(config("minimax_m2",
                                       ", \"num_key_value_heads\": 8, \"head_dim\": 128, "
                                       "\"num_local_experts\": 256, \"num_experts_per_tok\": 8, "
                                       "\"rotary_dim\": 64",
                                       3072, 62, 48, 1536, 200064));
  EXPECT_NEAR(billions(minimax), 228.7, 0.1);
  EXPECT_EQ(minimax.rotary_share, 0.5);
}

TEST(ImportModel, GemmaLeavesOutWhatIsUsual) {
  const auto gemma = imported(R"({"model_type": "gemma3", "text_config": {
    "model_type": "gemma3_text", "hidden_size": 5376, "num_hidden_layers": 62,
    "num_attention_heads": 32, "num_key_value_heads": 16, "head_dim": 128,
    "intermediate_size": 21504, "sliding_window": 1024}})");
  EXPECT_NEAR(billions(gemma), 27.0, 0.05);
  EXPECT_TRUE(gemma.tied_embeddings);
  EXPECT_EQ(gemma.local, (workload::LocalAttention{1024, 52, false}));
  const auto older = imported(config("gemma2",
                                     ", \"num_key_value_heads\": 16, \"head_dim\": 128, "
                                     "\"sliding_window\": 4096",
                                     4608, 46, 32, 36864, 256000));
  EXPECT_NEAR(billions(older), 27.2, 0.05);
}

const std::string deepseek_keys = R"(, "num_key_value_heads": 128, "q_lora_rank": 1536,
  "kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128,
  "n_routed_experts": 256, "num_experts_per_tok": 8, "moe_intermediate_size": 2048,
  "n_shared_experts": 1, "first_k_dense_replace": 3, "moe_layer_freq": 1, "n_group": 8,
  "topk_group": 4, "num_nextn_predict_layers": 1)";

TEST(ImportModel, DeepSeek) {
  const auto v3 = imported(config("deepseek_v3", deepseek_keys, 7168, 61, 128, 18432, 129280));
  EXPECT_NEAR(billions(v3), 671.03, 0.01);
  EXPECT_EQ(v3.experts.node_limit, 4);
  EXPECT_EQ(v3.prediction_layers, 1);
  EXPECT_EQ(v3.latent, (workload::LatentAttention{1536, 512, 64, 128, 128}));
  const auto kimi = imported(config("kimi_k2", deepseek_keys, 7168, 61, 64, 18432, 163840));
  EXPECT_EQ(kimi.latent, v3.latent);
  EXPECT_EQ(kimi.kv_heads, 64);
  // DeepSeek-V2-Lite: no query rank, one group.
  std::string lite = with(deepseek_keys, "\"q_lora_rank\": 1536", "\"q_lora_rank\": null");
  lite = with(lite, "\"n_group\": 8", "\"n_group\": 1");
  const auto v2 = imported(config("deepseek_v2", lite, 2048, 27, 16, 10944, 102400));
  EXPECT_EQ(v2.latent.query_rank, 0);
  EXPECT_EQ(v2.experts.node_limit, 0);
}

TEST(ImportModel, GptAndItsRelatives) {
  const auto gpt2 = imported(R"({"model_type": "gpt2", "n_embd": 1600, "n_layer": 48, "n_head": 25,
    "vocab_size": 50257, "n_positions": 1024})");
  EXPECT_NEAR(billions(gpt2), 1.5576, 0.0001);
  EXPECT_TRUE(gpt2.dropout);
  const auto gptj = imported(R"({"model_type": "gptj", "n_embd": 4096, "n_layer": 28, "n_head": 16,
    "vocab_size": 50400, "n_positions": 2048, "rotary_dim": 64, "tie_word_embeddings": false})");
  EXPECT_NEAR(billions(gptj), 6.05, 0.01);
  EXPECT_EQ(gptj.rotary_share, 0.25);
  EXPECT_TRUE(gptj.parallel_blocks);
  const auto neox =
      imported(config("gpt_neox", ", \"rotary_pct\": 0.25", 6144, 44, 64, 24576, 50432));
  EXPECT_NEAR(billions(neox), 20.55, 0.02);
  EXPECT_TRUE(neox.biases);
}

TEST(ImportModel, OtherPlainDecoders) {
  const auto opt = imported(R"({"model_type": "opt", "hidden_size": 5120, "num_hidden_layers": 40,
    "num_attention_heads": 40, "ffn_dim": 20480, "vocab_size": 50272, "dropout": 0.0,
    "max_position_embeddings": 2048, "word_embed_proj_dim": 5120})");
  EXPECT_NEAR(billions(opt), 12.85, 0.01);
  EXPECT_FALSE(opt.dropout);
  const auto bloom = imported(R"({"model_type": "bloom", "n_embed": 14336, "n_layer": 70,
    "num_attention_heads": 112, "vocab_size": 250880})");
  EXPECT_NEAR(billions(bloom), 176.25, 0.01);
  EXPECT_EQ(bloom.rotary_share, 0.0);
  const auto falcon = imported(R"({"model_type": "falcon", "hidden_size": 14848,
    "num_hidden_layers": 80, "num_attention_heads": 232, "num_kv_heads": 8, "vocab_size": 65024,
    "new_decoder_architecture": true, "bias": false})");
  EXPECT_EQ(falcon.kv_heads, 8);
  EXPECT_TRUE(falcon.parallel_blocks);
  const auto falcon7 = imported(R"({"model_type": "falcon", "hidden_size": 4544,
    "num_hidden_layers": 32, "num_attention_heads": 71, "vocab_size": 65024})");
  EXPECT_EQ(falcon7.kv_heads, 1);
  EXPECT_NEAR(billions(falcon7), 6.92, 0.01);
  const auto mpt = imported(R"({"model_type": "mpt", "d_model": 7168, "n_layers": 48, "n_heads": 56,
    "expansion_ratio": 4, "vocab_size": 50432, "max_seq_len": 8192, "no_bias": true,
    "attn_config": {"alibi": true, "attn_type": "multihead_attention"}})");
  EXPECT_NEAR(billions(mpt), 29.96, 0.01);
  EXPECT_FALSE(mpt.learned_positions);
  const auto nemotron =
      imported(config("nemotron", ", \"num_key_value_heads\": 8", 18432, 96, 96, 73728, 256000));
  EXPECT_NEAR(billions(nemotron), 341.03, 0.01);
  EXPECT_EQ(nemotron.rotary_share, 0.5);
}

TEST(ImportModel, Encoders) {
  const auto bert = imported(config("bert", "", 768, 12, 12, 3072, 30522));
  EXPECT_FALSE(bert.causal);
  const auto vit = imported(R"({"model_type": "vit", "hidden_size": 768, "num_hidden_layers": 12,
    "num_attention_heads": 12, "intermediate_size": 3072, "image_size": 384, "patch_size": 16,
    "id2label": {"0": "a", "1": "b", "2": "c"}})");
  EXPECT_EQ(vit.patch_inputs, 768);
  EXPECT_EQ(vit.max_positions, 577);
  EXPECT_EQ(vit.vocab, 3);
}

TEST(ImportModel, EveryKnownTypeIsListed) {
  for (const char* type :
       {"bert",      "bloom",  "deepseek_v2", "deepseek_v3", "falcon",      "gpt2",
        "gpt_neox",  "gptj",   "llama",       "mistral",     "mixtral",     "mpt",
        "nemotron",  "opt",    "phi3",        "qwen2",       "qwen2_moe",   "qwen3",
        "qwen3_moe", "vit",    "dbrx",        "gemma2",      "gemma3_text", "glm4_moe",
        "gpt_oss",   "grok-1", "kimi_k2",     "llama4_text", "minimax_m2"}) {
    EXPECT_THAT(importable_models(), Contains(type));
  }
}

TEST(ImportModel, TheEntryHasTheNameOfTheConfigOrOfItsType) {
  Diagnostics diagnostics;
  const auto name = [&](const std::string& text, const std::string& given) {
    return import_model("config.json", text, given, diagnostics)->model.name;
  };
  EXPECT_EQ(name(llama, ""), "llama-3-8b");
  EXPECT_EQ(name(llama, "mine"), "mine");
  EXPECT_EQ(name(with(llama, "meta-llama/Llama-3-8B", "/models/A B\\u00e9/"), ""), "a-b--");
  EXPECT_EQ(name(with(llama, "meta-llama/Llama-3-8B", ""), ""), "llama");
}

TEST(ImportModel, NamesAndCitationsAreQuoted) {
  Diagnostics diagnostics;
  const auto model = import_model(
      "config.json", with(llama, "meta-llama/Llama", "a\\\"\\\\\\n/b.c"), "x.y", diagnostics);
  ASSERT_TRUE(model);
  const Catalog catalog = load_text(catalog_text(*model));
  EXPECT_EQ(catalog.model("x.y").hidden, 4096);
  EXPECT_THAT(catalog.entry(Section::models, "x.y")->values.front().source,
              HasSubstr("config.json of a\"\\\n/b.c"));
}

TEST(ImportModel, WhatIsNotJson) {
  EXPECT_EQ(import_complaints("{\n  \"hidden_size\": 3,\n  oops\n}"),
            "config.json:3:3: error: not JSON from here on; give the config.json of a published "
            "model\n");
  EXPECT_THAT(import_complaints(""), HasSubstr("config.json:1:1: error: not JSON from here on"));
  EXPECT_THAT(import_complaints("{\n  \"hidden_size\": 401e30896}"),
              HasSubstr("config.json:2:18: error: a number too large for any machine; give"));
  EXPECT_THAT(import_complaints(std::string(100'000, '[')),
              HasSubstr("config.json:1:101: error: more than 100 lists and objects in each other"));
  EXPECT_EQ(import_complaints("[1, 2]"),
            "config.json:1:1: error: holds array and not an object of keys; give the config.json "
            "of a published model\n");
}

TEST(ImportModel, UnknownTypesNameTheKnownOnes) {
  EXPECT_THAT(import_complaints(with(llama, "\"llama\"", "\"mamba\"")),
              AllOf(HasSubstr("config.json:2:3: error: model_type 'mamba' is not known, known are "
                              "bert, bloom, "),
                    HasSubstr(", vit; write the entry by hand or, where the model is built like "
                              "one of these, give it that type")));
  EXPECT_EQ(import_complaints("{}"),
            "config.json: error: missing key 'model_type'; it must be a text\n");
  EXPECT_EQ(import_complaints("{\"model_type\": 3}"),
            "config.json:1:2: error: 'model_type' must be a text, not 3\n");
}

TEST(ImportModel, MissingAndWrongKeysAreToldAllAtOnce) {
  std::string text = with(llama, "  \"vocab_size\": 128256,\n", "");
  text = with(text, "\"num_hidden_layers\": 32", "\"num_hidden_layers\": \"many\"");
  text = with(text, "\"hidden_size\": 4096", "\"hidden_size\": 0");
  text = with(text, "\"rope_theta\": 500000.0", "\"tie_word_embeddings\": \"no\"");
  EXPECT_THAT(
      import_complaints(text),
      AllOf(HasSubstr("config.json: error: missing key 'vocab_size'; it must be a whole number "
                      "from 1 to 1,000,000,000\n"),
            HasSubstr("config.json:5:3: error: 'num_hidden_layers' must be a whole number from 1 "
                      "to 1,000,000,000, not \"many\"\n"),
            HasSubstr("config.json:4:3: error: 'hidden_size' must be a whole number from 1 to "
                      "1,000,000,000, not 0\n"),
            HasSubstr("config.json:10:3: error: 'tie_word_embeddings' must be true or false, not "
                      "\"no\"\n")));
  EXPECT_THAT(import_complaints(with(llama, "\"hidden_size\": 4096", "\"hidden_size\": 40.5")),
              HasSubstr("not 40.5"));
  EXPECT_THAT(import_complaints(with(llama, "\"hidden_size\": 4096", "\"hidden_size\": 9e99")),
              HasSubstr("'hidden_size' must be"));
  EXPECT_THAT(
      import_complaints(with(llama, "\"hidden_size\": 4096", "\"hidden_size\": 99999999999999999")),
      HasSubstr("'hidden_size' must be"));
  EXPECT_THAT(
      import_complaints(with(llama, "\"rope_theta\": 500000.0", "\"partial_rotary_factor\": -1")),
      HasSubstr("'partial_rotary_factor' must be a number that is not negative, not -1"));
  EXPECT_THAT(
      import_complaints(R"({"model_type": "bloom", "n_layer": 2, "n_head": 2, "vocab_size": 9})"),
      HasSubstr("missing key 'hidden_size' or 'n_embed'; it must be a whole number"));
  EXPECT_THAT(import_complaints(R"({"model_type": "", "hidden_size": 64})"),
              HasSubstr("'model_type' must be a text that is not empty, not \"\""));
}

TEST(ImportModel, WhatNoModelCanBe) {
  EXPECT_THAT(
      import_complaints(with(llama, "\"num_key_value_heads\": 8", "\"num_key_value_heads\": 5")),
      HasSubstr("7:3: error: 5 heads of keys and values must divide 32 heads of queries"));
  EXPECT_THAT(import_complaints(with(llama, "\"hidden_size\": 4096", "\"hidden_size\": 4100")),
              HasSubstr("6:3: error: 32 heads do not divide the 4100 values of a token; give "
                        "head_dim"));
  EXPECT_THAT(
      import_complaints(with(llama, "\"rope_theta\": 500000.0", "\"partial_rotary_factor\": 2")),
      HasSubstr("11:3: error: 2 of a head cannot rotate; 'partial_rotary_factor' must give at "
                "most all of it"));
  EXPECT_THAT(
      import_complaints(config("mixtral", ", \"num_local_experts\": 8, \"num_experts_per_tok\": 9",
                               64, 2, 8, 128, 100)),
      HasSubstr("a token cannot go to 9 of 8 experts"));
  EXPECT_THAT(import_complaints(config("deepseek_v3", deepseek_keys, 7168, 3, 128, 18432, 129280)),
              HasSubstr("3 layers leave none with experts behind 3 without"));
  EXPECT_THAT(import_complaints(config("qwen3_moe",
                                       ", \"num_experts\": 8, \"num_experts_per_tok\": 2, "
                                       "\"moe_intermediate_size\": 8, \"mlp_only_layers\": [0, 3]",
                                       64, 8, 8, 128, 100)),
              HasSubstr("layers without experts must be the first ones"));
  EXPECT_THAT(import_complaints(config("qwen3_moe",
                                       ", \"num_experts\": 8, \"num_experts_per_tok\": 2, "
                                       "\"moe_intermediate_size\": 8, \"mlp_only_layers\": \"all\"",
                                       64, 8, 8, 128, 100)),
              HasSubstr("'mlp_only_layers' must be a list of layers, counted from 0, not \"all\""));
  EXPECT_THAT(
      import_complaints(R"({"model_type": "opt", "hidden_size": 1024, "num_hidden_layers": 2,
    "num_attention_heads": 16, "ffn_dim": 4096, "vocab_size": 100, "max_position_embeddings": 64,
    "word_embed_proj_dim": 512})"),
      HasSubstr("embeddings that are projected cannot be described; it must be "
                "hidden_size = 1024"));
  EXPECT_THAT(import_complaints(R"({"model_type": "mpt", "d_model": 64, "n_layers": 2, "n_heads": 7,
    "vocab_size": 9, "max_seq_len": 8, "attn_config": 3})"),
              HasSubstr("'attn_config' must be an object of keys, not 3"));
  EXPECT_THAT(import_complaints(R"({"model_type": "vit", "hidden_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 4, "intermediate_size": 8, "image_size": 8, "patch_size": 16})"),
              HasSubstr("an image of 8 x 8 x 3 values cannot be cut into patches of 16"));
}

}  // namespace
}  // namespace scalesweep::catalog

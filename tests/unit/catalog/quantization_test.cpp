// In which precision the weights of a checkpoint are, and what of its layers is wider: of models of
// the catalog, and by forms of quantization_config and of hf_quant_config.json, written for this
// test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/import/import_model.hpp"
#include "catalog/import/kept_modules.hpp"
#include "catalog/read/checkpoints.hpp"
#include "example_catalog.hpp"
#include "support/shipped_catalog.hpp"

namespace scalesweep::catalog {
namespace {

using technology::CheckpointFormats;
using technology::Precision;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Read {
  std::string precision;  // "(refused)" where nothing came back
  std::string said;
};

Read read(const std::string& quantization, const std::optional<JsonFile>& beside = {}) {
  const std::string text =
      R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
"num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 32000,
"max_position_embeddings": 4096)" +
      (quantization.empty() ? "" : ",\n\"quantization_config\": " + quantization) + "}";
  Diagnostics diagnostics;
  const auto model = import_model("config.json", text, "m", diagnostics, beside);
  if (!model) {
    return {"(refused)", diagnostics.text()};
  }
  // The entry that is written says the same, and a catalog takes it.
  const Catalog loaded = test::load_text(catalog_text(*model));
  const Value* value = loaded.entry(Section::models, "m")->value("precision");
  EXPECT_EQ(value == nullptr ? "" : value->words.front(), model->precision);
  return {model->precision, diagnostics.text()};
}

struct Form {
  std::string quantization;
  std::string precision;
};

TEST(Quantization, FormatsOfTheCatalogAreReadWithoutAWord) {
  const std::vector<Form> forms = {
      {"", ""},
      {R"({"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]})", "fp8"},
      {R"({"quant_method": "fbgemm_fp8"})", "fp8"},
      {R"({"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm"})", "w4a16"},
      {R"({"quant_method": "gptq", "bits": 8})", "w8a16"},
      {R"({"quant_method": "auto-round", "bits": 4})", "w4a16"},
      {R"({"quant_method": "bitsandbytes", "load_in_4bit": true})", "w4a16"},
      {R"({"quant_method": "bitsandbytes", "load_in_8bit": true})", "int8"},
      {R"({"quant_method": "torchao", "quant_type": "int4_weight_only"})", "w4a16"},
      {R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})", "fp4"},
      {R"({"quant_method": "modelopt", "quant_algo": "FP8"})", "fp8"},
      {R"({"quant_method": "modelopt", "quantization": {"quant_algo": "fp8_pb_wo"}})", "fp8"},
      {R"({"quant_method": "modelopt", "quant_algo": "MXFP8"})", "mxfp8"},
      {R"({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp8_e4m3"},
           "input_tensors": {"dtype": "fp8_e4m3"}}})",
       "fp8"},
      {R"({"quant_method": "compressed-tensors", "format": "float-quantized", "config_groups":
           {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 8, "type": "float"},
            "input_activations": {"num_bits": 8, "type": "float"}}}})",
       "fp8"},
      {R"({"quant_method": "compressed-tensors", "format": "int-quantized", "config_groups":
           {"group_0": {"weights": {"num_bits": 8, "type": "int"},
            "input_activations": {"num_bits": 8, "type": "int"}}}})",
       "int8"},
      {R"({"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups":
           {"group_0": {"weights": {"num_bits": 4, "type": "int"}, "input_activations": null}}})",
       "w4a16"},
      {R"({"quant_method": "compressed-tensors", "format": "nvfp4-pack-quantized",
           "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "float"},
            "input_activations": {"num_bits": 4, "type": "float"}}}})",
       "fp4"}};
  for (const Form& form : forms) {
    const Read found = read(form.quantization);
    EXPECT_EQ(found.precision, form.precision) << form.quantization;
    EXPECT_EQ(found.said, "") << form.quantization;
  }
}

TEST(Quantization, WhatTheCatalogLacksStandsForItsNearestAndIsTold) {
  const Read three = read(R"({"quant_method": "gptq", "bits": 3})");
  EXPECT_EQ(three.precision, "w4a16");
  EXPECT_THAT(three.said, HasSubstr("config.json:4:49: warning: weights of 3 bits are not known "
                                    "here: the nearest stands for it, w4a16"));
  const Read some = read(R"({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore":
    ["lm_head", "model.layers.0.self_attn*", "model.layers.31.self_attn*", "model.layers.0.mlp*",
     "thinker.talker"]})");
  EXPECT_EQ(some.precision, "fp4");
  EXPECT_THAT(some.said,
              AllOf(HasSubstr("warning: 1 of its names mean no layers that are known here "
                              "(thinker.talker); they are taken like the others"),
                    HasSubstr("warning: attention of 2 of 32 layers have another format than the "
                              "others; all have that of most here"),
                    HasSubstr("warning: MLPs of 1 of 32 layers have another format")));
  const Read cached = read(R"({"quant_method": "modelopt", "quant_algo": "FP8",
    "kv_cache_scheme": {"num_bits": 8, "type": "float"}, "ignore": ["lm_head"]})");
  EXPECT_THAT(cached.said, HasSubstr("keys and values are cached in fewer bits"));
  EXPECT_THAT(cached.said, Not(HasSubstr("lm_head"))) << "which is in 16 bits anyway";
}

TEST(Quantization, OfUnknownMethodsNothingIsGuessed) {
  const Read unknown = read(R"({"quant_method": "aqlm", "in_group_size": 8})");
  EXPECT_EQ(unknown.precision, "(refused)");
  EXPECT_THAT(unknown.said, HasSubstr("config.json:4:25: error: quant_method 'aqlm' is not known, "
                                      "so that nobody can say in how many bits the weights are"));
  EXPECT_EQ(read(R"({"quant_method": "vptq2", "bits": 4})").precision, "w4a16") << "it says so";
}

TEST(Quantization, IsReadFromTheFileBesideTheConfig) {
  const JsonFile beside = {"hf_quant_config.json", R"({"producer": {"name": "modelopt"},
    "quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": null, "group_size": 16}})"};
  EXPECT_EQ(read("", beside).precision, "fp4");
  EXPECT_EQ(read(R"({"quant_method": "modelopt"})", beside).precision, "fp4");
  EXPECT_EQ(read(R"({"quant_method": "fp8"})", beside).precision, "fp8")
      << "the config's own first";
  EXPECT_EQ(read("", JsonFile{"hf_quant_config.json", "{"}).precision, "(refused)");
}

TEST(Quantization, EntriesSayWhatPublishedModelsAreIn) {
  const Catalog& catalog = scalesweep::test::shipped_catalog();
  const auto precision = [&](const char* name) {
    const Value* value = catalog.entry(Section::models, name)->value("precision");
    return value == nullptr ? std::string() : value->words.front();
  };
  EXPECT_EQ(precision("gpt-oss-120b"), "mxfp4");
  EXPECT_EQ(precision("deepseek-r1"), "fp8");
  EXPECT_EQ(precision("kimi-k2"), "fp8");
  EXPECT_EQ(precision("llama-3-70b"), "");
}

CheckpointFormats shipped(const char* model, Precision format) {
  return checkpoint_of(scalesweep::test::shipped_catalog(), model, format).value();
}

TEST(Checkpoints, OfTheCatalogSayWhatTheyKeepWider) {
  const CheckpointFormats nvidia = shipped("deepseek-r1", Precision::fp4);
  EXPECT_EQ(nvidia.attention, Precision::bf16);
  EXPECT_EQ(nvidia.attention_output, Precision::fp4) << "from its second version on";
  EXPECT_FALSE(nvidia.shared || nvidia.mlp || nvidia.operands);
  const CheckpointFormats amd = shipped("deepseek-v3", Precision::mxfp4);
  EXPECT_EQ(amd.attention, Precision::bf16);
  EXPECT_FALSE(amd.attention_output);
  EXPECT_TRUE(shipped("deepseek-v3", Precision::fp8).is_plain());
  const CheckpointFormats gpt_oss = shipped("gpt-oss-120b", Precision::mxfp4);
  EXPECT_EQ(gpt_oss.multiplied(), Precision::bf16) << "weights alone";
  EXPECT_EQ(gpt_oss.attention, Precision::bf16);
  EXPECT_EQ(shipped("minimax-m2", Precision::fp4).attention, Precision::bf16);
  EXPECT_TRUE(shipped("llama-3.1-70b", Precision::fp4).is_plain()) << "as the model it is like";
}

TEST(Checkpoints, AreThoseThatArePublished) {
  const Catalog& catalog = scalesweep::test::shipped_catalog();
  EXPECT_THAT(checkpoints_of(catalog, "deepseek-v3"),
              ElementsAre(Precision::fp8, Precision::fp4, Precision::mxfp4));
  EXPECT_THAT(checkpoints_of(catalog, "kimi-k2"), ElementsAre(Precision::fp8));
  EXPECT_THAT(checkpoints_of(catalog, "llama-2-7b"), IsEmpty());
  EXPECT_THAT(checkpoints_of(catalog, "no-such-model"), IsEmpty());
  EXPECT_FALSE(checkpoint_of(catalog, "deepseek-v3", Precision::int8));
}

TEST(Checkpoints, KeysOfUnknownFormatsAreErrors) {
  const std::string model = "\n[model.tiny.checkpoint.attention]\n";
  EXPECT_THAT(test::complaints(test::example_text + model + "fp5 = \"bf16\"\n"),
              HasSubstr("unknown precision 'fp5'; did you mean"));
  EXPECT_THAT(test::complaints(test::example_text + model + "fp4 = \"bf17\"\n"),
              HasSubstr("'bf17' is none of fp64, fp32"));
}

// A model of 8 layers, the first of them without experts.
struct ReadCheckpoint {
  std::string precision;
  CheckpointFormats checkpoint;
  std::string said;
};
ReadCheckpoint read_experts(const std::string& quantization,
                            const std::optional<JsonFile>& beside = {}) {
  const std::string text =
      R"({"model_type": "deepseek_v3", "hidden_size": 1024, "num_hidden_layers": 8,
"num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 4096, "vocab_size": 32000,
"max_position_embeddings": 4096, "q_lora_rank": 256, "kv_lora_rank": 128, "qk_rope_head_dim": 64,
"qk_nope_head_dim": 64, "v_head_dim": 64, "n_routed_experts": 16, "num_experts_per_tok": 2,
"n_shared_experts": 1, "moe_intermediate_size": 512, "first_k_dense_replace": 1, "n_group": 1,
"topk_group": 1)" +
      (quantization.empty() ? "" : ", \"quantization_config\": " + quantization) + "}";
  Diagnostics diagnostics;
  const auto model = import_model("config.json", text, "m", diagnostics, beside);
  if (!model) {
    return {"(refused)", {}, diagnostics.text()};
  }
  // The entry that is written says the same.
  const Catalog loaded = test::load_text(catalog_text(*model));
  const auto format = technology::precision_from(model->precision);
  const auto written = format ? checkpoint_of(loaded, "m", *format) : std::nullopt;
  if (!model->checkpoint.is_plain()) {
    EXPECT_EQ(written, model->checkpoint);
  }
  return {model->precision, model->checkpoint, diagnostics.text()};
}

// "model.layers.0.NAME", ... of all layers.
std::string of_layers(const std::string& name) {
  std::string text;
  for (int layer = 0; layer < 8; ++layer) {
    text +=
        (layer > 0 ? ", " : "") + ("\"model.layers." + std::to_string(layer) + "." + name + "\"");
  }
  return text;
}

TEST(Checkpoints, OfModelOptListLayersOneByOne) {
  const JsonFile first = {"hf_quant_config.json",
                          R"({"quantization": {"quant_algo": "NVFP4", "exclude_modules":
    ["lm_head", )" + of_layers("self_attn*") +
                              "]}}"};
  const ReadCheckpoint one = read_experts("", first);
  EXPECT_EQ(one.precision, "fp4");
  EXPECT_EQ(one.checkpoint.attention, Precision::bf16);
  EXPECT_FALSE(one.checkpoint.attention_output || one.checkpoint.shared || one.checkpoint.mlp);
  EXPECT_EQ(one.said, "");
  const JsonFile second = {
      "hf_quant_config.json",
      R"({"quantization": {"quant_algo": "NVFP4", "exclude_modules": ["lm_head", )" +
          of_layers("self_attn.q_a_proj") + ", " + of_layers("self_attn.q_b_proj") + ", " +
          of_layers("self_attn.kv_a_proj_with_mqa") + ", " + of_layers("self_attn.kv_b_proj") +
          R"(, "model.layers.8*"]}})"};
  const ReadCheckpoint two = read_experts("", second);
  EXPECT_EQ(two.checkpoint.attention, Precision::bf16);
  EXPECT_EQ(two.checkpoint.attention_output, Precision::fp4);
  EXPECT_EQ(two.said, "") << "layer 8 is a module for multi-token prediction";
  const JsonFile one_of_them = {"hf_quant_config.json",
                                R"({"quantization": {"quant_algo": "NVFP4", "exclude_modules": [)" +
                                    of_layers("self_attn.kv_b_proj") + "]}}"};
  EXPECT_TRUE(read_experts("", one_of_them).checkpoint.is_plain());
}

TEST(Checkpoints, OfCompressedTensorsNameThemByExpressions) {
  const ReadCheckpoint found =
      read_experts(R"({"quant_method": "compressed-tensors", "format": "pack-quantized",
    "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "int",
    "group_size": 32}, "input_activations": null}}, "ignore": ["lm_head", "re:.*self_attn.*",
    "re:.*shared_experts.*", "re:.*mlp\\.(gate|up|gate_up|down)_proj.*"]})");
  EXPECT_EQ(found.precision, "fp4") << "as many bytes as int4";
  EXPECT_EQ(found.checkpoint.operands, Precision::bf16);
  EXPECT_EQ(found.checkpoint.attention, Precision::bf16);
  EXPECT_EQ(found.checkpoint.shared, Precision::bf16);
  EXPECT_EQ(found.checkpoint.mlp, Precision::bf16);
  EXPECT_EQ(found.said, "");
}

TEST(Checkpoints, OfSeveralFormatsAreNamedByTheNarrowest) {
  const ReadCheckpoint mixed =
      read_experts(R"({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION",
    "quantized_layers": {"model.layers.0.mlp.up_proj": {"quant_algo": "MXFP8"}, )" +
                   [] {
                     std::string layers;
                     for (int i = 0; i < 8; ++i) {
                       const std::string layer = "\"model.layers." + std::to_string(i);
                       layers += layer + ".mlp.experts.3.w1\": {\"quant_algo\": \"NVFP4\"}, ";
                       layers += layer + ".mlp.shared_experts.w1\": {\"quant_algo\": \"MXFP8\"}, ";
                       layers += layer + ".self_attn\": {\"quant_algo\": \"MXFP8\"}, ";
                     }
                     return layers;
                   }() +
                   R"("lm_head": {"quant_algo": "W4A16_NVFP4"}}})");
  EXPECT_EQ(mixed.precision, "fp4");
  EXPECT_EQ(mixed.checkpoint.attention, Precision::mxfp8);
  EXPECT_EQ(mixed.checkpoint.shared, Precision::mxfp8);
  EXPECT_EQ(mixed.checkpoint.mlp, Precision::mxfp8);
  EXPECT_FALSE(mixed.checkpoint.operands);
}

TEST(Checkpoints, OfQuarkAndMxfp4) {
  const ReadCheckpoint amd =
      read_experts(R"({"quant_method": "quark", "global_quant_config": {"weight":
    {"dtype": "fp4", "scale_format": "e8m0", "group_size": 32}, "input_tensors": {"dtype": "fp4"}},
    "exclude": ["lm_head", "*self_attn*", "*mlp.gate.*"]})");
  EXPECT_EQ(amd.precision, "mxfp4");
  EXPECT_EQ(amd.checkpoint.attention, Precision::bf16);
  EXPECT_FALSE(amd.checkpoint.operands);
  EXPECT_EQ(amd.said, "");
  const ReadCheckpoint by_name =
      read_experts(R"({"quant_method": "quark", "global_quant_config": {"weight":
    {"dtype": "fp4"}, "input_tensors": {"dtype": "fp4"}}, "layer_quant_config": {"*self_attn*":
    {"weight": {"dtype": "fp8_e4m3"}, "input_tensors": {"dtype": "fp8_e4m3"}}}})");
  EXPECT_EQ(by_name.checkpoint.attention, Precision::fp8);
  const ReadCheckpoint openai = read_experts(R"({"quant_method": "mxfp4", "modules_to_not_convert":
    ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]})");
  EXPECT_EQ(openai.precision, "mxfp4");
  EXPECT_EQ(openai.checkpoint.operands, Precision::bf16);
  EXPECT_EQ(openai.checkpoint.attention, Precision::bf16);
  EXPECT_EQ(openai.said, "");
}

TEST(Checkpoints, RoutersNormsAndEncodersAreInSixteenBitsAnyway) {
  for (const char* name :
       {"gate", "model.layers.3.mlp.gate", "*mlp.gate.*", "e_score_correction_bias",
        "model.embed_tokens", "model.layers.1.input_layernorm", "vision_tower*", "mtp.layers.0*",
        "model.layers.2.self_attn.indexer*"}) {
    const NamedModules found = modules_of(name);
    EXPECT_TRUE(found.is_known) << name;
    EXPECT_TRUE(found.parts.empty() && found.inputs.empty()) << name;
  }
  EXPECT_EQ(modules_of("re:.*mlp\\.(gate|up|down)_proj.*").parts,
            std::set<ModulePart>{ModulePart::mlp});
  EXPECT_EQ(modules_of("model.layers.12.mlp.shared_experts*").layer, 12);
}

}  // namespace
}  // namespace scalesweep::catalog

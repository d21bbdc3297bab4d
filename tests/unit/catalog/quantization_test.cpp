// In which precision the weights of a checkpoint are: forms of quantization_config and of
// hf_quant_config.json, written for this test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/import/import_model.hpp"
#include "example_catalog.hpp"
#include "support/shipped_catalog.hpp"

namespace scalesweep::catalog {
namespace {

using testing::AllOf;
using testing::HasSubstr;

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
  const Read mxfp4 = read(R"({"quant_method": "mxfp4", "modules_to_not_convert":
    ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]})");
  EXPECT_EQ(mxfp4.precision, "w4a16");
  EXPECT_THAT(
      mxfp4.said,
      AllOf(HasSubstr("config.json:4:25: warning: blocks of 32 elements with a scale of 8 "
                      "bits are not known here: the nearest stands for it, w4a16"),
            HasSubstr("warning: 4 of its modules stay in 16 bits (model.layers.*.self_attn, "
                      "model.layers.*.mlp.router and 2 more); all linear layers have w4a16 "
                      "here, which takes somewhat less memory")));
  const Read three = read(R"({"quant_method": "gptq", "bits": 3})");
  EXPECT_EQ(three.precision, "w4a16");
  EXPECT_THAT(three.said, HasSubstr("weights of 3 bits are not known here"));
  const Read mixed_width = read(R"({"quant_method": "modelopt", "quant_algo": "W4A8_AWQ"})");
  EXPECT_EQ(mixed_width.precision, "w4a16");
  EXPECT_THAT(mixed_width.said, HasSubstr("weights of 4 bits that are multiplied in 8"));
  const Read by_layer = read(R"({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION",
    "quantized_layers": {"a": {"quant_algo": "FP8"}, "b": {"quant_algo": "NVFP4"},
                         "c": {"quant_algo": "NVFP4"}}})");
  EXPECT_EQ(by_layer.precision, "fp4") << "of most layers";
  EXPECT_THAT(by_layer.said, HasSubstr("formats that differ from layer to layer cannot be said"));
  const Read cached = read(R"({"quant_method": "modelopt", "quant_algo": "FP8",
    "kv_cache_scheme": {"num_bits": 8, "type": "float"}, "ignore": ["lm_head"]})");
  EXPECT_THAT(cached.said, AllOf(HasSubstr("1 of its modules stay in 16 bits (lm_head)"),
                                 HasSubstr("keys and values are cached in fewer bits")));
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
  EXPECT_EQ(precision("gpt-oss-120b"), "w4a16");
  EXPECT_EQ(precision("deepseek-r1"), "fp8");
  EXPECT_EQ(precision("kimi-k2"), "fp8");
  EXPECT_EQ(precision("llama-3-70b"), "");
}

}  // namespace
}  // namespace scalesweep::catalog

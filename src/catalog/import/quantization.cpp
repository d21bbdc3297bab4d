#include "catalog/import/quantization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

// The keys and words below are those of
// - huggingface/transformers, src/transformers/utils/quantization_config.py, commit 000e2231
//   (quant_method; fp8, mxfp4, awq, gptq, bitsandbytes, torchao, ...);
// - vllm-project/vllm, vllm/model_executor/layers/quantization/modelopt.py, commit 00155cde
//   (quant_algo of hf_quant_config.json and of quantization_config, kv_cache_scheme, ignore), and
//   compressed_tensors beside it (config_groups with num_bits and type).
constexpr std::string_view quantization_key = "quantization_config";

using technology::Precision;

constexpr StoredFormat four_bits = {Precision::fp4, Precision::bf16};
constexpr StoredFormat eight_bits = {Precision::fp8, Precision::bf16};

// What a word stands for.
struct Format {
  std::string_view word;  // in small letters
  StoredFormat stored;
};

constexpr auto methods = std::to_array<Format>({
    {"fp8", {Precision::fp8}},
    {"fbgemm_fp8", {Precision::fp8}},
    {"mxfp4", {Precision::mxfp4, Precision::bf16}},
    {"eetq", eight_bits},
});

constexpr auto algorithms = std::to_array<Format>({
    {"fp8", {Precision::fp8}},
    {"fp8_per_channel_per_token", {Precision::fp8}},
    {"fp8_pb_wo", {Precision::fp8}},
    {"fp8_block_scales", {Precision::fp8}},
    {"nvfp4", {Precision::fp4}},
    {"nvfp4_awq", {Precision::fp4}},
    {"mxfp8", {Precision::mxfp8}},
    {"mxfp4", {Precision::mxfp4}},
    {"w4a16_nvfp4", four_bits},
    {"w4a16_mxfp4", {Precision::mxfp4, Precision::bf16}},
    {"w4a16_awq", four_bits},
    {"w8a16", eight_bits},
    {"int8_sq", {Precision::int8}},
    {"w8a8_sq_per_channel", {Precision::int8}},
    {"w4a8_awq", {Precision::fp4, Precision::fp8}},
    {"w4a8_nvfp4_fp8", {Precision::fp4, Precision::fp8}},
    {"w4a8_mxfp4_fp8", {Precision::mxfp4, Precision::fp8}},
    {"w4a8_mxfp4_mxfp8", {Precision::mxfp4, Precision::mxfp8}},
});

// quant_type of torchao.
constexpr auto torchao_types = std::to_array<Format>({
    {"int4_weight_only", four_bits},
    {"int8_weight_only", eight_bits},
    {"int8_dynamic_activation_int8_weight", {Precision::int8}},
});

std::string lower(std::string text) {
  for (char& c : text) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

template <typename Formats>
const Format* find(const Formats& formats, const std::string& word) {
  const auto* const found = std::find_if(
      formats.begin(), formats.end(), [&](const Format& one) { return one.word == lower(word); });
  return found == formats.end() ? nullptr : found;
}

// Of so many bits; multiplied in 16 where `multiplied_bits` is 0.
StoredFormat by_bits(std::int64_t bits, std::int64_t multiplied_bits, bool is_float) {
  const Precision eight = is_float ? Precision::fp8 : Precision::int8;
  if (bits > 8) {
    return {};
  }
  if (multiplied_bits == 0 || multiplied_bits > 8) {
    return bits <= 4 ? four_bits : eight_bits;
  }
  if (bits > 4) {
    return {eight};
  }
  return multiplied_bits > 4 ? StoredFormat{Precision::fp4, eight} : StoredFormat{Precision::fp4};
}

class Reader {
 public:
  Reader(const JsonConfig& at, const PartLayers& layers) : at_(at), layers_(layers) {}

  PublishedFormats formats() {
    const StoredFormat usual = usual_format();
    ModuleFormats modules(layers_, usual);
    std::vector<std::string> unknown;
    const auto say = [&](const std::string& name, const StoredFormat& format) {
      if (!modules.say(name, format)) {
        unknown.push_back(name);
      }
    };
    for (const auto& [name, format] : named_) {
      say(name, format);
    }
    std::string_view kept_key;
    for (const std::string_view key : kept_keys) {
      for (const std::string& name : at_.texts(key)) {
        say(name, {});
        kept_key = key;
      }
    }
    tell_unknown(kept_key, unknown);
    for (const std::string& text : modules.uneven()) {
      at_.warning(
          kept_key.empty() ? "quant_method" : kept_key,
          fmt::format("{} have another format than the others; all have that of most here", text));
    }
    tell_cache();
    return summary(modules);
  }

 private:
  static constexpr auto kept_keys =
      std::to_array<std::string_view>({"modules_to_not_convert", "ignored_layers", "ignore",
                                       "exclude_modules", "llm_int8_skip_modules", "exclude"});

  StoredFormat usual_format() {
    const std::string method = lower(at_.text("quant_method", ""));
    if (method.starts_with("modelopt") || (method.empty() && at_.has("quant_algo"))) {
      return of_algorithm();
    }
    if (method == "compressed-tensors") {
      return of_groups();
    }
    if (method == "bitsandbytes") {
      return of_bitsandbytes();
    }
    if (method == "torchao") {
      return of_known("quant_type", find(torchao_types, at_.plain_text("quant_type")));
    }
    if (method == "quark") {
      return of_quark();
    }
    if (const Format* known = find(methods, method)) {
      return known->stored;
    }
    if (at_.has("bits")) {
      return of_bits(at_.integer("bits", 4));
    }
    unknown("quant_method", method);
    return {};
  }

  void unknown(std::string_view key, const std::string& word) const {
    at_.error(key, fmt::format("{} '{}' is not known, so that nobody can say in how many bits the "
                               "weights are; take quantization_config out of a copy and give "
                               "--precision",
                               key, word));
  }

  StoredFormat of_known(std::string_view key, const Format* known) const {
    if (known == nullptr) {
      unknown(key, at_.plain_text(key));
      return {};
    }
    return known->stored;
  }

  // awq, gptq, auto-round: weights alone.
  StoredFormat of_bits(std::int64_t bits) const {
    const StoredFormat format = by_bits(bits, 0, false);
    if (bits != 4 && bits != 8 && !format.is_wide()) {
      at_.warning("bits", fmt::format("weights of {} bits are not known here: the nearest stands "
                                      "for it, {}",
                                      bits, format == four_bits ? "w4a16" : "w8a16"));
    }
    return format;
  }

  StoredFormat of_algorithm() {
    const std::string algorithm = at_.text("quant_algo", "");
    if (lower(algorithm) != "mixed_precision") {
      return of_known("quant_algo", find(algorithms, algorithm));
    }
    const JsonConfig layers = at_.inside("quantized_layers");
    for (const std::string& name : layers.keys()) {
      if (const Format* one = find(algorithms, layers.inside(name).text("quant_algo", ""))) {
        named_.emplace_back(name, one->stored);
      }
    }
    if (named_.empty()) {
      unknown("quant_algo", algorithm);
    }
    return {};
  }

  // compressed-tensors: a group is of all linear layers, or of those that it names.
  StoredFormat of_groups() {
    const JsonConfig groups = at_.inside("config_groups");
    const std::vector<std::string> names = groups.keys();
    if (names.empty()) {
      unknown("quant_method", "compressed-tensors without config_groups");
    }
    StoredFormat usual;
    for (const std::string& name : names) {
      const JsonConfig group = groups.inside(name);
      const StoredFormat format = of_group(group);
      for (const std::string& target :
           group.has("targets") ? group.texts("targets") : std::vector<std::string>{"Linear"}) {
        if (target == "Linear") {
          usual = format;
        } else {
          named_.emplace_back(target, format);
        }
      }
    }
    return usual;
  }

  // A power of two for 32 elements: mxfp4, as the name of the format says.
  StoredFormat of_group(const JsonConfig& group) const {
    const JsonConfig weights = group.inside("weights");
    StoredFormat format = by_bits(weights.integer("num_bits", 8),
                                  group.inside("input_activations").integer("num_bits", 0, 0),
                                  weights.text("type", "float") == "float");
    const std::string said = group.text("format", at_.text("format", ""));
    if (format.weights == Precision::fp4 && lower(said).starts_with("mxfp4")) {
      format.weights = Precision::mxfp4;
    }
    return format;
  }

  StoredFormat of_bitsandbytes() const {
    if (at_.boolean("load_in_4bit", false) || at_.boolean("_load_in_4bit", false)) {
      return four_bits;
    }
    return {Precision::int8};  // LLM.int8(): outliers aside
  }

  StoredFormat of_quark() {
    const JsonConfig layers = at_.inside("layer_quant_config");
    for (const std::string& name : layers.keys()) {
      named_.emplace_back(name, of_quark("layer_quant_config", layers.inside(name)));
    }
    return of_quark("global_quant_config", at_.inside("global_quant_config"));
  }

  StoredFormat of_quark(std::string_view key, const JsonConfig& config) const {
    const std::string weights = lower(config.inside("weight").plain_text("dtype"));
    const bool multiplies = config.has("input_tensors");
    const auto stored = [&](Precision format) {
      return multiplies ? StoredFormat{format} : StoredFormat{format, Precision::bf16};
    };
    if (weights.starts_with("fp8")) {
      return multiplies ? StoredFormat{Precision::fp8} : eight_bits;
    }
    if (weights.starts_with("fp4") || weights.starts_with("mxfp4") || weights.starts_with("mx")) {
      return stored(Precision::mxfp4);
    }
    if (weights.starts_with("fp6")) {
      return stored(Precision::mxfp6);
    }
    if (weights.starts_with("int4") || weights.starts_with("uint4")) {
      return four_bits;
    }
    if (weights.starts_with("int8")) {
      return multiplies ? StoredFormat{Precision::int8} : eight_bits;
    }
    unknown(key, weights);
    return {};
  }

  void tell_unknown(std::string_view key, const std::vector<std::string>& names) const {
    constexpr std::size_t shown = 2;
    if (!names.empty()) {
      at_.warning(key.empty() ? "quant_method" : key,
                  fmt::format("{} of its names mean no layers that are known here ({}); they are "
                              "taken like the others",
                              names.size(), join_first(shown, names, ", ")));
    }
  }

  void tell_cache() const {
    for (const std::string_view key : {"kv_cache_scheme", "kv_cache_quant_algo"}) {
      if (at_.has(key)) {
        at_.warning(key,
                    "keys and values are cached in fewer bits with this checkpoint, and in 16 "
                    "here; in a spec, cache = \"fp8\" of a table precision says so");
      }
    }
  }

  // The narrowest part gives the checkpoint its name; what is wider is kept.
  PublishedFormats summary(const ModuleFormats& modules) const {
    StoredFormat narrowest;
    for (const ModulePart part : {ModulePart::experts, ModulePart::mlp, ModulePart::attention}) {
      const StoredFormat own = modules.of(part);
      if (modules.has(part) &&
          technology::element_bytes(own.weights) < technology::element_bytes(narrowest.weights)) {
        narrowest = own;
      }
    }
    PublishedFormats found;
    if (narrowest.is_wide()) {
      return found;
    }
    technology::CheckpointFormats& checkpoint = found.checkpoint;
    checkpoint.format = narrowest.weights;
    const auto keep = [&](ModulePart part, std::optional<Precision>& format) {
      const StoredFormat own = modules.of(part);
      if (modules.has(part) && own != narrowest) {
        format = own.operands.value_or(own.weights);
      }
    };
    keep(ModulePart::shared, checkpoint.shared);
    keep(ModulePart::attention, checkpoint.attention);
    if (modules.of(ModulePart::attention_output) != modules.of(ModulePart::attention)) {
      const StoredFormat own = modules.of(ModulePart::attention_output);
      checkpoint.attention_output = own.operands.value_or(own.weights);
    }
    if (layers_.experts > 0) {
      keep(ModulePart::mlp, checkpoint.mlp);
    }
    if (modules.of(ModulePart::experts) != narrowest && modules.has(ModulePart::experts)) {
      at_.warning("quant_method",
                  "routed experts are wider than other layers, which cannot be "
                  "said here: they are taken like the others");
    }
    found.precision = std::string(technology::name_of(narrowest.weights));
    checkpoint.operands = narrowest.operands;
    const bool alone = narrowest == four_bits || narrowest == eight_bits;
    if (alone && !checkpoint.attention && !checkpoint.attention_output && !checkpoint.shared &&
        !checkpoint.mlp) {
      checkpoint = {};
      found.precision = narrowest == four_bits ? "w4a16" : "w8a16";
    }
    return found;
  }

  const JsonConfig& at_;
  const PartLayers& layers_;
  std::vector<std::pair<std::string, StoredFormat>> named_;  // of modules
};

}  // namespace

PublishedFormats published_formats(const JsonConfig& config,
                                   const std::optional<JsonConfig>& beside,
                                   const PartLayers& layers) {
  std::optional<JsonConfig> own;
  if (config.has(quantization_key)) {
    own = config.inside(quantization_key);
  }
  // Older files of ModelOpt say in config.json only that there is one beside it.
  const bool says_how = own && (own->has("quant_algo") || own->has("config_groups") ||
                                !lower(own->text("quant_method", "")).starts_with("modelopt"));
  if (own && !says_how && own->has("quantization")) {
    const JsonConfig nested = own->inside("quantization");
    return Reader(nested, layers).formats();
  }
  if (!says_how && beside && beside->has("quantization")) {
    const JsonConfig nested = beside->inside("quantization");
    return Reader(nested, layers).formats();
  }
  return own ? Reader(*own, layers).formats() : PublishedFormats{};
}

}  // namespace scalesweep::catalog

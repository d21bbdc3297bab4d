#include "catalog/import/quantization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>
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

// What a word stands for. `lack`: what of it cannot be said here; "" where it is the same.
struct Format {
  std::string_view word;  // in small letters
  std::string_view precision;
  std::string_view lack = "";
};

constexpr std::string_view mixed_width =
    "weights of 4 bits that are multiplied in 8 are not known here";

constexpr auto methods = std::to_array<Format>({
    {"fp8", "fp8"},
    {"fbgemm_fp8", "fp8"},
    {"mxfp4", "w4a16", "blocks of 32 elements with a scale of 8 bits are not known here"},
    {"eetq", "w8a16"},
});

constexpr auto algorithms = std::to_array<Format>({
    {"fp8", "fp8"},
    {"fp8_per_channel_per_token", "fp8"},
    {"fp8_pb_wo", "fp8"},
    {"fp8_block_scales", "fp8"},
    {"nvfp4", "fp4"},
    {"nvfp4_awq", "fp4"},
    {"mxfp8", "mxfp8"},
    {"w4a16_nvfp4", "w4a16"},
    {"w4a16_awq", "w4a16"},
    {"w8a16", "w8a16"},
    {"int8_sq", "int8"},
    {"w8a8_sq_per_channel", "int8"},
    {"w4a8_awq", "w4a16", mixed_width},
    {"w4a8_nvfp4_fp8", "w4a16", mixed_width},
    {"w4a8_mxfp4_fp8", "w4a16", mixed_width},
});

// quant_type of torchao.
constexpr auto torchao_types = std::to_array<Format>({
    {"int4_weight_only", "w4a16"},
    {"int8_weight_only", "w8a16"},
    {"int8_dynamic_activation_int8_weight", "int8"},
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

// The nearest of what a catalog can say; multiplied in 16 bits where `multiplied_bits` is 0.
std::string by_bits(std::int64_t bits, std::int64_t multiplied_bits, bool is_float) {
  if (multiplied_bits == 0 || multiplied_bits > 8 || multiplied_bits > bits) {
    return bits <= 4 ? "w4a16" : bits <= 8 ? "w8a16" : "";
  }
  return bits <= 4 ? "fp4" : bits > 8 ? "" : is_float ? "fp8" : "int8";
}

class Reader {
 public:
  explicit Reader(const JsonConfig& at) : at_(at) {}

  std::string precision() {
    const std::string method = lower(at_.text("quant_method", ""));
    std::string found;
    if (method.starts_with("modelopt") || (method.empty() && at_.has("quant_algo"))) {
      found = of_algorithm();
    } else if (method == "compressed-tensors") {
      found = of_groups();
    } else if (method == "bitsandbytes") {
      found = of_bitsandbytes();
    } else if (method == "torchao") {
      found = of_known("quant_type", find(torchao_types, at_.plain_text("quant_type")));
    } else if (method == "quark") {
      found = of_quark();
    } else if (const Format* known = find(methods, method)) {
      found = of_known("quant_method", known);
    } else if (at_.has("bits")) {
      found = of_bits(at_.integer("bits", 4));
    } else {
      unknown("quant_method", method);
    }
    tell_kept(found);
    tell_cache();
    return found;
  }

 private:
  void unknown(std::string_view key, const std::string& word) const {
    at_.error(key, fmt::format("{} '{}' is not known, so that nobody can say in how many bits the "
                               "weights are; take quantization_config out of a copy and give "
                               "--precision",
                               key, word));
  }

  void stands_for(std::string_view key, const std::string& precision, std::string_view why) const {
    at_.warning(key, fmt::format("{}: the nearest stands for it, {}", why, precision));
  }

  std::string of_known(std::string_view key, const Format* known) const {
    if (known == nullptr) {
      unknown(key, at_.plain_text(key));
      return "";
    }
    if (!known->lack.empty()) {
      stands_for(key, std::string(known->precision), known->lack);
    }
    return std::string(known->precision);
  }

  // awq, gptq, auto-round: weights alone.
  std::string of_bits(std::int64_t bits) const {
    std::string precision = by_bits(bits, 0, false);
    if (bits != 4 && bits != 8 && !precision.empty()) {
      stands_for("bits", precision, fmt::format("weights of {} bits are not known here", bits));
    }
    return precision;
  }

  std::string of_algorithm() const {
    const std::string algorithm = at_.text("quant_algo", "");
    return lower(algorithm) == "mixed_precision"
               ? of_layers()
               : of_known("quant_algo", find(algorithms, algorithm));
  }

  // What most layers have.
  std::string of_layers() const {
    const JsonConfig layers = at_.inside("quantized_layers");
    std::map<std::string, int> counts;
    for (const std::string& name : layers.keys()) {
      if (const Format* one = find(algorithms, layers.inside(name).text("quant_algo", ""))) {
        ++counts[std::string(one->precision)];
      }
    }
    const auto most =
        std::max_element(counts.begin(), counts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == counts.end()) {
      unknown("quant_algo", at_.text("quant_algo", ""));
      return "";
    }
    stands_for("quant_algo", most->first, "formats that differ from layer to layer cannot be said");
    return most->first;
  }

  // compressed-tensors: of several groups the first, which is told.
  std::string of_groups() const {
    const JsonConfig groups = at_.inside("config_groups");
    const std::vector<std::string> names = groups.keys();
    if (names.empty()) {
      unknown("quant_method", "compressed-tensors without config_groups");
      return "";
    }
    const JsonConfig group = groups.inside(names.front());
    const JsonConfig weights = group.inside("weights");
    const JsonConfig inputs = group.inside("input_activations");
    const std::int64_t bits = weights.integer("num_bits", 8);
    const std::int64_t multiplied = inputs.integer("num_bits", 0, 0);
    const std::string precision =
        by_bits(bits, multiplied, weights.text("type", "float") == "float");
    if (multiplied > bits && multiplied <= 8) {
      stands_for("config_groups", precision, mixed_width);
    }
    if (names.size() > 1) {
      stands_for("config_groups", precision,
                 "formats that differ from layer to layer cannot be "
                 "said");
    }
    return precision;
  }

  std::string of_bitsandbytes() const {
    if (at_.boolean("load_in_4bit", false) || at_.boolean("_load_in_4bit", false)) {
      return "w4a16";
    }
    return "int8";  // LLM.int8(): outliers aside
  }

  std::string of_quark() const {
    const JsonConfig global = at_.inside("global_quant_config");
    const std::string weights = lower(global.inside("weight").plain_text("dtype"));
    const bool multiplies = global.has("input_tensors");
    if (weights.starts_with("fp8")) {
      return multiplies ? "fp8" : "w8a16";
    }
    if (weights.starts_with("fp4")) {
      stands_for("global_quant_config", multiplies ? "fp4" : "w4a16",
                 "blocks of 32 elements with a scale of 8 bits are not known here");
      return multiplies ? "fp4" : "w4a16";
    }
    if (weights.starts_with("int4") || weights.starts_with("uint4")) {
      return "w4a16";
    }
    if (weights.starts_with("int8")) {
      return multiplies ? "int8" : "w8a16";
    }
    unknown("global_quant_config", weights);
    return "";
  }

  void tell_kept(const std::string& precision) const {
    constexpr std::size_t shown = 2;
    constexpr std::array<std::string_view, 6> keys = {
        "modules_to_not_convert", "ignored_layers",        "ignore",
        "exclude_modules",        "llm_int8_skip_modules", "exclude"};
    for (const std::string_view key : keys) {
      const std::vector<std::string> kept = at_.texts(key);
      if (!kept.empty() && !precision.empty()) {
        at_.warning(key, fmt::format("{} of its modules stay in 16 bits ({}); all linear layers "
                                     "have {} here, which takes somewhat less memory",
                                     kept.size(), join_first(shown, kept, ", "), precision));
      }
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

  const JsonConfig& at_;
};

}  // namespace

std::string published_precision(const JsonConfig& config, const std::optional<JsonConfig>& beside) {
  std::optional<JsonConfig> own;
  if (config.has(quantization_key)) {
    own = config.inside(quantization_key);
  }
  // Older files of ModelOpt say in config.json only that there is one beside it.
  const bool says_how = own && (own->has("quant_algo") || own->has("config_groups") ||
                                !lower(own->text("quant_method", "")).starts_with("modelopt"));
  if (own && !says_how && own->has("quantization")) {
    const JsonConfig nested = own->inside("quantization");
    return Reader(nested).precision();
  }
  if (!says_how && beside && beside->has("quantization")) {
    const JsonConfig nested = beside->inside("quantization");
    return Reader(nested).precision();
  }
  return own ? Reader(*own).precision() : "";
}

}  // namespace scalesweep::catalog

#include "catalog/import/import_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "catalog/import/json_config.hpp"
#include "catalog/import/linear_config.hpp"
#include "catalog/import/model_family.hpp"
#include "catalog/import/quantization.hpp"
#include "core/text.hpp"
#include "workload/feed_forward/expert_load.hpp"

namespace scalesweep::catalog {
namespace {

using workload::TransformerModel;

// Defaults are those of the configuration classes of the transformers library.
constexpr std::int64_t usual_positions = 2048;

void read_sizes(const JsonConfig& config, TransformerModel& model) {
  model.hidden = config.integer("hidden_size");
  model.layers = config.integer("num_hidden_layers");
  model.heads = config.integer("num_attention_heads");
  model.kv_heads = config.integer("num_key_value_heads", model.heads);
  model.head_dim = config.integer("head_dim", model.hidden / model.heads);
  model.ffn = config.integer("intermediate_size");
  model.vocab = config.integer("vocab_size");
  model.max_positions = config.integer("max_position_embeddings");
}

void read_llama(const JsonConfig& config, TransformerModel& model) {
  read_sizes(config, model);
  model.qkv_biases = config.boolean("attention_bias", false);
  model.rotary_share = config.number("partial_rotary_factor", 1.0);
}

void read_qwen2(const JsonConfig& config, TransformerModel& model) {
  read_sizes(config, model);
  model.qkv_biases = true;
}

void read_mixtral(const JsonConfig& config, TransformerModel& model) {
  read_llama(config, model);
  model.experts.count = config.integer("num_local_experts");
  model.experts.top_k = config.integer("num_experts_per_tok");
  model.experts.ffn = model.ffn;
}

// Qwen names the layers without experts one by one; the leading ones can be described.
void read_qwen_experts(const JsonConfig& config, TransformerModel& model) {
  workload::Experts& experts = model.experts;
  experts.count = config.integer("num_experts");
  experts.top_k = config.integer("num_experts_per_tok");
  experts.ffn = config.integer("moe_intermediate_size");
  experts.shared_ffn = config.integer("shared_expert_intermediate_size", 0, 0);
  experts.every = config.integer("decoder_sparse_step", 1);
  std::vector<std::int64_t> plain = config.integers("mlp_only_layers");
  std::sort(plain.begin(), plain.end());
  experts.dense_layers = static_cast<std::int64_t>(plain.size());
  if (!plain.empty() && plain.back() + 1 != experts.dense_layers) {
    config.error("mlp_only_layers",
                 "layers without experts must be the first ones, 0, 1, ...; "
                 "others cannot be described");
  }
}

void read_qwen2_moe(const JsonConfig& config, TransformerModel& model) {
  read_qwen2(config, model);
  read_qwen_experts(config, model);
}

void read_qwen3_moe(const JsonConfig& config, TransformerModel& model) {
  read_llama(config, model);
  read_qwen_experts(config, model);
}

// Routed experts beside shared ones, behind leading layers without.
void read_shared_experts(const JsonConfig& config, workload::Experts& experts) {
  experts.count = config.integer("n_routed_experts");
  experts.top_k = config.integer("num_experts_per_tok");
  experts.ffn = config.integer("moe_intermediate_size");
  experts.shared_ffn = config.integer("n_shared_experts", 0, 0) * experts.ffn;
  experts.dense_layers = config.integer("first_k_dense_replace", 0, 0);
  experts.every = config.integer("moe_layer_freq", 1);
  const std::int64_t groups = config.integer("n_group", 1);
  experts.node_limit = groups > 1 ? config.integer("topk_group", 0, 0) : 0;
  experts.groups = experts.node_limit > 0 ? groups : 0;
}

void read_deepseek(const JsonConfig& config, TransformerModel& model) {
  read_llama(config, model);
  model.kv_heads = model.heads;
  model.head_dim = model.hidden / model.heads;
  model.latent.query_rank = config.integer("q_lora_rank", 0);
  model.latent.kv_rank = config.integer("kv_lora_rank");
  model.latent.rope_dim = config.integer("qk_rope_head_dim");
  model.latent.nope_dim = config.integer("qk_nope_head_dim");
  model.latent.value_dim = config.integer("v_head_dim");
  read_shared_experts(config, model.experts);
  model.prediction_layers = config.integer("num_nextn_predict_layers", 0, 0);
}

void read_deepseek_v32(const JsonConfig& config, TransformerModel& model) {
  read_deepseek(config, model);
  model.sparse.index_heads = config.integer("index_n_heads");
  model.sparse.index_dim = config.integer("index_head_dim");
  model.sparse.top_k = config.integer("index_topk");
}

void read_qwen3_next(const JsonConfig& config, TransformerModel& model) {
  read_llama(config, model);
  read_qwen_experts(config, model);
  read_gated_delta_net(config, model);
}

void read_minimax(const JsonConfig& config, TransformerModel& model) {
  read_mixtral(config, model);
  model.rotary_share = static_cast<double>(config.integer("rotary_dim", model.head_dim)) /
                       static_cast<double>(model.head_dim);
  read_lightning(config, model);
}

// An MLP has no gate. Mixers and MLPs are layers of their own.
void read_nemotron_h(const JsonConfig& config, TransformerModel& model) {
  read_sizes(config, model);
  model.head_dim = config.integer("attention_head_dim", model.head_dim);
  model.rotary_share = 0.0;
  read_mamba2(config, model);
}

void read_jamba(const JsonConfig& config, TransformerModel& model) {
  read_sizes(config, model);
  model.rotary_share = 0.0;
  workload::Experts& experts = model.experts;
  experts.count = config.integer("num_experts", 16);
  experts.top_k = config.integer("num_experts_per_tok", 2);
  experts.ffn = model.ffn;
  experts.every = config.integer("expert_layer_period", 2);
  read_mamba(config, model);
}

void read_glm4_moe(const JsonConfig& config, TransformerModel& model) {
  read_llama(config, model);
  model.rotary_share = config.number("partial_rotary_factor", 0.5);
  read_shared_experts(config, model.experts);
  model.prediction_layers = config.integer("num_nextn_predict_layers", 0, 0);
}

void read_gpt_oss(const JsonConfig& config, TransformerModel& model) {
  read_mixtral(config, model);
  model.qkv_biases = config.boolean("attention_bias", true);
}

void read_minimax_m2(const JsonConfig& config, TransformerModel& model) {
  read_mixtral(config, model);
  model.rotary_share = static_cast<double>(config.integer("rotary_dim", model.head_dim)) /
                       static_cast<double>(model.head_dim);
}

// Layers that attend to all tokens have no positions (no_rope_layers: 0), the others rotate.
void read_llama4(const JsonConfig& config, TransformerModel& model) {
  read_llama(config, model);
  workload::Experts& experts = model.experts;
  experts.count = config.integer("num_local_experts");
  experts.top_k = config.integer("num_experts_per_tok");
  experts.ffn = experts.shared_ffn = model.ffn;
  experts.every = config.integer("interleave_moe_layer_step", 1);
  model.ffn = config.integer("intermediate_size_mlp", model.ffn);
}

void read_grok(const JsonConfig& config, TransformerModel& model) {
  read_llama(config, model);
  model.experts.count = config.integer("num_experts");
  model.experts.top_k = config.integer("num_experts_per_tok");
  model.experts.ffn = model.ffn;
}

void read_dbrx(const JsonConfig& config, TransformerModel& model) {
  const JsonConfig attention = config.inside("attn_config");
  const JsonConfig mlp = config.inside("ffn_config");
  model.hidden = config.integer("d_model");
  model.layers = config.integer("n_layers");
  model.heads = config.integer("n_heads");
  model.kv_heads = attention.integer("kv_n_heads", model.heads);
  model.head_dim = model.hidden / model.heads;
  model.ffn = model.experts.ffn = mlp.integer("ffn_hidden_size");
  model.experts.count = mlp.integer("moe_num_experts");
  model.experts.top_k = mlp.integer("moe_top_k");
  model.vocab = config.integer("vocab_size");
  model.max_positions = config.integer("max_seq_len");
}

// Their configs leave out what is as in the class of the first one that was published.
void read_gemma(const JsonConfig& config, TransformerModel& model, std::int64_t vocab,
                std::int64_t positions) {
  model.hidden = config.integer("hidden_size");
  model.layers = config.integer("num_hidden_layers");
  model.heads = config.integer("num_attention_heads", 8);
  model.kv_heads = config.integer("num_key_value_heads", 4);
  model.head_dim = config.integer("head_dim", 256);
  model.ffn = config.integer("intermediate_size");
  model.vocab = config.integer("vocab_size", vocab);
  model.max_positions = config.integer("max_position_embeddings", positions);
}

void read_gemma2(const JsonConfig& config, TransformerModel& model) {
  read_gemma(config, model, 256'000, 8192);
}

void read_gemma3(const JsonConfig& config, TransformerModel& model) {
  read_gemma(config, model, 262'208, 131'072);
}

void read_gpt2_sizes(const JsonConfig& config, TransformerModel& model) {
  model.hidden = config.integer("n_embd");
  model.layers = config.integer("n_layer");
  model.heads = model.kv_heads = config.integer("n_head");
  model.head_dim = model.hidden / model.heads;
  model.ffn = config.integer("n_inner", 4 * model.hidden);
  model.vocab = config.integer("vocab_size");
  model.max_positions = config.integer("n_positions");
}

void read_gpt2(const JsonConfig& config, TransformerModel& model) {
  read_gpt2_sizes(config, model);
  model.dropout = config.number("resid_pdrop", 0.1) > 0.0;
}

void read_gptj(const JsonConfig& config, TransformerModel& model) {
  read_gpt2_sizes(config, model);
  model.dropout = config.number("resid_pdrop", 0.0) > 0.0;
  model.parallel_blocks = true;
  model.rotary_share = static_cast<double>(config.integer("rotary_dim", model.head_dim)) /
                       static_cast<double>(model.head_dim);
}

void read_gpt_neox(const JsonConfig& config, TransformerModel& model) {
  read_sizes(config, model);
  model.biases = config.boolean("attention_bias", true);
  model.dropout = config.number("hidden_dropout", 0.0) > 0.0;
  model.parallel_blocks = config.boolean("use_parallel_residual", true);
  model.rotary_share = config.number("rotary_pct", 0.25);
}

void read_opt(const JsonConfig& config, TransformerModel& model) {
  model.hidden = config.integer("hidden_size");
  model.layers = config.integer("num_hidden_layers");
  model.heads = model.kv_heads = config.integer("num_attention_heads");
  model.head_dim = model.hidden / model.heads;
  model.ffn = config.integer("ffn_dim");
  model.vocab = config.integer("vocab_size");
  model.max_positions = config.integer("max_position_embeddings");
  model.biases = config.boolean("enable_bias", true);
  model.dropout = config.number("dropout", 0.1) > 0.0;
  if (config.integer("word_embed_proj_dim", model.hidden) != model.hidden) {
    config.error("word_embed_proj_dim",
                 fmt::format("embeddings that are projected cannot be described; it must be "
                             "hidden_size = {}",
                             model.hidden));
  }
}

void read_bloom(const JsonConfig& config, TransformerModel& model) {
  model.hidden = config.integer({"hidden_size", "n_embed"});
  model.layers = config.integer({"n_layer", "num_hidden_layers"});
  model.heads = model.kv_heads = config.integer({"n_head", "num_attention_heads"});
  model.head_dim = model.hidden / model.heads;
  model.ffn = 4 * model.hidden;
  model.vocab = config.integer("vocab_size");
  model.max_positions = config.integer("seq_length", usual_positions);
  model.dropout = config.number("hidden_dropout", 0.0) > 0.0;
  model.rotary_share = 0.0;
}

// Key and value heads: as many as num_kv_heads in the newer architecture, else one, or one each.
std::int64_t falcon_kv_heads(const JsonConfig& config, std::int64_t heads) {
  if (config.boolean("new_decoder_architecture", false)) {
    return config.integer("num_kv_heads", heads);
  }
  return config.boolean("multi_query", true) ? 1 : heads;
}

void read_falcon(const JsonConfig& config, TransformerModel& model) {
  model.hidden = config.integer("hidden_size");
  model.layers = config.integer("num_hidden_layers");
  model.heads = config.integer("num_attention_heads");
  model.kv_heads = falcon_kv_heads(config, model.heads);
  model.head_dim = model.hidden / model.heads;
  model.ffn = config.integer("ffn_hidden_size", 4 * model.hidden);
  model.vocab = config.integer("vocab_size");
  model.max_positions = config.integer("max_position_embeddings", usual_positions);
  model.biases = config.boolean("bias", false);
  model.parallel_blocks =
      config.boolean("new_decoder_architecture", false) || config.boolean("parallel_attn", true);
  model.rotary_share = config.boolean("alibi", false) ? 0.0 : 1.0;
}

void read_mpt(const JsonConfig& config, TransformerModel& model) {
  const JsonConfig attention = config.inside("attn_config");
  model.hidden = config.integer("d_model");
  model.layers = config.integer("n_layers");
  model.heads = config.integer("n_heads");
  const bool multi_query =
      attention.text("attn_type", "multihead_attention") == "multiquery_attention";
  model.kv_heads = multi_query ? 1 : attention.integer("kv_n_heads", model.heads);
  model.head_dim = model.hidden / model.heads;
  model.ffn = config.integer("expansion_ratio", 4) * model.hidden;
  model.vocab = config.integer("vocab_size");
  model.max_positions = config.integer("max_seq_len");
  model.biases = !config.boolean("no_bias", true);
  model.learned_positions = !attention.boolean("alibi", true);
  model.rotary_share = 0.0;
}

void read_nemotron(const JsonConfig& config, TransformerModel& model) {
  read_sizes(config, model);
  model.rotary_share = config.number("partial_rotary_factor", 0.5);
}

void read_bert(const JsonConfig& config, TransformerModel& model) {
  read_sizes(config, model);
  model.dropout = config.number("hidden_dropout_prob", 0.1) > 0.0;
}

// Patches of the image and the class token; classes take the place of the vocabulary.
void read_vit(const JsonConfig& config, TransformerModel& model) {
  model.hidden = config.integer("hidden_size");
  model.layers = config.integer("num_hidden_layers");
  model.heads = model.kv_heads = config.integer("num_attention_heads");
  model.head_dim = model.hidden / model.heads;
  model.ffn = config.integer("intermediate_size");
  const std::int64_t image = config.integer("image_size", 224);
  const std::int64_t patch = config.integer("patch_size", 16);
  const std::int64_t channels = config.integer("num_channels", 3);
  const std::size_t labels = config.inside("id2label").size();
  constexpr std::int64_t image_net_classes = 1000;
  model.vocab = labels > 0 ? static_cast<std::int64_t>(labels)
                           : config.integer("num_labels", image_net_classes);
  if (patch > image || image > 100'000 || channels > 1000) {
    config.error("image_size", fmt::format("an image of {} x {} x {} values cannot be cut into "
                                           "patches of {}; image_size must be at least patch_size",
                                           image, image, channels, patch));
    return;
  }
  model.patch_inputs = patch * patch * channels;
  model.max_positions = (image / patch) * (image / patch) + 1;
  model.dropout = config.number("hidden_dropout_prob", 0.0) > 0.0;
}

struct ModelType {
  std::string_view name;
  std::string_view family;
  bool tied_embeddings;  // where the config does not say
  void (*read)(const JsonConfig&, TransformerModel&);
  // Where the config names a window and no layers: every n-th attends to all; 0: none does.
  std::int64_t whole_every = 0;
};
constexpr std::array<ModelType, 35> model_types = {{
    {"bert", "encoder", true, read_bert},
    {"bloom", "gpt", true, read_bloom},
    {"dbrx", "llama", false, read_dbrx},
    {"deepseek_v2", "llama", false, read_deepseek},
    {"deepseek_v3", "llama", false, read_deepseek},
    {"deepseek_v32", "llama", false, read_deepseek_v32},
    {"falcon", "plain", true, read_falcon},
    {"gemma2", "llama", true, read_gemma2, 2},
    {"gemma3_text", "llama", true, read_gemma3, 6},
    {"glm4_moe", "llama", false, read_glm4_moe},
    {"gpt2", "gpt", true, read_gpt2},
    {"gpt_neox", "plain", false, read_gpt_neox},
    {"gpt_oss", "llama", false, read_gpt_oss, 2},
    {"gptj", "plain", false, read_gptj},
    {"grok-1", "llama", true, read_grok},
    {"jamba", "llama", false, read_jamba},
    {"kimi_k2", "llama", false, read_deepseek},
    {"llama", "llama", false, read_llama},
    {"llama4_text", "llama", false, read_llama4, 4},
    {"minimax", "llama", false, read_minimax},
    {"minimax_m2", "llama", false, read_minimax_m2},
    {"minimax_text_01", "llama", false, read_minimax},
    {"mistral", "llama", false, read_llama},
    {"mixtral", "llama", false, read_mixtral},
    {"mpt", "plain", true, read_mpt},
    {"nemotron", "plain", false, read_nemotron},
    {"nemotron_h", "plain", false, read_nemotron_h},
    {"opt", "gpt", true, read_opt},
    {"phi3", "llama", false, read_llama},
    {"qwen2", "llama", false, read_qwen2},
    {"qwen2_moe", "llama", false, read_qwen2_moe},
    {"qwen3", "llama", false, read_llama},
    {"qwen3_moe", "llama", false, read_qwen3_moe},
    {"qwen3_next", "llama", false, read_qwen3_next},
    {"vit", "encoder", false, read_vit},
}};

const ModelType* model_type(const JsonConfig& config) {
  const std::string name = config.text("model_type");
  const auto found = std::find_if(model_types.begin(), model_types.end(),
                                  [&](const ModelType& type) { return type.name == name; });
  if (found != model_types.end()) {
    return &*found;
  }
  if (!name.empty()) {
    const std::vector<std::string> known = importable_models();
    config.error("model_type",
                 fmt::format("model_type '{}' is not known, known are {}; write the entry by hand "
                             "or, where the model is built like one of these, give it that type",
                             name, join(known, ", ")));
  }
  return nullptr;
}

void set_traits(const ModelType& type, const JsonConfig& config, TransformerModel& model) {
  const auto family = std::find_if(model_families.begin(), model_families.end(),
                                   [&](const ModelFamily& f) { return f.name == type.family; });
  model.gated_ffn = family->gated_ffn;
  model.biases = family->biases;
  model.dropout = family->dropout;
  model.learned_positions = family->learned_positions && type.name != "bloom";
  model.causal = family->causal;
  model.tied_embeddings = config.boolean("tie_word_embeddings", type.tied_embeddings);
}

// Of each layer, whether it attends to a window: as layer_types says, or Llama's layers without
// rotary positions, or every n-th.
std::vector<LayerForm> windowed_layers(const JsonConfig& config, const ModelType& type,
                                       std::int64_t layers) {
  const auto form = [](bool has_window) {
    return has_window ? LayerForm::window : LayerForm::whole;
  };
  std::vector<LayerForm> windowed;
  for (const std::string& layer : config.texts("layer_types")) {
    windowed.push_back(form(layer != "full_attention"));
    if (windowed.back() == LayerForm::window && layer != "sliding_attention" &&
        layer != "chunked_attention") {
      config.error("layer_types",
                   fmt::format("layers of '{}' cannot be described; known are full_attention, "
                               "sliding_attention and chunked_attention",
                               layer));
      return {};
    }
  }
  if (windowed.empty()) {
    for (const std::int64_t rotates : config.integers("no_rope_layers")) {
      windowed.push_back(form(rotates != 0));
    }
  }
  if (!windowed.empty() && static_cast<std::int64_t>(windowed.size()) != layers) {
    config.error(config.has("layer_types") ? "layer_types" : "no_rope_layers",
                 fmt::format("names {} layers, and num_hidden_layers is {}; both must be the same",
                             windowed.size(), layers));
    return {};
  }
  const std::string_view key =
      config.has("no_rope_layer_interval") ? "no_rope_layer_interval" : "sliding_window_pattern";
  const std::int64_t every = config.integer(key, type.whole_every, 0);
  for (auto i = static_cast<std::int64_t>(windowed.size()); i < layers; ++i) {
    windowed.push_back(form(every == 0 || (i + 1) % every != 0));
  }
  return windowed;
}

// A window as wide as the context hides nothing; Qwen names one that most of its models do not use.
void read_window(const JsonConfig& config, const ModelType& type, ImportedModel& imported) {
  TransformerModel& model = imported.model;
  const bool used = config.boolean("use_sliding_window", !type.name.starts_with("qwen"));
  const std::string_view key =
      config.has("attention_chunk_size") ? "attention_chunk_size" : "sliding_window";
  const std::int64_t window = config.integer(key, 0, 0);
  if (!used || window == 0 || window >= model.max_positions) {
    return;
  }
  const std::vector<LayerForm> windowed = windowed_layers(config, type, model.layers);
  const auto count = std::count(windowed.begin(), windowed.end(), LayerForm::window);
  if (count == 0) {
    return;
  }
  model.local = {window, count, key == "attention_chunk_size"};
  imported.pattern = pattern_of(windowed);
  if (model.local.chunked) {
    model.rotary_share *= static_cast<double>(count) / static_cast<double>(model.layers);
  }
}

// What the catalog would refuse, told in the words of the config.
void check(const JsonConfig& config, const TransformerModel& model) {
  const std::string_view heads_key = config.has("num_attention_heads") ? "num_attention_heads"
                                     : config.has("n_head")            ? "n_head"
                                                                       : "n_heads";
  if (!model.latent.on() && !config.has("head_dim") && model.hidden % model.heads != 0) {
    config.error(heads_key, fmt::format("{} heads do not divide the {} values of a token; give "
                                        "head_dim",
                                        model.heads, model.hidden));
  }
  if (model.heads % model.kv_heads != 0) {
    config.error("num_key_value_heads", fmt::format("{} heads of keys and values must divide {} "
                                                    "heads of queries",
                                                    model.kv_heads, model.heads));
  }
  if (model.rotary_share > 1.0) {
    const std::string_view key = config.has("rotary_dim")   ? "rotary_dim"
                                 : config.has("rotary_pct") ? "rotary_pct"
                                                            : "partial_rotary_factor";
    config.error(key, fmt::format("{} of a head cannot rotate; '{}' must give at most all of it",
                                  model.rotary_share, key));
  }
  if (model.experts.top_k > model.experts.count) {
    config.error("num_experts_per_tok", fmt::format("a token cannot go to {} of {} experts",
                                                    model.experts.top_k, model.experts.count));
  }
  if (model.experts.on() && model.experts.dense_layers >= model.layers) {
    config.error("num_hidden_layers", fmt::format("{} layers leave none with experts behind {} "
                                                  "without",
                                                  model.layers, model.experts.dense_layers));
  }
}

// "Org/Model-7B" -> "model-7b".
std::string entry_name(std::string text) {
  while (text.ends_with('/')) {
    text.pop_back();
  }
  text = text.substr(text.rfind('/') + 1);
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool good = byte < 0x80 && (std::isalnum(byte) != 0 || c == '.' || c == '-' || c == '_');
    c = good ? static_cast<char>(std::tolower(byte)) : '-';
  }
  return text;
}

}  // namespace

std::vector<std::string> importable_models() {
  std::vector<std::string> names;
  for (const ModelType& type : model_types) {
    names.emplace_back(type.name);
  }
  return names;
}

std::optional<ImportedModel> import_model(const std::string& file, const std::string& text,
                                          const std::string& name, Diagnostics& diagnostics,
                                          const std::optional<JsonFile>& quantization) {
  const int errors_before = diagnostics.error_count();
  const std::optional<JsonConfig> whole = JsonConfig::parse(file, text, diagnostics);
  if (!whole) {
    return std::nullopt;
  }
  const std::optional<JsonConfig> config = whole->has("text_config")  // beside one of images
                                               ? whole->inside("text_config")
                                               : whole;
  const ModelType* type = model_type(*config);
  if (type == nullptr) {
    return std::nullopt;
  }
  ImportedModel imported;
  imported.family = std::string(type->family);
  TransformerModel& model = imported.model;
  set_traits(*type, *config, model);
  type->read(*config, model);
  model.experts.request_skew = workload::usual_request_skew(model.experts.count);
  if (model.linear.heads > 0) {
    imported.pattern = read_linear_layers(*config, model);
  } else {
    read_window(*config, *type, imported);
  }
  const std::optional<JsonConfig> beside =
      quantization ? JsonConfig::parse(quantization->name, quantization->text, diagnostics)
                   : std::nullopt;
  const PublishedFormats published =
      published_formats(config->has("quantization_config") ? *config : *whole, beside,
                        {.all = model.layers,
                         .experts = model.expert_layers(),
                         .first_dense = model.experts.dense_layers,
                         .every = model.experts.every,
                         .has_shared_experts = model.experts.shared_ffn > 0});
  imported.precision = published.precision;
  imported.checkpoint = published.checkpoint;
  const std::string given = whole->text("_name_or_path", "");
  if (diagnostics.error_count() == errors_before) {
    check(*config, model);
  }
  if (diagnostics.error_count() > errors_before) {
    return std::nullopt;
  }
  const std::string derived = entry_name(given);
  model.name = !name.empty() ? name : !derived.empty() ? derived : std::string(type->name);
  imported.citation = fmt::format("config.json{} (Hugging Face, model_type {})",
                                  given.empty() ? "" : " of " + given, type->name);
  return imported;
}

}  // namespace scalesweep::catalog

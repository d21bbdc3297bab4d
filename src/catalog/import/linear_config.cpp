#include "catalog/import/linear_config.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace scalesweep::catalog {
namespace {

using workload::LinearAttention;
using workload::TransformerModel;

constexpr std::string_view hybrid_pattern = "hybrid_override_pattern";

// "M-M*-": M is Mamba-2, * attention, - an MLP.
std::vector<LayerForm> mixers_of(std::string_view pattern) {
  std::vector<LayerForm> mixers;
  for (const char layer : pattern) {
    if (layer != '-') {
      mixers.push_back(layer == 'M' ? LayerForm::linear : LayerForm::whole);
    }
  }
  return mixers;
}

void check_count(const JsonConfig& config, std::string_view key, std::size_t named,
                 std::int64_t layers) {
  if (static_cast<std::int64_t>(named) != layers) {
    config.error(key, fmt::format("names {} layers, and num_hidden_layers is {}; both must be the "
                                  "same",
                                  named, layers));
  }
}

std::vector<LayerForm> named_layers(const JsonConfig& config, std::int64_t layers) {
  std::vector<LayerForm> forms;
  for (const std::string& layer : config.texts("layer_types")) {
    forms.push_back(layer == "linear_attention" ? LayerForm::linear : LayerForm::whole);
    if (layer != "linear_attention" && layer != "full_attention") {
      config.error("layer_types", fmt::format("layers of '{}' cannot be described beside those "
                                              "with a state; known are full_attention and "
                                              "linear_attention",
                                              layer));
      return forms;
    }
  }
  check_count(config, "layer_types", forms.size(), layers);
  return forms;
}

// Lists of 0 for a state and 1 for attention.
std::vector<LayerForm> numbered_layers(const JsonConfig& config, std::int64_t layers) {
  std::vector<LayerForm> forms;
  for (const std::int64_t attends : config.integers("attn_type_list")) {
    forms.push_back(attends == 0 ? LayerForm::linear : LayerForm::whole);
  }
  check_count(config, "attn_type_list", forms.size(), layers);
  return forms;
}

// Every n-th layer attends, the last of each n or as an offset says.
std::vector<LayerForm> periodic_layers(const JsonConfig& config, std::int64_t layers) {
  const bool jamba = config.has("attn_layer_period");
  const std::int64_t period =
      config.integer(jamba ? "attn_layer_period" : "full_attention_interval", jamba ? 8 : 4);
  const std::int64_t offset =
      jamba ? config.integer("attn_layer_offset", period / 2, 0) : period - 1;
  std::vector<LayerForm> forms;
  for (std::int64_t i = 0; i < layers; ++i) {
    forms.push_back(i % period == offset ? LayerForm::whole : LayerForm::linear);
  }
  return forms;
}

std::vector<LayerForm> forms_of(const JsonConfig& config, std::int64_t layers) {
  if (config.has(hybrid_pattern)) {
    return mixers_of(config.text(hybrid_pattern));
  }
  if (config.has("layer_types")) {
    return named_layers(config, layers);
  }
  return config.has("attn_type_list") ? numbered_layers(config, layers)
                                      : periodic_layers(config, layers);
}

}  // namespace

void read_gated_delta_net(const JsonConfig& config, TransformerModel& model) {
  LinearAttention& linear = model.linear;
  model.gated_attention = true;
  model.rotary_share = config.number("partial_rotary_factor", 0.25);
  linear.heads = config.integer("linear_num_value_heads");
  linear.key_heads = config.integer("linear_num_key_heads", linear.heads);
  linear.key_dim = config.integer("linear_key_head_dim");
  linear.value_dim = config.integer("linear_value_head_dim");
  linear.convolution = config.integer("linear_conv_kernel_dim", 4);
  linear.gates = 2;
  linear.chunk = 64;  // of flash-linear-attention's kernels
  linear.delta_rule = true;
}

void read_lightning(const JsonConfig& config, TransformerModel& model) {
  LinearAttention& linear = model.linear;
  linear.heads = linear.key_heads = model.heads;
  linear.key_dim = linear.value_dim = model.head_dim;
  linear.chunk = config.integer("block_size", 256);
}

void read_mamba(const JsonConfig& config, TransformerModel& model) {
  LinearAttention& linear = model.linear;
  linear.heads = config.integer("mamba_expand", 2) * model.hidden;
  linear.key_heads = 1;
  linear.key_dim = config.integer("mamba_d_state", 16);
  linear.value_dim = 1;
  linear.convolution = config.integer("mamba_d_conv", 4);
  linear.gates = 1;
  linear.gate_rank = config.integer("mamba_dt_rank", (model.hidden + 15) / 16);
}

void read_mamba2(const JsonConfig& config, TransformerModel& model) {
  LinearAttention& linear = model.linear;
  linear.heads = config.integer("mamba_num_heads");
  linear.key_heads = config.integer("n_groups", 8);
  linear.key_dim = config.integer("ssm_state_size");
  linear.value_dim = config.integer("mamba_head_dim");
  linear.convolution = config.integer("conv_kernel", 4);
  linear.gates = 1;
  linear.chunk = config.integer("chunk_size", 128);
  const std::string pattern = config.text(hybrid_pattern);
  if (pattern.find_first_not_of("M*-") != std::string::npos) {
    config.error(hybrid_pattern, fmt::format("'{}' has a layer that cannot be described; known are "
                                             "M (Mamba-2), * (attention) and - (MLP)",
                                             pattern));
    return;
  }
  check_count(config, hybrid_pattern, pattern.size(), model.layers);
  const auto mlps = std::count(pattern.begin(), pattern.end(), '-');
  model.layers = static_cast<std::int64_t>(pattern.size()) - mlps;
  model.bare_layers = model.layers - mlps;
  if (model.bare_layers < 0 || model.layers == 0) {
    config.error(hybrid_pattern, fmt::format("{} MLPs are more than the {} layers of M and * that "
                                             "they can stand behind; others cannot be described",
                                             mlps, model.layers));
  }
}

LayerPattern read_linear_layers(const JsonConfig& config, TransformerModel& model) {
  const std::vector<LayerForm> forms = forms_of(config, model.layers);
  model.linear.layers = std::count(forms.begin(), forms.end(), LayerForm::linear);
  if (model.linear.layers == 0) {
    model.linear = {};
  }
  return model.linear.on() ? pattern_of(forms) : LayerPattern{};
}

}  // namespace scalesweep::catalog

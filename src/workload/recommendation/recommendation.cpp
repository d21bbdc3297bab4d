#include "workload/recommendation/recommendation.hpp"

#include <algorithm>
#include <numeric>

#include "workload/layer_parts.hpp"

namespace scalesweep::workload {
namespace {

struct MlpNames {
  std::string_view forward, data, weight, activation, backward_activation;
};
constexpr MlpNames bottom_names = {"bottom linear", "d bottom linear", "w bottom linear",
                                   "bottom activation", "d bottom activation"};
constexpr MlpNames top_names = {"top linear", "d top linear", "w top linear", "top activation",
                                "d top activation"};

// Elements that the step of a cross layer behind its two products reads and writes. Forward: the
// product, x0 and x are read, the next x written; a GEMM that ends with it reads x0 and x alone.
// Backward: gradient, x0 and the product are read, the product's gradient and that of x0 written,
// which is read before, and the gradient that goes on is added to; added by the GEMM, it is not.
constexpr double cross_elements = 4.0;
constexpr double fused_cross_elements = 2.0;
constexpr double cross_gradient_elements = 9.0;
constexpr double fused_cross_gradient_elements = 6.0;

void add_linear(LayerBuilder& layer, double samples, double inputs, double outputs,
                const MlpNames& names) {
  layer.linear({.forward_name = names.forward,
                .data_name = names.data,
                .weight_name = names.weight,
                .m = samples,
                .n = outputs,
                .k = inputs,
                .of_layer = false});  // stacks fill narrow inputs up to aligned rows
}

void add_mlp(LayerBuilder& layer, double samples, std::int64_t inputs,
             const std::vector<std::int64_t>& widths, const MlpNames& names) {
  const double w = layer.slice().element_bytes;
  for (const std::int64_t width : widths) {
    add_linear(layer, samples, static_cast<double>(inputs), static_cast<double>(width), names);
    if (!layer.fused()) {
      const double outputs = samples * static_cast<double>(width);
      layer.forward(names.activation, outputs, 2.0 * w, 1.0);
      layer.backward(names.backward_activation, outputs, 3.0 * w, 1.0);
    }
    inputs = width;
  }
}

double pairs_of(const RecommendationModel& model) {
  const double vectors = model.table_count() + 1.0;
  return vectors * vectors;
}

// All pairs of the bottom MLP's output and the pooled rows; half of the products are kept.
void add_dot(LayerBuilder& layer, const RecommendationModel& model, double samples) {
  const double w = layer.slice().element_bytes;
  const double vectors = model.table_count() + 1.0;
  const auto dim = static_cast<double>(model.bottom_output());
  const double joined = pairs_of(model) + static_cast<double>(model.interactions());
  layer.forward({"interaction", vectors, vectors, dim, samples, w, w, false}, Block::other);
  if (!layer.fused()) {
    layer.forward("join interactions", samples * joined, w, 0.0);
    layer.backward("d join interactions", samples * joined, w, 0.0);
  }
  // Both factors are the same vectors: their gradients are one GEMM with the gradient and its
  // transpose added.
  layer.backward({"d interaction", vectors, dim, vectors, samples, w, w, false});
}

constexpr MlpNames down_names = {"cross down", "d cross down", "w cross down", "", ""};
constexpr MlpNames up_names = {"cross up", "d cross up", "w cross up", "", ""};

void add_cross(LayerBuilder& layer, const RecommendationModel& model, double samples) {
  const double w = layer.slice().element_bytes;
  const auto width = static_cast<double>(model.interactions());
  const auto rank = static_cast<double>(model.cross_rank);
  const double forward = layer.fused() ? fused_cross_elements : cross_elements;
  const double backward = layer.fused() ? fused_cross_gradient_elements : cross_gradient_elements;
  for (std::int64_t i = 0; i < model.cross_layers; ++i) {
    add_linear(layer, samples, width, rank, down_names);
    add_linear(layer, samples, rank, width, up_names);
    layer.forward("cross", samples * width, forward * w, 3.0);
    layer.backward("d cross", samples * width, backward * w, 4.0);
  }
}

constexpr MlpNames in_names = {"sequence in", "d sequence in", "w sequence in", "", ""};
constexpr MlpNames out_names = {"sequence out", "d sequence out", "w sequence out", "", ""};

// Elements of a token in the heads of a layer, of each of its gate, values, queries and keys.
double head_width(const RecommendationModel& model) {
  return static_cast<double>(model.sequence_heads * model.sequence_head_dim);
}

// A layer: gate, values, queries and keys by one GEMM; attention whose scores go through a
// pointwise function; its sums, normed, times the gate; and a GEMM whose result is added to the
// input. What norm and gate read and write is no part of a GEMM.
void add_sequence(LayerBuilder& layer, const RecommendationModel& model, double samples) {
  const double w = layer.slice().element_bytes;
  const double tokens = samples * model.tokens();
  const double heads = head_width(model);
  const auto dim = static_cast<double>(model.bottom_output());
  FlashAttention attention;
  attention.name = "sequence attention";
  attention.sequence = model.tokens();
  attention.batch_heads = samples * static_cast<double>(model.sequence_heads);
  attention.batch_kv_heads = attention.batch_heads;
  attention.head_dim = static_cast<double>(model.sequence_head_dim);
  attention.element_bytes = w;
  for (std::int64_t i = 0; i < model.sequence_layers; ++i) {
    add_linear(layer, tokens, dim, 4.0 * heads, in_names);
    layer.attention(attention, "d sequence attention", 1.0);
    layer.forward("sequence gate", tokens * heads, 3.0 * w, 8.0);
    layer.backward("d sequence gate", tokens * heads, 5.0 * w, 16.0);
    add_linear(layer, tokens, heads, dim, out_names);
    if (!layer.fused()) {
      layer.forward("sequence activation", 4.0 * tokens * heads, 2.0 * w, 4.0);
      layer.backward("d sequence activation", 4.0 * tokens * heads, 3.0 * w, 4.0);
      layer.forward("sequence residual", tokens * dim, 3.0 * w, 1.0);
    }
  }
}

double sequence_weights(const RecommendationModel& model) {
  return static_cast<double>(model.sequence_layers) * 5.0 * head_width(model) *
         static_cast<double>(model.bottom_output());
}

// Of a sample: both products of attention, of the half that its mask leaves.
double attention_products(const RecommendationModel& model) {
  return static_cast<double>(model.sequence_layers) * head_width(model) * model.tokens() *
         model.tokens();
}

double sum_of(const std::vector<std::int64_t>& widths) {
  return static_cast<double>(std::accumulate(widths.begin(), widths.end(), std::int64_t{0}));
}

double mlp_weights(std::int64_t inputs, const std::vector<std::int64_t>& widths) {
  double weights = 0.0;
  for (const std::int64_t width : widths) {
    weights += static_cast<double>(inputs) * static_cast<double>(width);
    inputs = width;
  }
  return weights;
}

double cross_weights(const RecommendationModel& model) {
  return 2.0 * static_cast<double>(model.cross_layers) * static_cast<double>(model.cross_rank) *
         static_cast<double>(model.interactions());
}

// Of the interaction.
double own_weights(const RecommendationModel& model) {
  switch (model.interaction) {
    case Interaction::dot:
      break;
    case Interaction::cross:
      return cross_weights(model);
    case Interaction::sequence:
      return sequence_weights(model);
  }
  return 0.0;
}

double mlps_weights(const RecommendationModel& model) {
  return mlp_weights(model.dense_features, model.bottom_widths) +
         mlp_weights(model.interactions(), model.top_widths);
}

// Products of a sample with a weight.
double weight_products(const RecommendationModel& model) {
  const double times = model.interaction == Interaction::sequence ? model.tokens() : 1.0;
  return mlps_weights(model) + times * own_weights(model);
}

double dot_products(const RecommendationModel& model) {
  return model.interaction == Interaction::dot
             ? pairs_of(model) * static_cast<double>(model.bottom_output())
             : 0.0;
}

template <typename Part>
double sum_over(const std::vector<TableGroup>& tables, const Part& part) {
  double sum = 0.0;
  for (const TableGroup& group : tables) {
    sum += static_cast<double>(group.count) * part(group);
  }
  return sum;
}

}  // namespace

double RecommendationModel::table_count() const {
  return sum_over(tables, [](const TableGroup&) { return 1.0; });
}

double RecommendationModel::table_parameters() const {
  return sum_over(tables, [](const TableGroup& group) {
    return static_cast<double>(group.rows) * static_cast<double>(group.dim);
  });
}

double RecommendationModel::lookups() const {
  return sum_over(tables, [](const TableGroup& group) { return group.pooling; });
}

double RecommendationModel::pooled_width() const {
  return sum_over(tables, [this](const TableGroup& group) {
    return static_cast<double>(group.dim) * (adds_rows() ? 1.0 : group.pooling);
  });
}

double RecommendationModel::tokens() const {
  double most = 0.0;
  for (const TableGroup& group : tables) {
    most = std::max(most, group.pooling);
  }
  return most;
}

std::int64_t RecommendationModel::bottom_output() const {
  return bottom_widths.empty() ? dense_features : bottom_widths.back();
}

std::int64_t RecommendationModel::interactions() const {
  if (interaction == Interaction::sequence) {
    return bottom_output();  // of the last token
  }
  if (interaction == Interaction::cross) {
    return bottom_output() + static_cast<std::int64_t>(pooled_width());
  }
  const auto vectors = static_cast<std::int64_t>(table_count()) + 1;
  return bottom_output() + vectors * (vectors - 1) / 2;
}

double RecommendationModel::dense_parameters() const {
  const double cross_biases =
      interaction == Interaction::cross
          ? static_cast<double>(cross_layers) * static_cast<double>(interactions())
          : 0.0;
  return mlps_weights(*this) + own_weights(*this) + sum_of(bottom_widths) + sum_of(top_widths) +
         cross_biases;
}

RecommendationOperators recommendation_operators(const RecommendationModel& model,
                                                 const RecommendationSlice& slice) {
  Slice part;
  part.element_bytes = slice.element_bytes;
  part.operand_bytes = slice.operand_bytes;
  part.gradient_bytes = slice.gradient_bytes;
  part.fused_pointwise = slice.fused_pointwise;
  const auto samples = static_cast<double>(slice.batch);
  LayerBuilder bottom(part);
  add_mlp(bottom, samples, model.dense_features, model.bottom_widths, bottom_names);
  LayerBuilder interaction(part);
  switch (model.interaction) {
    case Interaction::dot:
      add_dot(interaction, model, samples);
      break;
    case Interaction::cross:
      add_cross(interaction, model, samples);
      break;
    case Interaction::sequence:
      add_sequence(interaction, model, samples);
      break;
  }
  LayerBuilder top(part);
  add_mlp(top, samples, model.interactions(), model.top_widths, top_names);
  RecommendationOperators operators = {bottom.take(), interaction.take(), top.take()};
  if (!model.bottom_widths.empty()) {
    std::vector<MatMul>& gradients = operators.bottom.data_gradients;
    gradients.erase(gradients.begin());  // of the features
  }
  return operators;
}

double forward_flop_per_sample(const RecommendationModel& model) {
  const double attention =
      model.interaction == Interaction::sequence ? attention_products(model) : 0.0;
  return 2.0 * (weight_products(model) + dot_products(model) + attention);
}

double model_flop_per_sample(const RecommendationModel& model) {
  const double first = model.bottom_widths.empty()
                           ? 0.0
                           : static_cast<double>(model.dense_features) *
                                 static_cast<double>(model.bottom_widths.front());
  const double attention =
      model.interaction == Interaction::sequence ? attention_products(model) : 0.0;
  // Three GEMMs of each weight but that of the features, two of the products of pairs, and of
  // attention twice as much again.
  return 2.0 * (3.0 * weight_products(model) - first + 2.0 * dot_products(model) + 3.0 * attention);
}

namespace {

// What the layers of an interaction keep of a sample for the backward pass: their inputs, and what
// stands between their products.
double saved_between(const RecommendationModel& model) {
  const auto width = static_cast<double>(model.interactions());
  switch (model.interaction) {
    case Interaction::dot:
      break;
    case Interaction::cross:
      return static_cast<double>(model.cross_layers) *
             (2.0 * width + static_cast<double>(model.cross_rank));
    case Interaction::sequence:
      // Input; gate, values, queries and keys; sums of attention, as they are and gated.
      return static_cast<double>(model.sequence_layers) * model.tokens() *
             (width + 6.0 * head_width(model));
  }
  return 0.0;
}

// The most that one of its steps reads and writes.
double working_between(const RecommendationModel& model) {
  const auto width = static_cast<double>(model.interactions());
  switch (model.interaction) {
    case Interaction::dot:
      break;
    case Interaction::cross:
      return 3.0 * width;
    case Interaction::sequence:
      return model.tokens() * (width + 5.0 * head_width(model));
  }
  return static_cast<double>(model.bottom_output()) + model.pooled_width() + width;
}

}  // namespace

double saved_elements_per_sample(const RecommendationModel& model) {
  return static_cast<double>(model.dense_features) + sum_of(model.bottom_widths) +
         model.pooled_width() + static_cast<double>(model.interactions()) + saved_between(model) +
         sum_of(model.top_widths);
}

double working_elements_per_sample(const RecommendationModel& model) {
  double most = working_between(model);
  double before = static_cast<double>(model.interactions());
  for (const std::int64_t after : model.top_widths) {
    most = std::max(most, before + static_cast<double>(after));
    before = static_cast<double>(after);
  }
  return most;
}

}  // namespace scalesweep::workload

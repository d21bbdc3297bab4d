#include "workload/recommendation/recommendation.hpp"

#include <cmath>

#include "workload/layer_parts.hpp"

namespace scalesweep::workload {
namespace {

// DRAM hands out no less at a time: a burst of an HBM pseudo channel (JESD235), and of others
// alike. A row that is shorter takes a whole one.
constexpr double dram_burst_bytes = 64.0;
// Of one entry of a list of rows.
constexpr double index_bytes = 8.0;

struct MlpNames {
  std::string_view forward, data, weight, activation, backward_activation;
};
constexpr MlpNames bottom_names = {"bottom linear", "d bottom linear", "w bottom linear",
                                   "bottom activation", "d bottom activation"};
constexpr MlpNames top_names = {"top linear", "d top linear", "w top linear", "top activation",
                                "d top activation"};

void add_mlp(LayerBuilder& layer, double samples, std::int64_t inputs,
             const std::vector<std::int64_t>& widths, const MlpNames& names) {
  const double w = layer.slice().element_bytes;
  for (const std::int64_t width : widths) {
    const double outputs = samples * static_cast<double>(width);
    layer.linear({.forward_name = names.forward,
                  .data_name = names.data,
                  .weight_name = names.weight,
                  .m = samples,
                  .n = static_cast<double>(width),
                  .k = static_cast<double>(inputs)});
    layer.forward(names.activation, outputs, 2.0 * w, 1.0);
    layer.backward(names.backward_activation, outputs, 3.0 * w, 1.0);
    inputs = width;
  }
}

// Reads its indices and rows and writes their sums. Backward reads the sums' gradients for each
// row, and reads and writes the row and one number of optimizer state (row-wise Adagrad).
void add_lookup(LayerBuilder& layer, const RecommendationModel& model,
                const RecommendationSlice& slice) {
  const double pooled = static_cast<double>(slice.batch * model.tables);
  const auto dim = static_cast<double>(model.dim);
  const double rows = pooled * model.pooling;
  const double row_bytes = std::ceil(dim * slice.table_bytes / dram_burst_bytes) * dram_burst_bytes;
  const double sums = pooled * dim * slice.element_bytes;
  layer.forward("lookup", 1.0, rows * (row_bytes + index_bytes) + sums, rows * dim);
  layer.backward("update rows", 1.0,
                 rows * (2.0 * row_bytes + 2.0 * dram_burst_bytes + index_bytes) + sums,
                 3.0 * rows * dim);
}

// All pairs of the bottom MLP's output and the pooled rows; half of the products are kept.
void add_interaction(LayerBuilder& layer, const RecommendationModel& model,
                     const RecommendationSlice& slice) {
  const double w = slice.element_bytes;
  const auto samples = static_cast<double>(slice.batch);
  const auto vectors = static_cast<double>(model.tables + 1);
  const auto dim = static_cast<double>(model.dim);
  const double read = samples * vectors * vectors;
  const double written = samples * static_cast<double>(model.interactions());
  layer.forward({"interaction", vectors, vectors, dim, samples, w, w, false}, Block::other);
  layer.forward("join interactions", 1.0, (read + written) * w, 0.0);
  layer.backward("d join interactions", 1.0, (read + written) * w, 0.0);
  // Both factors are the same vectors: their gradients are one GEMM with the gradient and its
  // transpose added.
  layer.backward({"d interaction", vectors, dim, vectors, samples, w, w, false});
}

double mlp_weights(std::int64_t inputs, const std::vector<std::int64_t>& widths) {
  double weights = 0.0;
  for (const std::int64_t width : widths) {
    weights += static_cast<double>(inputs) * static_cast<double>(width);
    inputs = width;
  }
  return weights;
}

}  // namespace

double RecommendationModel::table_parameters() const {
  return static_cast<double>(tables) * static_cast<double>(rows) * static_cast<double>(dim);
}

std::int64_t RecommendationModel::interactions() const {
  return dim + tables * (tables + 1) / 2;
}

double RecommendationModel::mlp_parameters() const {
  double biases = 0.0;
  for (const std::int64_t width : bottom_widths) {
    biases += static_cast<double>(width);
  }
  for (const std::int64_t width : top_widths) {
    biases += static_cast<double>(width);
  }
  return mlp_weights(dense_features, bottom_widths) + mlp_weights(interactions(), top_widths) +
         biases;
}

LayerOperators recommendation_operators(const RecommendationModel& model,
                                        const RecommendationSlice& slice) {
  Slice builder_slice;
  builder_slice.element_bytes = builder_slice.operand_bytes = slice.element_bytes;
  builder_slice.gradient_bytes = slice.gradient_bytes;
  LayerBuilder layer(builder_slice);
  const auto samples = static_cast<double>(slice.batch);
  add_lookup(layer, model, slice);
  add_mlp(layer, samples, model.dense_features, model.bottom_widths, bottom_names);
  add_interaction(layer, model, slice);
  add_mlp(layer, samples, model.interactions(), model.top_widths, top_names);
  LayerOperators operators = layer.take();
  if (!model.bottom_widths.empty()) {
    operators.data_gradients.erase(operators.data_gradients.begin());  // of the features
  }
  return operators;
}

double pooled_exchange_bytes(const RecommendationModel& model, const RecommendationSlice& slice) {
  return static_cast<double>(slice.batch) * static_cast<double>(model.tables) *
         static_cast<double>(model.dim) * slice.element_bytes;
}

double table_bytes(const RecommendationModel& model, const RecommendationSlice& slice) {
  return model.table_parameters() / static_cast<double>(slice.table_shards) * slice.table_bytes;
}

double model_flop_per_sample(const RecommendationModel& model) {
  const double first = model.bottom_widths.empty()
                           ? 0.0
                           : static_cast<double>(model.dense_features) *
                                 static_cast<double>(model.bottom_widths.front());
  const double weights = mlp_weights(model.dense_features, model.bottom_widths) +
                         mlp_weights(model.interactions(), model.top_widths);
  const auto vectors = static_cast<double>(model.tables + 1);
  const double interaction = vectors * vectors * static_cast<double>(model.dim);
  // Three GEMMs of each weight but that of the features, two of the interaction.
  return 2.0 * (3.0 * weights - first + 2.0 * interaction);
}

}  // namespace scalesweep::workload

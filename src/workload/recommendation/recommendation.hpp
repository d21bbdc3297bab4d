// A recommendation model as operators: embedding tables that are looked up, and two small MLPs
// (DLRM; Naumov et al., arXiv:1906.00091). Tables are spread over devices whole, samples and MLPs
// as data parallel ranks have them; between lookup and interaction the pooled rows are exchanged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/layer.hpp"

namespace scalesweep::workload {

struct RecommendationModel {
  std::string name;
  std::int64_t tables = 0;
  std::int64_t rows = 0;                    // of a table, the mean
  std::int64_t dim = 0;                     // elements of a row
  double pooling = 1.0;                     // rows of a table that a sample reads and adds up
  std::int64_t dense_features = 0;          // inputs of the bottom MLP
  std::vector<std::int64_t> bottom_widths;  // of its layers; the last one is dim
  std::vector<std::int64_t> top_widths;     // the last one is 1, the prediction

  double table_parameters() const;
  double mlp_parameters() const;  // weights and biases of both
  // What the top MLP reads: the bottom one's output and the products of all pairs of vectors.
  std::int64_t interactions() const;
};

struct RecommendationSlice {
  std::int64_t batch = 1;         // samples of one device
  std::int64_t table_shards = 1;  // devices over which the tables are spread
  double element_bytes = 2.0;     // of activations
  double table_bytes = 4.0;       // of an element of a table
  double gradient_bytes = 4.0;    // of accumulated weight gradients of the MLPs
};

// Lookups of a device's own tables for the samples of all devices, as many rows whatever the
// shards are, and the rest for its own samples; forward and backward, with the update of the rows.
LayerOperators recommendation_operators(const RecommendationModel& model,
                                        const RecommendationSlice& slice);

// Bytes that a device sends into the all-to-all of pooled rows, its own share counted as well; the
// gradients take the same way back.
double pooled_exchange_bytes(const RecommendationModel& model, const RecommendationSlice& slice);

// Bytes of the tables that a device holds.
double table_bytes(const RecommendationModel& model, const RecommendationSlice& slice);

// Forward and backward, MLPs and interaction; lookups do no arithmetic to speak of.
double model_flop_per_sample(const RecommendationModel& model);

}  // namespace scalesweep::workload

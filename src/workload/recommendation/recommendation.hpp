// A recommendation model as operators: embedding tables that are looked up, what brings their rows
// and the dense features together, and two MLPs (DLRM; Naumov et al., arXiv:1906.00091). Samples
// and MLPs are spread over devices as data parallel ranks have them; where the tables are, and what
// is sent of their rows, is the estimator's business.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/enum_names.hpp"
#include "workload/layer.hpp"

namespace scalesweep::workload {

// Tables that are alike.
struct TableGroup {
  std::int64_t count = 1;
  std::int64_t rows = 0;  // of one
  std::int64_t dim = 0;   // elements of a row
  double pooling = 1.0;   // rows of one that a sample reads and adds up

  friend bool operator==(const TableGroup&, const TableGroup&) = default;
};

// dot: products of all pairs of vectors (Naumov et al.). cross: layers x0 * (U V x + b) + x over
// all of them joined, with matrices of low rank (DCN-v2; Wang et al., arXiv:2008.13535, eq. 4).
// sequence: rows are not added up but tokens of a history, which layers of gated attention without
// softmax go over (HSTU; Zhai et al., arXiv:2402.17152, eqs. 1 to 3).
enum class Interaction : std::uint8_t { dot, cross, sequence };
inline constexpr auto interaction_names = enum_names<Interaction>("dot", "cross", "sequence");

struct RecommendationModel {
  std::string name;
  std::vector<TableGroup> tables;
  // Exponent of the Zipf law by which rows of a table are popular; 0: all alike.
  double access_skew = 0.0;
  std::int64_t dense_features = 0;          // inputs of the bottom MLP
  std::vector<std::int64_t> bottom_widths;  // of its layers; with dot the last one is dim
  std::vector<std::int64_t> top_widths;     // the last one is 1, the prediction
  Interaction interaction = Interaction::dot;
  std::int64_t cross_layers = 0;
  std::int64_t cross_rank = 0;
  std::int64_t sequence_layers = 0;
  std::int64_t sequence_heads = 0;
  std::int64_t sequence_head_dim = 0;

  // Rows of a bag are added up where they are looked up.
  bool adds_rows() const { return interaction != Interaction::sequence; }

  double table_count() const;
  double table_parameters() const;
  double lookups() const;           // rows that a sample reads
  double pooled_width() const;      // elements of a sample's rows, added up where they are
  double tokens() const;            // of a history: rows of the table that has most of a sample
  double dense_parameters() const;  // weights and biases of MLPs and cross layers
  // What comes out of the bottom MLP.
  std::int64_t bottom_output() const;
  // What the interaction leaves for the top MLP.
  std::int64_t interactions() const;

  friend bool operator==(const RecommendationModel&, const RecommendationModel&) = default;
};

struct RecommendationSlice {
  std::int64_t batch = 1;       // samples of one device
  double element_bytes = 2.0;   // of activations
  double operand_bytes = 2.0;   // of what linear layers multiply
  double gradient_bytes = 4.0;  // of accumulated weight gradients
  // Biases and activations are part of the GEMM that they follow, and what stands beside the
  // products of an interaction is part of those.
  bool fused_pointwise = false;

  friend bool operator==(const RecommendationSlice&, const RecommendationSlice&) = default;
};

// Of the samples of one device, without the tables.
struct RecommendationOperators {
  LayerOperators bottom;
  LayerOperators interaction;
  LayerOperators top;
};
RecommendationOperators recommendation_operators(const RecommendationModel& model,
                                                 const RecommendationSlice& slice);

// Forward: MLPs and interaction; lookups do no arithmetic to speak of.
double forward_flop_per_sample(const RecommendationModel& model);
// Forward and backward.
double model_flop_per_sample(const RecommendationModel& model);

// Activations that stay for the backward pass, and the most that a forward pass alone holds at a
// time: its widest input and output.
double saved_elements_per_sample(const RecommendationModel& model);
double working_elements_per_sample(const RecommendationModel& model);

}  // namespace scalesweep::workload

// What of a model is trained: all of it, or adapters of low rank beside weights that stay as they
// are (LoRA, Hu et al., arXiv:2106.09685; QLoRA, Dettmers et al., arXiv:2305.14314).
#pragma once

#include <cstdint>
#include <string_view>

#include "core/enum_names.hpp"

namespace scalesweep::workload {

// Linear layers that have adapters: of attention (and of what stands in its place in layers with a
// state), of the MLP and of shared experts. Routed experts, embedding and head have none.
enum class AdapterLayers : std::uint8_t { all, attention, mlp };
inline constexpr auto adapter_layers_names = enum_names<AdapterLayers>("all", "attention", "mlp");

// Whether a linear layer, by the name of its GEMM, is among them, and of how many linear layers
// that is: one GEMM has queries, keys and values, and one both halves of a gated MLP. Each has a
// matrix A of its own. 0: it has no adapter.
double adapted_layers(std::string_view gemm, AdapterLayers wanted, bool gated_ffn);

// How weights that stay as they are lie in memory: as weights of training do, or those of the
// layers' linear layers in fewer bits, which a kernel makes operands of before each product.
enum class FrozenWeights : std::uint8_t { as_trained, int8, nf4 };
inline constexpr auto frozen_weights_names = enum_names<FrozenWeights>("as_trained", "int8", "nf4");

// Of a parameter, with its scales: a scale for a row of int8 (LLM.int8(), arXiv:2208.07339), which
// is little; one of 8 bits for 64 of nf4 and of 32 bits for 256 of these, 0.127 bits a parameter
// (arXiv:2305.14314, section 3).
constexpr double frozen_bytes(FrozenWeights frozen, double trained_bytes) {
  switch (frozen) {
    case FrozenWeights::as_trained:
      break;
    case FrozenWeights::int8:
      return 1.0;
    case FrozenWeights::nf4:
      return (4.0 + 0.127) / 8.0;
  }
  return trained_bytes;
}

// Of a model that an encoder gives tokens of images to, the parts that are trained; the projector
// between them always is.
enum class TrainedParts : std::uint8_t { all, language_model, encoder, projector };
inline constexpr auto trained_parts_names =
    enum_names<TrainedParts>("all", "language_model", "encoder", "projector");

struct Tuning {
  std::int64_t rank = 0;  // of adapters; 0: all weights are trained
  AdapterLayers layers = AdapterLayers::all;
  FrozenWeights frozen = FrozenWeights::as_trained;
  TrainedParts parts = TrainedParts::all;

  // Whether weights of the language model stay as they are.
  bool on() const {
    return rank > 0 || parts == TrainedParts::encoder || parts == TrainedParts::projector;
  }
  bool trains_encoder() const {
    return parts == TrainedParts::all || parts == TrainedParts::encoder;
  }
  bool narrow() const { return on() && frozen != FrozenWeights::as_trained; }
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

// Of linear layers of the language model; 0 where there are no adapters.
inline double adapted_layers(std::string_view gemm, const Tuning& tuning, bool gated_ffn) {
  return tuning.rank > 0 ? adapted_layers(gemm, tuning.layers, gated_ffn) : 0.0;
}

}  // namespace scalesweep::workload

// How a software stack runs a model: properties of neither the device nor the model. The catalog
// has one set of numbers for each stack.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace scalesweep::workload {

// How a stack cuts the model into pipeline stages.
enum class StageBalance : std::uint8_t {
  layers,  // equal numbers of layers, the embedding and the head come on top (Megatron-LM)
  blocks,  // embedding, layers, final norm and head are blocks, balanced by their cost (nanotron)
};
inline constexpr std::array<std::string_view, 2> stage_balance_names = {"layers", "blocks"};

struct Framework {
  std::string name;
  // Reductions of the backward pass run beside the weight-gradient products.
  bool hides_tensor_communication = true;
  // Gradients are reduced bucket by bucket behind the last backward pass.
  bool hides_data_communication = true;
  // Time the host needs to issue one operator of workload/layer.hpp; a pass over a layer cannot be
  // shorter than its operators times this. 0 where launches are captured in graphs.
  double issue_interval_s = 0.0;
  // Neighbouring pointwise steps of a layer are one kernel.
  bool fused_pointwise = true;
  StageBalance stage_balance = StageBalance::layers;
};

}  // namespace scalesweep::workload

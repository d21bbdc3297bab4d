// What a program refuses beyond what it has no option for: conditions that it states itself, on the
// layout together with the model, the device and the format of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "deploy/parts/versions.hpp"
#include "technology/precision.hpp"
#include "workload/recipe.hpp"

namespace scalesweep::technology {
struct Device;
}
namespace scalesweep::workload {
struct TransformerModel;
}

namespace scalesweep::deploy {

// What a layout is of. Refers to what it was made of.
struct Subject {
  const workload::TransformerModel& model;
  const technology::Device& device;
  technology::Precision linear = technology::Precision::bf16;   // that linear layers multiply
  technology::Precision experts = technology::Precision::bf16;  // that routed experts multiply
  technology::Precision activations = technology::Precision::bf16;
  std::optional<workload::Recipe> recipe = std::nullopt;  // of scales, of operands in fp8
  // Of training: what gradients are accumulated in, and what the optimizer keeps.
  technology::Precision gradients = technology::Precision::fp32;
  technology::Precision moments = technology::Precision::fp32;
  std::int64_t sequence = 0;  // tokens of a training sample; 0: of requests
};

// One condition of a program, as it states it itself.
struct Rule {
  // Of the layouts that it refuses, a condition of [[filter]] on fields of the strategy; "": none.
  std::string (*layouts)(const Subject& subject);
  std::string_view what;  // a phrase behind "refuses": "heads that tensor_parallel does not divide"
  std::string_view source;  // "megatron/training/arguments.py:1477 of d98e8a64"
  Versions in = {};         // that refuse it
};

inline constexpr std::string_view any_layout = "tensor_parallel >= 1";

// Of what the layout does not matter to.
inline std::string any_if(bool refused) {
  return refused ? std::string(any_layout) : "";
}

}  // namespace scalesweep::deploy

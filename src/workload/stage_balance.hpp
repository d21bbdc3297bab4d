// How a software stack cuts a model into pipeline stages.
#pragma once

#include <cstdint>

#include "core/enum_names.hpp"

namespace scalesweep::workload {

enum class StageBalance : std::uint8_t {
  layers,  // equal numbers of layers, the embedding and the head come on top (Megatron-LM)
  blocks,  // embedding, layers, final norm and head are blocks, balanced by their cost (nanotron)
};
inline constexpr auto stage_balance_names = enum_names<StageBalance>("layers", "blocks");

}  // namespace scalesweep::workload

// What a stack repeats of a layer in the backward pass, where it recomputes activations.
#pragma once

#include <cstdint>

#include "core/enum_names.hpp"

namespace scalesweep::workload {

// Of which operators selective recomputation keeps the outputs.
enum class SelectiveRecompute : std::uint8_t {
  // Of all but the core of attention (Korthikanti et al. 2022, section 5).
  attention,
  // Of fused attention, of reductions between ranks and of every other GEMM, here a half of what
  // GEMMs take and leave; the rest runs again (TorchTitan, selective activation checkpointing by
  // operator: _apply_op_sac).
  alternate,
};
inline constexpr auto selective_recompute_names =
    enum_names<SelectiveRecompute>("attention", "alternate");

}  // namespace scalesweep::workload

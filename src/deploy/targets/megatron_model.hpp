// The shape of a model as Megatron-LM and Megatron-DeepSpeed take it.
#pragma once

#include <span>

#include "deploy/parts/training_run.hpp"

namespace scalesweep::deploy {

// Sizes, what layers are made of, latent attention, experts, further predictions.
std::span<const TrainingOption> megatron_model_options();

// Those that Megatron-DeepSpeed has as well: sizes, and what layers are made of.
std::span<const TrainingOption> megatron_dense_options();

}  // namespace scalesweep::deploy

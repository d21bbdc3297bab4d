// The shape of a model as Megatron-LM and Megatron-DeepSpeed take it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "deploy/parts/training_run.hpp"

namespace scalesweep::deploy {

// Sizes, what layers are made of, latent attention, experts, further predictions.
std::span<const TrainingOption> megatron_model_options();

// Those that Megatron-DeepSpeed has as well: sizes, and what layers are made of.
std::span<const TrainingOption> megatron_dense_options();

// What no option of Megatron-LM says of a model.
std::vector<std::string> notes_of_megatron_model(const workload::TransformerModel& model);

// CUDA_DEVICE_MAX_CONNECTIONS of Megatron-LM and Megatron-Bridge: 1 where kernels of tensor or
// context parallelism must start in the order that they are issued in, before Blackwell; FSDP
// refuses it. `older`: one that asks it of tensor parallelism on every device.
Value one_queue(const TrainingRun& run, bool older);

}  // namespace scalesweep::deploy

// What is estimated of a batch of a diffusion model, made or trained on.
#pragma once

#include <cstddef>

#include "core/enum_names.hpp"
#include "estimator/batches/batch_estimate.hpp"

namespace scalesweep::estimator {

// The same seconds as Charges, split by what a device is busy with.
enum class DiffusionPhase {
  text_encoder,
  latent_encoder,  // of training, as backward, recompute, replica_exchange and optimizer
  linear,          // of all steps, forward, as the next two
  attention,
  pointwise,
  backward,
  recompute,          // of layers, forward again, with what they send
  tensor_reduction,   // of hidden states among devices that share matrices
  context_exchange,   // of tokens or heads, as far as nothing hides it
  guidance_exchange,  // of latents among replicas that have one image
  replica_exchange,   // of gradients and of sharded weights, as far as nothing hides it
  optimizer,          // with the moving average of weights
  decoder,
  host,  // waiting for it: launches, fixed times of steps and of the batch
};
inline constexpr auto diffusion_phase_names = enum_names<DiffusionPhase>(
    "text_encoder", "latent_encoder", "linear", "attention", "pointwise", "backward", "recompute",
    "tensor_reduction", "context_exchange", "guidance_exchange", "replica_exchange", "optimizer",
    "decoder", "host");
inline constexpr std::size_t diffusion_phase_count = diffusion_phase_names.size();

struct DiffusionMemory {           // bytes on a device
  double weights_bytes = 0.0;      // of transformer, encoders and decoder
  double denoiser_bytes = 0.0;     // of these, the transformer
  double gradients_bytes = 0.0;    // of training, as the next two
  double optimizer_bytes = 0.0;    // master weights and moments
  double average_bytes = 0.0;      // the moving average of weights
  double activations_bytes = 0.0;  // kept for the backward pass, and the most that a layer, or a
                                   // frame in the autoencoder, works on
  double output_bytes = 0.0;       // latents of all images, and what comes out or goes in
  double usable_bytes = 0.0;       // what all that may take
  double states_bytes() const {
    return weights_bytes + gradients_bytes + optimizer_bytes + average_bytes;
  }
  double total_bytes() const { return states_bytes() + activations_bytes + output_bytes; }
  // More than there is; below 0 where it fits.
  double short_bytes() const { return total_bytes() - usable_bytes; }
};

struct DiffusionEstimate : BatchEstimate<diffusion_phase_count> {
  double step_s = 0.0;  // one denoising step, or one of training
  double tokens = 0.0;  // that attend to each other, of one pass
  DiffusionMemory memory;
};

}  // namespace scalesweep::estimator

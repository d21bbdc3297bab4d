#include "estimator/diffusion/memory.hpp"

#include <algorithm>

#include "estimator/diffusion/training_step.hpp"
#include "estimator/training/states/memory.hpp"
#include "workload/diffusion/diffusion_layers.hpp"

namespace scalesweep::estimator {
namespace {

// Tensors of a frame at full width that a residual block holds at a time: input, normed, output.
constexpr double decoder_tensors = 3.0;

// Tokens of latents and text of one device.
double tokens_in_work(const DiffusionJob& job, const workload::DiffusionSlice& slice) {
  return slice.passes * (slice.latent_tokens + static_cast<double>(job.model.text_tokens)) /
         static_cast<double>(slice.context_shards);
}

double bytes_in_work(const DiffusionJob& job, const workload::DiffusionSlice& slice) {
  return job.activation_bytes() * tokens_in_work(job, slice) *
         workload::working_elements_per_token(job.model, slice);
}

// A frame at its full size in an autoencoder.
double frame_bytes(const DiffusionJob& job, double channels) {
  const double pixels =
      static_cast<double>(job.image.width) * static_cast<double>(job.image.height);
  return job.activation_bytes() * pixels * decoder_tensors * channels;
}

// Colours of pixels.
double image_bytes(const DiffusionJob& job, double images) {
  constexpr double colours = 3.0;
  return job.activation_bytes() * images * colours * job.image.pixels();
}

void set_trained_states(DiffusionMemory& memory, const DiffusionJob& job,
                        const parallel::Strategy& strategy) {
  const HeldWeights held = held_weights(job, strategy);
  const PrecisionPolicy policy = replicated_job(job, strategy).precision;
  const KeptParameters kept = kept_parameters(strategy, held.all, held.trained, held.layers);
  const double master = technology::element_bytes(policy.master_weights);
  memory.denoiser_bytes = kept.weights * held.weight_bytes;
  memory.gradients_bytes = kept.gradients * technology::element_bytes(policy.gradients);
  memory.optimizer_bytes =
      kept.states * (held.moment_bytes + (held.weight_bytes < master ? master : 0.0));
  if (job.training.averages_weights) {
    memory.average_bytes = kept.states * average_bytes;
  }
}

// What layers keep of a micro-batch, beside the one that is in its backward pass; and the operands
// that automatic casts made of the weights.
double kept_by_layers(const DiffusionJob& job, const parallel::Strategy& strategy,
                      const workload::DiffusionSlice& slice) {
  double bytes = workload::diffusion_ends(job.model, slice).kept.kept_bytes;
  double largest = 0.0;
  for (std::size_t i = 0; i < workload::diffusion_layer_count; ++i) {
    if (job.model.layers[i] == 0) {
      continue;
    }
    const workload::SavedActivations kept =
        workload::diffusion_layer(job.model, static_cast<workload::DiffusionLayer>(i), slice).kept;
    bytes += static_cast<double>(job.model.layers[i]) * kept_bytes(kept, strategy);
    largest = std::max(largest, kept.most_bytes);
  }
  if (strategy.recompute == parallel::Recompute::full) {
    bytes += largest;
  }
  if (slice.casts_weights()) {
    bytes += job.model.parameters() / strategy.tensor_parallel * slice.element_bytes;
  }
  return bytes;
}

DiffusionMemory training_memory(const DiffusionJob& job, const parallel::Strategy& strategy) {
  const workload::DiffusionModel& model = job.model;
  const workload::DiffusionSlice slice = slice_of(job, strategy);
  DiffusionMemory memory;
  set_trained_states(memory, job, strategy);
  memory.weights_bytes = memory.denoiser_bytes;
  // Beside a layer's states their gradients.
  memory.activations_bytes = kept_by_layers(job, strategy, slice) + 2.0 * bytes_in_work(job, slice);
  if (job.training.encodes) {
    memory.weights_bytes +=
        job.activation_bytes() *
        (model.encoder_parameters + workload::LatentEncoder::parameters * model.decoder_parameters);
    // Half the channels of the decoder at full size, before the transformer has anything to keep:
    // images are encoded one by one.
    memory.activations_bytes =
        std::max(memory.activations_bytes,
                 frame_bytes(job, 0.5 * static_cast<double>(model.decoder_channels)));
    memory.output_bytes = image_bytes(job, slice.passes);
  }
  return memory;
}

}  // namespace

DiffusionMemory diffusion_memory(const DiffusionJob& job, const parallel::Strategy& strategy,
                                 const technology::Device& device) {
  if (job.trains()) {
    DiffusionMemory memory = training_memory(job, strategy);
    memory.usable_bytes = usable_memory_bytes(device);
    return memory;
  }
  const workload::DiffusionModel& model = job.model;
  const workload::DiffusionSlice slice = slice_of(job, strategy);
  const double w = job.activation_bytes();
  DiffusionMemory memory;
  memory.usable_bytes = usable_memory_bytes(device);
  memory.denoiser_bytes = model.parameters() * technology::element_bytes(job.operands) /
                          static_cast<double>(strategy.tensor_parallel);
  memory.weights_bytes =
      memory.denoiser_bytes + (model.encoder_parameters + model.decoder_parameters) * w;
  memory.activations_bytes = std::max(
      bytes_in_work(job, slice), frame_bytes(job, static_cast<double>(model.decoder_channels)));
  memory.output_bytes = image_bytes(
      job,
      std::max(1.0, static_cast<double>(job.batch) / static_cast<double>(strategy.data_parallel)));
  return memory;
}

}  // namespace scalesweep::estimator

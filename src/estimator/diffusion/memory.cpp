#include "estimator/diffusion/memory.hpp"

#include <algorithm>

#include "estimator/diffusion/pass.hpp"

namespace scalesweep::estimator {
namespace {

// Tensors of a frame at full width that a residual block holds at a time: input, normed, output.
constexpr double decoder_tensors = 3.0;

}  // namespace

DiffusionMemory diffusion_memory(const DiffusionJob& job, const parallel::Strategy& strategy,
                                 const technology::Device& device) {
  const workload::DiffusionModel& model = job.model;
  const workload::DiffusionSlice slice = slice_of(job, strategy);
  const double w = job.activation_bytes();
  DiffusionMemory memory;
  memory.usable_bytes = usable_memory_bytes(device);
  memory.denoiser_bytes = model.parameters() * technology::element_bytes(job.operands) /
                          static_cast<double>(strategy.tensor_parallel);
  memory.weights_bytes =
      memory.denoiser_bytes + (model.encoder_parameters + model.decoder_parameters) * w;
  const double tokens = slice.passes *
                        (slice.latent_tokens + static_cast<double>(model.text_tokens)) /
                        static_cast<double>(slice.context_shards);
  const double frame_pixels =
      static_cast<double>(job.picture.width) * static_cast<double>(job.picture.height);
  const double of_layer = w * tokens * workload::working_elements_per_token(model, slice);
  const double of_decoder =
      w * frame_pixels * decoder_tensors * static_cast<double>(model.decoder_channels);
  memory.activations_bytes = std::max(of_layer, of_decoder);
  const double pictures =
      std::max(1.0, static_cast<double>(job.batch) / static_cast<double>(strategy.data_parallel));
  constexpr double colours = 3.0;
  memory.output_bytes = w * pictures * colours * job.picture.pixels();
  return memory;
}

}  // namespace scalesweep::estimator

#include "workload/diffusion/diffusion.hpp"

#include <algorithm>
#include <cmath>

namespace scalesweep::workload {
namespace {

double in_shards(double whole, std::int64_t shards) {
  return whole / static_cast<double>(shards);
}

constexpr double state_width = 256.0;  // of the time step, as sines and cosines

double modulation_weights(const DiffusionModel& model, DiffusionLayer kind) {
  return modulations(model, kind) * static_cast<double>(model.hidden * model.modulation_width);
}

// Query, key, value and output; both matrices of the MLP.
double attention_weights(const DiffusionModel& model) {
  return 4.0 * static_cast<double>(model.hidden) * model.attention_width();
}
double mlp_weights(const DiffusionModel& model) {
  return static_cast<double>(model.hidden) * (model.mlp_width() + static_cast<double>(model.ffn));
}

// Of one layer, without what the time step goes through.
double block_weights(const DiffusionModel& model, DiffusionLayer kind) {
  const double block = attention_weights(model) + mlp_weights(model);
  switch (kind) {
    case DiffusionLayer::separate:
      return 2.0 * block;
    case DiffusionLayer::joint:
      return block;
    case DiffusionLayer::cross:
      break;
  }
  return block + (model.reads_text() ? attention_weights(model) : 0.0);
}

// Patches, text and the time step on their way in, patches on their way out.
double end_weights(const DiffusionModel& model) {
  const auto hidden = static_cast<double>(model.hidden);
  const auto modulated =
      static_cast<double>(model.modulation_width > 0 ? model.modulation_width : model.hidden);
  return hidden *
             (2.0 * model.patch_elements() + static_cast<double>(model.text_width) + 2.0 * hidden) +
         modulated * (state_width + modulated);
}

double sum_over_layers(const DiffusionModel& model,
                       double (*part)(const DiffusionModel&, DiffusionLayer)) {
  double sum = 0.0;
  for (std::size_t i = 0; i < diffusion_layer_count; ++i) {
    sum += static_cast<double>(model.layers[i]) * part(model, static_cast<DiffusionLayer>(i));
  }
  return sum;
}

double all_layer_weights(const DiffusionModel& model, DiffusionLayer kind) {
  return block_weights(model, kind) + modulation_weights(model, kind);
}

}  // namespace

double DiffusionModel::patch_elements() const {
  return static_cast<double>(patch * patch * patch_frames * channels);
}

double modulations(const DiffusionModel& model, DiffusionLayer kind) {
  constexpr double of_block = 6.0;
  switch (kind) {
    case DiffusionLayer::separate:
      return 2.0 * of_block;
    case DiffusionLayer::joint:
      return model.parallel_mlp ? 3.0 : 2.0 * of_block;
    case DiffusionLayer::cross:
      break;
  }
  return of_block;
}

double attended(const DiffusionModel& model, double latents, DiffusionLayer kind) {
  return kind == DiffusionLayer::cross ? latents : latents + static_cast<double>(model.text_tokens);
}

double DiffusionModel::parameters() const {
  return sum_over_layers(*this, all_layer_weights) + end_weights(*this);
}

double DiffusionModel::all_parameters() const {
  return parameters() + encoder_parameters + decoder_parameters;
}

double latent_tokens(const DiffusionModel& model, const ImageSize& image) {
  const auto along = [](std::int64_t pixels, std::int64_t of_token) {
    return std::ceil(static_cast<double>(pixels) / static_cast<double>(of_token));
  };
  // Wan Team, arXiv:2503.20314, section 4.1: 1 + T frames become 1 + T / 4.
  const std::int64_t frames = 1 + (image.frames - 1 + model.frames - 1) / model.frames;
  return along(frames, model.patch_frames) * along(image.height, model.pixels * model.patch) *
         along(image.width, model.pixels * model.patch);
}

std::vector<Operator> text_encoder(const DiffusionModel& model, double prompts,
                                   double element_bytes) {
  if (!model.reads_text() || model.encoder_parameters <= 0.0) {
    return {};
  }
  MatMul op;
  op.name = "text encoder";
  op.m = prompts * static_cast<double>(model.text_tokens);
  op.k = static_cast<double>(model.encoder_width);
  op.n = model.encoder_parameters / op.k;
  op.input_bytes = element_bytes;
  op.output_bytes = element_bytes;
  return {{Block::other, op}};
}

double denoiser_flop(const DiffusionModel& model, const ImageSize& image) {
  const double latents = latent_tokens(model, image);
  const auto text = static_cast<double>(model.text_tokens);
  double products = latents * static_cast<double>(model.hidden) * 2.0 * model.patch_elements() +
                    text * static_cast<double>(model.hidden * model.text_width);
  for (std::size_t i = 0; i < diffusion_layer_count; ++i) {
    const auto kind = static_cast<DiffusionLayer>(i);
    const double block = attention_weights(model) + mlp_weights(model);
    const double all = attended(model, latents, kind);
    double of_layer =
        all * block + 2.0 * all * all * model.attention_width() + modulation_weights(model, kind);
    if (kind == DiffusionLayer::cross && model.reads_text()) {
      of_layer += 0.5 * attention_weights(model) * (latents + text) +
                  2.0 * latents * text * model.attention_width();
    }
    products += static_cast<double>(model.layers[i]) * of_layer;
  }
  return 2.0 * products;
}

double working_elements_per_token(const DiffusionModel& model, const DiffusionSlice& slice) {
  const auto hidden = static_cast<double>(model.hidden);
  const double width = in_shards(model.attention_width(), slice.tensor_shards);
  const double up = in_shards(model.mlp_width(), slice.tensor_shards);
  const double ffn = in_shards(static_cast<double>(model.ffn), slice.tensor_shards);
  // Beside the hidden state and its norm: queries, keys, values as they were and prepared, and what
  // comes out of attention; or the MLP inside.
  const double of_attention = 6.0 * width;
  const double of_mlp = up + ffn;
  return 2.0 * hidden +
         (model.parallel_mlp ? of_attention + of_mlp : std::max(of_attention, of_mlp));
}

TensorReductions tensor_reductions(const DiffusionModel& model, DiffusionLayer kind) {
  // Behind attention and behind the MLP (Shoeybi et al., arXiv:1909.08053, fig. 4).
  switch (kind) {
    case DiffusionLayer::separate:
      return {2.0, 2.0};
    case DiffusionLayer::joint:
      return model.parallel_mlp ? TensorReductions{1.0, 1.0} : TensorReductions{2.0, 2.0};
    case DiffusionLayer::cross:
      break;
  }
  return {model.reads_text() ? 3.0 : 2.0, 0.0};
}

}  // namespace scalesweep::workload

// A diffusion model as operators: a text encoder, a transformer that denoises latents step by step
// (DiT; Peebles and Xie, arXiv:2212.09748), and a convolutional decoder that makes pixels of them
// (latent diffusion; Rombach et al., arXiv:2112.10752). No token waits for another: there is no
// mask, and no cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/enum_names.hpp"
#include "workload/layer.hpp"

namespace scalesweep::workload {

// separate: tokens of text and latents attend to each other jointly, each by weights of its own
// (MMDiT; Esser et al., arXiv:2403.03206, fig. 2). joint: all by the same weights. cross: latents
// attend to themselves, then to the text if there is one (PixArt-alpha, arXiv:2310.00426; DiT).
enum class DiffusionLayer : std::uint8_t { separate, joint, cross };
inline constexpr auto diffusion_layer_names =
    enum_names<DiffusionLayer>("separate", "joint", "cross");
inline constexpr std::size_t diffusion_layer_count = diffusion_layer_names.size();

// Of queries and keys, before they are rotated.
enum class QueryNorm : std::uint8_t { none, layer, rms };
inline constexpr auto query_norm_names = enum_names<QueryNorm>("none", "layer", "rms");

struct DiffusionModel {
  std::string name;
  std::array<std::int64_t, diffusion_layer_count> layers{};  // of each kind
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t ffn = 0;  // inner width of the MLP
  bool gated_ffn = false;
  QueryNorm query_norm = QueryNorm::none;
  bool rotary = false;  // queries and keys are rotated by where they stand
  // joint: attention and MLP read one norm, side by side (Dehghani et al., arXiv:2302.05442, eq.
  // 3).
  bool parallel_mlp = false;
  // Inputs of the matrices that make shifts, scales and gates of a layer from the time step; 0: a
  // layer has none, but shares them with all.
  std::int64_t modulation_width = 0;

  std::int64_t text_tokens = 0;  // that it sees, filled up; 0: classes, no text
  std::int64_t text_width = 0;   // elements of a token as the encoder gives it
  // Parameters of linear layers of the text encoders, all together, and the hidden width of the
  // largest.
  double encoder_parameters = 0.0;
  std::int64_t encoder_width = 0;

  // Pixels of a side, and frames, that one latent stands for; latents of a side, and frames of
  // latents, that one token stands for.
  std::int64_t pixels = 8;
  std::int64_t frames = 1;
  std::int64_t patch = 2;
  std::int64_t patch_frames = 1;
  std::int64_t channels = 4;  // of a latent
  // Of the decoder, for each pixel of each frame that comes out: FLOP of its convolutions, elements
  // that its other kernels read and write. Channels at full resolution; parameters.
  double decoder_flop = 0.0;
  double decoder_elements = 0.0;
  std::int64_t decoder_channels = 0;
  double decoder_parameters = 0.0;

  std::int64_t steps = 50;  // that are usual
  // Of the transformer in a step: 2 with classifier-free guidance (Ho and Salimans,
  // arXiv:2207.12598), once without text; 1 where guidance is distilled into it.
  std::int64_t passes = 2;

  double attention_width() const { return static_cast<double>(heads * head_dim); }
  std::int64_t layers_of(DiffusionLayer kind) const {
    return layers[static_cast<std::size_t>(kind)];
  }
  bool reads_text() const { return text_tokens > 0; }
  // Elements that come out of the first matrix of the MLP.
  double mlp_width() const { return (gated_ffn ? 2.0 : 1.0) * static_cast<double>(ffn); }
  double patch_elements() const;  // of a token as it comes in and goes out
  double parameters() const;      // of the transformer
  double all_parameters() const;  // with encoders and decoder
  bool makes_video() const { return frames > 1; }

  friend bool operator==(const DiffusionModel&, const DiffusionModel&) = default;
};

// What comes out.
struct ImageSize {
  std::int64_t width = 1024;  // pixels
  std::int64_t height = 1024;
  std::int64_t frames = 1;

  double pixels() const {
    return static_cast<double>(width) * static_cast<double>(height) * static_cast<double>(frames);
  }
  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

// Of one image. The first frame stands for itself, as causal autoencoders have it; what does not
// fill a patch is filled up.
double latent_tokens(const DiffusionModel& model, const ImageSize& image);

// Tokens that attend to each other in a layer, of so many latents.
double attended(const DiffusionModel& model, double latents, DiffusionLayer kind);

// Shifts, scales and gates of a layer, each of the hidden width: of a norm two, of what is added to
// the residual one. Attention and MLP have each their own, but where they stand side by side; text
// and latents too, where they go through one layer of equal weights one after the other.
double modulations(const DiffusionModel& model, DiffusionLayer kind);

// Of the autoencoder, what its other half takes over what decoder_* says of the decoder; counted
// from the published shapes of AutoencoderKL (f8: channels 128, 256, 512, 512; arXiv:2112.10752):
// two residual blocks a level instead of three, and convolutions with stride 2 instead of
// upsampling. 2.06 of 4.73 M multiply-adds and 6.1 of 11.4 k elements for a pixel, 34.2 of 49.5 M
// parameters. Autoencoders of videos have the same pattern.
struct LatentEncoder {
  static constexpr double flop = 0.436;
  static constexpr double elements = 0.533;
  static constexpr double parameters = 0.69;
};

// Of one device: whole images and guided passes are spread over replicas, tokens over
// context_shards, matrices and heads over tensor_shards.
struct DiffusionSlice {
  double passes = 1.0;         // of the transformer that run together: images times guidance
  double latent_tokens = 0.0;  // of one, over all context shards
  std::int64_t tensor_shards = 1;
  std::int64_t context_shards = 1;
  // Heads are exchanged for tokens around attention (Ulysses); else keys and values go round.
  bool exchanges_heads = false;
  double element_bytes = 2.0;  // of activations
  double operand_bytes = 2.0;  // of what linear layers multiply
  bool fused_pointwise = false;
  bool trains = false;
  // Of training: of a weight as it is stored, and of its gradient as that is summed up. Wider
  // weights are made operands of in each pass, and states between layers are as wide (autocast).
  double master_bytes = 0.0;
  double gradient_bytes = 0.0;

  bool casts_weights() const { return trains && master_bytes > element_bytes; }
  double residual_bytes() const { return casts_weights() ? master_bytes : element_bytes; }
  friend bool operator==(const DiffusionSlice&, const DiffusionSlice&) = default;
};

// The forward pass, and where the slice trains the backward pass as well.
struct DiffusionPasses {
  LayerOperators operators;
  SavedActivations kept;  // from the one for the other
};
// The linear layers of the text encoders over `prompts` of text_tokens each, as one product.
std::vector<Operator> text_encoder(const DiffusionModel& model, double prompts,
                                   double element_bytes);

// Of one pass over one image: linear layers and both products of attention.
double denoiser_flop(const DiffusionModel& model, const ImageSize& image);

// Elements of a token that a layer works on at its widest, of one device.
double working_elements_per_token(const DiffusionModel& model, const DiffusionSlice& slice);

// Elements of a token that tensor-parallel ranks add up in a layer: so many all-reduces of its
// hidden state. By kind, of tokens of latents, and of text.
struct TensorReductions {
  double latents = 0.0;
  double text = 0.0;
};
TensorReductions tensor_reductions(const DiffusionModel& model, DiffusionLayer kind);

}  // namespace scalesweep::workload

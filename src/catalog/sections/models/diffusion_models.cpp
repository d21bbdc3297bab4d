// Models that make images or videos of noise.
#include <fmt/format.h>

#include "catalog/data.hpp"
#include "catalog/sections/field.hpp"

namespace scalesweep::catalog {
namespace {

using workload::DiffusionLayer;
using workload::DiffusionModel;

Key count_or_none(std::string_view path, std::string_view text, std::string_view example) {
  return or_zero(integer(path, text, example, "0"));
}

Field<DiffusionModel> layers(DiffusionLayer kind, const Key& key) {
  return {key, [kind, key](EntryReader& entry, DiffusionModel& model) {
            model.layers[static_cast<std::size_t>(kind)] = entry.integer(key.path);
          }};
}

Field<DiffusionModel> head_dim() {
  const Key key = integer("head_dim", "width of a head", "128", "`hidden` / `heads`");
  return {key, [key](EntryReader& entry, DiffusionModel& model) {
            model.head_dim = entry.given_integer(key.path).value_or(model.hidden / model.heads);
          }};
}

Fields<DiffusionModel> transformer_fields() {
  return {
      layers(DiffusionLayer::separate,
             count_or_none("separate_layers",
                           "layers where text and latents attend to each other, each by weights of "
                           "its own (MMDiT)",
                           "19")),
      layers(DiffusionLayer::joint,
             count_or_none("joint_layers",
                           "layers where both attend to each other by the same weights, behind the "
                           "separate ones",
                           "38")),
      layers(DiffusionLayer::cross,
             count_or_none("cross_layers",
                           "layers where latents attend to themselves, then to the text if there "
                           "is one. Of the three, one is needed",
                           "28")),
      value(&DiffusionModel::hidden, "hidden", "width of the hidden states", "3072"),
      value(&DiffusionModel::heads, "heads", "heads of an attention", "24"),
      head_dim(),
      value(&DiffusionModel::ffn, "ffn", "width of the MLP", "12288"),
      truth(&DiffusionModel::gated_ffn, "gated_ffn", "the MLP has a gate (SwiGLU)", "false"),
      choice(
          name("query_norm", "of queries and keys, before they are rotated", "\"rms\"", "\"none\""),
          &DiffusionModel::query_norm, workload::query_norm_names),
      truth(&DiffusionModel::rotary, "rotary", "queries and keys are rotated by where they stand",
            "false"),
      truth(&DiffusionModel::parallel_mlp, "parallel_mlp",
            "attention and MLP of a joint layer read one norm, side by side", "false"),
      field(count_or_none("modulation_width",
                          "inputs of the matrices that make shifts, scales and gates of a layer "
                          "from the time step; 0: all layers share theirs",
                          "3072"),
            &DiffusionModel::modulation_width),
  };
}

// The text, and what reads it before the first step.
Fields<DiffusionModel> text_fields() {
  return {
      field(count_or_none("text_tokens", "tokens of a text, filled up; 0: classes, no text", "512"),
            &DiffusionModel::text_tokens),
      field(count_or_none("text_width",
                          "elements of a token as the encoder gives it; needed with `text_tokens`",
                          "4096"),
            &DiffusionModel::text_width),
      number(&DiffusionModel::encoder_parameters, from_zero, "encoder_parameters",
             "parameters of the linear layers of all text encoders; 0: texts come encoded",
             "4.63e9", "0"),
      field(count_or_none("encoder_width",
                          "hidden width of the largest encoder; needed with `encoder_parameters`",
                          "4096"),
            &DiffusionModel::encoder_width),
  };
}

Fields<DiffusionModel> latent_fields() {
  return {
      value(&DiffusionModel::pixels, "pixels_per_latent",
            "pixels of a side that a latent stands for", "16", "8"),
      value(&DiffusionModel::frames, "frames_per_latent",
            "frames that a latent stands for, the first of a video by itself", "4", "1"),
      value(&DiffusionModel::patch, "patch", "latents of a side that are one token", "1", "2"),
      value(&DiffusionModel::patch_frames, "patch_frames", "latents in time that are one token",
            "2", "1"),
      value(&DiffusionModel::channels, "channels", "numbers of a latent", "16"),
      number(&DiffusionModel::decoder_flop, above_zero, "decoder_flop",
             "FLOP of the decoder's convolutions for a pixel of a frame that comes out", "9.46e6"),
      number(&DiffusionModel::decoder_elements, above_zero, "decoder_elements",
             "elements that its other kernels read and write for such a pixel, nothing fused",
             "1.15e4"),
      value(&DiffusionModel::decoder_channels, "decoder_channels",
            "channels of its widest tensor at full resolution", "256"),
      number(&DiffusionModel::decoder_parameters, above_zero, "decoder_parameters",
             "parameters of it", "4.95e7"),
      value(&DiffusionModel::steps, "steps", "denoising steps that are usual", "28", "50"),
      value(&DiffusionModel::passes, "passes",
            "of the transformer in a step: 2 with classifier-free guidance, 1 without, or "
            "where guidance is distilled",
            "1", "2"),
  };
}

const Fields<DiffusionModel>& diffusion_model_fields() {
  static const Fields<DiffusionModel> fields =
      joined<DiffusionModel>({transformer_fields(), text_fields(), latent_fields()});
  return fields;
}

void check_layers(const EntryReader& entry, const DiffusionModel& model) {
  const auto count = [&](DiffusionLayer kind) {
    return model.layers[static_cast<std::size_t>(kind)];
  };
  const std::int64_t joint = count(DiffusionLayer::joint);
  if (count(DiffusionLayer::separate) + joint + count(DiffusionLayer::cross) == 0) {
    entry.table().error(
        "it has no layer; give separate_layers, joint_layers or cross_layers, for example "
        "cross_layers = 28");
  }
  if (model.parallel_mlp && joint == 0) {
    entry.table().error("parallel_mlp",
                        "is of joint layers, and there are none; give joint_layers, or leave it "
                        "out");
  }
}

void check_text(const EntryReader& entry, const DiffusionModel& model) {
  if (model.text_tokens > 0 && model.text_width == 0) {
    entry.table().error("text_tokens", "needs text_width, for example 4096");
  }
  if (model.text_tokens > 0 && model.encoder_parameters > 0.0 && model.encoder_width == 0) {
    entry.table().error("encoder_parameters", "needs encoder_width, for example 4096");
  }
}

void check_steps(const EntryReader& entry, const DiffusionModel& model) {
  if (model.passes > 2) {
    entry.table().error("passes", fmt::format("{} is more than 2, with text and without; give 1 "
                                              "where guidance is distilled or left out",
                                              model.passes));
  }
  if (!entry.has("head_dim") && entry.has("hidden") && model.hidden % model.heads != 0) {
    entry.table().error("heads", fmt::format("{} heads do not divide hidden = {}; give head_dim",
                                             model.heads, model.hidden));
  }
}

}  // namespace

std::vector<Key> diffusion_model_rows() {
  return keys_of(diffusion_model_fields());
}

DiffusionModel read_diffusion_model(EntryReader& entry, const std::string& name) {
  const DiffusionModel model = read_named(entry, name, diffusion_model_fields());
  check_layers(entry, model);
  check_text(entry, model);
  check_steps(entry, model);
  return model;
}

}  // namespace scalesweep::catalog

// Models that make images or videos out of their entries.
#include <fmt/format.h>

#include "catalog/data.hpp"

namespace scalesweep::catalog {
namespace {

void read_layers(EntryReader& entry, workload::DiffusionModel& model) {
  const auto count = [&](workload::DiffusionLayer kind, std::string_view key) {
    return model.layers[static_cast<std::size_t>(kind)] = entry.integer(key);
  };
  const std::int64_t separate = count(workload::DiffusionLayer::separate, "separate_layers");
  const std::int64_t joint = count(workload::DiffusionLayer::joint, "joint_layers");
  const std::int64_t cross = count(workload::DiffusionLayer::cross, "cross_layers");
  if (separate + joint + cross == 0) {
    entry.table().error(
        "it has no layer; give separate_layers, joint_layers or cross_layers, for example "
        "cross_layers = 28");
  }
  model.parallel_mlp = entry.truth("parallel_mlp");
  if (model.parallel_mlp && joint == 0) {
    entry.table().error("parallel_mlp",
                        "is of joint layers, and there are none; give joint_layers, or leave it "
                        "out");
  }
}

// The text, and what reads it before the first step.
void read_text(EntryReader& entry, workload::DiffusionModel& model) {
  model.text_tokens = entry.integer("text_tokens");
  model.text_width = entry.integer("text_width");
  model.encoder_parameters = entry.value("encoder_parameters");
  model.encoder_width = entry.integer("encoder_width");
  if (model.text_tokens > 0 && model.text_width == 0) {
    entry.table().error("text_tokens", "needs text_width, for example 4096");
  }
  if (model.text_tokens > 0 && model.encoder_parameters > 0.0 && model.encoder_width == 0) {
    entry.table().error("encoder_parameters", "needs encoder_width, for example 4096");
  }
}

void read_latents(EntryReader& entry, workload::DiffusionModel& model) {
  model.pixels = entry.integer("pixels_per_latent");
  model.frames = entry.integer("frames_per_latent");
  model.patch = entry.integer("patch");
  model.patch_frames = entry.integer("patch_frames");
  model.channels = entry.integer("channels");
  model.decoder_flop = entry.value("decoder_flop");
  model.decoder_elements = entry.value("decoder_elements");
  model.decoder_channels = entry.integer("decoder_channels");
  model.decoder_parameters = entry.value("decoder_parameters");
}

}  // namespace

workload::DiffusionModel read_diffusion_model(EntryReader& entry, const std::string& name) {
  workload::DiffusionModel model;
  model.name = name;
  read_layers(entry, model);
  model.hidden = entry.integer("hidden");
  model.heads = entry.integer("heads");
  model.head_dim = entry.given_integer("head_dim").value_or(model.hidden / model.heads);
  model.ffn = entry.integer("ffn");
  model.gated_ffn = entry.truth("gated_ffn");
  model.query_norm =
      read_choice(entry, "query_norm", workload::query_norm_names, workload::QueryNorm::none);
  model.rotary = entry.truth("rotary");
  model.modulation_width = entry.integer("modulation_width");
  read_text(entry, model);
  read_latents(entry, model);
  model.steps = entry.integer("steps");
  model.passes = entry.integer("passes");
  if (model.passes > 2) {
    entry.table().error("passes", fmt::format("{} is more than 2, with text and without; give 1 "
                                              "where guidance is distilled or left out",
                                              model.passes));
  }
  if (!entry.has("head_dim") && entry.has("hidden") && model.hidden % model.heads != 0) {
    entry.table().error("heads", fmt::format("{} heads do not divide hidden = {}; give head_dim",
                                             model.heads, model.hidden));
  }
  return model;
}

}  // namespace scalesweep::catalog

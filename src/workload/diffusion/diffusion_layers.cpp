#include "workload/diffusion/diffusion_layers.hpp"

#include <initializer_list>

#include "workload/diffusion/diffusion_parts.hpp"

namespace scalesweep::workload {
namespace {

// Two streams that meet in attention alone.
void add_separate(DiffusionAssembly& layer, const DiffusionModel& model,
                  const DiffusionSlice& slice) {
  const std::initializer_list<double> streams = {
      layer.tokens(slice.latent_tokens), layer.tokens(static_cast<double>(model.text_tokens))};
  for (const double tokens : streams) {
    layer.queries_keys_values(tokens);
  }
  const double all = attended(model, slice.latent_tokens, DiffusionLayer::separate);
  layer.join_streams(layer.tokens(all));
  layer.attention("joint attention", all, all, true);
  for (const double tokens : streams) {
    layer.attention_output(tokens);
    layer.mlp(tokens);
  }
}

void add_joint(DiffusionAssembly& layer, const DiffusionModel& model, const DiffusionSlice& slice) {
  const double all = attended(model, slice.latent_tokens, DiffusionLayer::joint);
  const double tokens = layer.tokens(all);
  if (!model.parallel_mlp) {
    layer.queries_keys_values(tokens);
    layer.attention("joint attention", all, all, true);
    layer.attention_output(tokens);
    layer.mlp(tokens);
    return;
  }
  layer.modulated_norm(tokens);
  layer.product("query key value and mlp up", tokens, 3.0 * layer.width() + layer.up(),
                layer.hidden());
  layer.prepare_queries_and_keys(tokens);
  layer.attention("joint attention", all, all, true);
  layer.activation(tokens);
  layer.merge_heads(tokens);
  if (!slice.fused_pointwise) {
    layer.stream("attention beside mlp", tokens * (layer.width() + layer.ffn()), 2.0, 0.0, 2.0);
  }
  layer.product("attention projection and mlp down", tokens, layer.hidden(),
                layer.width() + layer.ffn());
  layer.gated_residual(tokens);
}

void add_cross(DiffusionAssembly& layer, const DiffusionModel& model, const DiffusionSlice& slice) {
  const double tokens = layer.tokens(slice.latent_tokens);
  layer.queries_keys_values(tokens);
  layer.attention("self attention", slice.latent_tokens, slice.latent_tokens, true);
  layer.attention_output(tokens);
  if (model.reads_text()) {
    // Every device has the whole text.
    const auto text = static_cast<double>(model.text_tokens);
    layer.plain_norm(tokens);
    layer.product("cross query", tokens, layer.width(), layer.hidden());
    layer.product("cross key value", slice.passes * text, 2.0 * layer.width(), layer.hidden());
    layer.attention("cross attention", slice.latent_tokens, text, false);
    layer.product("cross projection", tokens, layer.hidden(), layer.width());
    layer.plain_residual(tokens);
  }
  layer.mlp(tokens);
}

}  // namespace

DiffusionPasses diffusion_layer(const DiffusionModel& model, DiffusionLayer kind,
                                const DiffusionSlice& slice) {
  DiffusionAssembly layer(model, slice);
  layer.modulation(modulations(model, kind) * layer.hidden());
  switch (kind) {
    case DiffusionLayer::separate:
      add_separate(layer, model, slice);
      break;
    case DiffusionLayer::joint:
      add_joint(layer, model, slice);
      break;
    case DiffusionLayer::cross:
      add_cross(layer, model, slice);
      break;
  }
  return layer.take(layer.tokens(attended(model, slice.latent_tokens, kind)) * layer.hidden());
}

DiffusionPasses diffusion_ends(const DiffusionModel& model, const DiffusionSlice& slice) {
  DiffusionAssembly ends(model, slice);
  const double tokens = ends.tokens(slice.latent_tokens);
  const double patch = model.patch_elements();
  ends.product("patches in", tokens, ends.hidden(), patch, DiffusionAssembly::Input::given);
  if (model.reads_text()) {
    ends.product("text in", ends.tokens(static_cast<double>(model.text_tokens)), ends.hidden(),
                 static_cast<double>(model.text_width), DiffusionAssembly::Input::given);
  }
  ends.modulated_norm(tokens);
  ends.product("patches out", tokens, patch, ends.hidden());
  ends.scheduler(tokens * patch);
  return ends.take(tokens * patch);
}

}  // namespace scalesweep::workload

#include "workload/diffusion/diffusion.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace scalesweep::workload {
namespace {

constexpr double state_width = 256.0;  // of the time step, as sines and cosines

double in_parts(double whole, std::int64_t parts) {
  return whole / static_cast<double>(parts);
}

// Shifts, scales and gates of a layer, each of the hidden width: of a norm two, of what is added to
// the residual one. Attention and MLP have each their own, but where they stand side by side; text
// and latents too, where they go through one layer of equal weights one after the other.
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

double modulation_weights(const DiffusionModel& model, DiffusionLayer kind) {
  return modulations(model, kind) * static_cast<double>(model.hidden * model.modulation_width);
}

bool reads_text(const DiffusionModel& model) {
  return model.text_tokens > 0;
}

double mlp_width(const DiffusionModel& model) {
  return (model.gated_ffn ? 2.0 : 1.0) * static_cast<double>(model.ffn);
}

// Query, key, value and output; both matrices of the MLP.
double attention_weights(const DiffusionModel& model) {
  return 4.0 * static_cast<double>(model.hidden) * model.attention_width();
}
double mlp_weights(const DiffusionModel& model) {
  return static_cast<double>(model.hidden) * (mlp_width(model) + static_cast<double>(model.ffn));
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
  return block + (reads_text(model) ? attention_weights(model) : 0.0);
}

// Elements of a token as they come in and go out.
double patch_elements(const DiffusionModel& model) {
  return static_cast<double>(model.patch * model.patch * model.patch_frames * model.channels);
}

// Patches, text and the time step on their way in, patches on their way out.
double end_weights(const DiffusionModel& model) {
  const auto hidden = static_cast<double>(model.hidden);
  const auto modulated =
      static_cast<double>(model.modulation_width > 0 ? model.modulation_width : model.hidden);
  return hidden *
             (2.0 * patch_elements(model) + static_cast<double>(model.text_width) + 2.0 * hidden) +
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

// Tokens that attend to each other.
double attended(const DiffusionModel& model, double latents, DiffusionLayer kind) {
  return kind == DiffusionLayer::cross ? latents : latents + static_cast<double>(model.text_tokens);
}

// Puts operators together, of the passes and tokens of one device.
class Assembly {
 public:
  Assembly(const DiffusionModel& model, const DiffusionSlice& slice)
      : model_(model), slice_(slice) {}

  std::vector<Operator> take() { return std::move(operators_); }

  double hidden() const { return static_cast<double>(model_.hidden); }
  double width() const { return in_parts(model_.attention_width(), slice_.tensor_shards); }
  double ffn() const { return in_parts(static_cast<double>(model_.ffn), slice_.tensor_shards); }
  double up() const { return in_parts(mlp_width(model_), slice_.tensor_shards); }
  // Of one device, of all its passes.
  double tokens(double of_pass) const {
    return slice_.passes * in_parts(of_pass, slice_.context_shards);
  }

  void product(std::string_view name, double m, double n, double k) {
    const double narrow = slice_.operand_bytes / slice_.element_bytes;
    if (narrow < 1.0 && !slice_.fused_pointwise) {
      stream("quantised operand", m * k, 1.0 + narrow, 2.0);
    }
    MatMul op;
    op.name = name;
    op.m = m;
    op.n = n;
    op.k = k;
    op.input_bytes = slice_.operand_bytes;
    op.output_bytes = slice_.element_bytes;
    op.low_precision = true;
    operators_.push_back({Block::other, op});
  }

  void stream(std::string_view name, double elements, double passes, double flop) {
    operators_.push_back(
        {Block::other, Pointwise{name, elements * passes * slice_.element_bytes, elements * flop}});
  }

  // A norm without weights, shifted and scaled by the time step: one kernel that reads and writes,
  // or one for each step (arXiv:2212.09748, fig. 3).
  void modulated_norm(double tokens) {
    const double elements = tokens * hidden();
    if (slice_.fused_pointwise) {
      stream("modulated norm", elements, 2.0, 8.0);
      return;
    }
    stream("norm", elements, 2.0, 6.0);
    stream("scale", elements, 2.0, 1.0);
    stream("shift", elements, 2.0, 1.0);
  }

  void gated_residual(double tokens) {
    const double elements = tokens * hidden();
    if (slice_.fused_pointwise) {
      stream("gate and residual", elements, 3.0, 2.0);
      return;
    }
    stream("gate", elements, 2.0, 1.0);
    stream("residual", elements, 3.0, 1.0);
  }

  // Queries and keys have a norm, and are rotated. Where no compiler joins the steps, both go
  // through fp32, whose elements count twice (Diffusers, embeddings.py and normalization.py).
  void prepare_queries_and_keys(double tokens) {
    const double elements = 2.0 * tokens * width();
    const bool norms = model_.query_norm != QueryNorm::none;
    if (slice_.fused_pointwise) {
      if (norms || model_.rotary) {
        stream("query and key norm, rotation", elements, 2.0, 10.0);
      }
      return;
    }
    if (model_.query_norm == QueryNorm::layer) {
      stream("query and key norm", elements, 2.0, 6.0);
    } else if (norms) {
      stream("query and key widened", elements, 3.0, 1.0);
      stream("query and key squares", elements, 4.0, 1.0);
      stream("query and key means", elements, 2.0, 1.0);
      stream("query and key scaled", elements, 3.0, 1.0);
      stream("query and key narrowed", elements, 3.0, 1.0);
      stream("query and key weighted", elements, 2.0, 1.0);
    }
    if (model_.rotary) {
      stream("halves turned", elements, 3.0, 1.0);
      stream("query and key widened", elements, 3.0, 1.0);
      stream("rotation by cosine", elements, 4.0, 1.0);
      stream("turned widened", elements, 3.0, 1.0);
      stream("rotation by sine", elements, 4.0, 1.0);
      stream("rotation sum", elements, 6.0, 1.0);
      stream("query and key narrowed", elements, 3.0, 1.0);
    }
  }

  // Heads beside each other again, as the projection reads them.
  void merge_heads(double tokens) {
    if (!slice_.fused_pointwise) {
      stream("merged heads", tokens * width(), 2.0, 0.0);
    }
  }

  void activation(double tokens) {
    // The gate is multiplied with what it gates.
    stream("activation", tokens * ffn(), model_.gated_ffn ? 3.0 : 2.0, 8.0);
  }

  // Whole sequences of some heads, or all keys for some queries.
  void attention(std::string_view name, double queries, double keys, bool among_devices) {
    const double heads = in_parts(static_cast<double>(model_.heads), slice_.tensor_shards);
    const bool exchanged = among_devices && slice_.exchanges_heads;
    FlashAttention op;
    op.name = name;
    op.batch_heads = slice_.passes * (exchanged ? in_parts(heads, slice_.context_shards) : heads);
    op.batch_kv_heads = op.batch_heads;
    op.sequence = exchanged ? queries : in_parts(queries, slice_.context_shards);
    op.key_sequence = keys;
    op.head_dim = static_cast<double>(model_.head_dim);
    op.element_bytes = slice_.element_bytes;
    op.visible_share = 1.0;
    operators_.push_back({Block::attention_core, op});
  }

  void modulation(DiffusionLayer kind) {
    if (model_.modulation_width > 0) {
      product("modulation", slice_.passes, modulations(model_, kind) * hidden(),
              static_cast<double>(model_.modulation_width));
    }
  }

  void mlp(double tokens) {
    modulated_norm(tokens);
    product("mlp up", tokens, up(), hidden());
    activation(tokens);
    product("mlp down", tokens, hidden(), ffn());
    gated_residual(tokens);
  }

  void queries_keys_values(double tokens) {
    modulated_norm(tokens);
    product("query key value", tokens, 3.0 * width(), hidden());
    prepare_queries_and_keys(tokens);
  }

  void attention_output(double tokens) {
    merge_heads(tokens);
    product("attention projection", tokens, hidden(), width());
    gated_residual(tokens);
  }

 private:
  const DiffusionModel& model_;
  const DiffusionSlice& slice_;
  std::vector<Operator> operators_;
};

// Two streams that meet in attention alone.
void add_separate(Assembly& layer, const DiffusionModel& model, const DiffusionSlice& slice) {
  const std::initializer_list<double> streams = {
      layer.tokens(slice.latent_tokens), layer.tokens(static_cast<double>(model.text_tokens))};
  for (const double tokens : streams) {
    layer.queries_keys_values(tokens);
  }
  const double all = attended(model, slice.latent_tokens, DiffusionLayer::separate);
  layer.stream("joined streams", layer.tokens(all) * 3.0 * layer.width(), 2.0, 0.0);
  layer.attention("joint attention", all, all, true);
  for (const double tokens : streams) {
    layer.attention_output(tokens);
    layer.mlp(tokens);
  }
}

void add_joint(Assembly& layer, const DiffusionModel& model, const DiffusionSlice& slice) {
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
    layer.stream("attention beside mlp", tokens * (layer.width() + layer.ffn()), 2.0, 0.0);
  }
  layer.product("attention projection and mlp down", tokens, layer.hidden(),
                layer.width() + layer.ffn());
  layer.gated_residual(tokens);
}

void add_cross(Assembly& layer, const DiffusionModel& model, const DiffusionSlice& slice) {
  const double tokens = layer.tokens(slice.latent_tokens);
  layer.queries_keys_values(tokens);
  layer.attention("self attention", slice.latent_tokens, slice.latent_tokens, true);
  layer.attention_output(tokens);
  if (reads_text(model)) {
    // Every device has the whole text.
    const auto text = static_cast<double>(model.text_tokens);
    layer.stream("norm", tokens * layer.hidden(), 2.0, 6.0);
    layer.product("cross query", tokens, layer.width(), layer.hidden());
    layer.product("cross key value", slice.passes * text, 2.0 * layer.width(), layer.hidden());
    layer.attention("cross attention", slice.latent_tokens, text, false);
    layer.product("cross projection", tokens, layer.hidden(), layer.width());
    layer.stream("residual", tokens * layer.hidden(), 3.0, 1.0);
  }
  layer.mlp(tokens);
}

}  // namespace

double DiffusionModel::parameters() const {
  return sum_over_layers(*this, all_layer_weights) + end_weights(*this);
}

double DiffusionModel::all_parameters() const {
  return parameters() + encoder_parameters + decoder_parameters;
}

double latent_tokens(const DiffusionModel& model, const Picture& picture) {
  const auto along = [](std::int64_t pixels, std::int64_t of_token) {
    return std::ceil(static_cast<double>(pixels) / static_cast<double>(of_token));
  };
  // Wan Team, arXiv:2503.20314, section 4.1: 1 + T frames become 1 + T / 4.
  const std::int64_t frames = 1 + (picture.frames - 1 + model.frames - 1) / model.frames;
  return along(frames, model.patch_frames) * along(picture.height, model.pixels * model.patch) *
         along(picture.width, model.pixels * model.patch);
}

std::vector<Operator> diffusion_layer(const DiffusionModel& model, DiffusionLayer kind,
                                      const DiffusionSlice& slice) {
  Assembly layer(model, slice);
  layer.modulation(kind);
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
  return layer.take();
}

std::vector<Operator> diffusion_ends(const DiffusionModel& model, const DiffusionSlice& slice) {
  Assembly ends(model, slice);
  const double tokens = ends.tokens(slice.latent_tokens);
  const double patch = patch_elements(model);
  ends.product("patches in", tokens, ends.hidden(), patch);
  if (reads_text(model)) {
    ends.product("text in", ends.tokens(static_cast<double>(model.text_tokens)), ends.hidden(),
                 static_cast<double>(model.text_width));
  }
  ends.modulated_norm(tokens);
  ends.product("patches out", tokens, patch, ends.hidden());
  // Of a step: what is predicted, and the latents that it changes.
  ends.stream("scheduler", tokens * patch, 3.0, 4.0);
  return ends.take();
}

std::vector<Operator> text_encoder(const DiffusionModel& model, double prompts,
                                   double element_bytes) {
  if (!reads_text(model) || model.encoder_parameters <= 0.0) {
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

double denoiser_flop(const DiffusionModel& model, const Picture& picture) {
  const double latents = latent_tokens(model, picture);
  const auto text = static_cast<double>(model.text_tokens);
  double products = latents * static_cast<double>(model.hidden) * 2.0 * patch_elements(model) +
                    text * static_cast<double>(model.hidden * model.text_width);
  for (std::size_t i = 0; i < diffusion_layer_count; ++i) {
    const auto kind = static_cast<DiffusionLayer>(i);
    const double block = attention_weights(model) + mlp_weights(model);
    const double all = attended(model, latents, kind);
    double of_layer =
        all * block + 2.0 * all * all * model.attention_width() + modulation_weights(model, kind);
    if (kind == DiffusionLayer::cross && reads_text(model)) {
      of_layer += 0.5 * attention_weights(model) * (latents + text) +
                  2.0 * latents * text * model.attention_width();
    }
    products += static_cast<double>(model.layers[i]) * of_layer;
  }
  return 2.0 * products;
}

double working_elements_per_token(const DiffusionModel& model, const DiffusionSlice& slice) {
  const auto hidden = static_cast<double>(model.hidden);
  const double width = in_parts(model.attention_width(), slice.tensor_shards);
  const double up = in_parts(mlp_width(model), slice.tensor_shards);
  const double ffn = in_parts(static_cast<double>(model.ffn), slice.tensor_shards);
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
  return {reads_text(model) ? 3.0 : 2.0, 0.0};
}

}  // namespace scalesweep::workload

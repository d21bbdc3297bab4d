#include "workload/diffusion/diffusion_parts.hpp"

namespace scalesweep::workload {

DiffusionPasses DiffusionAssembly::take(double input) {
  passes_.kept.input_bytes = input * slice_.residual_bytes();
  passes_.kept.most_bytes = passes_.kept.kept_bytes;
  return std::move(passes_);
}

void DiffusionAssembly::product(std::string_view name, double m, double n, double k, Input input) {
  const double narrow = slice_.operand_bytes / slice_.element_bytes;
  if (narrow < 1.0 && !slice_.fused_pointwise) {
    stream("quantised operand", m * k, 1.0 + narrow, 2.0);
  }
  if (slice_.casts_weights()) {
    stream("narrowed weights", n * k, 1.0 + slice_.master_bytes / slice_.element_bytes, 0.0);
  }
  MatMul op;
  op.name = name;
  op.m = m;
  op.n = n;
  op.k = k;
  op.input_bytes = slice_.operand_bytes;
  op.output_bytes = slice_.element_bytes;
  op.low_precision = true;
  passes_.operators.forward.push_back({Block::other, op});
  if (!slice_.trains) {
    return;
  }
  if (input == Input::learned) {
    MatMul data = op;
    data.n = k;
    data.k = n;
    passes_.operators.data_gradients.push_back(data);
  }
  weight_gradient(op);
}

// In the format of activations; automatic differentiation widens it where weights are wider. Of the
// bias it is a sum over rows.
void DiffusionAssembly::weight_gradient(const MatMul& op) {
  gradient("d bias", op.m * op.n, 1.0, 1.0);
  MatMul weights = op;
  weights.m = op.k;
  weights.k = op.m;
  passes_.operators.weight_gradients.push_back(weights);
  if (slice_.gradient_bytes > slice_.element_bytes) {
    gradient("widened gradient", op.n * op.k, 1.0 + slice_.gradient_bytes / slice_.element_bytes,
             0.0);
  }
}

void DiffusionAssembly::stream(std::string_view name, double elements, double passes, double flop,
                               double backward_passes) {
  passes_.operators.forward.push_back(
      {Block::other, Pointwise{name, elements * passes * slice_.element_bytes, elements * flop}});
  if (backward_passes > 0.0) {
    gradient(name, elements, backward_passes, 2.0 * flop);
  }
}

void DiffusionAssembly::gradient(std::string_view name, double elements, double passes,
                                 double flop) {
  if (slice_.trains) {
    passes_.operators.backward.push_back(
        {Block::other, Pointwise{name, elements * passes * slice_.element_bytes, elements * flop}});
  }
}

// Its gradient reads that of what comes out and the input.
void DiffusionAssembly::norm_eagerly(double elements) {
  stream("norm", elements, 2.0 * wide(), 6.0, 3.0 * wide());
}

// By numbers of a whole image: their gradient is a product, and its sum over tokens.
void DiffusionAssembly::scale_eagerly(double elements) {
  stream("scale", elements, 2.0 * wide(), 1.0, 2.0 * wide());
  gradient("d scale product", elements, 3.0 * wide(), 1.0);
  gradient("d scale sum", elements, wide(), 1.0);
}

// A norm without weights, shifted and scaled by the time step: one kernel that reads and writes, or
// one for each step (arXiv:2212.09748, fig. 3).
void DiffusionAssembly::modulated_norm(double tokens) {
  const double elements = tokens * hidden();
  keep_residual(elements);  // its input
  keep(elements);           // what the product behind it reads
  if (slice_.fused_pointwise) {
    // Backward one kernel along rows, which adds what went past the block, and one along columns.
    stream("modulated norm", elements, 1.0 + wide(), 8.0, 1.0 + 3.0 * wide());
    gradient("d scale and shift", elements, 1.0 + wide(), 4.0);
    return;
  }
  keep_residual(elements);  // the norm, for the scale
  norm_eagerly(elements);
  scale_eagerly(elements);
  stream("shift", elements, 2.0 * wide(), 1.0, wide());
  if (wide() > 1.0) {
    stream("narrowed operand", elements, 1.0 + wide(), 0.0, 1.0 + wide());
  }
  gradient("sum of gradients", elements, 3.0 * wide(), 1.0);
}

// With weights, whose gradient reads both again.
void DiffusionAssembly::plain_norm(double tokens) {
  const double elements = tokens * hidden();
  keep_residual(elements);
  keep(elements);
  stream("norm", elements, 2.0 * wide(), 6.0, 5.0 * wide());
  gradient("sum of gradients", elements, 3.0 * wide(), 1.0);
}

void DiffusionAssembly::gated_residual(double tokens) {
  const double elements = tokens * hidden();
  keep(elements);  // what is gated
  if (slice_.fused_pointwise) {
    stream("gate and residual", elements, 1.0 + 2.0 * wide(), 2.0, 1.0 + wide());
    gradient("d gate", elements, 1.0 + wide(), 2.0);
    return;
  }
  stream("gate", elements, 2.0, 1.0, 1.0 + wide());
  gradient("d gate product", elements, 3.0, 1.0);
  gradient("d gate sum", elements, 1.0, 1.0);
  stream("residual", elements, 1.0 + 2.0 * wide(), 1.0);
}

void DiffusionAssembly::plain_residual(double tokens) {
  stream("residual", tokens * hidden(), 1.0 + 2.0 * wide(), 1.0);
}

// Queries and keys have a norm, and are rotated. Where no compiler joins the steps, both go through
// fp32, whose elements count twice (Diffusers, embeddings.py and normalization.py).
void DiffusionAssembly::prepare_queries_and_keys(double tokens) {
  const double elements = 2.0 * tokens * width();
  const bool norms = model_.query_norm != QueryNorm::none;
  if (norms) {
    keep(elements);  // its input
  }
  if (slice_.fused_pointwise) {
    if (norms || model_.rotary) {
      stream("query and key norm, rotation", elements, 2.0, 10.0, norms ? 5.0 : 2.0);
    }
    return;
  }
  if (model_.query_norm == QueryNorm::layer) {
    stream("query and key norm", elements, 2.0, 6.0, 5.0);
  } else if (norms) {
    keep(3.0 * elements);  // widened, and narrowed again
    stream("query and key widened", elements, 3.0, 1.0, 3.0);
    stream("query and key squares", elements, 4.0, 1.0, 6.0);
    stream("query and key means", elements, 2.0, 1.0, 2.0);
    stream("query and key scaled", elements, 3.0, 1.0, 4.0);
    gradient("d query and key means", elements, 6.0, 1.0);
    gradient("query and key gradients", elements, 6.0, 1.0);
    stream("query and key narrowed", elements, 3.0, 1.0, 3.0);
    stream("query and key weighted", elements, 2.0, 1.0, 2.0);
    gradient("d query and key weights", elements, 4.0, 1.0);
  }
  if (model_.rotary) {
    stream("halves turned", elements, 3.0, 1.0, 3.0);
    stream("query and key widened", elements, 3.0, 1.0, 3.0);
    stream("rotation by cosine", elements, 4.0, 1.0, 4.0);
    stream("turned widened", elements, 3.0, 1.0, 3.0);
    stream("rotation by sine", elements, 4.0, 1.0, 4.0);
    stream("rotation sum", elements, 6.0, 1.0, 3.0);
    stream("query and key narrowed", elements, 3.0, 1.0, 3.0);
  }
}

// Heads beside each other again, as the projection reads them.
void DiffusionAssembly::merge_heads(double tokens) {
  if (!slice_.fused_pointwise) {
    stream("merged heads", tokens * width(), 2.0, 0.0, 2.0);
  }
}

// Queries, keys and values of text and latents.
void DiffusionAssembly::join_streams(double tokens) {
  stream("joined streams", tokens * 3.0 * width(), 2.0, 0.0, 2.0);
}

// The gate is multiplied with what it gates.
void DiffusionAssembly::activation(double tokens) {
  keep(tokens * up());
  if (!slice_.fused_pointwise) {
    keep(tokens * ffn() * (model_.gated_ffn ? 2.0 : 1.0));  // what comes out, or both factors
  }
  stream("activation", tokens * ffn(), model_.gated_ffn ? 3.0 : 2.0, 8.0,
         model_.gated_ffn ? 5.0 : 3.0);
}

void DiffusionAssembly::attention(std::string_view name, double queries, double keys,
                                  bool among_devices) {
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
  passes_.operators.forward.push_back({Block::attention_core, op});
  if (slice_.trains) {
    op.backward = true;
    passes_.operators.backward.push_back({Block::attention_core, op});
  }
  // Queries and what comes out; a device's own keys and values: those of others come again.
  const double own_keys = among_devices ? in_parts(keys, slice_.context_shards) : keys;
  keep(2.0 * slice_.passes * width() * (in_parts(queries, slice_.context_shards) + own_keys));
}

void DiffusionAssembly::modulation(double outputs) {
  if (model_.modulation_width > 0) {
    product("modulation", slice_.passes, outputs, static_cast<double>(model_.modulation_width));
  }
}

void DiffusionAssembly::mlp(double tokens) {
  modulated_norm(tokens);
  product("mlp up", tokens, up(), hidden());
  activation(tokens);
  product("mlp down", tokens, hidden(), ffn());
  gated_residual(tokens);
}

void DiffusionAssembly::queries_keys_values(double tokens) {
  modulated_norm(tokens);
  product("query key value", tokens, 3.0 * width(), hidden());
  gradient("joined gradients", tokens * 3.0 * width(), 2.0, 0.0);
  prepare_queries_and_keys(tokens);
}

void DiffusionAssembly::attention_output(double tokens) {
  merge_heads(tokens);
  product("attention projection", tokens, hidden(), width());
  gated_residual(tokens);
}

void DiffusionAssembly::scheduler(double elements) {
  if (!slice_.trains) {
    // Of a step: what is predicted, and the latents that it changes.
    stream("scheduler", elements, 3.0, 4.0);
    return;
  }
  // Latents and noise come in; what is predicted is compared with what it should be.
  keep(3.0 * elements);
  stream("noise", elements, 3.0, 4.0);
  stream("loss", elements, 2.0, 3.0, 3.0);
}

}  // namespace scalesweep::workload

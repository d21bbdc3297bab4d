// Models that a program has, told by their shape.
#pragma once

#include "workload/model.hpp"

namespace scalesweep::deploy {

// `known` has hidden, layers, heads, kv_heads (0: latent attention), experts (0: none) and ffn, of
// a routed expert where it has experts. States and attention to chosen tokens are none of these.
template <typename Known>
bool has_shape_of(const workload::TransformerModel& model, const Known& known) {
  const bool has_latent = model.latent.on();
  return !model.linear.on() && !model.sparse.on() && known.hidden == model.hidden &&
         known.layers == model.layers && known.heads == model.heads &&
         (known.kv_heads == 0) == has_latent && (has_latent || known.kv_heads == model.kv_heads) &&
         known.experts == model.experts.count &&
         known.ffn == (model.experts.on() ? model.experts.ffn : model.ffn);
}

}  // namespace scalesweep::deploy

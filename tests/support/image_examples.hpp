// Models that read images, as published: CLIP ViT-L/14 of 336 pixels, and LLaVA-1.5 7B on it.
#pragma once

#include <memory>

#include "support/examples.hpp"

namespace scalesweep::test {

inline workload::TransformerModel clip_vit_l() {
  workload::TransformerModel model = gpt(1024, 24, 16);
  model.name = "clip";
  model.vocab = 1;
  model.max_positions = 577;
  model.causal = false;
  model.dropout = false;
  model.patch_inputs = 588;
  return model;
}

inline workload::Encoder clip_encoder(double images) {
  workload::Encoder encoder;
  encoder.model = std::make_shared<const workload::TransformerModel>(clip_vit_l());
  encoder.tiles = {.patch = 14, .side = 336};
  encoder.projector_ffn = 4096;
  encoder.inputs = images;
  return encoder;
}

inline workload::TransformerModel llava_7b(double images) {
  workload::TransformerModel model = llama(4096, 32, 32, 32, 11008, 32000);
  model.encoder = clip_encoder(images);
  return model;
}

}  // namespace scalesweep::test

// Models that tests of several layers share, of published shapes, beside their system.
#pragma once

#include "support/example_system.hpp"
#include "workload/model.hpp"

namespace scalesweep::test {

inline workload::TransformerModel gpt(std::int64_t hidden, std::int64_t layers,
                                      std::int64_t heads) {
  workload::TransformerModel model;
  model.name = "gpt";
  model.hidden = hidden;
  model.layers = layers;
  model.heads = heads;
  model.kv_heads = heads;
  model.head_dim = hidden / heads;
  model.ffn = 4 * hidden;
  model.vocab = 51200;
  model.tied_embeddings = true;
  model.max_positions = 2048;
  return model;
}

inline workload::TransformerModel gpt3_175b() {
  return gpt(12288, 96, 96);
}

inline workload::TransformerModel llama(std::int64_t hidden, std::int64_t layers,
                                        std::int64_t heads, std::int64_t kv_heads, std::int64_t ffn,
                                        std::int64_t vocab) {
  workload::TransformerModel model;
  model.name = "llama";
  model.hidden = hidden;
  model.layers = layers;
  model.heads = heads;
  model.kv_heads = kv_heads;
  model.head_dim = hidden / heads;
  model.ffn = ffn;
  model.vocab = vocab;
  model.gated_ffn = true;
  model.biases = false;
  model.dropout = false;
  model.learned_positions = false;
  return model;
}

}  // namespace scalesweep::test

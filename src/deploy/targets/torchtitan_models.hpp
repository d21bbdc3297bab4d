// Models that torchtitan has, by their shape.
#pragma once

#include <cstdint>
#include <string_view>

#include "deploy/parts/versions.hpp"

namespace scalesweep::workload {
struct TransformerModel;
}

namespace scalesweep::deploy {

// A flavor of a model family: "70B" of llama3.
struct Flavor {
  std::string_view family;
  std::string_view name;
  std::string_view config;  // the function of its family's config_registry.py that is nearest
  std::int64_t hidden;
  std::int64_t layers;
  std::int64_t heads;
  std::int64_t kv_heads;  // 0: latent attention
  std::int64_t ffn;       // of a routed expert where it has experts
  std::int64_t experts = 0;
  bool tied = false;           // embedding and head
  std::int64_t positions = 0;  // most tokens of a sequence, of versions that ask
  bool flexes = false;         // FlexAttention, which ran no context parallelism before main
  bool pipelined = true;       // has a pipelining function before main
  Versions in = {};
};

// Null where it has none of this shape.
const Flavor* torchtitan_flavor(const workload::TransformerModel& model, std::string_view version);

}  // namespace scalesweep::deploy

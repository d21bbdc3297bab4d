// What the models of a family share; single keys of an entry override it.
#pragma once

#include <array>
#include <string_view>

namespace scalesweep::catalog {

struct ModelFamily {
  std::string_view name;
  bool gated_ffn, tied_embeddings, biases, dropout, learned_positions, causal;
};

inline constexpr std::array<ModelFamily, 4> model_families = {{
    {"gpt", false, true, true, true, true, true},
    {"llama", true, false, false, false, false, true},
    {"plain", false, false, false, false, false, true},
    {"encoder", false, true, true, true, true, false},
}};

}  // namespace scalesweep::catalog

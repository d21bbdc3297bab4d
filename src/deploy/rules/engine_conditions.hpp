// Conditions on layouts that several engines state alike, of operands in fp8 with a scale for each
// block of 128 x 128 weights: a rank's part of a matrix is whole blocks.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "deploy/rules/rule.hpp"
#include "workload/model.hpp"

namespace scalesweep::deploy {

inline constexpr std::int64_t block = 128;

inline bool is_in_blocks(const Subject& subject, technology::Precision format) {
  return format == technology::Precision::fp8 && subject.recipe == workload::Recipe::block;
}

// Whether layers of experts have a part that all tensor-parallel ranks share.
inline bool has_plain_layers(const workload::TransformerModel& model) {
  return !model.experts.on() || model.expert_layers() < model.layers;
}

// A width that tensor parallelism cuts into parts that are no whole blocks.
inline std::string broken_blocks(std::int64_t width) {
  return fmt::format("{} % ({} * tensor_parallel) != 0", width, block);
}

// Of experts where tensor parallelism cuts them, and of whole ones. `cut`: the layouts that do.
inline std::string expert_blocks(const Subject& subject, std::string_view cut) {
  const workload::TransformerModel& model = subject.model;
  if (!model.experts.on() || !is_in_blocks(subject, subject.experts)) {
    return "";
  }
  return model.experts.ffn % block != 0
             ? std::string(any_layout)
             : fmt::format("({}) and {}", cut, broken_blocks(model.experts.ffn));
}

// Of the MLP of layers without experts, and of shared experts where no rank has them whole.
inline std::string mlp_blocks(const Subject& subject) {
  const workload::TransformerModel& model = subject.model;
  if (!is_in_blocks(subject, subject.linear)) {
    return "";
  }
  std::string layouts = has_plain_layers(model) ? broken_blocks(model.ffn) : "";
  if (model.experts.shared_ffn > 0) {
    layouts += fmt::format("{}(expert_parallel == 1 and {})", layouts.empty() ? "" : " or ",
                           broken_blocks(model.experts.shared_ffn));
  }
  return layouts;
}

// Of queries, and of keys and values, whose heads a rank has whole.
inline std::string head_blocks(const Subject& subject) {
  const workload::TransformerModel& model = subject.model;
  if (!is_in_blocks(subject, subject.linear)) {
    return "";
  }
  if (model.latent.on()) {
    const workload::LatentAttention& latent = model.latent;
    const std::int64_t query = model.heads * (latent.rope_dim + latent.nope_dim);
    const std::int64_t output = model.heads * latent.value_dim;
    return fmt::format("tensor_parallel > 1 and ({} or {})", broken_blocks(query),
                       broken_blocks(output));
  }
  std::string keys = broken_blocks(model.kv_heads * model.head_dim);
  if (model.head_dim % block != 0) {  // a head alone is no whole block
    keys = fmt::format("tensor_parallel > {} or {}", model.kv_heads, keys);
  } else {
    keys = fmt::format("tensor_parallel <= {} and {}", model.kv_heads, keys);
  }
  return fmt::format("tensor_parallel > 1 and ({} or ({}))",
                     broken_blocks(model.heads * model.head_dim), keys);
}

// Experts and their copies that ranks do not hold in equal parts.
inline std::string uneven_copies(const Subject& subject) {
  return subject.model.experts.on()
             ? fmt::format(
                   "redundant_experts > 0 and ({} + redundant_experts) % expert_parallel != 0",
                   subject.model.experts.count)
             : "";
}

}  // namespace scalesweep::deploy

// What programs refuse, a table of rules for each.
#pragma once

#include <span>

#include "deploy/rules/rule.hpp"

namespace scalesweep::deploy {

std::span<const Rule> megatron_rules();
std::span<const Rule> bridge_rules();
std::span<const Rule> deepspeed_rules();
std::span<const Rule> maxtext_rules();
std::span<const Rule> nanotron_rules();
std::span<const Rule> sglang_rules();
std::span<const Rule> tensorrt_llm_rules();
std::span<const Rule> vllm_rules();
std::span<const Rule> torchtitan_rules();

// What MaxText calls a model of this shape; "": it has none.
std::string_view maxtext_model(const workload::TransformerModel& model);

}  // namespace scalesweep::deploy

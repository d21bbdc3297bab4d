// What programs refuse, a table of rules for each.
#pragma once

#include <span>

#include "deploy/rules/rule.hpp"

namespace scalesweep::deploy {

std::span<const Rule> megatron_rules();
std::span<const Rule> bridge_rules();
std::span<const Rule> deepspeed_rules();
std::span<const Rule> sglang_rules();
std::span<const Rule> tensorrt_llm_rules();
std::span<const Rule> vllm_rules();

}  // namespace scalesweep::deploy

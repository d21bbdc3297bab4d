// What MaxText refuses, and which models it has.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "deploy/parts/model_shape.hpp"
#include "deploy/parts/vendors.hpp"
#include "deploy/rules/program_rules.hpp"
#include "technology/device.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;

struct Known {
  std::string_view name;
  std::int64_t hidden;
  std::int64_t layers;
  std::int64_t heads;
  std::int64_t kv_heads;  // 0: latent attention
  std::int64_t ffn;       // of a routed expert where it has experts
  std::int64_t experts = 0;
  std::int64_t vocab = 0;  // where two differ in nothing else
};

// src/maxtext/configs/models/*.yml of e591f30c.
constexpr auto models = std::to_array<Known>({
    {"llama2-7b", 4096, 32, 32, 32, 11008},
    {"llama2-13b", 5120, 40, 40, 40, 13824},
    {"llama2-70b", 8192, 80, 64, 8, 28672, 0, 32000},
    {"llama3-8b", 4096, 32, 32, 8, 14336, 0, 128256},
    {"llama3-70b", 8192, 80, 64, 8, 28672, 0, 128256},
    {"llama3.1-405b", 16384, 126, 128, 8, 53248},
    {"mistral-7b", 4096, 32, 32, 8, 14336, 0, 32000},
    {"mixtral-8x7b", 4096, 32, 32, 8, 14336, 8},
    {"mixtral-8x22b", 6144, 56, 48, 8, 16384, 8},
    {"qwen2.5-1.5b", 1536, 28, 12, 2, 8960},
    {"qwen2.5-7b", 3584, 28, 28, 4, 18944},
    {"qwen2.5-14b", 5120, 48, 40, 8, 13824},
    {"qwen3-8b", 4096, 36, 32, 8, 12288},
    {"qwen3-14b", 5120, 40, 40, 8, 17408},
    {"qwen3-32b", 5120, 64, 64, 8, 25600},
    {"qwen3-30b-a3b", 2048, 48, 32, 4, 768, 128},
    {"qwen3-235b-a22b", 4096, 94, 64, 4, 1536, 128},
    {"qwen3-480b-a35b", 6144, 62, 96, 8, 2560, 160},
    {"deepseek2-236b", 5120, 60, 128, 0, 1536, 160},
    {"deepseek3-671b", 7168, 61, 128, 0, 2048, 256},
    {"kimi-k2-1t", 7168, 61, 64, 0, 2048, 384},
    {"gpt3-175b", 12288, 96, 96, 96, 49152},
    {"gpt-oss-20b", 2880, 24, 64, 8, 2880, 32},
    {"gpt-oss-120b", 2880, 36, 64, 8, 2880, 128},
    {"llama4-17b-16e", 5120, 48, 40, 8, 8192, 16},
    {"llama4-17b-128e", 5120, 48, 40, 8, 8192, 128},
    {"gemma3-12b", 3840, 48, 16, 8, 15360},
    {"gemma3-27b", 5376, 62, 32, 16, 21504},
});

bool is_of(const Known& known, const workload::TransformerModel& model) {
  return has_shape_of(model, known) && (known.vocab == 0 || known.vocab == model.vocab);
}

bool is_tpu(const Subject& s) {
  return vendor_of(s.device.name) == Vendor::google;
}
std::string on_tpu(const Subject& s, std::string_view layouts) {
  return is_tpu(s) ? std::string(layouts) : "";
}

constexpr auto rules = std::to_array<Rule>({
    {[](const Subject& s) { return any_if(maxtext_model(s.model).empty()); },
     "a model that none of its configurations is of", "src/maxtext/configs/models of e591f30c"},
    // Axes that dense weights are sharded over: embed, in logical_axis_rules.
    {[](const Subject&) -> std::string {
       return "zero < 3 and (context_parallel > 1 or expert_parallel > 1)";
     },
     "context and expert parallelism whose ranks share no dense weights: it shards over both axes",
     "src/maxtext/configs/base.yml of e591f30c: logical_axis_rules, embed"},
    {[](const Subject&) -> std::string {
       return "expert_parallel > 1 and ((shard_group == 0 and data_parallel % expert_parallel != "
              "0) or (shard_group > 0 and shard_group % (expert_parallel * context_parallel) != "
              "0))";
     },
     "experts over ranks that share sequences: their axis is one of the batch",
     "src/maxtext/configs/base.yml of e591f30c: logical_axis_rules, activation_batch"},
    {[](const Subject&) -> std::string {
       return "shard_group > 0 and shard_group % context_parallel != 0";
     },
     "groups of shards that are no multiple of the context-parallel ranks",
     "src/maxtext/configs/base.yml of e591f30c: logical_axis_rules, embed"},
    {[](const Subject& s) -> std::string {
       return s.sequence == 0 ? ""
                              : on_tpu(s, fmt::format("context_parallel > 1 and context_exchange "
                                                      "== 'ring' and (context_parallel % 2 != 0 "
                                                      "or {} % (context_parallel * "
                                                      "context_parallel) != 0)",
                                                      s.sequence));
     },
     "a ring on TPUs of an odd number of ranks, or whose square does not divide the sequence",
     "src/maxtext/configs/types.py:4032 and 4049 of e591f30c"},
    {[](const Subject& s) { return on_tpu(s, s.model.local.on() ? "context_parallel > 1" : ""); },
     "context parallelism on TPUs of models with local attention",
     "src/maxtext/configs/types.py:4041 and 4096 of e591f30c"},
    {[](const Subject& s) {
       return on_tpu(s, s.model.latent.on()
                            ? "context_parallel > 1 and context_exchange == 'all_to_all'"
                            : fmt::format("context_parallel > 1 and context_exchange == "
                                          "'all_to_all' and {} % context_parallel != 0",
                                          s.model.kv_heads));
     },
     "heads of keys and values that are exchanged among ranks that do not divide them, or latent "
     "attention",
     "src/maxtext/configs/types.py:4096 and 4132 of e591f30c"},
    {[](const Subject& s) -> std::string {
       return is_tpu(s) ? "" : "context_parallel > 1 and context_exchange == 'all_to_all'";
     },
     "an exchange of heads on GPUs (ulysses)", "src/maxtext/configs/types.py:4073 of e591f30c"},
    {[](const Subject& s) -> std::string {
       const bool delayed = s.recipe == workload::Recipe::delayed;
       return s.linear == Precision::fp8 && !is_tpu(s) && delayed ? "micro_batches > 1" : "";
     },
     "fp8 with delayed scales where gradients are accumulated",
     "src/maxtext/configs/types.py:3882 of e591f30c"},
    {[](const Subject& s) { return any_if(is_tpu(s) && s.linear == Precision::mxfp8); },
     "mxfp8 on TPUs (te_mxfp8, of Transformer Engine)",
     "src/maxtext/layers/quantizations.py:1023 of e591f30c"},
});

}  // namespace

std::string_view maxtext_model(const workload::TransformerModel& model) {
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const Known& one) { return is_of(one, model); });
  return found == models.end() ? "" : found->name;
}

std::span<const Rule> maxtext_rules() {
  return rules;
}

}  // namespace scalesweep::deploy

// What torchtitan refuses.
#include <fmt/format.h>

#include <array>

#include "deploy/parts/vendors.hpp"
#include "deploy/rules/program_rules.hpp"
#include "deploy/targets/torchtitan_models.hpp"
#include "technology/device.hpp"
#include "workload/model.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;
constexpr std::string_view first = "0.2.0";
constexpr std::string_view with_gpt_oss = "0.2.2";
constexpr std::string_view newest = "main-2026-08-21";

// `version` is one of those that the rule is of.
std::string without_flavor(const Subject& s, std::string_view version) {
  return any_if(torchtitan_flavor(s.model, version) == nullptr);
}

const Flavor* old_flavor(const Subject& s) {
  return torchtitan_flavor(s.model, with_gpt_oss);
}

// Where `factor` x the ranks that FSDP shards over are no multiple of `by`. Those ranks are the
// context-parallel ones alone without ZeRO.
std::string shards_beside(std::string_view factor, std::string_view by) {
  return fmt::format(
      "((zero == 0 and (context_parallel{0}) % ({1}) != 0) or "
      "(zero > 0 and shard_group == 0 and (data_parallel * context_parallel{0}) % ({1}) != 0) or "
      "(zero > 0 and shard_group > 0 and (shard_group{0}) % ({1}) != 0))",
      factor, by);
}

std::string experts_beside_tensor(std::string_view more) {
  return fmt::format("expert_parallel > 1 and not experts_over_tensor and ({})", more);
}
std::string experts_over_tensor(std::string_view more) {
  return fmt::format("expert_parallel > 1 and experts_over_tensor and ({})", more);
}

constexpr auto rules = std::to_array<Rule>({
    {[](const Subject& s) { return without_flavor(s, first); },
     "a model that it has no flavor of (it has Llama 3, Llama 4, DeepSeek-V2 and V3 and Qwen3)",
     "torchtitan/models/*/__init__.py of 29624e37 and 81af8833", before("0.2.2")},
    {[](const Subject& s) { return without_flavor(s, with_gpt_oss); },
     "a model that it has no flavor of (it has Llama 3, Llama 4, DeepSeek-V2 and V3, Qwen3 and "
     "gpt-oss)",
     "torchtitan/models/__init__.py:7 of 73a0e697",
     {"0.2.2", "main"}},
    {[](const Subject& s) { return without_flavor(s, newest); },
     "a model that it has no flavor of (it has Llama 3, DeepSeek-V2 and V3, Qwen3 and gpt-oss)",
     "torchtitan/models/__init__.py:7 of b5bcd76c", since("main")},
    {[](const Subject& s) -> std::string {
       const Flavor* const flavor = old_flavor(s);
       return flavor != nullptr && !flavor->pipelined ? "pipeline_parallel > 1" : "";
     },
     "pipelines of Qwen3 and gpt-oss, which have no pipelining function",
     "torchtitan/train.py:223 of 29624e37; models/qwen3/__init__.py:199 there and of 73a0e697, "
     "models/gpt_oss/__init__.py:85 of 73a0e697",
     before("main")},
    {[](const Subject& s) -> std::string {
       const Flavor* const flavor = old_flavor(s);
       return flavor != nullptr && flavor->flexes ? "context_parallel > 1" : "";
     },
     "context parallelism of models that use FlexAttention",
     "torchtitan/models/deepseek_v3/model/args.py:104 of 29624e37, :106 of 73a0e697; "
     "models/gpt_oss/model/args.py:91 of 73a0e697",
     before("main")},
    {[](const Subject&) -> std::string {
       return "zero == 0 and data_parallel > 1 and (tensor_parallel > 1 or pipeline_parallel > 1)";
     },
     "replicas that share nothing (DDP) beside another parallelism",
     "torchtitan/models/llama3/infra/parallelize.py:141 of 29624e37, :151 of 73a0e697",
     before("main")},
    {[](const Subject&) -> std::string { return "zero == 0 and context_parallel > 1"; },
     "context-parallel ranks that share no weights: it shards over them always",
     "torchtitan/distributed/parallel_dims.py:222 of 29624e37; distributed/fsdp.py:55 of b5bcd76c"},
    {[](const Subject&) -> std::string {
       return "shard_group > 0 and shard_group % context_parallel != 0";
     },
     "groups of shards that are no multiple of the context-parallel ranks",
     "torchtitan/distributed/parallel_dims.py:141 of 29624e37, :137 of 73a0e697; "
     "distributed/fsdp.py:55 of b5bcd76c"},
    {[](const Subject&) {
       return experts_beside_tensor("expert_parallel % context_parallel != 0 or " +
                                    shards_beside("", "expert_parallel"));
     },
     "expert parallelism that is no multiple of context_parallel, or does not divide the shards "
     "of weights times context_parallel",
     "torchtitan/distributed/parallel_dims.py:61 of 29624e37", before("0.2.1")},
    {[](const Subject&) {
       return experts_over_tensor(
           "expert_parallel % (context_parallel * tensor_parallel) != 0 or " +
           shards_beside(" * tensor_parallel", "expert_parallel"));
     },
     "expert parallelism that is no multiple of context_parallel x tensor_parallel, or does not "
     "divide the shards of weights times both",
     "torchtitan/distributed/parallel_dims.py:64 of 29624e37", before("0.2.1")},
    {[](const Subject&) { return experts_beside_tensor(shards_beside("", "expert_parallel")); },
     "expert parallelism that does not divide the shards of weights times context_parallel",
     "torchtitan/distributed/parallel_dims.py:138 of 73a0e697: its meshes hold all ranks",
     {"0.2.1", "main"}},
    {[](const Subject&) {
       return experts_over_tensor(shards_beside(" * tensor_parallel", "expert_parallel"));
     },
     "expert parallelism that does not divide the shards of weights times context_parallel and "
     "tensor_parallel",
     "torchtitan/distributed/parallel_dims.py:138 of 73a0e697, :188 of b5bcd76c", since("0.2.1")},
    {[](const Subject&) { return experts_beside_tensor(shards_beside("", "expert_parallel")); },
     "expert parallelism that does not divide the shards of weights times context_parallel",
     "torchtitan/distributed/parallel_dims.py:188 of b5bcd76c", since("main")},
    {[](const Subject&) { return experts_beside_tensor("tensor_parallel > 1"); },
     "experts that expert and tensor parallelism cut at once (expert_tensor_parallel_degree, which "
     "ended)",
     "torchtitan/distributed/parallel_dims.py:187 of b5bcd76c", since("main")},
    {[](const Subject& s) -> std::string {
       return s.model.experts.on() ? fmt::format("{} % expert_parallel != 0", s.model.experts.count)
                                   : "";
     },
     "experts that expert_parallel does not divide",
     "torchtitan/distributed/expert_parallel.py:96 of 29624e37; models/common/decoder.py:204 of "
     "b5bcd76c"},
    {[](const Subject& s) -> std::string {
       return s.sequence == 0
                  ? ""
                  : fmt::format("{} % (2 * tensor_parallel * context_parallel) != 0", s.sequence);
     },
     "sequences that 2 x tensor_parallel x context_parallel does not divide",
     "torchtitan/models/llama3/infra/parallelize.py:63 of 29624e37, :69 of 73a0e697",
     before("main")},
    {[](const Subject& s) -> std::string {
       return s.sequence == 0
                  ? ""
                  : fmt::format(
                        "(sequence_parallel and {0} * micro_batch % tensor_parallel != 0) or "
                        "(context_parallel > 1 and {0} * micro_batch % (2 * "
                        "context_parallel) != 0) or "
                        "(sequence_parallel and context_parallel > 1 and {0} * micro_batch "
                        "% (2 * context_parallel * tensor_parallel) != 0)",
                        s.sequence);
     },
     "tokens of a micro-batch that tensor_parallel and 2 x context_parallel do not divide",
     "torchtitan/trainer.py:299 of b5bcd76c", since("main")},
    {[](const Subject& s) -> std::string {
       const Flavor* const flavor = torchtitan_flavor(s.model, newest);
       return any_if(flavor != nullptr && s.sequence > flavor->positions);
     },
     "sequences longer than the rotary embedding of the flavor (Llama 3 and gpt-oss 131072 tokens, "
     "Qwen3 40960, DeepSeek 16384)",
     "torchtitan/models/common/decoder.py:220 of b5bcd76c", since("main")},
    {[](const Subject& s) -> std::string {
       return s.model.latent.on() ? "" : fmt::format("{} % tensor_parallel != 0", s.model.kv_heads);
     },
     "keys and values whose heads tensor_parallel does not divide",
     "torchtitan/models/llama3/model/model.py:230 of 29624e37 (a part of a head has no view); "
     "models/common/decoder.py:195 of b5bcd76c"},
    {[](const Subject& s) -> std::string {
       const bool by_tensor = s.linear == Precision::fp8 && s.recipe != workload::Recipe::row;
       return s.model.latent.on() && by_tensor ? "tensor_parallel > 1" : "";
     },
     "fp8 that is scaled by tensor of DeepSeek models with tensor parallelism",
     "torchtitan/models/deepseek_v3/infra/parallelize.py:78 of 29624e37, :85 of 73a0e697",
     before("main")},
    {[](const Subject& s) -> std::string {
       const bool narrow = s.model.experts.on() && s.experts == Precision::fp8;
       return narrow ? "pipeline_parallel > 1 or context_parallel > 1" : "";
     },
     "experts in fp8 with pipelines or context parallelism",
     "torchtitan/components/quantization/float8.py:192 of 29624e37, :193 of 73a0e697",
     before("main")},
    {[](const Subject& s) -> std::string {
       return s.linear == Precision::mxfp8 ? "tensor_parallel > 1" : "";
     },
     "mxfp8 with tensor parallelism in a compiled model",
     "torchtitan/components/quantization/mx.py:50 of 29624e37 and of 73a0e697", before("main")},
    {[](const Subject& s) {
       return any_if(s.linear == Precision::mxfp8 && vendor_of(s.device.name) == Vendor::amd);
     },
     "mxfp8 on devices of AMD",
     "torchtitan/components/quantization/mx.py:42 of 29624e37 and of 81af8833", before("0.2.2")},
    {[](const Subject& s) {
       return any_if(s.experts == Precision::mxfp8 && s.model.experts.on() &&
                     vendor_of(s.device.name) == Vendor::amd);
     },
     "experts in mxfp8 on devices of AMD",
     "torchtitan/components/quantization/mx.py:112 of 73a0e697",
     {"0.2.2", "main"}},
    {[](const Subject& s) {
       return any_if(s.linear == Precision::mxfp8 && vendor_of(s.device.name) == Vendor::amd);
     },
     "mxfp8 on devices of AMD", "torchtitan/components/quantization/mx.py:70 of b5bcd76c",
     since("main")},
    {[](const Subject& s) -> std::string {
       const Flavor* const flavor = torchtitan_flavor(s.model, newest);
       return flavor != nullptr && flavor->tied ? "pipeline_parallel > 1" : "";
     },
     "pipelines of models whose embedding is their head",
     "torchtitan/models/common/decoder.py:168 of b5bcd76c", since("main")},
    {[](const Subject&) -> std::string { return "tensor_parallel > 1 and not sequence_parallel"; },
     "tensor parallelism without sequence parallelism (enable_sequence_parallel came in 2026)",
     "torchtitan/models/llama3/infra/parallelize.py:152 of 29624e37, apply_tp", before("main")},
    {[](const Subject&) -> std::string { return "recompute_every > 1"; },
     "full recomputation of some layers alone (selective_ac_option, which ended)",
     "torchtitan/distributed/activation_checkpoint.py:332 of b5bcd76c", since("main")},
    {[](const Subject&) -> std::string {
       return "schedule == 'zero_bubble' and micro_batches > pipeline_parallel and "
              "micro_batches % pipeline_parallel != 0";
     },
     "zero-bubble schedules of micro-batches that are no whole rounds of the stages",
     "torch/distributed/pipelining/schedules.py of PyTorch, ScheduleInterleavedZeroBubble"},
});

}  // namespace

std::span<const Rule> torchtitan_rules() {
  return rules;
}

}  // namespace scalesweep::deploy

// Megatron-LM: options of megatron/training/arguments.py and of the classes of its configuration.
#include <fmt/format.h>

#include "deploy/rules/program_rules.hpp"
#include "deploy/target.hpp"
#include "deploy/targets/megatron_model.hpp"
#include "deploy/targets/training_values.hpp"

namespace scalesweep::deploy {
namespace {

using parallel::Recompute;
using technology::Precision;
using R = TrainingRun;

std::string_view recipe_name(workload::Recipe recipe) {
  switch (recipe) {
    case workload::Recipe::delayed:
      return "delayed";
    case workload::Recipe::block:
      return "blockwise";
    case workload::Recipe::mxfp8:
      return "mxfp8";
    default:
      return "tensorwise";
  }
}

bool optimizes_precisely(const R& r) {
  return r.strategy.offload_optimizer || r.job.precision.moments != Precision::fp32;
}

constexpr auto layout_options = std::to_array<TrainingOption>({
    {"CUDA_DEVICE_MAX_CONNECTIONS", "tensor_parallel, context_parallel, device",
     [](const R& r) { return one_queue(r, !r.since("0.13")); }, Place::environment},
    tensor_parallel_option,
    sequence_parallel_option,
    pipeline_parallel_option,
    {"--num-virtual-stages-per-pipeline-rank", "chunks",
     [](const R& r) {
       return text_if(r.strategy.chunks > 1 && !lists_parts(r), r.strategy.chunks);
     }},
    {"--account-for-embedding-in-pipeline-split", "pipeline_parallel, chunks",
     [](const R& r) { return switch_if(counts_edges(r)); }},
    {"--account-for-loss-in-pipeline-split", "pipeline_parallel, chunks",
     [](const R& r) { return switch_if(counts_edges(r)); }},
    {"--pipeline-model-parallel-layout", "pipeline_parallel, chunks", layout_of_parts,
     Place::command, since("0.13")},
    {"--decoder-first-pipeline-num-layers", "first_stage_layers",
     [](const R& r) {
       return text_if(r.strategy.first_stage_layers > 0, r.strategy.first_stage_layers);
     }},
    {"--decoder-last-pipeline-num-layers", "last_stage_layers",
     [](const R& r) {
       return text_if(r.strategy.last_stage_layers > 0, r.strategy.last_stage_layers);
     }},
    {"--context-parallel-size", "context_parallel",
     [](const R& r) {
       return text_if(r.strategy.context_parallel > 1, r.strategy.context_parallel);
     }},
    {"--cp-comm-type", "context_exchange",
     [](const R& r) {
       const bool ring = r.strategy.context_exchange == parallel::ContextExchange::ring;
       return text_if(r.strategy.context_parallel > 1, ring ? "p2p" : "a2a");
     }},
    {"--expert-model-parallel-size", "expert_parallel",
     [](const R& r) { return text_if(has_experts(r), r.strategy.expert_parallel); }},
    {"--expert-tensor-parallel-size", "experts_over_tensor",
     [](const R& r) {
       return text_if(has_experts(r) && r.strategy.tensor_parallel > 1,
                      expert_tensor_ranks(r.strategy));
     }},
    {"--use-tp-pp-dp-mapping", "rank_order",
     [](const R& r) {
       return switch_if(r.strategy.rank_order == parallel::RankOrder::tp_cp_ep_pp_dp);
     }},
    {"--micro-batch-size", "micro_batch", [](const R& r) { return text(r.strategy.micro_batch); }},
    {"--global-batch-size", "global_batch", [](const R& r) { return text(r.job.global_batch); }},
});

constexpr auto memory_options = std::to_array<TrainingOption>({
    {"--use-distributed-optimizer", "zero",
     [](const R& r) {
       return switch_if(r.strategy.zero >= 1 ||
                        (optimizes_precisely(r) && r.strategy.replicas() == 1));
     }},
    {"--use-custom-fsdp", "zero", [](const R& r) { return switch_if(shards_gradients(r)); },
     Place::command, before("0.14")},
    {"--no-gradient-accumulation-fusion", "zero",
     [](const R& r) { return switch_if(shards_gradients(r)); }, Place::command, before("0.14")},
    {"--use-megatron-fsdp", "zero", [](const R& r) { return switch_if(shards_gradients(r)); },
     Place::command, since("0.14")},
    {"--ckpt-format", "zero",
     [](const R& r) { return text_if(shards_gradients(r), "fsdp_dtensor"); }, Place::command,
     since("0.14")},
    {"--data-parallel-sharding-strategy", "zero",
     [](const R& r) {
       return text_if(shards_gradients(r),
                      r.strategy.zero == 2 ? "optim_grads" : "optim_grads_params");
     }},
    {"--num-distributed-optimizer-instances", "shard_group",
     [](const R& r) { return text_if(r.strategy.shard_group > 0, sharded_copies(r.strategy)); }},
    // Else each device builds the whole model first (megatron/training/training.py:938 of 5cb6dbb3,
    // models/dist_utils.py:99 of d98e8a64).
    {"--init-model-with-meta-device", "zero",
     [](const R& r) { return switch_if(r.strategy.zero == 3); }},
    {"--qk-layernorm", "model", [](const R& r) { return switch_if(norms_queries(r)); }},
    {"--overlap-grad-reduce", "framework: hides_data_communication",
     [](const R& r) {
       return switch_if(r.job.stack.replicas.hides_data_communication && r.strategy.replicas() > 1);
     }},
    {"--overlap-param-gather", "framework: hides_weight_gather",
     [](const R& r) {
       return switch_if(r.job.stack.replicas.hides_weight_gather && r.strategy.zero >= 1 &&
                        r.strategy.replicas() > 1);
     }},
    {"--tp-comm-overlap", "framework: hides_forward_tensor_communication",
     [](const R& r) {
       return switch_if(r.job.stack.hides_forward_tensor_communication &&
                        r.strategy.sequence_parallel && r.strategy.tensor_parallel > 1 &&
                        takes_user_buffers(r));
     }},
    {"--recompute-granularity", "recompute",
     [](const R& r) {
       return text_if(r.strategy.recompute != Recompute::none,
                      parallel::name_of(r.strategy.recompute));
     }},
    {"--recompute-method", "recompute_every",
     [](const R& r) {
       return text_if(r.strategy.recompute == Recompute::full,
                      r.strategy.recompute_every > 1 ? "block" : "uniform");
     }},
    {"--recompute-num-layers", "recompute_every",
     [](const R& r) {
       return text_if(r.strategy.recompute == Recompute::full,
                      r.strategy.recompute_every > 1 ? recomputed_layers(r) : 1);
     }},
    {"--cpu-offloading-num-layers", "offload_activations",
     [](const R& r) { return text_if(r.strategy.offload_activations, r.model().layers - 1); },
     Place::command, since("0.16")},
    {"--optimizer-cpu-offload", "offload_optimizer",
     [](const R& r) { return switch_if(r.strategy.offload_optimizer); }},
    {"--use-precision-aware-optimizer", "precision: moments",
     [](const R& r) { return switch_if(optimizes_precisely(r)); }},
    {"--exp-avg-dtype", "precision: moments",
     [](const R& r) {
       const Precision moments = r.job.precision.moments;
       return text_if(moments != Precision::fp32, technology::name_of(moments));
     }},
    {"--exp-avg-sq-dtype", "precision: moments",
     [](const R& r) {
       const Precision moments = r.job.precision.moments;
       return text_if(moments != Precision::fp32, technology::name_of(moments));
     }},
});

constexpr auto number_options = std::to_array<TrainingOption>({
    {"--bf16", "precision: activations",
     [](const R& r) { return switch_if(r.job.precision.activations == Precision::bf16); }},
    {"--fp16", "precision: activations",
     [](const R& r) { return switch_if(r.job.precision.activations == Precision::fp16); }},
    {"--grad-reduce-in-bf16", "precision: gradients",
     [](const R& r) { return switch_if(accumulates(r, Precision::bf16, Precision::bf16)); }},
    {"--accumulate-allreduce-grads-in-fp32", "precision: gradients",
     [](const R& r) { return switch_if(accumulates(r, Precision::fp32, Precision::fp16)); }},
    {"--fp4-format", "precision: linear",
     [](const R& r) { return text_if(multiplies(r, Precision::fp4), "e2m1"); }, Place::command,
     since("0.15")},
    {"--fp8-format", "precision: linear",
     [](const R& r) {
       return multiplies(r, Precision::fp8)     ? Value("hybrid")
              : multiplies(r, Precision::mxfp8) ? Value("e4m3")
                                                : std::nullopt;
     }},
    {"--fp8-recipe", "precision: recipe",
     [](const R& r) {
       const bool mx = multiplies(r, Precision::mxfp8);
       const auto recipe = mx ? std::optional(workload::Recipe::mxfp8) : fp8_recipe(r);
       return recipe ? text(recipe_name(*recipe)) : std::nullopt;
     }},
    {"--attention-backend", "attention",
     [](const R& r) {
       // FlashAttention 2 takes no heads of queries and values that differ in width.
       return text(!r.job.flash_attention ? "unfused" : has_latent(r) ? "auto" : "flash");
     }},
    {"--tokenizer-type", "model", [](const R&) { return text("HuggingFaceTokenizer"); }},
    {"--tokenizer-model", "model", [](const R&) { return text("$TOKENIZER"); }},
    {"--data-path", "data", [](const R&) { return text("$DATA"); }},
});

std::vector<std::string> notes(const R& r) {
  const bool mapped = r.strategy.rank_order == parallel::RankOrder::tp_cp_ep_pp_dp;
  std::vector<std::string> all = notes_of_layout(
      r, mapped ? parallel::RankOrder::tp_cp_ep_pp_dp : parallel::RankOrder::tp_cp_ep_dp_pp);
  for (std::string& note : notes_of_megatron_model(r.model())) {
    all.push_back(std::move(note));
  }
  if (shards_gradients(r)) {
    all.emplace_back("FSDP refuses CUDA_DEVICE_MAX_CONNECTIONS=1: see that no image sets it");
  }
  if (r.job.precision.gradient_communication != r.job.precision.gradients) {
    all.emplace_back(fmt::format("gradients are sent as they are accumulated, in {}, not in {}",
                                 technology::name_of(r.job.precision.gradients),
                                 technology::name_of(r.job.precision.gradient_communication)));
  }
  if (fp8_recipe(r) == workload::Recipe::row) {
    all.emplace_back("--fp8-recipe tensorwise: Megatron-LM has no scales by row");
  }
  return all;
}

constexpr auto versions = std::to_array<Version>({
    {"core_r0.12.0", "5cb6dbb3"},
    {"core_v0.15.0", "0d7e02bd"},
    {"core_v0.19.0", "5be96267"},
    {"main-2026-08-22", "d98e8a64"},
});
constexpr std::array runs_on = {Vendor::nvidia, Vendor::amd};

}  // namespace

const TrainingTarget& megatron_lm() {
  static const std::vector<TrainingOption> options = [] {
    std::vector<TrainingOption> all;
    const std::span<const TrainingOption> groups[] = {megatron_model_options(), layout_options,
                                                      memory_options, number_options};
    for (const std::span<const TrainingOption> group : groups) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }();
  static const TrainingTarget target = {
      .text = {.name = "megatron-lm",
               .versions = versions,
               .source = "megatron/training/arguments.py and megatron/core/transformer",
               .runs_on = runs_on,
               .rules = megatron_rules()},
      .options = options,
      .script = "pretrain_gpt.py",
      .notes = notes,
      .variables =
          "TOKENIZER and DATA are the tokenizer and the data of the model; learning rate, "
          "checkpoints and number of steps are yours to add"};
  return target;
}

}  // namespace scalesweep::deploy

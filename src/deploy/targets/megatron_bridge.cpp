// Megatron-Bridge: overrides of a recipe's ConfigContainer on the command line, keys of
// src/megatron/bridge/training/config.py, the model providers and classes of Megatron-Core.
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

std::string_view mixed_precision(const R& r) {
  if (multiplies(r, Precision::mxfp8)) {
    return "bf16_with_mxfp8_mixed";
  }
  if (multiplies(r, Precision::fp4)) {
    return "bf16_with_nvfp4_mixed";
  }
  if (const auto recipe = fp8_recipe(r)) {
    return *recipe == workload::Recipe::delayed ? "bf16_with_fp8_delayed_scaling_mixed"
           : *recipe == workload::Recipe::block ? "bf16_with_fp8_subchannel_scaling_mixed"
                                                : "bf16_with_fp8_current_scaling_mixed";
  }
  return r.job.precision.activations == Precision::fp16 ? "fp16_mixed" : "bf16_mixed";
}

std::string torch_name(Precision precision) {
  return precision == Precision::fp16   ? "torch.float16"
         : precision == Precision::bf16 ? "torch.bfloat16"
         : precision == Precision::fp8  ? "torch.uint8"
                                        : "torch.float32";
}

bool optimizes_precisely(const R& r) {
  return r.strategy.offload_optimizer || r.job.precision.moments != Precision::fp32;
}

Value distributes_optimizer(const R& r) {
  return truth(r.strategy.zero >= 1 || (optimizes_precisely(r) && r.strategy.replicas() == 1));
}

bool overlaps_tensor(const R& r) {
  return r.job.stack.hides_forward_tensor_communication && r.strategy.sequence_parallel &&
         r.strategy.tensor_parallel > 1 && takes_user_buffers(r);
}

Value moments(const R& r) {
  return text_if(r.job.precision.moments != Precision::fp32, torch_name(r.job.precision.moments));
}

constexpr auto options = std::to_array<TrainingOption>({
    {"CUDA_DEVICE_MAX_CONNECTIONS", "tensor_parallel, context_parallel, device",
     [](const R& r) { return one_queue(r, false); }, Place::environment},
    {"model.tensor_model_parallel_size=", "tensor_parallel",
     [](const R& r) { return text(r.strategy.tensor_parallel); }},
    {"model.sequence_parallel=", "sequence_parallel",
     [](const R& r) {
       return truth(r.strategy.sequence_parallel && r.strategy.tensor_parallel > 1);
     }},
    {"model.pipeline_model_parallel_size=", "pipeline_parallel",
     [](const R& r) { return text(r.strategy.pipeline_parallel); }},
    {"model.virtual_pipeline_model_parallel_size=", "chunks",
     [](const R& r) {
       return text(r.strategy.chunks > 1 && !lists_parts(r) ? text(r.strategy.chunks).value()
                                                            : "null");
     }},
    {"model.account_for_embedding_in_pipeline_split=", "pipeline_parallel, chunks",
     [](const R& r) { return text_if(counts_edges(r), "true"); }},
    {"model.account_for_loss_in_pipeline_split=", "pipeline_parallel, chunks",
     [](const R& r) { return text_if(counts_edges(r), "true"); }},
    {"model.pipeline_model_parallel_layout=", "pipeline_parallel, chunks", layout_of_parts},
    {"model.num_layers_in_first_pipeline_stage=", "first_stage_layers",
     [](const R& r) {
       return text_if(r.strategy.first_stage_layers > 0, r.strategy.first_stage_layers);
     }},
    {"model.num_layers_in_last_pipeline_stage=", "last_stage_layers",
     [](const R& r) {
       return text_if(r.strategy.last_stage_layers > 0, r.strategy.last_stage_layers);
     }},
    {"model.context_parallel_size=", "context_parallel",
     [](const R& r) { return text(r.strategy.context_parallel); }},
    {"model.cp_comm_type=", "context_exchange",
     [](const R& r) {
       const bool ring = r.strategy.context_exchange == parallel::ContextExchange::ring;
       return text_if(r.strategy.context_parallel > 1, ring ? "p2p" : "a2a");
     }},
    {"model.expert_model_parallel_size=", "expert_parallel",
     [](const R& r) { return text_if(has_experts(r), r.strategy.expert_parallel); }},
    {"model.expert_tensor_parallel_size=", "experts_over_tensor",
     [](const R& r) { return text_if(has_experts(r), expert_tensor_ranks(r.strategy)); }},
    {"model.seq_length=", "sequence", [](const R& r) { return text(r.job.sequence); }},
    {"dataset.sequence_length=", "sequence", [](const R& r) { return text(r.job.sequence); },
     Place::command, before("0.6")},
    {"dataset.seq_length=", "sequence", [](const R& r) { return text(r.job.sequence); },
     Place::command, since("0.6")},
    {"train.micro_batch_size=", "micro_batch",
     [](const R& r) { return text(r.strategy.micro_batch); }},
    {"train.global_batch_size=", "global_batch",
     [](const R& r) { return text(r.job.global_batch); }},
    {"mixed_precision=", "precision", [](const R& r) { return text(mixed_precision(r)); }},
    {"ddp.use_distributed_optimizer=", "zero", distributes_optimizer},
    {"optimizer.use_distributed_optimizer=", "zero", distributes_optimizer},
    {"ddp.use_megatron_fsdp=", "zero",
     [](const R& r) { return text_if(shards_gradients(r), "true"); }},
    {"checkpoint.ckpt_format=", "zero",
     [](const R& r) { return text_if(shards_gradients(r), "fsdp_dtensor"); }},
    {"ddp.data_parallel_sharding_strategy=", "zero",
     [](const R& r) {
       return text_if(shards_gradients(r),
                      r.strategy.zero == 2 ? "optim_grads" : "optim_grads_params");
     }},
    {"ddp.num_distributed_optimizer_instances=", "shard_group",
     [](const R& r) { return text_if(r.strategy.shard_group > 0, sharded_copies(r.strategy)); }},
    {"dist.use_tp_pp_dp_mapping=", "rank_order",
     [](const R& r) {
       return text_if(r.strategy.rank_order == parallel::RankOrder::tp_cp_ep_pp_dp, "true");
     }},
    // utils/overrides.py:105 of 51885cf1; else each device builds the whole model first.
    {"model.init_model_with_meta_device=", "zero",
     [](const R& r) { return text_if(r.strategy.zero == 3, "true"); }},
    {"ddp.overlap_grad_reduce=", "framework: hides_data_communication",
     [](const R& r) { return truth(r.job.stack.replicas.hides_data_communication); }},
    {"ddp.overlap_param_gather=", "framework: hides_weight_gather",
     [](const R& r) {
       return truth(r.job.stack.replicas.hides_weight_gather && r.strategy.zero >= 1);
     }},
    // Not comm_overlap.tp_comm_overlap, which recipes without a comm_overlap do not take.
    {"model.tp_comm_overlap=", "framework: hides_forward_tensor_communication",
     [](const R& r) { return text_if(overlaps_tensor(r), "true"); }},
    {"model.recompute_granularity=", "recompute",
     [](const R& r) {
       return text_if(r.strategy.recompute != Recompute::none,
                      parallel::name_of(r.strategy.recompute));
     }},
    {"model.recompute_method=", "recompute_every",
     [](const R& r) {
       return text_if(r.strategy.recompute == Recompute::full,
                      r.strategy.recompute_every > 1 ? "block" : "uniform");
     }},
    {"model.recompute_num_layers=", "recompute_every",
     [](const R& r) {
       return text_if(r.strategy.recompute == Recompute::full,
                      r.strategy.recompute_every > 1 ? recomputed_layers(r) : 1);
     }},
    {"model.cpu_offloading=", "offload_activations",
     [](const R& r) { return text_if(r.strategy.offload_activations, "true"); }},
    {"model.cpu_offloading_num_layers=", "offload_activations",
     [](const R& r) { return text_if(r.strategy.offload_activations, r.model().layers - 1); }},
    {"optimizer.optimizer_cpu_offload=", "offload_optimizer",
     [](const R& r) { return text_if(r.strategy.offload_optimizer, "true"); }},
    {"optimizer.use_precision_aware_optimizer=", "precision: moments",
     [](const R& r) { return text_if(optimizes_precisely(r), "true"); }},
    {"optimizer.exp_avg_dtype=", "precision: moments", moments},
    {"optimizer.exp_avg_sq_dtype=", "precision: moments", moments},
});

// What a registered policy accumulates gradients in, whatever is said of ddp.
Precision recipe_gradients(const R& r) {
  return r.job.precision.activations == Precision::fp16 ? Precision::fp16 : Precision::fp32;
}

std::vector<std::string> notes(const R& r) {
  const bool mapped = r.strategy.rank_order == parallel::RankOrder::tp_cp_ep_pp_dp;
  std::vector<std::string> all = notes_of_layout(
      r, mapped ? parallel::RankOrder::tp_cp_ep_pp_dp : parallel::RankOrder::tp_cp_ep_dp_pp);
  if (r.job.precision.gradients != recipe_gradients(r)) {
    all.push_back(fmt::format(
        "mixed_precision={} accumulates and sends gradients in {}, not in {}, and overwrites "
        "ddp.grad_reduce_in_fp32: give the recipe a MixedPrecisionConfig of its own",
        mixed_precision(r), technology::name_of(recipe_gradients(r)),
        technology::name_of(r.job.precision.gradients)));
  }
  if (overlaps_tensor(r)) {
    all.emplace_back(
        "a recipe that has a comm_overlap overwrites model.tp_comm_overlap: give it "
        "comm_overlap.tp_comm_overlap=true there");
  }
  if (shards_gradients(r)) {
    all.emplace_back("FSDP refuses CUDA_DEVICE_MAX_CONNECTIONS=1: see that no image sets it");
  }
  if (fp8_recipe(r) == workload::Recipe::row) {
    all.emplace_back(
        "mixed_precision: there are no scales by row, those of whole tensors are "
        "taken");
  }
  return all;
}

constexpr auto versions = std::to_array<Version>({
    {"0.2.0", "7af9601c"},
    {"0.4.2", "c8101293"},
    {"0.6.0", "51885cf1"},
});
constexpr std::array runs_on = {Vendor::nvidia};

}  // namespace

const TrainingTarget& megatron_bridge() {
  static const TrainingTarget target = {
      .text = {.name = "megatron-bridge",
               .versions = versions,
               .source = "src/megatron/bridge/training/config.py",
               .runs_on = runs_on,
               .rules = bridge_rules()},
      .options = options,
      .script = "\"$RECIPE\"",
      .notes = notes,
      .variables =
          "RECIPE is the script of the model's recipe, which gives its shape, tokenizer and "
          "data, and takes what follows as overrides"};
  return target;
}

}  // namespace scalesweep::deploy

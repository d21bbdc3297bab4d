// Megatron-Bridge: overrides of a recipe's ConfigContainer on the command line, from memory of
// src/megatron/bridge/training/config.py and of the model providers, unverified.
#include "deploy/target.hpp"
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

constexpr auto options = std::to_array<TrainingOption>({
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
    {"dataset.sequence_length=", "sequence", [](const R& r) { return text(r.job.sequence); }},
    {"train.micro_batch_size=", "micro_batch",
     [](const R& r) { return text(r.strategy.micro_batch); }},
    {"train.global_batch_size=", "global_batch",
     [](const R& r) { return text(r.job.global_batch); }},
    {"mixed_precision=", "precision", [](const R& r) { return text(mixed_precision(r)); }},
    {"ddp.use_distributed_optimizer=", "zero",
     [](const R& r) { return truth(r.strategy.zero >= 1); }},
    {"optimizer.use_distributed_optimizer=", "zero",
     [](const R& r) { return truth(r.strategy.zero >= 1); }},
    {"ddp.use_megatron_fsdp=", "zero",
     [](const R& r) { return text_if(r.strategy.zero >= 2, "true"); }},
    {"ddp.data_parallel_sharding_strategy=", "zero",
     [](const R& r) {
       return text_if(r.strategy.zero >= 2,
                      r.strategy.zero == 2 ? "optim_grads" : "optim_grads_params");
     }},
    {"ddp.overlap_grad_reduce=", "framework: hides_data_communication",
     [](const R& r) { return truth(r.job.stack.replicas.hides_data_communication); }},
    {"ddp.overlap_param_gather=", "framework: hides_weight_gather",
     [](const R& r) {
       return truth(r.job.stack.replicas.hides_weight_gather && r.strategy.zero >= 1);
     }},
    {"ddp.grad_reduce_in_fp32=", "precision: gradients",
     [](const R& r) { return truth(r.job.precision.gradient_communication == Precision::fp32); }},
    {"comm_overlap.tp_comm_overlap=", "framework: hides_forward_tensor_communication",
     [](const R& r) {
       return truth(r.job.stack.hides_forward_tensor_communication &&
                    r.strategy.sequence_parallel && r.strategy.tensor_parallel > 1);
     }},
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
});

std::vector<std::string> notes(const R& r) {
  std::vector<std::string> all = notes_of_layout(r, parallel::RankOrder::tp_cp_ep_dp_pp);
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
               .runs_on = runs_on},
      .options = options,
      .script = "\"$RECIPE\"",
      .notes = notes,
      .variables =
          "RECIPE is the script of the model's recipe, which gives its shape, tokenizer and "
          "data, and takes what follows as overrides"};
  return target;
}

}  // namespace scalesweep::deploy

// DeepSpeed: its JSON file, from memory of deepspeed/runtime/config.py and zero/config.py; what
// cuts layers is Megatron-DeepSpeed's, megatron/arguments.py; unverified.
#include "deploy/target.hpp"
#include "deploy/targets/megatron_model.hpp"
#include "deploy/targets/training_values.hpp"

namespace scalesweep::deploy {
namespace {

using parallel::Recompute;
using technology::Precision;
using R = TrainingRun;
constexpr Place in_file = Place::file;

constexpr auto file_options = std::to_array<TrainingOption>({
    {"train_batch_size", "global_batch", [](const R& r) { return text(r.job.global_batch); },
     in_file},
    {"train_micro_batch_size_per_gpu", "micro_batch",
     [](const R& r) { return text(r.strategy.micro_batch); }, in_file},
    {"gradient_accumulation_steps", "micro_batches",
     [](const R& r) { return text(r.strategy.micro_batches); }, in_file},
    {"zero_optimization.stage", "zero",
     [](const R& r) { return text(static_cast<int>(r.strategy.zero)); }, in_file},
    {"zero_optimization.overlap_comm", "framework: hides_data_communication",
     [](const R& r) { return truth(r.job.stack.replicas.hides_data_communication); }, in_file},
    {"zero_optimization.zero_hpz_partition_size", "shard_group",
     [](const R& r) { return text_if(r.strategy.shard_group > 0, r.strategy.shard_group); },
     in_file},
    {"zero_optimization.offload_optimizer.device", "offload_optimizer",
     [](const R& r) { return text_if(r.strategy.offload_optimizer, "cpu"); }, in_file},
    {"bf16.enabled", "precision: activations",
     [](const R& r) { return truth(r.job.precision.activations == Precision::bf16); }, in_file},
    {"fp16.enabled", "precision: activations",
     [](const R& r) { return truth(r.job.precision.activations == Precision::fp16); }, in_file},
    {"data_types.grad_accum_dtype", "precision: gradients",
     [](const R& r) { return text(technology::name_of(r.job.precision.gradients)); }, in_file},
    {"activation_checkpointing.cpu_checkpointing", "offload_activations",
     [](const R& r) { return text_if(r.strategy.offload_activations, "true"); }, in_file},
});

constexpr auto layout_options = std::to_array<TrainingOption>({
    {"--deepspeed", "framework", [](const R&) { return switch_if(true); }},
    {"--deepspeed_config", "framework", [](const R&) { return text("deepspeed.json"); }},
    {"--zero-stage", "zero", [](const R& r) { return text(static_cast<int>(r.strategy.zero)); }},
    tensor_parallel_option,
    sequence_parallel_option,
    pipeline_parallel_option,
    {"--no-pipeline-parallel", "pipeline_parallel",
     [](const R& r) { return switch_if(r.strategy.pipeline_parallel == 1); }},
    {"--ds-sequence-parallel-size", "context_parallel",
     [](const R& r) {
       return text_if(r.strategy.context_parallel > 1, r.strategy.context_parallel);
     }},
    {"--num-experts", "model: experts.count",
     [](const R& r) { return text_if(has_experts(r), r.model().experts.count); }},
    {"--topk", "model: experts.top_k",
     [](const R& r) { return text_if(has_experts(r), r.model().experts.top_k); }},
    {"--moe-expert-parallel-size", "expert_parallel",
     [](const R& r) { return text_if(has_experts(r), r.strategy.expert_parallel); }},
    {"--enable-expert-tensor-parallelism", "expert_parallel, tensor_parallel",
     [](const R& r) { return switch_if(has_experts(r) && r.strategy.tensor_parallel > 1); }},
    {"--micro-batch-size", "micro_batch", [](const R& r) { return text(r.strategy.micro_batch); }},
    {"--global-batch-size", "global_batch", [](const R& r) { return text(r.job.global_batch); }},
    {"--recompute-granularity", "recompute",
     [](const R& r) { return text_if(r.strategy.recompute == Recompute::full, "full"); }},
    {"--recompute-method", "recompute",
     [](const R& r) { return text_if(r.strategy.recompute == Recompute::full, "uniform"); }},
    {"--bf16", "precision: activations",
     [](const R& r) { return switch_if(r.job.precision.activations == Precision::bf16); }},
    {"--fp16", "precision: activations",
     [](const R& r) { return switch_if(r.job.precision.activations == Precision::fp16); }},
    {"--use-flash-attn", "attention", [](const R& r) { return switch_if(r.job.flash_attention); }},
    {"--data-path", "data", [](const R&) { return text("$DATA"); }},
});

std::vector<std::string> notes(const R& r) {
  std::vector<std::string> all = notes_of_layout(r, parallel::RankOrder::tp_cp_ep_dp_pp);
  for (std::string& note : notes_of_model(r.model())) {
    all.push_back(std::move(note));
  }
  if (groups_queries(r) || has_latent(r)) {
    all.emplace_back(
        "keys and values of fewer heads, and latent attention, are no options of "
        "Megatron-DeepSpeed that stand here: add what its version has");
  }
  return all;
}

constexpr auto versions = std::to_array<Version>({
    {"0.17.6", "e4f6da96"},
    {"0.19.5", "cf443004"},
});
constexpr std::array runs_on = {Vendor::nvidia, Vendor::amd};

}  // namespace

const TrainingTarget& deepspeed() {
  static const std::vector<TrainingOption> options = [] {
    std::vector<TrainingOption> all(file_options.begin(), file_options.end());
    all.insert(all.end(), layout_options.begin(), layout_options.end());
    const auto dense = megatron_dense_options();
    std::copy_if(dense.begin(), dense.end(), std::back_inserter(all),
                 [](const TrainingOption& one) { return one.name != "--position-embedding-type"; });
    return all;
  }();
  static const TrainingTarget target = {
      .text = {.name = "deepspeed",
               .versions = versions,
               .source = "megatron/arguments.py of Megatron-DeepSpeed 4efb479d and "
                         "deepspeed/runtime/config.py of DeepSpeed",
               .runs_on = runs_on},
      .options = options,
      .file = {"deepspeed.json", Language::json},
      .script = "pretrain_gpt.py",
      .notes = notes,
      .variables =
          "pretrain_gpt.py is that of Megatron-DeepSpeed, DATA its data; tokenizer, "
          "learning rate and number of steps are yours to add"};
  return target;
}

}  // namespace scalesweep::deploy

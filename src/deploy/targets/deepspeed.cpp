// DeepSpeed: its JSON file, keys of deepspeed/runtime/constants.py and zero/config.py; what cuts
// layers is Megatron-DeepSpeed's, megatron/arguments.py.
#include "deploy/rules/program_rules.hpp"
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
    // zero_hpz_partition_size is a second copy of the weights alone.
    {"zero_optimization.mics_shard_size", "shard_group",
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

// Megatron-DeepSpeed switches deepspeed.zero.Init on for 3, whose weights MiCS refuses; DeepSpeed
// itself reads the stage in its file.
std::int64_t told_stage(const R& r) {
  return r.strategy.shard_group > 0 ? 2 : r.strategy.zero;
}

constexpr auto layout_options = std::to_array<TrainingOption>({
    {"CUDA_DEVICE_MAX_CONNECTIONS", "sequence_parallel",
     [](const R& r) {
       return text_if(r.strategy.sequence_parallel && r.strategy.tensor_parallel > 1, 1);
     },
     Place::environment},
    {"--deepspeed", "framework", [](const R&) { return switch_if(true); }},
    {"--deepspeed_config", "framework", [](const R&) { return text("deepspeed.json"); }},
    {"--zero-stage", "zero", [](const R& r) { return text(told_stage(r)); }},
    tensor_parallel_option,
    sequence_parallel_option,
    pipeline_parallel_option,
    {"--no-pipeline-parallel", "pipeline_parallel",
     [](const R& r) { return switch_if(r.strategy.pipeline_parallel == 1); }},
    {"--enable-zbh1-pipeline", "schedule",
     [](const R& r) { return switch_if(r.strategy.schedule == parallel::Schedule::zero_bubble); }},
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
    {"--expert-interval", "model: experts.every",
     [](const R& r) { return text_if(has_experts(r), r.model().experts.every); }},
    {"--create-moe-param-group", "model: experts",
     [](const R& r) { return switch_if(has_experts(r)); }},
    {"--disable-moe-token-dropping", "capacity_factor",
     [](const R& r) { return switch_if(has_experts(r) && r.model().experts.capacity <= 0.0); }},
    {"--moe-train-capacity-factor", "capacity_factor",
     [](const R& r) {
       return text_if(has_experts(r) && r.model().experts.capacity > 0.0,
                      r.model().experts.capacity);
     }},
    {"--enable-expert-tensor-parallelism", "expert_parallel, tensor_parallel",
     [](const R& r) { return switch_if(has_experts(r) && r.strategy.tensor_parallel > 1); }},
    {"--micro-batch-size", "micro_batch", [](const R& r) { return text(r.strategy.micro_batch); }},
    {"--global-batch-size", "global_batch", [](const R& r) { return text(r.job.global_batch); }},
    {"--recompute-granularity", "recompute",
     [](const R& r) {
       return text_if(r.strategy.recompute != Recompute::none,
                      parallel::name_of(r.strategy.recompute));
     }},
    {"--recompute-method", "recompute",
     [](const R& r) { return text_if(r.strategy.recompute == Recompute::full, "uniform"); }},
    {"--deepspeed-activation-checkpointing", "offload_activations",
     [](const R& r) { return switch_if(r.strategy.offload_activations); }},
    {"--checkpoint-in-cpu", "offload_activations",
     [](const R& r) { return switch_if(r.strategy.offload_activations); }},
    {"--cpu-optimizer", "offload_optimizer",
     [](const R& r) { return switch_if(r.strategy.offload_optimizer); }},
    {"--bf16", "precision: activations",
     [](const R& r) { return switch_if(r.job.precision.activations == Precision::bf16); }},
    {"--fp16", "precision: activations",
     [](const R& r) { return switch_if(r.job.precision.activations == Precision::fp16); }},
    {"--use-flash-attn-v2", "attention",
     [](const R& r) {
       return switch_if(r.job.flash_attention && r.job.precision.activations != Precision::fp32);
     }},
    {"--tokenizer-type", "model", [](const R&) { return text("HFTokenizer"); }},
    {"--tokenizer-model", "model", [](const R&) { return text("$TOKENIZER"); }},
    {"--data-path", "data", [](const R&) { return text("$DATA"); }},
});

constexpr auto model_options = std::to_array<TrainingOption>({
    // Of experts the width of each: no layer has another MLP.
    {"--ffn-hidden-size", "model: ffn",
     [](const R& r) { return text(has_experts(r) ? r.model().experts.ffn : r.model().ffn); }},
    {"--num-key-value-heads", "model: kv_heads",
     [](const R& r) { return text_if(groups_queries(r), r.model().kv_heads); }},
    {"--use-rotary-position-embeddings", "model: positions",
     [](const R& r) {
       return switch_if(!r.model().learned_positions && r.model().rotary_share > 0.0);
     }},
    {"--rotary-percent", "model: rotary_share",
     [](const R& r) {
       return text_if(!r.model().learned_positions && r.model().rotary_share > 0.0 &&
                          r.model().rotary_share < 1.0,
                      r.model().rotary_share);
     }},
    {"--no-position-embedding", "model: positions",
     [](const R& r) {
       return switch_if(!r.model().learned_positions && r.model().rotary_share <= 0.0);
     }},
    {"--normalization", "model: family",
     [](const R& r) { return text_if(!r.model().biases, "rmsnorm"); }},
});

std::vector<std::string> notes(const R& r) {
  std::vector<std::string> all = notes_of_layout(r, parallel::RankOrder::tp_cp_ep_dp_pp);
  for (std::string& note : notes_of_model(r.model())) {
    all.push_back(std::move(note));
  }
  if (!r.model().learned_positions) {
    all.emplace_back(
        "--rotary-position-embeddings-theta (10000) and --layernorm-epsilon (1e-05) have their "
        "defaults: the catalog does not say those of a model; they change no cost");
  }
  if (r.model().qkv_biases && !r.model().biases) {
    all.emplace_back(
        "biases of queries, keys and values alone have no option: they are left out here");
  }
  if (r.strategy.shard_group > 0) {
    all.emplace_back(
        "MiCS: --zero-stage 2 keeps pretrain_gpt.py from deepspeed.zero.Init, which it refuses; "
        "deepspeed.json has stage 3, and weights are whole on each device until it starts");
  }
  if (r.strategy.tensor_parallel > 1) {
    all.emplace_back(
        "of a model of Hugging Face, without the options of Megatron-DeepSpeed, DeepSpeed itself "
        "cuts the layers: tensor_parallel.autotp_size in deepspeed.json");
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
    all.insert(all.end(), dense.begin(), dense.end());
    all.insert(all.end(), model_options.begin(), model_options.end());
    return all;
  }();
  static const TrainingTarget target = {
      .text = {.name = "deepspeed",
               .versions = versions,
               .source = "megatron/arguments.py of Megatron-DeepSpeed 4efb479d and "
                         "deepspeed/runtime/config.py of DeepSpeed",
               .runs_on = runs_on,
               .rules = deepspeed_rules()},
      .options = options,
      .file = {"deepspeed.json", Language::json},
      .script = "pretrain_gpt.py",
      .notes = notes,
      .variables =
          "pretrain_gpt.py is that of Megatron-DeepSpeed, TOKENIZER and DATA are the tokenizer "
          "and the data of the model; learning rate and number of steps are yours to add"};
  return target;
}

}  // namespace scalesweep::deploy

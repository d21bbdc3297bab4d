// torchtitan: a job's TOML file, from memory of torchtitan/config/job_config.py, unverified.
#include "deploy/target.hpp"
#include "deploy/targets/training_values.hpp"

namespace scalesweep::deploy {
namespace {

using parallel::Recompute;
using technology::Precision;
using R = TrainingRun;
constexpr Place in_file = Place::file;

bool narrow(const R& r) {
  return multiplies(r, Precision::fp8) || multiplies(r, Precision::mxfp8);
}

constexpr auto options = std::to_array<TrainingOption>({
    {"--model.name", "model", [](const R&) { return text("$MODEL"); }},
    {"--model.flavor", "model", [](const R&) { return text("$FLAVOR"); }},
    {"training.seq_len", "sequence", [](const R& r) { return text(r.job.sequence); }, in_file},
    {"training.local_batch_size", "micro_batch; with pipelines times micro_batches",
     [](const R& r) {
       const std::int64_t parts = r.strategy.pipeline_parallel > 1 ? r.strategy.micro_batches : 1;
       return text(r.strategy.micro_batch * parts);
     },
     in_file},
    {"training.global_batch_size", "global_batch",
     [](const R& r) { return text(r.job.global_batch); }, in_file},
    {"training.mixed_precision_param", "precision: activations",
     [](const R& r) {
       return text(r.job.precision.activations == Precision::fp32 ? "float32" : "bfloat16");
     },
     in_file},
    {"training.mixed_precision_reduce", "precision: gradients",
     [](const R& r) {
       const bool wide = r.job.precision.gradient_communication == Precision::fp32;
       return text(wide ? "float32" : "bfloat16");
     },
     in_file},
    {"parallelism.data_parallel_replicate_degree", "data_parallel, zero, shard_group",
     [](const R& r) { return text(replicated_ranks(r.strategy)); }, in_file},
    {"parallelism.data_parallel_shard_degree", "data_parallel, zero, shard_group",
     [](const R& r) { return text(sharded_ranks(r.strategy)); }, in_file},
    {"parallelism.fsdp_reshard_after_forward", "zero",
     [](const R& r) {
       return text_if(r.strategy.zero >= 2, r.strategy.zero == 3 ? "always" : "never");
     },
     in_file},
    {"parallelism.tensor_parallel_degree", "tensor_parallel",
     [](const R& r) { return text(r.strategy.tensor_parallel); }, in_file},
    {"parallelism.enable_async_tensor_parallel", "framework: hides_forward_tensor_communication",
     [](const R& r) {
       return text_if(
           r.job.stack.hides_forward_tensor_communication && r.strategy.tensor_parallel > 1,
           "true");
     },
     in_file},
    {"parallelism.pipeline_parallel_degree", "pipeline_parallel",
     [](const R& r) { return text(r.strategy.pipeline_parallel); }, in_file},
    {"parallelism.pipeline_parallel_schedule", "chunks, schedule",
     [](const R& r) {
       return text_if(r.strategy.pipeline_parallel > 1,
                      r.strategy.chunks > 1 ? "Interleaved1F1B" : "1F1B");
     },
     in_file},
    {"parallelism.pipeline_parallel_layers_per_stage", "chunks",
     [](const R& r) {
       const std::int64_t parts = std::int64_t{r.strategy.pipeline_parallel} * r.strategy.chunks;
       return text_if(r.strategy.chunks > 1, (r.model().layers + parts - 1) / parts);
     },
     in_file},
    {"parallelism.pipeline_parallel_microbatch_size", "micro_batch",
     [](const R& r) { return text_if(r.strategy.pipeline_parallel > 1, r.strategy.micro_batch); },
     in_file},
    {"parallelism.context_parallel_degree", "context_parallel",
     [](const R& r) { return text(r.strategy.context_parallel); }, in_file},
    {"parallelism.expert_parallel_degree", "expert_parallel",
     [](const R& r) { return text_if(has_experts(r), r.strategy.expert_parallel); }, in_file},
    {"parallelism.expert_tensor_parallel_degree", "experts_over_tensor",
     [](const R& r) { return text_if(has_experts(r), expert_tensor_ranks(r.strategy)); }, in_file},
    {"activation_checkpoint.mode", "recompute",
     [](const R& r) {
       const bool some = r.strategy.recompute_every > 1;
       return text(some ? "selective" : parallel::name_of(r.strategy.recompute));
     },
     in_file},
    {"activation_checkpoint.selective_ac_option", "recompute, recompute_every",
     [](const R& r) -> Value {
       if (r.strategy.recompute_every > 1) {
         return fmt::format("\"{}\"", r.strategy.recompute_every);
       }
       return text_if(r.strategy.recompute == Recompute::selective, "op");
     },
     in_file},
    {"model.converters", "precision: linear",
     [](const R& r) {
       return text_if(narrow(r), multiplies(r, Precision::fp8) ? "[\"quantize.linear.float8\"]"
                                                               : "[\"quantize.linear.mx\"]");
     },
     in_file},
    {"quantize.linear.float8.recipe_name", "precision: recipe",
     [](const R& r) {
       const auto recipe = fp8_recipe(r);
       return recipe ? text(*recipe == workload::Recipe::row ? "rowwise" : "tensorwise")
                     : std::nullopt;
     },
     in_file},
    {"quantize.linear.mx.recipe_name", "precision: recipe",
     [](const R& r) { return text_if(multiplies(r, Precision::mxfp8), "mxfp8_cublas"); }, in_file},
    {"compile.enable", "framework: fused_pointwise",
     [](const R& r) { return truth(r.job.stack.fused_pointwise); }, in_file},
});

std::vector<std::string> notes(const R& r) {
  std::vector<std::string> all = notes_of_layout(r, parallel::RankOrder::tp_cp_ep_dp_pp);
  if (const auto recipe = fp8_recipe(r);
      recipe == workload::Recipe::delayed || recipe == workload::Recipe::block) {
    all.emplace_back("recipe_name tensorwise: torchao scales by tensor or by row");
  }
  return all;
}

constexpr auto versions = std::to_array<Version>({
    {"0.2.0", "29624e37"},
    {"0.2.1", "81af8833"},
    {"0.2.2", "73a0e697"},
});
constexpr std::array runs_on = {Vendor::nvidia, Vendor::amd};

}  // namespace

const TrainingTarget& torchtitan() {
  static const TrainingTarget target = {
      .text = {.name = "torchtitan",
               .versions = versions,
               .source = "torchtitan/config/job_config.py",
               .runs_on = runs_on},
      .options = options,
      .file = {"train.toml", Language::toml},
      .script = "-m torchtitan.train --job.config_file train.toml",
      .notes = notes,
      .variables =
          "MODEL and FLAVOR name the model in torchtitan (\"llama3\", \"70B\"); data, "
          "optimizer and number of steps are yours to add to train.toml"};
  return target;
}

}  // namespace scalesweep::deploy

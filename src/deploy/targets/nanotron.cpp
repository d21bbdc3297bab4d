// nanotron: a YAML file, from memory of src/nanotron/config, unverified.
#include "deploy/target.hpp"
#include "deploy/targets/training_values.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;
using R = TrainingRun;
constexpr Place in_file = Place::file;

constexpr auto options = std::to_array<TrainingOption>({
    {"parallelism.dp", "data_parallel", [](const R& r) { return text(r.strategy.data_parallel); },
     in_file},
    {"parallelism.pp", "pipeline_parallel",
     [](const R& r) { return text(r.strategy.pipeline_parallel); }, in_file},
    {"parallelism.tp", "tensor_parallel",
     [](const R& r) { return text(r.strategy.tensor_parallel); }, in_file},
    {"parallelism.context_parallel_size", "context_parallel",
     [](const R& r) {
       return text_if(r.strategy.context_parallel > 1, r.strategy.context_parallel);
     },
     in_file, since("main")},
    {"parallelism.expert_parallel_size", "expert_parallel",
     [](const R& r) { return text_if(has_experts(r), r.strategy.expert_parallel); }, in_file},
    {"parallelism.pp_engine", "schedule", [](const R&) { return text("1f1b"); }, in_file},
    {"parallelism.tp_mode", "sequence_parallel",
     [](const R& r) {
       return text(r.strategy.sequence_parallel ? "REDUCE_SCATTER" : "ALL_REDUCE");
     },
     in_file},
    {"parallelism.tp_linear_async_communication", "framework: hides_forward_tensor_communication",
     [](const R& r) {
       return truth(r.job.stack.hides_forward_tensor_communication && r.strategy.sequence_parallel);
     },
     in_file},
    {"parallelism.recompute_layer", "recompute",
     [](const R& r) { return truth(r.strategy.recompute == parallel::Recompute::full); }, in_file,
     since("main")},
    {"optimizer.zero_stage", "zero",
     [](const R& r) { return text(static_cast<int>(r.strategy.zero)); }, in_file},
    {"optimizer.accumulate_grad_in_fp32", "precision: gradients",
     [](const R& r) { return truth(r.job.precision.gradients == Precision::fp32); }, in_file},
    {"tokens.sequence_length", "sequence", [](const R& r) { return text(r.job.sequence); },
     in_file},
    {"tokens.micro_batch_size", "micro_batch",
     [](const R& r) { return text(r.strategy.micro_batch); }, in_file},
    {"tokens.batch_accumulation_per_replica", "micro_batches",
     [](const R& r) { return text(r.strategy.micro_batches); }, in_file},
    {"model.dtype", "precision: activations",
     [](const R& r) {
       const Precision activations = r.job.precision.activations;
       return text(activations == Precision::fp16   ? "float16"
                   : activations == Precision::fp32 ? "float32"
                                                    : "bfloat16");
     },
     in_file},
    {"model.model_config.hidden_size", "model: hidden",
     [](const R& r) { return text(r.model().hidden); }, in_file},
    {"model.model_config.num_hidden_layers", "model: layers",
     [](const R& r) { return text(r.model().layers); }, in_file},
    {"model.model_config.num_attention_heads", "model: heads",
     [](const R& r) { return text(r.model().heads); }, in_file},
    {"model.model_config.num_key_value_heads", "model: kv_heads",
     [](const R& r) { return text(r.model().kv_heads); }, in_file},
    {"model.model_config.intermediate_size", "model: ffn",
     [](const R& r) { return text(r.model().ffn); }, in_file},
    {"model.model_config.vocab_size", "model: vocab",
     [](const R& r) { return text(r.model().vocab); }, in_file},
    {"model.model_config.max_position_embeddings", "sequence",
     [](const R& r) { return text(std::max(r.model().max_positions, r.job.sequence)); }, in_file},
    {"model.model_config.tie_word_embeddings", "model: tied_embeddings",
     [](const R& r) { return truth(r.model().tied_embeddings); }, in_file},
});

std::vector<std::string> notes(const R& r) {
  std::vector<std::string> all = notes_of_layout(r, parallel::RankOrder::tp_cp_ep_dp_pp);
  for (std::string& note : notes_of_model(r.model())) {
    all.push_back(std::move(note));
  }
  if (has_experts(r)) {
    all.emplace_back("the shape of the experts is yours to add to model_config");
  }
  return all;
}

constexpr auto versions = std::to_array<Version>({
    {"0.5", "4799d247"},
    {"main-2026-04-07", "2411b022"},
});
constexpr std::array runs_on = {Vendor::nvidia};

}  // namespace

const TrainingTarget& nanotron() {
  static const TrainingTarget target = {
      .text = {.name = "nanotron",
               .versions = versions,
               .source = "src/nanotron/config",
               .runs_on = runs_on},
      .options = options,
      .file = {"train.yaml", Language::yaml},
      .script = "run_train.py --config-file train.yaml",
      .notes = notes,
      .variables = "data, tokenizer, learning rate and checkpoints are yours to add to train.yaml"};
  return target;
}

}  // namespace scalesweep::deploy

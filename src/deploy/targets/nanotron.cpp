// nanotron: a YAML file.
#include "core/text.hpp"
#include "deploy/rules/program_rules.hpp"
#include "deploy/target.hpp"
#include "deploy/targets/training_values.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;
using R = TrainingRun;
constexpr Place in_file = Place::file;

// With experts, or biases of queries, keys and values, Qwen2's class, else Llama's.
bool is_qwen(const R& r) {
  return has_experts(r) || r.model().qkv_biases;
}

// Which layers of all have experts; -1: all of them.
std::string expert_layers(const workload::TransformerModel& model) {
  const workload::Experts& experts = model.experts;
  if (experts.dense_layers == 0 && experts.every == 1) {
    return "[-1]";
  }
  std::vector<std::string> layers;
  for (std::int64_t layer = experts.dense_layers; layer < model.layers; ++layer) {
    if ((layer - experts.dense_layers) % experts.every == experts.every - 1) {
      layers.push_back(fmt::format("{}", layer));
    }
  }
  return "[" + join(layers, ", ") + "]";
}

// What the classes of its configuration require and no point says: values of its own example,
// examples/config_tiny_llama.yaml of 2411b022.
constexpr std::string_view required = "required, not of the point";
constexpr auto options = std::to_array<TrainingOption>({
    // Asserted with tensor parallelism: parallel/tensor_parallel/nn.py:80 of 2411b022,
    // parallel/utils.py:18 of 4799d247.
    {"CUDA_DEVICE_MAX_CONNECTIONS", "tensor_parallel",
     [](const R& r) { return text_if(r.strategy.tensor_parallel > 1, 1); }, Place::environment},
    {"parallelism.dp", "data_parallel", [](const R& r) { return text(r.strategy.data_parallel); },
     in_file},
    {"parallelism.pp", "pipeline_parallel",
     [](const R& r) { return text(r.strategy.pipeline_parallel); }, in_file},
    {"parallelism.tp", "tensor_parallel",
     [](const R& r) { return text(r.strategy.tensor_parallel); }, in_file},
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
    {"general.project", required, [](const R&) { return text("scalesweep"); }, in_file},
    {"tokenizer.tokenizer_name_or_path", required, [](const R&) { return text("TOKENIZER"); },
     in_file},
    {"checkpoints.checkpoints_path", required, [](const R&) { return text("checkpoints"); },
     in_file},
    {"checkpoints.checkpoint_interval", required, [](const R&) { return text(1000); }, in_file},
    {"logging.log_level", required, [](const R&) { return text("info"); }, in_file},
    {"data_stages", required,
     [](const R&) {
       return text(R"([{"name": "training", "start_training_step": 1, "data": {"seed": 42}}])");
     },
     in_file},
    {"model.init_method.std", required, [](const R&) { return text("0.025"); }, in_file},
    {"optimizer.optimizer_factory.name", "optimizer", [](const R&) { return text("adamW"); },
     in_file},
    {"optimizer.optimizer_factory.adam_beta1", required, [](const R&) { return text("0.9"); },
     in_file},
    {"optimizer.optimizer_factory.adam_beta2", required, [](const R&) { return text("0.95"); },
     in_file},
    {"optimizer.optimizer_factory.adam_eps", required, [](const R&) { return text("0.00000001"); },
     in_file},
    {"optimizer.optimizer_factory.torch_adam_is_fused", required,
     [](const R&) { return text("true"); }, in_file},
    {"optimizer.weight_decay", required, [](const R&) { return text("0.01"); }, in_file},
    {"optimizer.clip_grad", required, [](const R&) { return text("1.0"); }, in_file},
    {"optimizer.learning_rate_scheduler.learning_rate", required,
     [](const R&) { return text("0.0003"); }, in_file},
    {"optimizer.learning_rate_scheduler.lr_warmup_steps", required,
     [](const R&) { return text(2); }, in_file},
    {"optimizer.learning_rate_scheduler.lr_warmup_style", required,
     [](const R&) { return text("linear"); }, in_file},
    {"tokens.train_steps", required, [](const R&) { return text(1000); }, in_file},
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
    {"model.model_config.is_llama_config", "model: family",
     [](const R& r) { return text_if(!is_qwen(r), "true"); }, in_file},
    {"model.model_config.is_qwen2_config", "model: family",
     [](const R& r) { return text_if(is_qwen(r), "true"); }, in_file, since("main")},
    {"model.model_config.attention_bias", "model: qkv_biases",
     [](const R& r) { return text_if(r.model().qkv_biases, "true"); }, in_file, since("main")},
    {"model.model_config.moe_config.num_experts", "model: experts.count",
     [](const R& r) { return text_if(has_experts(r), r.model().experts.count); }, in_file,
     since("main")},
    {"model.model_config.moe_config.top_k", "model: experts.top_k",
     [](const R& r) { return text_if(has_experts(r), r.model().experts.top_k); }, in_file,
     since("main")},
    {"model.model_config.moe_config.moe_intermediate_size", "model: experts.ffn",
     [](const R& r) { return text_if(has_experts(r), r.model().experts.ffn); }, in_file,
     since("main")},
    {"model.model_config.moe_config.enable_shared_expert", "model: experts.shared_ffn",
     [](const R& r) -> Value {
       return has_experts(r) ? truth(r.model().experts.shared_ffn > 0) : std::nullopt;
     },
     in_file, since("main")},
    {"model.model_config.moe_config.shared_expert_intermediate_size", "model: experts.shared_ffn",
     [](const R& r) {
       return text_if(has_experts(r) && r.model().experts.shared_ffn > 0,
                      r.model().experts.shared_ffn);
     },
     in_file, since("main")},
    {"model.model_config.moe_config.layers", "model: experts.dense_layers, experts.every",
     [](const R& r) { return text_if(has_experts(r), expert_layers(r.model())); }, in_file,
     since("main")},
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
               .runs_on = runs_on,
               .rules = nanotron_rules()},
      .options = options,
      .file = {"train.yaml", Language::yaml},
      .script = "run_train.py --config-file train.yaml",
      .notes = notes,
      .variables =
          "the learning rate and its schedule, the other values of optimizer, tokens.train_steps, "
          "model.init_method, checkpoints and general.project are those of nanotron's own example: "
          "change them; TOKENIZER is yours, and so is the dataset of data_stages, without which "
          "batches are "
          "made up"};
  return target;
}

}  // namespace scalesweep::deploy

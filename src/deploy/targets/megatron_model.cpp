// Options of the model in megatron/training/arguments.py, and of those that Megatron-DeepSpeed has
// as well.
#include "deploy/targets/megatron_model.hpp"

#include <fmt/format.h>

#include "deploy/parts/vendors.hpp"
#include "deploy/targets/training_values.hpp"

namespace scalesweep::deploy {
namespace {

using R = TrainingRun;

constexpr auto dense_options = std::to_array<TrainingOption>({
    {"--num-layers", "model: layers", [](const R& r) { return text(r.model().layers); }},
    {"--hidden-size", "model: hidden", [](const R& r) { return text(r.model().hidden); }},
    {"--num-attention-heads", "model: heads", [](const R& r) { return text(r.model().heads); }},
    {"--kv-channels", "model: head_dim",
     [](const R& r) {
       return text_if(!has_latent(r) && r.model().head_dim * r.model().heads != r.model().hidden,
                      r.model().head_dim);
     }},
    {"--seq-length", "sequence", [](const R& r) { return text(r.job.sequence); }},
    {"--max-position-embeddings", "sequence",
     [](const R& r) { return text(std::max(r.model().max_positions, r.job.sequence)); }},
    {"--swiglu", "model: gated_ffn", [](const R& r) { return switch_if(r.model().gated_ffn); }},
    {"--disable-bias-linear", "model: biases",
     [](const R& r) { return switch_if(!r.model().biases); }},
    {"--untie-embeddings-and-output-weights", "model: tied_embeddings",
     [](const R& r) { return switch_if(!r.model().tied_embeddings); }},
    {"--attention-dropout", "model: dropout",
     [](const R& r) { return text_if(!r.model().dropout, "0.0"); }},
    {"--hidden-dropout", "model: dropout",
     [](const R& r) { return text_if(!r.model().dropout, "0.0"); }},
});

// Biases on scores instead of rotated heads (ALiBi) are no kind of positions here.
Value positions(const R& r) {
  return text_if(!r.model().learned_positions, r.model().rotary_share > 0.0 ? "rope" : "none");
}

constexpr auto further_options = std::to_array<TrainingOption>({
    {"--ffn-hidden-size", "model: ffn",
     [](const R& r) { return text(r.model().ffn > 0 ? r.model().ffn : r.model().experts.ffn); }},
    {"--position-embedding-type", "model: positions", positions},
    {"--rotary-percent", "model: rotary_share",
     [](const R& r) {
       return text_if(!r.model().learned_positions && r.model().rotary_share > 0.0 &&
                          r.model().rotary_share < 1.0,
                      r.model().rotary_share);
     }},
    {"--normalization", "model: family",
     [](const R& r) { return text_if(!r.model().biases, "RMSNorm"); }},
    {"--group-query-attention", "model: kv_heads",
     [](const R& r) { return switch_if(groups_queries(r)); }},
    {"--num-query-groups", "model: kv_heads",
     [](const R& r) { return text_if(groups_queries(r), r.model().kv_heads); }},
    {"--add-qkv-bias", "model: qkv_biases",
     [](const R& r) { return switch_if(r.model().qkv_biases && !r.model().biases); }},
    {"--multi-latent-attention", "model: latent",
     [](const R& r) { return switch_if(has_latent(r)); }},
    {"--no-rope-fusion", "model: latent", [](const R& r) { return switch_if(has_latent(r)); },
     Place::command, before("0.13")},
    {"--q-lora-rank", "model: latent.query_rank",
     [](const R& r) {
       return text_if(has_latent(r) && r.model().latent.query_rank > 0,
                      r.model().latent.query_rank);
     }},
    {"--kv-lora-rank", "model: latent.kv_rank",
     [](const R& r) { return text_if(has_latent(r), r.model().latent.kv_rank); }},
    {"--qk-head-dim", "model: latent.nope_dim",
     [](const R& r) { return text_if(has_latent(r), r.model().latent.nope_dim); }},
    {"--qk-pos-emb-head-dim", "model: latent.rope_dim",
     [](const R& r) { return text_if(has_latent(r), r.model().latent.rope_dim); }},
    {"--v-head-dim", "model: latent.value_dim",
     [](const R& r) { return text_if(has_latent(r), r.model().latent.value_dim); }},
    {"--mtp-num-layers", "model: prediction_layers",
     [](const R& r) {
       return text_if(r.model().prediction_layers > 0, r.model().prediction_layers);
     }},
    {"--num-experts", "model: experts.count",
     [](const R& r) { return text_if(has_experts(r), r.model().experts.count); }},
    {"--moe-router-topk", "model: experts.top_k",
     [](const R& r) { return text_if(has_experts(r), r.model().experts.top_k); }},
    {"--moe-ffn-hidden-size", "model: experts.ffn",
     [](const R& r) { return text_if(has_experts(r), r.model().experts.ffn); }},
    {"--moe-shared-expert-intermediate-size", "model: experts.shared_ffn",
     [](const R& r) {
       return text_if(r.model().experts.shared_ffn > 0, r.model().experts.shared_ffn);
     }},
    {"--moe-layer-freq", "model: experts.dense_layers, every",
     [](const R& r) { return text_if(has_experts(r), expert_layer_pattern(r.model())); }},
    {"--moe-router-num-groups", "model: experts.groups",
     [](const R& r) { return text_if(r.model().experts.groups > 0, r.model().experts.groups); }},
    {"--moe-router-group-topk", "model: experts.node_limit",
     [](const R& r) {
       return text_if(r.model().experts.node_limit > 0, r.model().experts.node_limit);
     }},
    {"--moe-expert-capacity-factor", "capacity_factor",
     [](const R& r) {
       return text_if(r.model().experts.capacity > 0.0, r.model().experts.capacity);
     }},
    {"--moe-pad-expert-input-to-capacity", "expert_rows",
     [](const R& r) {
       return switch_if(r.model().experts.capacity > 0.0 && r.model().experts.padded);
     }},
    // Of one expert a token softmax has no gradient behind the choice.
    {"--moe-router-pre-softmax", "model: experts.top_k",
     [](const R& r) { return switch_if(has_experts(r) && r.model().experts.top_k == 1); }},
    {"--moe-grouped-gemm", "experts", [](const R& r) { return switch_if(has_experts(r)); }},
    {"--moe-token-dispatcher-type", "framework: expert_dispatch",
     [](const R& r) {
       const bool gathers = r.job.stack.expert_dispatch == workload::ExpertDispatch::all_gather;
       return text_if(has_experts(r), gathers ? "allgather" : "alltoall");
     }},
});

}  // namespace

Value one_queue(const TrainingRun& r, bool older) {
  const bool tensor = r.strategy.tensor_parallel > 1;
  const bool cut = tensor || r.strategy.context_parallel > 1;
  // Its queues are no concern of Megatron-Core; devices of AMD call themselves generation 9.
  const bool asked = (older && tensor) || (cut && !is_blackwell_or_later(r.system.device));
  return text_if(asked && !shards_gradients(r), 1);
}

std::span<const TrainingOption> megatron_dense_options() {
  return dense_options;
}

std::vector<std::string> notes_of_megatron_model(const workload::TransformerModel& model) {
  std::vector<std::string> notes = notes_of_model(model);
  if (!model.learned_positions && model.rotary_share > 0.0) {
    notes.emplace_back(
        "--rotary-base (10000), --use-rope-scaling and --norm-epsilon (1e-05) have their defaults: "
        "the catalog does not say those of a model; they change no cost");
  }
  if (model.rotary_share <= 0.0 && !model.learned_positions) {
    notes.push_back(model.name + " has biases on scores (ALiBi), for which there is no option");
  }
  if (!model.causal) {
    notes.push_back("pretrain_gpt.py trains decoders, and " + model.name + " is an encoder");
  }
  if (model.encoder.on()) {
    notes.push_back("the encoder of " + model.name + " has no option here: its layers alone do");
  }
  if (model.parallel_blocks || model.gated_attention) {
    notes.push_back(fmt::format(
        "{} of {} has no option here: layers are built without it",
        model.parallel_blocks ? "attention and MLP side by side" : "the gate of attention",
        model.name));
  }
  if (model.experts.on()) {
    notes.emplace_back(
        "--moe-router-score-function (softmax) and the balancing of experts have their defaults: "
        "the catalog does not say those of a model; they change no cost");
  }
  return notes;
}

std::span<const TrainingOption> megatron_model_options() {
  static const std::vector<TrainingOption> all = [] {
    std::vector<TrainingOption> made(dense_options.begin(), dense_options.end());
    made.insert(made.end(), further_options.begin(), further_options.end());
    return made;
  }();
  return all;
}

}  // namespace scalesweep::deploy

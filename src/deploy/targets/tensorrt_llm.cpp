// TensorRT-LLM: options of trtllm-serve and of its YAML file, as tensorrt_llm/commands/serve.py and
// tensorrt_llm/llmapi/llm_args.py have them at the commit below. With data-parallel attention each
// of its tensor-parallel ranks is a replica. Helix is that of docs/source/features/helix.md: its
// context-parallel ranks are tensor-parallel ones but for attention.
#include "deploy/memory/engines.hpp"
#include "deploy/parts/vendors.hpp"
#include "deploy/rules/program_rules.hpp"
#include "deploy/target.hpp"
#include "deploy/targets/serving_values.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;
using R = ServingRun;
constexpr Place in_file = Place::file;

// Servers of prompts share the matrices of attention as those of all else.
std::int64_t helix_ranks(const R& r) {
  return r.pool == Pool::prefill ? 1 : r.strategy.decode_context_parallel;
}

// The same in both of its keys.
Value helix_block(const R& r) {
  return text_if(helix_ranks(r) > 1, r.job.stack.page_tokens);
}

// Eagle 1 and 2 are taken for Eagle3 by the PyTorch backend (llm_args.py:3134).
std::string_view decoding_type(const R& r) {
  switch (proposer_of(r)) {
    case Proposer::prompt:
      return "NGram";
    case Proposer::own_layers:
      return "MTP";
    case Proposer::head:
      return "Eagle3";
    case Proposer::model:
      return "DraftTarget";
    case Proposer::none:
      break;
  }
  return "";
}

// Names of LoraModule, which it needs where no adapter is given (_torch/pyexecutor/_util.py:775).
Value adapter_modules(const R& r) {
  if (!has_adapters(r)) {
    return std::nullopt;
  }
  constexpr std::string_view attention = R"("attn_q", "attn_k", "attn_v", "attn_dense")";
  constexpr std::string_view mlp = R"("mlp_h_to_4h", "mlp_gate", "mlp_4h_to_h")";
  switch (r.job.adapters.layers) {
    case workload::AdapterLayers::attention:
      return fmt::format("[{}]", attention);
    case workload::AdapterLayers::mlp:
      return fmt::format("[{}]", mlp);
    case workload::AdapterLayers::all:
      break;
  }
  return fmt::format("[{}, {}]", attention, mlp);
}

// The one backend that balances slots in all versions; and on Blackwell those that multiply fp8 in
// blocks, which the usual one, CUTLASS, does on Hopper alone
// (_torch/modules/fused_moe/fused_moe_cutlass.py:79, _torch/model_config.py:234; one that exchanges
// beyond eight ranks by the table of its guide to DeepSeek).
std::string_view expert_backend(const R& r) {
  constexpr std::int64_t one_server = 8;
  if (copies_experts(r)) {
    return "WIDEEP";
  }
  const Precision experts = r.job.precision.operands_of(workload::LinearPart::experts);
  const bool in_blocks = has_experts(r) && experts == Precision::fp8 &&
                         r.job.recipe(workload::LinearPart::experts) == workload::Recipe::block;
  const bool is_blackwell = is_blackwell_or_later(r.system.device);
  return !(in_blocks && is_blackwell)              ? ""
         : r.strategy.expert_parallel > one_server ? "WIDEEP"
                                                   : "DEEPGEMM";
}

constexpr auto options = std::to_array<ServingOption>({
    {"--backend", "framework", [](const R&) { return text("pytorch"); }},
    // In the file: the workers of Dynamo read it, and have no such option.
    {"trust_remote_code", "model", [](const R& r) { return text_if(brings_code(r), "true"); },
     in_file},
    {"--tp_size", "tensor_parallel, data_parallel",
     [](const R& r) { return text(r.ranks() / helix_ranks(r)); }},
    {"--pp_size", "pipeline_parallel",
     [](const R& r) { return text(r.strategy.pipeline_parallel); }},
    {"--ep_size", "expert_parallel",
     [](const R& r) { return text_if(has_experts(r), r.strategy.expert_parallel); }},
    host_option,
    port_option,
    {"--max_batch_size", "requests in flight of a replica",
     [](const R& r) { return text(r.sequences); }},
    {"--max_num_tokens", "prefill_chunk", [](const R& r) { return text(r.tokens()); }},
    {"--max_seq_len", "prompt, output", [](const R& r) { return text(r.longest); }},
    {"--extra_llm_api_options", "framework",
     [](const R& r) { return text(r.pool == Pool::prefill ? "prefill.yaml" : "serve.yaml"); }},
    {"pp_partition", "pipeline_parallel",
     [](const R& r) {
       const Value layers = stage_layers(r);
       return layers ? text("[" + *layers + "]") : std::nullopt;
     },
     in_file},
    {"enable_attention_dp", "data_parallel, expert_parallel",
     [](const R& r) { return truth(r.replicas > 1); }, in_file},
    {"context_parallel_size", "decode_context_parallel",
     [](const R& r) { return text_if(helix_ranks(r) > 1, helix_ranks(r)); }, in_file},
    {"cp_config.cp_type", "decode_context_parallel",
     [](const R& r) { return text_if(helix_ranks(r) > 1, "HELIX"); }, in_file},
    {"cp_config.tokens_per_block", "framework: page_tokens", helix_block, in_file},
    {"kv_cache_config.tokens_per_block", "framework: page_tokens", helix_block, in_file},
    {"enable_chunked_prefill", "batching", [](const R& r) { return truth(r.follows_prompts); },
     in_file},
    // As docs/source/features/disagg-serving.md:163 has it of servers of prompts.
    {"disable_overlap_scheduler", "[prefill]",
     [](const R& r) { return text_if(r.pool == Pool::prefill, "true"); }, in_file},
    // In versions of 1.0 a table of the file replaces what the command line says.
    {"kv_cache_config.free_gpu_memory_fraction", "memory",
     [](const R& r) { return text(r.memory_share); }, in_file},
    {"kv_cache_config.dtype", "precision: cache",
     [](const R& r) { return text(r.job.precision.cache == Precision::fp8 ? "fp8" : "auto"); },
     in_file},
    {"kv_cache_config.enable_block_reuse", "prefix_hits",
     [](const R& r) { return truth(reuses_prefixes(r)); }, in_file},
    {"kv_cache_config.host_cache_size", "prefix_hits_host",  // bytes of a rank
     [](const R& r) {
       return text_if(keeps_prefixes_in_host(r), fmt::format("{:.0f}", host_cache_bytes(r)));
     },
     in_file},
    {"cuda_graph_config.enable_padding", "framework",
     [](const R& r) { return text_if(r.pool != Pool::prefill, "true"); }, in_file},
    {"cuda_graph_config.max_batch_size", "requests in flight of a replica",
     [](const R& r) { return text_if(r.pool != Pool::prefill, r.sequences); }, in_file},
    {"moe_config.backend", "redundant_experts, expert_parallel, device",
     [](const R& r) {
       const std::string_view backend = expert_backend(r);
       return text_if(!backend.empty(), backend);
     },
     in_file},
    {"moe_config.load_balancer.num_slots", "redundant_experts",
     [](const R& r) {
       return text_if(copies_experts(r),
                      r.job.model.experts.count + r.strategy.redundant_experts);
     },
     in_file},
    {"speculative_config.decoding_type", "draft",
     [](const R& r) { return text_if(drafts(r), decoding_type(r)); }, in_file},
    {"speculative_config.speculative_model", "draft_model",
     [](const R& r) { return text_if(has_draft_checkpoint(r), "DRAFT_MODEL"); }, in_file},
    {"speculative_config.num_nextn_predict_layers", "draft",
     [](const R& r) {
       return text_if(proposer_of(r) == Proposer::own_layers, r.job.speculation.draft);
     },
     in_file},
    {"speculative_config.max_draft_len", "draft",
     [](const R& r) {
       return text_if(drafts(r) && proposer_of(r) != Proposer::own_layers,
                      r.job.speculation.draft);
     },
     in_file},
    // Asserted to be more than its default, 0 (llm_args.py:3146).
    {"speculative_config.max_matching_ngram_size", "draft",
     [](const R& r) {
       return text_if(proposer_of(r) == Proposer::prompt, r.job.speculation.draft);
     },
     in_file},
    {"lora_config.max_lora_rank", "adapter_rank",
     [](const R& r) { return text_if(has_adapters(r), r.job.adapters.rank); }, in_file},
    {"lora_config.max_loras", "adapters",
     [](const R& r) { return text_if(has_adapters(r), r.job.adapters.count); }, in_file},
    {"lora_config.lora_target_modules", "adapter_layers", adapter_modules, in_file},
    {"cache_transceiver_config.backend", "[prefill], [decode]",
     [](const R& r) { return text_if(r.pool != Pool::all, "UCX"); }, in_file},
});

std::vector<std::string> notes(const R& r) {
  std::vector<std::string> all = serving_notes(r, false);
  if (spans_servers(r)) {
    all.emplace_back(
        "over several nodes a task for each device starts it, by srun --mpi=pmix or mpirun with "
        "trtllm-llmapi-launch before it, as serve.sbatch does");
  }
  if (weight_format(r) == "fp8") {
    all.emplace_back("MODEL is a checkpoint with weights in fp8, which says how they are stored");
  }
  if (has_draft_checkpoint(r)) {
    all.emplace_back("write its path for DRAFT_MODEL in serve.yaml, where nothing expands it");
  }
  if (proposer_of(r) == Proposer::head) {
    all.emplace_back(
        "heads of EAGLE-3 alone run, which join three hidden states: a little more than estimated");
  }
  if (r.waits_for_prompts) {
    all.emplace_back(
        "TensorRT-LLM has prompts and decoding in the same iterations: batching = \"separate\", as "
        "estimated, has them apart, and no option does");
  }
  return all;
}

std::string problem(const R& r) {
  if (!shares_cache(r) || (r.pool != Pool::all && r.job.model.latent.on())) {
    return "";
  }
  return "TensorRT-LLM shares a cache along the sequence (Helix) for models with latent attention, "
         "on servers that decode alone: serve them with batching = \"disaggregated\" or [prefill]";
}

constexpr auto versions = std::to_array<Version>({
    {"1.3.0rc3", "5978a465"},
});
constexpr std::array runs_on = {Vendor::nvidia};

}  // namespace

const ServingTarget& tensorrt_llm() {
  static const ServingTarget target = {
      .text = {.name = "tensorrt-llm",
               .versions = versions,
               .source = "tensorrt_llm/commands/serve.py and tensorrt_llm/llmapi/llm_args.py",
               .runs_on = runs_on,
               .rules = tensorrt_llm_rules()},
      .options = options,
      .file = {"serve.yaml", Language::yaml},
      .program = "trtllm-serve \"$MODEL\"",
      .memory = tensorrt_llm_memory,
      .notes = notes,
      .problem = problem,
      .backend = "trtllm"};
  return target;
}

}  // namespace scalesweep::deploy

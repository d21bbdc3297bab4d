// SGLang: options of sglang.launch_server, as python/sglang/srt/server_args.py and environ.py have
// them at the commits below; decode context parallelism as that file has it at 001067ff (2026-08).
// Its tensor-parallel size counts all ranks of a stage; those that data-parallel attention makes
// replicas are among them.
#include "deploy/memory/engines.hpp"
#include "deploy/rules/program_rules.hpp"
#include "deploy/target.hpp"
#include "deploy/targets/serving_values.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;
using workload::ExpertDispatch;
using R = ServingRun;

// By DeepEP experts are whole on every rank, as many as --tp-size (server_args.py:986 of a4a3d823);
// without it all ranks gather all tokens.
bool has_deepep(const R& r) {
  const workload::ServingStack& stack = r.job.stack;
  const bool asked = dispatches_by_deepep(dispatch_of(r)) ||
                     (r.pool == Pool::all && dispatches_by_deepep(stack.decode_expert_dispatch));
  return spreads_experts(r) && r.replicas > 1 && r.strategy.expert_parallel == r.ranks() && asked;
}

// Normal kernels take no part in CUDA graphs: "auto", the default, has them for prompts alone.
Value deepep_mode(const R& r) {
  const bool low = dispatch_of(r) == ExpertDispatch::low_latency;
  return text_if(has_deepep(r) && r.pool != Pool::all,
                 r.pool == Pool::decode && low ? "low_latency" : "normal");
}

bool has_low_latency(const R& r) {
  return has_deepep(r) && r.pool != Pool::prefill &&
         r.job.stack.decode_expert_dispatch == ExpertDispatch::low_latency;
}

// Tokens of an iteration of decoding that a rank sends; ranks of a replica share its tokens.
std::int64_t dispatched(const R& r) {
  const std::int64_t ranks = r.strategy.tensor_parallel;
  return (r.sequences * tokens_of_step(r) + ranks - 1) / ranks;
}

// layers/moe/token_dispatcher/deepep.py:292 of a4a3d823 has 128 where nobody says more.
constexpr std::int64_t default_dispatched = 128;
constexpr std::int64_t most_dispatched = 1024;

// Of attention by replicas the MLP of plain layers is cut by all ranks unless it is told
// (models/deepseek_v2.py:2400 of a4a3d823, :1930 of 65d3b47f), and without DeepEP so is the expert
// that all tokens share (:654 of 65d3b47f): parts that blocks of 128 do not divide are refused.
constexpr std::int64_t block = 128;

bool breaks_blocks(const R& r, std::int64_t width) {
  const bool in_blocks =
      r.job.precision.operands == Precision::fp8 && r.job.recipe() == workload::Recipe::block;
  return in_blocks && r.replicas > 1 && width % (block * r.ranks()) != 0;
}
bool keeps_dense_whole(const R& r) {
  const workload::TransformerModel& model = r.job.model;
  return has_experts(r) && model.expert_layers() < model.layers && breaks_blocks(r, model.ffn);
}
bool keeps_shared_whole(const R& r) {
  const std::int64_t shared = r.job.model.experts.shared_ffn;
  return shared > 0 && !has_deepep(r) && breaks_blocks(r, shared);
}

bool mixes_chunks(const R& r) {
  // server_args.py:2909 of a4a3d823 and :4087 of 5c8bd8b5 refuse it with stages; drafts switch it
  // off everywhere (:1067 and :1135).
  const bool with_stages = r.strategy.pipeline_parallel == 1 || r.since("main");
  return r.follows_prompts && r.chunk > 0 && !drafts(r) && with_stages;
}

std::string_view algorithm(const R& r) {
  switch (proposer_of(r)) {
    case Proposer::prompt:
      return "NGRAM";
    case Proposer::own_layers:
    case Proposer::head:
      return "EAGLE";
    case Proposer::model:
      return "STANDALONE";
    case Proposer::none:
      break;
  }
  return "";
}

constexpr auto options = std::to_array<ServingOption>({
    {"--model-path", "model", [](const R&) { return text("$MODEL"); }},
    {"--trust-remote-code", "model", [](const R& r) { return switch_if(brings_code(r)); }},
    {"--tp-size", "tensor_parallel, data_parallel", [](const R& r) { return text(r.ranks()); }},
    {"--pp-size", "pipeline_parallel",
     [](const R& r) {
       return text_if(r.strategy.pipeline_parallel > 1, r.strategy.pipeline_parallel);
     }},
    {"SGLANG_PP_LAYER_PARTITION", "pipeline_parallel", stage_layers, Place::environment},
    {"--dcp-size", "decode_context_parallel",
     [](const R& r) { return text_if(shares_cache(r), r.strategy.decode_context_parallel); },
     Place::command, since("main-2026-08")},
    {"--dcp-comm-backend", "framework: partial_outputs",
     [](const R& r) { return text_if(exchanges_outputs(r), "a2a"); }, Place::command,
     since("main-2026-08")},
    {"--dcp-replicate-q-proj", "framework: own_group_queries",
     [](const R& r) {
       return switch_if(exchanges_outputs(r) && r.job.stack.own_group_queries &&
                        r.job.model.latent.on());
     },
     Place::command, since("main-2026-08")},
    {"--dp-size", "data_parallel, expert_parallel",
     [](const R& r) { return text_if(r.replicas > 1, r.replicas); }},
    {"--enable-dp-attention", "data_parallel, expert_parallel",
     [](const R& r) { return switch_if(r.replicas > 1); }},
    {"--ep-size", "expert_parallel",
     [](const R& r) { return text_if(spreads_experts(r), r.strategy.expert_parallel); }},
    {"--moe-a2a-backend", "framework: expert_dispatch",
     [](const R& r) { return text_if(has_deepep(r), "deepep"); }},
    {"--moe-dense-tp-size", "precision: recipe",
     [](const R& r) { return text_if(keeps_dense_whole(r), 1); }},
    {"SGLANG_SHARED_EXPERT_TP1", "precision: recipe",
     [](const R& r) { return text_if(keeps_shared_whole(r), 1); }, Place::environment,
     since("main")},
    {"--deepep-mode", "framework: expert_dispatch", deepep_mode},
    {"SGLANG_DEEPEP_NUM_MAX_DISPATCH_TOKENS_PER_RANK", "requests in flight of a replica",
     [](const R& r) {
       return text_if(has_low_latency(r) && dispatched(r) > default_dispatched, dispatched(r));
     },
     Place::environment},
    // Refused without an exchange of its own (server_args.py:7233 of 65d3b47f).
    {"--enable-two-batch-overlap", "framework: exchange_beside",
     [](const R& r) {
       return switch_if(has_deepep(r) &&
                        r.job.stack.exchange_beside == workload::ExchangeOverlap::two_batches);
     }},
    {"--enable-eplb", "redundant_experts", [](const R& r) { return switch_if(copies_experts(r)); }},
    {"--ep-num-redundant-experts", "redundant_experts",
     [](const R& r) { return text_if(copies_experts(r), r.strategy.redundant_experts); }},
    {"--nnodes", "servers", [](const R& r) { return text_if(spans_servers(r), r.hosts.nodes); }},
    {"--node-rank", "servers", [](const R& r) { return text_if(spans_servers(r), "$NODE_RANK"); }},
    {"--dist-init-addr", "servers",
     [](const R& r) { return text_if(spans_servers(r), "$HEAD_ADDRESS"); }},
    host_option,
    port_option,
    {"--max-running-requests", "requests in flight of the server",
     [](const R& r) { return text(r.sequences * r.replicas); }},
    {"--cuda-graph-max-bs", "requests in flight of a replica",
     [](const R& r) { return text_if(r.pool != Pool::prefill, r.sequences); }},
    {"--chunked-prefill-size", "prefill_chunk",
     [](const R& r) { return text(r.chunk > 0 ? r.chunk * r.replicas : -1); }},
    {"--enable-mixed-chunk", "batching", [](const R& r) { return switch_if(mixes_chunks(r)); }},
    {"--context-length", "prompt, output", [](const R& r) { return text(r.longest); }},
    {"--mem-fraction-static", "memory", [](const R& r) { return text(r.memory_share); }},
    {"--dtype", "precision: activations",
     [](const R& r) {
       const Precision activations = r.job.precision.activations;
       return text(activations == Precision::fp16   ? "float16"
                   : activations == Precision::fp32 ? "float32"
                                                    : "bfloat16");
     }},
    fp8_option,
    {"--kv-cache-dtype", "precision: cache",
     [](const R& r) { return text_if(r.job.precision.cache == Precision::fp8, "fp8_e4m3"); }},
    {"--disable-radix-cache", "prefix_hits",
     [](const R& r) { return switch_if(!reuses_prefixes(r)); }},
    {"--enable-hierarchical-cache", "prefix_hits_host",
     [](const R& r) { return switch_if(keeps_prefixes_in_host(r)); }},
    {"--hicache-size", "prefix_hits_host",  // GB of a rank
     [](const R& r) {
       return text_if(keeps_prefixes_in_host(r),
                      fmt::format("{:.0f}", std::max(1.0, host_cache_bytes(r) / 1e9)));
     }},
    {"--speculative-algorithm", "draft",
     [](const R& r) { return text_if(drafts(r), algorithm(r)); }},
    {"--speculative-draft-model-path", "draft_model",
     [](const R& r) { return text_if(has_draft_checkpoint(r), "$DRAFT_MODEL"); }},
    {"--speculative-num-steps", "draft",
     [](const R& r) { return text_if(drafts(r), r.job.speculation.draft); }},
    {"--speculative-eagle-topk", "draft", [](const R& r) { return text_if(drafts(r), 1); }},
    {"--speculative-num-draft-tokens", "draft",
     [](const R& r) { return text_if(drafts(r), r.job.speculation.draft + 1); }},
    {"--enable-lora", "adapters", [](const R& r) { return switch_if(has_adapters(r)); }},
    // Without --lora-paths it needs them and the rank (server_args.py:3028 of a4a3d823).
    {"--lora-target-modules", "adapter_layers",
     [](const R& r) { return text_if(has_adapters(r), "all"); }},
    {"--max-loras-per-batch", "adapters",
     [](const R& r) { return text_if(has_adapters(r), r.job.adapters.count); }},
    {"--max-lora-rank", "adapter_rank",
     [](const R& r) { return text_if(has_adapters(r), r.job.adapters.rank); }},
    {"--disaggregation-mode", "[prefill], [decode]",
     [](const R& r) {
       return text_if(r.pool != Pool::all, r.pool == Pool::prefill ? "prefill" : "decode");
     }},
    {"--disaggregation-bootstrap-port", "[prefill]",
     [](const R& r) {
       return text_if(r.pool == Pool::prefill, "${BOOTSTRAP_PORT:-8998}");
     }},
    // Until then servers of prompts were told of the others, and those of replicas had to take
    // turns (server_args.py:1183 of a4a3d823, :1889 of 5c8bd8b5).
    {"--disaggregation-decode-tp", "[decode]",
     [](const R& r) {
       return text_if(r.pool == Pool::prefill && r.other.ranks > 0, r.other.ranks);
     },
     Place::command, before("main")},
    {"--disaggregation-decode-dp", "[decode]",
     [](const R& r) {
       return text_if(r.pool == Pool::prefill && r.other.ranks > 0, r.other.replicas);
     },
     Place::command, before("main")},
    {"--prefill-round-robin-balance", "[prefill]",
     [](const R& r) { return switch_if(r.pool == Pool::decode && r.replicas > 1); },
     Place::command, before("main")},
});

void add_batching_notes(const R& r, std::vector<std::string>& all) {
  if (r.follows_prompts && !mixes_chunks(r)) {
    all.push_back(fmt::format(
        "SGLang works on prompts apart from decoding here, {}: batching = \"chunked\", as "
        "estimated, has both in the same iterations",
        drafts(r)      ? "as with all drafts"
        : r.chunk <= 0 ? "where prompts are whole"
                       : "as with several stages"));
  }
  if (r.pool == Pool::decode && reuses_prefixes(r)) {
    all.emplace_back("servers that decode alone keep no prefixes");
  }
}

std::vector<std::string> notes(const R& r) {
  std::vector<std::string> all = serving_notes(r);
  add_batching_notes(r, all);
  if (multiplies_fp8(r) && r.job.recipe() == workload::Recipe::block) {
    all.emplace_back(
        "MODEL is a checkpoint in fp8 with scales of blocks of 128 x 128, as estimated: of one in "
        "16 bits --quantization fp8 makes weights with other scales");
  }
  if (proposer_of(r) == Proposer::head) {
    all.emplace_back("for the head of EAGLE-3 the algorithm is EAGLE3");
  }
  if (has_adapters(r) && r.job.adapters.layers != workload::AdapterLayers::all) {
    all.push_back(
        fmt::format("adapters are of the linear layers of {} alone: name these instead of "
                    "all in --lora-target-modules",
                    workload::adapter_layers_names[r.job.adapters.layers]));
  }
  if (r.pool != Pool::all) {
    all.emplace_back(
        "caches go over Mooncake, the default of --disaggregation-transfer-backend, unless a file "
        "says "
        "otherwise; nixl is a choice as well");
  }
  return all;
}

std::string drafting_problem(const R& r) {
  const Proposer proposer = proposer_of(r);
  if (proposer == Proposer::none) {
    return "";
  }
  if (r.strategy.pipeline_parallel > 1) {
    return "SGLang refuses drafts with several pipeline stages (python/sglang/srt/server_args.py:"
           "2909 of a4a3d823, :7108 of 65d3b47f): take pipeline_parallel = 1";
  }
  if (r.replicas > 1 && (proposer == Proposer::prompt || proposer == Proposer::model)) {
    return fmt::format(
        "SGLang refuses {} with data-parallel attention (python/sglang/srt/{}): take a head "
        "(draft_model = \"eagle\" or \"mtp\"), or layouts whose replicas share no experts",
        proposer == Proposer::model ? "draft models of their own" : "drafts of the prompt's text",
        proposer == Proposer::model ? "server_args.py:1056 of a4a3d823"
                                    : "server_args.py:1159 of a4a3d823");
  }
  if (has_adapters(r) && proposer != Proposer::prompt && r.since("0.5.6")) {
    return "SGLang runs adapters with drafts of the prompt's text alone "
           "(python/sglang/srt/server_args.py:4257 of 5c8bd8b5): leave out draft_model";
  }
  return "";
}

std::string problem(const R& r) {
  if (keeps_shared_whole(r) && !r.since("main")) {
    return fmt::format(
        "sglang {} cuts the expert that all tokens share over {} ranks, into parts that blocks of "
        "{} do not divide (python/sglang/srt/layers/quantization/fp8.py:263 of a4a3d823): take "
        "fewer ranks, or a framework whose experts exchange by DeepEP",
        r.version, r.ranks(), block);
  }
  if (has_low_latency(r) && dispatched(r) > most_dispatched) {
    return fmt::format(
        "{} sequences of a replica are {} tokens that a rank sends to experts, and DeepEP's "
        "kernels "
        "of low latency take 1,024 (python/sglang/srt/layers/moe/token_dispatcher/deepep.py:296 of "
        "a4a3d823): limit most_sequences or concurrency of the study",
        r.sequences, dispatched(r));
  }
  return drafting_problem(r);
}

constexpr auto versions = std::to_array<Version>({
    {"0.5.3", "a4a3d823"},
    {"0.5.6.post2", "5c8bd8b5"},
    {"main-2026-06-08", "65d3b47f"},
});
constexpr std::array runs_on = {Vendor::nvidia, Vendor::amd};

}  // namespace

const ServingTarget& sglang() {
  static const ServingTarget target = {.text = {.name = "sglang",
                                                .versions = versions,
                                                .source = "python/sglang/srt/server_args.py",
                                                .runs_on = runs_on,
                                                .rules = sglang_rules()},
                                       .options = options,
                                       .program = "python -m sglang.launch_server",
                                       .memory = sglang_memory,
                                       .notes = notes,
                                       .problem = problem,
                                       .backend = "sglang"};
  return target;
}

}  // namespace scalesweep::deploy

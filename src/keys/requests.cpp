// The rows of [workload] that requests alone have: what they share and find, who drafts tokens, how
// they arrive, and how long they may take.
#include <array>

#include "core/documents/fixed_text.hpp"
#include "estimator/inference/drafter.hpp"
#include "estimator/inference/job.hpp"
#include "keys/rows.hpp"
#include "workload/serving/request_latency.hpp"

namespace scalesweep::keys {
namespace {

using estimator::AdapterSet;
using estimator::InferenceJob;
using estimator::LoadCurve;
using estimator::PrefixTier;
using estimator::PrefixTiers;
using estimator::ServingJob;
using estimator::ServingLimits;
using estimator::SessionLaw;
using estimator::Speculation;

constexpr std::string_view no_trace =
    "without a trace say what is found, for example prefix_hits_host = 0.3";
constexpr std::string_view no_sessions =
    "a batch has no turns; say what is found of its prompts, for example prefix_hits = 0.5";
constexpr std::array<std::string_view, 1> from_trace = {"trace"};
constexpr std::string_view is_a_column = "it is a column, and may be filtered afterwards";
constexpr std::string_view no_loop =
    "requests of one arrive at random, those of the other follow each other";
constexpr std::string_view no_arrivals =
    "without arrivals requests do not wait and are all alike; write kind = \"serving\"";

void set_drafter(InferenceJob& job, const AxisValue& value) {
  const std::string& name = value.label;
  job.speculation.drafter = name == own_module ? estimator::prediction_drafter(job.model)
                            : name == head_behind
                                ? estimator::eagle_drafter(job.model)
                                : estimator::drafter_of(value.catalog.model(name));
}
template <PrefixTier tier>
void set_prefix_bytes(InferenceJob& job, const AxisValue& value) {
  job.prefixes.bytes[index_of(tier)] = value.limit();
}
template <std::size_t percentile>
void set_percentile(ServingJob& job, const AxisValue& value) {
  estimator::percentile_of(job.limits, workload::request_latencies[percentile]) = value.limit();
}
template <auto member>
constexpr auto in_tiers = into<&InferenceJob::prefixes, member>;
template <auto member>
constexpr auto in_sessions = into<&ServingJob::sessions, member>;
template <auto member>
constexpr auto in_adapters = into<&InferenceJob::adapters, member>;
template <auto member>
constexpr auto in_speculation = into<&InferenceJob::speculation, member>;

// clang-format off
constexpr auto single_rows = std::to_array<Row>({
    {{.path = "workload.turns", .kind = KeyKind::integer, .fallback = "requests stand alone",
        .example = "[1, 4, 16]",
        .description = "turns of a session (a chat, an agent): `prompt` is that of the first, "
                       "`output` of each, and each goes on with all that was said before. "
                       "`arrival_rate` and columns of requests count turns, `concurrency` counts "
                       "sessions that are open",
        .list = true, .axis = "turns", .asked = true, .variants = serving, .instead = no_sessions,
        .excludes = "requests", .because = "classes and traces say every turn themselves"},
     sets<in_sessions<&SessionLaw::turns>>},
    {{.path = "workload.turns_law", .kind = KeyKind::name, .fallback = "\"fixed\"",
        .example = "\"geometric\"",
        .description = "all sessions have so many turns, or they are a mean: another one follows "
                       "each with the same probability",
        .words = words_of(estimator::turns_law_names), .list = true, .axis = "turns_law",
        .asked = true, .variants = serving, .instead = no_sessions, .needs = "turns"},
     sets<word<estimator::turns_law_names, &ServingJob::sessions, &SessionLaw::law>>},
    {{.path = "workload.turn_tokens", .kind = KeyKind::integer, .need = Need::with_others,
        .example = "200", .units = "tokens",
        .description = "that a user or a tool adds before each turn but the first",
        .zero = true, .list = true, .axis = "turn_tokens", .asked = true, .variants = serving,
        .instead = no_sessions, .needs = "turns"}, sets<in_sessions<&SessionLaw::turn_tokens>>},
    {{.path = "workload.shared_prompt", .kind = KeyKind::integer, .fallback = "0",
        .example = "1500", .units = "tokens",
        .description = "of `prompt`, that all sessions begin with (a system prompt, tools)",
        .zero = true, .list = true, .axis = "shared_prompt", .asked = true, .variants = serving,
        .instead = no_sessions, .needs = "turns"}, sets<in_sessions<&SessionLaw::shared>>},
    {{.path = "workload.think_time", .kind = KeyKind::quantity, .fallback = "\"0 s\"",
        .example = "\"30 s\"",
        .description = "from an answer to the next turn, a mean (exponential): of a person, or of "
                       "the tools of an agent. Caches lose meanwhile what others leave in them; "
                       "of `concurrency` open sessions those that think are not in flight",
        .dimension = Dimension::seconds, .zero = true, .list = true, .axis = "think_time",
        .asked = true, .variants = serving, .instead = no_sessions, .needs = "turns"},
     sets<in_sessions<&SessionLaw::think_s>>},
    {{.path = "workload.prefix_hits", .kind = KeyKind::number, .fallback = "0",
        .example = "0.5",
        .description = "part of the prompt whose keys and values device memory holds already",
        .range = config::share_or_zero, .list = true, .axis = "prefix_hits", .variants = requests},
     sets<&InferenceJob::prefix_hits>},
    {{.path = "workload.prefix_hits_host", .kind = KeyKind::number, .fallback = "0",
        .example = "[0, 0.3]",
        .description = "part of the prompt that host memory holds, and that is loaded over the "
                       "`host_bandwidth` of the device",
        .range = config::share_or_zero, .list = true, .axis = "prefix_hits_host",
        .variants = requests}, sets<in_tiers<&PrefixTiers::host_hits>>},
    {{.path = "workload.prefix_hits_storage", .kind = KeyKind::number, .fallback = "0",
        .example = "0.1",
        .description = "part of the prompt that storage holds",
        .range = config::share_or_zero, .list = true, .axis = "prefix_hits_storage",
        .variants = requests}, sets<in_tiers<&PrefixTiers::storage_hits>>},
    {{.path = "workload.prefix_cache_device", .kind = KeyKind::quantity, .fallback = "\"none\"",
        .example = "\"10 GB\"",
        .description = "memory of each device for prompts of requests that are done, which others "
                       "share; it is taken from those that run. Of a trace with prefixes, and of "
                       "sessions (`turns`), the part that is found follows from it",
        .dimension = Dimension::bytes, .none = true, .list = true,
        .axis = "prefix_cache_device", .variants = requests,
        .needs = "prefix_hits or requests or turns",
        .because = "nothing is found in it otherwise"}, sets<set_prefix_bytes<PrefixTier::device>>},
    {{.path = "workload.prefix_cache_host", .kind = KeyKind::quantity, .fallback = "\"none\"",
        .example = "\"100 GB\"",
        .description = "host memory for each device, which takes what falls out of that of the "
                       "device; needs a trace with prefixes or `turns`",
        .dimension = Dimension::bytes, .none = true, .list = true,
        .axis = "prefix_cache_host", .variants = serving, .instead = no_trace},
     sets<set_prefix_bytes<PrefixTier::host>>},
    {{.path = "workload.prefix_cache_storage", .kind = KeyKind::quantity,
        .fallback = "\"none\"", .example = "\"2 TB\"",
        .description = "storage for each device, which takes what falls out of host memory; needs "
                       "a trace with prefixes or `turns`",
        .dimension = Dimension::bytes, .none = true, .list = true,
        .axis = "prefix_cache_storage", .variants = serving, .instead = no_trace},
     sets<set_prefix_bytes<PrefixTier::storage>>},
    {{.path = "workload.prefix_storage_bandwidth", .kind = KeyKind::quantity,
        .need = Need::with_others, .example = "\"5 GB/s\"",
        .description = "of storage to each device, whether in its node or remote",
        .dimension = Dimension::bytes_per_second, .list = true,
        .axis = "prefix_storage_bandwidth", .variants = requests,
        .needs = "prefix_hits_storage or prefix_cache_storage"},
     sets<in_tiers<&PrefixTiers::storage_bytes_per_s>>},
    {{.path = "workload.prefix_loading", .kind = KeyKind::name, .fallback = "\"layerwise\"",
        .example = "\"before\"",
        .description = "what is found in the host or in storage comes layer by layer beside the "
                       "layers before, or before its prompt is begun, while others are processed",
        .words = words_of(estimator::prefix_loading_names),
        .list = true, .axis = "prefix_loading", .variants = requests,
        .needs = "prefix_hits_host or prefix_cache_host or prefix_hits_storage or "
                 "prefix_cache_storage"},
     sets<word<estimator::prefix_loading_names, &InferenceJob::prefixes, &PrefixTiers::loading>>},
    {{.path = "workload.adapters", .kind = KeyKind::integer, .fallback = "0",
        .example = "[0, 8, 64]",
        .description = "adapters of low rank (LoRA) in device memory, of which each request uses "
                       "one",
        .zero = true, .list = true, .axis = "adapters", .asked = true, .variants = requests},
     sets<in_adapters<&AdapterSet::count>>},
    {{.path = "workload.adapter_rank", .kind = KeyKind::integer,
        .need = Need::with_others, .example = "16",
        .description = "of the two matrices of an adapter",
        .list = true, .axis = "adapter_rank", .asked = true, .variants = requests,
        .needs = "adapters"}, sets<in_adapters<&AdapterSet::rank>>},
    {of_kind(adapted_layers, requests, "\"attention\"", "adapters"),
     sets<word<workload::adapter_layers_names, &InferenceJob::adapters, &AdapterSet::layers>>},
    {{.path = "workload.adapter_skew", .kind = KeyKind::number, .fallback = "0",
        .example = "1",
        .description = "how uneven requests use adapters: exponent of a Zipf law. 0: all alike",
        .range = config::from_zero, .list = true, .axis = "adapter_skew", .variants = requests,
        .needs = "adapters"}, sets<in_adapters<&AdapterSet::skew>>},
    {{.path = "workload.prefill_chunk", .kind = KeyKind::integer,
        .fallback = "of the framework", .example = "2048", .units = "tokens",
        .description = "prefill tokens in one iteration, one prompt after the other; memory holds "
                       "what they work on. 0: all prompts whole",
        .zero = true, .list = true, .axis = "prefill_chunk", .variants = requests},
     sets<&InferenceJob::prefill_chunk>},
    {{.path = "workload.draft", .kind = KeyKind::integer, .fallback = "0", .example = "4",
        .units = "tokens",
        .description = "tokens that a small model proposes for each iteration (speculative "
                       "decoding)",
        .zero = true, .list = true, .axis = "draft", .variants = requests},
     sets<in_speculation<&Speculation::draft>>},
    {{.path = "workload.acceptance", .kind = KeyKind::number,
        .need = Need::with_others, .example = "0.8",
        .description = "probability that a draft token is kept",
        .range = config::share_or_zero, .list = true, .axis = "acceptance", .variants = requests,
        .needs = "draft"}, sets<in_speculation<&Speculation::acceptance>>},
    {{.path = "workload.draft_model", .kind = KeyKind::name, .fallback = "of `draft_time`",
        .example = "[\"eagle\", \"llama-3.2-1b\"]",
        .description = "what proposes the tokens of a draft, whose time and memory count: a model "
                       "of the catalog; `mtp`, the model's own module for multi-token "
                       "prediction; `eagle`, a head of one layer behind it",
        .list = true, .axis = "draft_model", .names = drafts, .variants = requests,
        .needs = "draft"}, sets<set_drafter>},
    {{.path = "workload.draft_time", .kind = KeyKind::number, .fallback = "0",
        .example = "0.1",
        .description = "time of the small model for a token, over that of the model",
        .range = config::any_share, .list = true, .axis = "draft_time", .variants = requests,
        .needs = "draft", .excludes = "draft_model", .because = "its time follows from its layers"},
     sets<in_speculation<&Speculation::draft_time>>},
    {{.path = "workload.batching", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"chunked\"", .example = "\"disaggregated\"",
        .description = "prefill runs between decode iterations, in chunks beside them, or on "
                       "devices of its own",
        .words = words_of(estimator::batching_names),
        .list = true, .axis = "batching", .variants = serving},
     sets<word<estimator::batching_names, &ServingJob::batching>>},
    {{.path = "workload.prefill_share", .kind = KeyKind::number, .fallback = "the best",
        .example = "0.25", .description = "replicas for prefill",
        .range = config::open_share, .list = true, .axis = "prefill_share", .variants = serving,
        .needs = "batching = \"disaggregated\""}, sets<&ServingJob::prefill_share>},
    {{.path = "workload.arrival_rate", .kind = KeyKind::quantity,
        .fallback = "the highest within the limits", .example = "\"20 Hz\"",
        .description = "requests per second, over all replicas; of a trace its own where it is "
                       "not written, `\"none\"`: the highest within the limits",
        .dimension = Dimension::hertz, .none = true, .list = true,
        .axis = "arrival_rate", .asked = true, .variants = serving, .excludes = "concurrency",
        .because = no_loop}, sets<limit<&ServingJob::arrival_rate>>},
    {{.path = "workload.concurrency", .kind = KeyKind::integer,
        .fallback = "requests arrive at random", .example = "[16, 64, 256]", .units = "requests",
        .description = "instead of `arrival_rate` so many requests in flight, of all replicas: "
                       "each that is answered is followed by the next, as load generators and "
                       "benchmark guides have it; those that do not fit wait. With `turns` so many "
                       "open sessions, those that think among them. Limits on means hold, "
                       "percentiles are not known",
        .list = true, .axis = "concurrency", .asked = true, .variants = serving,
        .instead = "write batch"}, sets<&ServingJob::concurrency>},
    {{.path = "workload.lengths", .kind = KeyKind::name, .fallback = "\"drawn\"",
        .example = "\"fixed\"",
        .description = "of requests in a closed loop: lengths differ, and are those written in the "
                       "mean, or all are just these, as many load generators have it. Requests "
                       "that are alike are answered one right behind the other, and so are their "
                       "successors: the first token of each waits for the prompts of others",
        .words = words_of(estimator::lengths_names), .list = true, .axis = "lengths",
        .variants = serving, .needs = "concurrency"},
     sets<word<estimator::lengths_names, &ServingJob::lengths>>},
    {{.path = "workload.burstiness", .kind = KeyKind::number, .fallback = "1, or of the trace",
        .example = "4",
        .description = "squared coefficient of variation of the times between arrivals: 1 as of "
                       "Poisson arrivals, more in bursts, 0 evenly spaced. Each request is sent "
                       "to one of the replicas at random",
        .range = config::from_zero, .list = true, .axis = "burstiness", .asked = true,
        .variants = serving, .instead = no_arrivals, .excludes = "concurrency", .because = no_loop},
     sets<&ServingJob::burstiness>},
    {{.path = "workload.load_curve", .kind = KeyKind::number, .fallback = "none",
        .example = "[0.3, 0.2, 0.6, 1]",
        .description = "requests that arrive in equal parts of the day, relative to each other, or "
                       "`\"trace\"`: in the hours of the trace, which must be a day long. What is "
                       "asked and told holds at its peak, `arrival_rate` too; columns `day_...` "
                       "are means over the day. No axis",
        .words = from_trace, .range = config::from_zero, .list = true, .variants = serving,
        .instead = no_arrivals, .excludes = "concurrency", .because = no_loop}},
    {{.path = "workload.replicas", .kind = KeyKind::name, .fallback = "\"fixed\"",
        .example = "[\"fixed\", \"given_back\"]",
        .description = "what becomes of replicas that the load curve leaves without work: all run "
                       "all day; whole ones are switched off, and still paid for; or given back, "
                       "and not. Those that run keep the limits",
        .words = words_of(estimator::idle_replicas_names),
        .list = true, .axis = "replicas", .variants = serving,
        .instead = no_arrivals, .needs = "load_curve"},
     sets<word<estimator::idle_replicas_names, &ServingJob::load_curve, &LoadCurve::replicas>>},
    {{.path = "workload.time_to_first_token", .kind = KeyKind::quantity,
        .fallback = "\"none\"", .example = "\"500 ms\"", .description = "limit on its mean",
        .dimension = Dimension::seconds, .none = true, .list = true,
        .axis = "time_to_first_token_limit", .asked = true, .variants = serving,
        .instead = is_a_column},
     sets<limit<&ServingJob::limits, &ServingLimits::time_to_first_token_s>>},
    {{.path = "workload.time_per_output_token", .kind = KeyKind::quantity,
        .fallback = "\"none\"", .example = "\"30 ms\"", .description = "limit on its mean",
        .dimension = Dimension::seconds, .none = true, .list = true,
        .axis = "time_per_output_token_limit", .asked = true, .variants = serving,
        .instead = is_a_column},
     sets<limit<&ServingJob::limits, &ServingLimits::time_per_output_token_s>>},
});
// clang-format on

template <std::size_t... i>
constexpr auto percentile_limits(std::index_sequence<i...> /*of them*/) {
  constexpr auto key_of = [](const workload::RequestLatency& one) {
    return Key{.path = one.limit_path.view(),
               .kind = KeyKind::quantity,
               .fallback = "\"none\"",
               .example = one.limit_example,
               .description = one.limit_description.view(),
               .dimension = Dimension::seconds,
               .none = true,
               .list = true,
               .axis = one.limit_axis.view(),
               .asked = true,
               .variants = serving,
               .instead = no_arrivals,
               .excludes = "concurrency",
               .because = "of requests that follow each other means alone are known"};
  };
  return std::to_array<Row>({{key_of(workload::request_latencies[i]), sets<set_percentile<i>>}...});
}
constexpr auto request_table = joined(
    single_rows, percentile_limits(std::make_index_sequence<workload::request_latencies.size()>{}));

}  // namespace

std::span<const Row> request_rows() {
  return request_table;
}

}  // namespace scalesweep::keys

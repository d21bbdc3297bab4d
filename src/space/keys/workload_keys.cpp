// The rows of [workload]. What is trained, or which requests are served.
#include <array>

#include "core/documents/fixed_text.hpp"
#include "space/keys/rows.hpp"
#include "workload/recipe.hpp"
#include "workload/serving/request_latency.hpp"
#include "workload/training/tuning.hpp"

namespace scalesweep::space {
namespace {

constexpr std::array<std::string_view, 2> attentions = {"flash", "unfused"};
constexpr std::array<std::string_view, 3> batchings = {"separate", "chunked", "disaggregated"};
constexpr std::array<std::string_view, 2> picture_works = {"inference", "training"};
constexpr std::array<std::string_view, 2> placements = {"colocated", "separate"};
constexpr std::array<std::string_view, 2> prefix_loadings = {"layerwise", "before"};
constexpr auto adapter_layers = std::span<const std::string_view>(workload::adapter_layers_names);
constexpr auto frozen_weights = std::span<const std::string_view>(workload::frozen_weights_names);
constexpr std::string_view no_trace =
    "without a trace say what is found, for example prefix_hits_host = 0.3";
constexpr auto recipes = std::span<const std::string_view>(workload::recipe_names);
constexpr std::array<std::string_view, 1> from_trace = {"trace"};
constexpr std::array<std::string_view, 3> idle_replicas = {"fixed", "switched_off", "given_back"};
constexpr std::string_view is_a_column = "it is a column, and may be filtered afterwards";
constexpr std::string_view no_loop =
    "requests of one arrive at random, those of the other follow each other";
constexpr std::string_view no_arrivals =
    "without arrivals requests do not wait and are all alike; write kind = \"serving\"";

// clang-format off
// What several kinds have, each with its example.
constexpr Key model = {
    .path = "workload.model", .kind = KeyKind::name, .need = Need::required,
    .description = "`scalesweep catalog list --kind models` lists them",
    .list = true, .axis = "model", .asked = true, .names = models};
constexpr Key prompt = {
    .path = "workload.prompt", .kind = KeyKind::integer, .need = Need::required,
    .units = "tokens",
    .description = "prompt of every request. With the output more than the context of the "
                   "model is a warning, or an error where its positions are learned",
    .list = true, .axis = "prompt", .asked = true, .instead = "write sequence"};
constexpr Key output = {
    .path = "workload.output", .kind = KeyKind::integer, .need = Need::required,
    .units = "tokens", .description = "output of every request",
    .list = true, .axis = "output", .asked = true, .instead = "write sequence"};
constexpr Key precision_name = {
    .path = "workload.precision.name", .kind = KeyKind::text, .need = Need::required,
    .description = "stands for this precision on the axis"};
constexpr Key recipe = {
    .path = "workload.precision.recipe", .kind = KeyKind::name,
    .fallback = "as the framework does",
    .description = "how operands of fewer than 16 bits are scaled. Of fp8: `delayed` (one scale a "
                   "tensor, known before it comes), `current` (one of its own maximum), `row` (one "
                   "for each token), `block` (one for 128 elements, 128 x 128 of weights); `mxfp8` "
                   "and `nvfp4` of those formats alone",
    .words = recipes};
constexpr Key lora_layers = {
    .path = "workload.adapter_layers", .kind = KeyKind::name, .fallback = "\"all\"",
    .description = "linear layers with adapters: projections of attention, of the MLP and of "
                   "shared experts, or of both; routed experts have none",
    .words = adapter_layers, .list = true, .axis = "adapter_layers"};

constexpr Key of_kind(Key row, Variants variants, std::string_view example,
                      std::string_view needs = "") {
  row.variants = variants;
  row.example = example;
  row.needs = needs;
  return row;
}
// Of a service `requests` may say it.
constexpr Key or_requests(Key row) {
  row.unless = row.excludes = "requests";
  return row;
}

constexpr std::array single_keys = {
    Key{.path = "workload.kind", .kind = KeyKind::name, .need = Need::required,
        .example = "\"training\"",
        .description = "what is asked for. `inference`: a batch of requests with the same prompt "
                       "and output starts together and runs to its end. `serving`: requests "
                       "arrive all the time, the engine keeps a batch filled, and the study finds "
                       "the highest request rate within the latency limits. `recommendation`: a "
                       "batch of samples is trained on, or scored, by a model with embedding "
                       "tables. `diffusion`: a batch of images or videos is made of noise, step "
                       "by step, or trained on. `reinforcement_learning`: one iteration of "
                       "training a model on what it says itself. No axis",
        .words = parallel::workload_kind_names},
    of_kind(model, training, "\"gpt3-175b\""),
    of_kind(model, inference, "\"llama-2-7b\""),
    of_kind(model, serving, "\"llama-3-70b\""),
    Key{.path = "workload.recommender", .kind = KeyKind::name, .need = Need::required,
        .example = "\"dlrm-dcnv2\"",
        .description = "a model with embedding tables: `scalesweep catalog list --kind "
                       "recommenders` lists them",
        .list = true, .axis = "recommender", .asked = true, .names = recommenders,
        .variants = recommendation},
    Key{.path = "workload.diffusion_model", .kind = KeyKind::name, .need = Need::required,
        .example = "\"flux-1-dev\"",
        .description = "a model that makes images or videos of noise: `scalesweep catalog list "
                       "--kind diffusion_models` lists them",
        .list = true, .axis = "diffusion_model", .asked = true, .names = diffusion_models,
        .variants = diffusion},
    Key{.path = "workload.phases", .kind = KeyKind::tables, .fallback = "one",
        .example = "[{ name = \"base\", share = 0.95, sequence = 8192, global_batch = 2048 }, "
                   "{ name = \"long\", share = 0.05, sequence = 131_072, global_batch = 128 }]",
        .description = "a run that goes through several phases, each of its share of `tokens`: a "
                       "ramp of the batch, sequences that become longer. They are values of an "
                       "axis, `phase`, by their names; each has strategies of its own, and "
                       "`analyze` adds them up",
        .axis = "phase", .asked = true, .variants = training,
        .needs = "tokens", .because = "they have shares of the tokens of a run"},
    Key{.path = "workload.phases.name", .kind = KeyKind::text, .need = Need::required,
        .example = "\"base\"", .description = "stands for this phase on the axis",
        .variants = training},
    Key{.path = "workload.phases.share", .kind = KeyKind::number, .need = Need::required,
        .example = "0.95", .description = "of all tokens; those of all phases sum to 1",
        .range = config::open_share, .variants = training},
    Key{.path = "workload.phases.sequence", .kind = KeyKind::integer,
        .fallback = "that of `[workload]`", .example = "8192", .units = "tokens",
        .description = "length of every sequence. What no phase says is an axis of `[workload]`; "
                       "where some say it, `[workload]` has one value for the others",
        .variants = training},
    Key{.path = "workload.phases.global_batch", .kind = KeyKind::integer,
        .fallback = "that of `[workload]`", .example = "2048", .units = "sequences",
        .description = "batch of one step, likewise", .variants = training},
    Key{.path = "workload.phases.document", .kind = KeyKind::integer,
        .fallback = "that of `[workload]`", .example = "4096", .units = "tokens",
        .description = "of the document that a token stands in, likewise", .variants = training},
    Key{.path = "workload.sequence", .kind = KeyKind::integer, .need = Need::required,
        .example = "2048", .units = "tokens",
        .description = "length of every sequence. More than the context of the model is a warning",
        .list = true, .axis = "sequence", .asked = true, .variants = training,
        .instead = "write prompt and output", .unless = "phases"},
    Key{.path = "workload.global_batch", .kind = KeyKind::integer, .need = Need::required,
        .example = "1536", .units = "sequences",
        .description = "batch of one step, over all replicas",
        .list = true, .axis = "global_batch", .asked = true, .variants = training,
        .unless = "phases"},
    Key{.path = "workload.batch", .kind = KeyKind::integer, .need = Need::required,
        .example = "[1, 8, 64]", .units = "requests",
        .description = "requests in flight, over all replicas. In serving it is found",
        .list = true, .axis = "batch", .asked = true, .variants = inference},
    Key{.path = "workload.batch", .kind = KeyKind::integer, .need = Need::required,
        .example = "65536", .units = "samples",
        .description = "samples of a batch, over all devices, which must divide it",
        .list = true, .axis = "batch", .asked = true, .variants = recommendation},
    Key{.path = "workload.batch", .kind = KeyKind::integer, .need = Need::required,
        .example = "[1, 8]", .units = "images or videos",
        .description = "images or videos of a batch, over all devices",
        .list = true, .axis = "batch", .asked = true, .variants = diffusion},
    Key{.path = "workload.work", .kind = KeyKind::name, .fallback = "\"inference\"",
        .example = "\"training\"",
        .description = "pictures are made of noise, or the model is trained on a batch of them: a "
                       "step of the optimizer, with one noise level a picture and no guidance",
        .words = picture_works, .list = true, .axis = "work", .asked = true, .variants = diffusion},
    Key{.path = "workload.model", .kind = KeyKind::name, .need = Need::required,
        .example = "\"qwen2.5-7b\"",
        .description = "the policy, which answers and is trained: `scalesweep catalog list --kind "
                       "models` lists models",
        .list = true, .axis = "model", .asked = true, .names = models, .variants = reinforcement},
    Key{.path = "workload.prompts", .kind = KeyKind::integer, .need = Need::required,
        .example = "512", .units = "prompts", .description = "prompts of an iteration",
        .list = true, .axis = "prompts", .asked = true, .variants = reinforcement},
    Key{.path = "workload.samples", .kind = KeyKind::integer, .need = Need::standing,
        .fallback = "1", .example = "16", .units = "samples",
        .description = "answers to each prompt, which is read once for all of them",
        .list = true, .axis = "samples", .asked = true, .variants = reinforcement},
    Key{.path = "workload.updates", .kind = KeyKind::integer, .need = Need::standing,
        .fallback = "1", .example = "4",
        .description = "steps of the optimizer in an epoch, which share the samples evenly",
        .list = true, .axis = "updates", .asked = true, .variants = reinforcement},
    Key{.path = "workload.placement", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"colocated\"", .example = "[\"colocated\", \"separate\"]",
        .description = "rollouts and training take turns on the same devices, or each has its own",
        .words = placements, .list = true, .axis = "placement", .variants = reinforcement},
    Key{.path = "workload.rollout_share", .kind = KeyKind::number, .need = Need::standing,
        .fallback = "0.5", .example = "[0.5, 0.75]",
        .description = "of devices: those of rollouts, where these are separate",
        .range = config::open_share, .list = true, .axis = "rollout_share",
        .variants = reinforcement, .needs = "placement = \"separate\""},
    Key{.path = "system.accelerators", .kind = KeyKind::integer, .need = Need::required,
        .example = "1024", .units = "devices", .description = "devices of the whole job",
        .list = true, .axis = "accelerators"},
    of_kind(prompt, inference, "200"),
    or_requests(of_kind(prompt, serving, "500")),
    of_kind(output, inference, "200"),
    or_requests(of_kind(output, serving, "200")),
    Key{.path = "workload.requests", .kind = KeyKind::file_or_tables,
        .fallback = "`prompt`, `output`",
        .example = "[{ prompt = 500, output = 200, share = 0.7 }, { prompt = 4000, output = 500, "
                   "share = 0.3 }]",
        .description = "a mix of requests instead of one length; or a CSV file of real ones, "
                       "`\"trace.csv\"` beside the spec, with the columns arrival (seconds), "
                       "prompt and output (tokens), and what prompts begin with, below. No axis",
        .list = true, .variants = serving, .instead = "write prompt and output"},
    Key{.path = "workload.requests.prompt", .kind = KeyKind::number, .need = Need::required,
        .example = "500", .units = "tokens", .description = "mean prompt of this class",
        .range = config::above_zero, .variants = serving},
    Key{.path = "workload.requests.output", .kind = KeyKind::number, .need = Need::required,
        .example = "200", .units = "tokens", .description = "mean output of this class",
        .range = config::above_zero, .variants = serving},
    Key{.path = "workload.requests.share", .kind = KeyKind::number, .fallback = "1",
        .example = "0.7", .description = "of this class, relative to the others",
        .range = config::above_zero, .variants = serving},
    Key{.path = "workload.precision", .kind = KeyKind::names_or_tables, .need = Need::standing,
        .fallback = "\"bf16\"", .example = "[\"bf16\", { name = \"lean\", linear = \"fp8\" }]",
        .description = "`fp64 fp32 tf32 bf16 fp16 fp8 mxfp8 fp4 int8`: operands of the linear "
                       "layers. From 16 bits on, weights and activations have the same format; "
                       "below, they stay in bf16 (mixed precision). Gradients, master weights and "
                       "Adam's moments are fp32. A table says more. Where a device has no matrix "
                       "unit for the linear layers or the activations, its points have the status "
                       "`unsupported_precision`",
        .list = true, .axis = "precision", .variants = training},
    Key{.path = "workload.precision", .kind = KeyKind::names_or_tables, .need = Need::standing,
        .fallback = "\"bf16\"", .example = "[\"fp16\", { name = \"w4a16\", weights = \"int4\" }]",
        .description = "operands and weights of the linear layers. From 16 bits on the rest has "
                       "the same format; below, it is bf16. A table says more",
        .list = true, .axis = "precision", .variants = requests},
    of_kind(precision_name, training, "\"lean\""),
    Key{.path = "workload.precision.linear", .kind = KeyKind::name, .fallback = "\"bf16\"",
        .example = "\"fp8\"", .description = "operands of the linear layers",
        .variants = training},
    of_kind(precision_name, requests, "\"w4a16\""),
    Key{.path = "workload.precision.operands", .kind = KeyKind::name, .fallback = "\"bf16\"",
        .example = "\"fp16\"", .description = "operands of the linear layers, as multiplied",
        .variants = requests},
    of_kind(recipe, training, "\"block\""),
    of_kind(recipe, requests, "\"block\""),
    Key{.path = "workload.precision.activations", .kind = KeyKind::name,
        .fallback = "that of `linear`, below 16 bits bf16", .example = "\"bf16\"",
        .description = "activations, and attention with them", .variants = training},
    Key{.path = "workload.precision.weights", .kind = KeyKind::name,
        .fallback = "that of `linear`, below 16 bits bf16", .example = "\"bf16\"",
        .description = "stored weights", .variants = training},
    Key{.path = "workload.precision.gradients", .kind = KeyKind::name, .fallback = "\"fp32\"",
        .example = "\"bf16\"", .description = "gradients, as accumulated over micro-batches",
        .variants = training},
    Key{.path = "workload.precision.gradient_communication", .kind = KeyKind::name,
        .fallback = "that of `gradients`", .example = "\"bf16\"",
        .description = "gradients, as sent between replicas", .variants = training},
    Key{.path = "workload.precision.master_weights", .kind = KeyKind::name,
        .fallback = "\"fp32\"", .example = "\"fp32\"",
        .description = "the optimizer's copy of the weights", .variants = training},
    Key{.path = "workload.precision.moments", .kind = KeyKind::name, .fallback = "\"fp32\"",
        .example = "\"bf16\"", .description = "both moments of the optimizer",
        .variants = training},
    Key{.path = "workload.precision.gradient_compression", .kind = KeyKind::number,
        .fallback = "1", .example = "0.5",
        .description = "bytes sent over bytes of gradients in their format",
        .range = {0.0, false, 1.0, true}, .variants = training},
    Key{.path = "workload.precision.weights", .kind = KeyKind::name,
        .fallback = "that of `operands`", .example = "\"int4\"",
        .description = "weights of the linear layers, as stored; `\"int4\"` too",
        .variants = requests},
    Key{.path = "workload.precision.activations", .kind = KeyKind::name,
        .fallback = "that of `operands`, below 16 bits bf16", .example = "\"bf16\"",
        .description = "activations, and attention with them", .variants = requests},
    Key{.path = "workload.precision.cache", .kind = KeyKind::name,
        .fallback = "that of `operands`, below 16 bits bf16", .example = "\"fp8\"",
        .description = "KV cache; `\"int4\"` too", .variants = requests},
    Key{.path = "workload.precision.head", .kind = KeyKind::name,
        .fallback = "that of `operands`, below 16 bits bf16", .example = "\"bf16\"",
        .description = "embedding and output projection; `\"int4\"` too", .variants = requests},
    Key{.path = "workload.attention", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"flash\"", .example = "\"unfused\"",
        .description = "`flash`: one kernel whose score matrix never leaves the chip. `unfused`: "
                       "scores, softmax and the GEMM with V are kernels that read and write the "
                       "score matrix (sequence² per head) in DRAM, and keep it unless recomputed",
        .words = attentions, .list = true, .axis = "attention", .variants = training},
    Key{.path = "workload.attention", .kind = KeyKind::name, .fallback = "of the framework",
        .example = "\"unfused\"", .description = "kernel of prefill attention",
        .words = attentions, .list = true, .axis = "attention", .variants = requests},
    Key{.path = "workload.framework", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"overlapped\"", .example = "\"megatron-lm\"",
        .description = "the software, an entry of `nodes/frameworks.toml`. `overlapped`: "
                       "communication hides behind kernels, launches are captured in graphs. "
                       "`megatron-lm-2022`: nothing overlaps, the host issues every kernel; for "
                       "comparing with measurements of that time. `megatron-lm`, "
                       "`megatron-bridge`, `nanotron`, `fsdp`, `torchtitan`: as calibrated. "
                       "`\"NAME@VERSION\"` is one of its versions, the name alone the newest",
        .list = true, .axis = "framework", .names = frameworks, .variants = training},
    Key{.path = "workload.framework", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"tensorrt-llm\"", .example = "\"vllm\"",
        .description = "the software, an entry of `nodes/frameworks.toml` with a table "
                       "`serving`: `fastertransformer`, `tensorrt-llm`, `vllm`, `eager` and "
                       "others. "
                       "`\"NAME@VERSION\"` is one of its versions, the name alone the newest",
        .list = true, .axis = "framework", .names = frameworks, .variants = requests},
    Key{.path = "workload.expert_skew", .kind = KeyKind::number, .fallback = "of the model",
        .example = "[0, 0.3]",
        .description = "how uneven tokens go to experts: exponent of a Zipf law of their "
                       "popularity, which sets what the busiest rank of `expert_parallel` gets. "
                       "0: all alike, and the chance of finitely many tokens is left. Models have "
                       "`experts.request_skew` for requests, else a measured `experts.imbalance` "
                       "or none",
        .range = config::from_zero, .list = true, .axis = "expert_skew",
        .variants = training | requests},
    Key{.path = "workload.capacity_factor", .kind = KeyKind::number, .fallback = "of the model",
        .example = "[1, 1.25]",
        .description = "most tokens that an expert takes over the mean; the others are dropped, "
                       "and `explain` says how many. 0: none is. As `experts.capacity` of models",
        .range = config::from_zero, .list = true, .axis = "capacity_factor", .variants = training},
    Key{.path = "workload.tokens", .kind = KeyKind::quantity, .fallback = "a step alone",
        .example = "\"15 T\"",
        .description = "trained on in a whole run, of which columns `time_to_train`, `run_cost` "
                       "and others then tell; what fails meanwhile says `[run]`",
        .dimension = Dimension::tokens, .list = true, .axis = "tokens", .asked = true,
        .variants = training},
    Key{.path = "workload.steps", .kind = KeyKind::integer, .fallback = "by `tokens`",
        .example = "500_000",
        .description = "the same in steps, whatever tokens they have",
        .list = true, .axis = "steps", .asked = true, .variants = training, .unless = "tokens",
        .excludes = "tokens or phases", .because = "their shares are of tokens"},
    Key{.path = "workload.document", .kind = KeyKind::integer, .fallback = "the sequence",
        .example = "[512, 4096]", .units = "tokens",
        .description = "of the document that a token stands in, in the mean, where sequences are "
                       "packed of several and tokens attend to their own alone",
        .list = true, .axis = "document", .asked = true, .variants = training},
    Key{.path = "workload.optimizer", .kind = KeyKind::name, .fallback = "\"adam\"",
        .example = "[\"adam\", \"muon\"]",
        .description = "how weights follow from gradients, an entry of `nodes/optimizers.toml`: "
                       "its states, and what it computes once a step",
        .list = true, .axis = "optimizer", .names = optimizers,
        .variants = training | reinforcement | diffusion, .needs = "work = \"training\""},
    Key{.path = "workload.adapter_rank", .kind = KeyKind::integer, .fallback = "0",
        .example = "[0, 16]",
        .description = "of adapters that are trained beside weights that stay as they are (LoRA), "
                       "without dropout before them. 0: all weights are trained",
        .zero = true, .list = true, .axis = "adapter_rank", .asked = true, .variants = training},
    of_kind(lora_layers, training, "\"attention\"", "adapter_rank"),
    Key{.path = "workload.frozen_weights", .kind = KeyKind::name, .fallback = "\"as_trained\"",
        .example = "[\"as_trained\", \"nf4\"]",
        .description = "how weights beside adapters lie in memory: as those that are trained, or "
                       "those of the layers in 8 or 4 bits, which are made operands of before each "
                       "product (QLoRA)",
        .words = frozen_weights, .list = true, .axis = "frozen_weights", .variants = training,
        .needs = "adapter_rank"},
    Key{.path = "workload.prefix_hits", .kind = KeyKind::number, .fallback = "0",
        .example = "0.5",
        .description = "part of the prompt whose keys and values device memory holds already",
        .range = config::share_or_zero, .list = true, .axis = "prefix_hits", .variants = requests},
    Key{.path = "workload.prefix_hits_host", .kind = KeyKind::number, .fallback = "0",
        .example = "[0, 0.3]",
        .description = "part of the prompt that host memory holds, and that is loaded over the "
                       "`host_bandwidth` of the device",
        .range = config::share_or_zero, .list = true, .axis = "prefix_hits_host",
        .variants = requests},
    Key{.path = "workload.prefix_hits_storage", .kind = KeyKind::number, .fallback = "0",
        .example = "0.1",
        .description = "part of the prompt that storage holds",
        .range = config::share_or_zero, .list = true, .axis = "prefix_hits_storage",
        .variants = requests},
    Key{.path = "workload.prefix_cache_device", .kind = KeyKind::quantity, .fallback = "\"none\"",
        .example = "\"10 GB\"",
        .description = "memory of each device for prompts of requests that are done, which others "
                       "share; it is taken from those that run. Of a trace with prefixes the "
                       "part that is found follows from it",
        .dimension = Dimension::bytes, .none = true, .list = true,
        .axis = "prefix_cache_device", .variants = requests, .needs = "prefix_hits or requests",
        .because = "nothing is found in it otherwise"},
    Key{.path = "workload.prefix_cache_host", .kind = KeyKind::quantity, .fallback = "\"none\"",
        .example = "\"100 GB\"",
        .description = "host memory for each device, which takes what falls out of that of the "
                       "device; needs a trace with prefixes",
        .dimension = Dimension::bytes, .none = true, .list = true,
        .axis = "prefix_cache_host", .variants = serving, .instead = no_trace},
    Key{.path = "workload.prefix_cache_storage", .kind = KeyKind::quantity,
        .fallback = "\"none\"", .example = "\"2 TB\"",
        .description = "storage for each device, which takes what falls out of host memory; needs "
                       "a trace with prefixes",
        .dimension = Dimension::bytes, .none = true, .list = true,
        .axis = "prefix_cache_storage", .variants = serving, .instead = no_trace},
    Key{.path = "workload.prefix_storage_bandwidth", .kind = KeyKind::quantity,
        .need = Need::with_others, .example = "\"5 GB/s\"",
        .description = "of storage to each device, whether in its node or remote",
        .dimension = Dimension::bytes_per_second, .list = true,
        .axis = "prefix_storage_bandwidth", .variants = requests,
        .needs = "prefix_hits_storage or prefix_cache_storage"},
    Key{.path = "workload.prefix_loading", .kind = KeyKind::name, .fallback = "\"layerwise\"",
        .example = "\"before\"",
        .description = "what is found in the host or in storage comes layer by layer beside the "
                       "layers before, or before its prompt is begun, while others are processed",
        .words = prefix_loadings, .list = true, .axis = "prefix_loading", .variants = requests,
        .needs = "prefix_hits_host or prefix_cache_host or prefix_hits_storage or "
                 "prefix_cache_storage"},
    Key{.path = "workload.adapters", .kind = KeyKind::integer, .fallback = "0",
        .example = "[0, 8, 64]",
        .description = "adapters of low rank (LoRA) in device memory, of which each request uses "
                       "one",
        .zero = true, .list = true, .axis = "adapters", .asked = true, .variants = requests},
    Key{.path = "workload.adapter_rank", .kind = KeyKind::integer,
        .need = Need::with_others, .example = "16",
        .description = "of the two matrices of an adapter",
        .list = true, .axis = "adapter_rank", .asked = true, .variants = requests,
        .needs = "adapters"},
    of_kind(lora_layers, requests, "\"attention\"", "adapters"),
    Key{.path = "workload.adapter_skew", .kind = KeyKind::number, .fallback = "0",
        .example = "1",
        .description = "how uneven requests use adapters: exponent of a Zipf law. 0: all alike",
        .range = config::from_zero, .list = true, .axis = "adapter_skew", .variants = requests,
        .needs = "adapters"},
    Key{.path = "workload.prefill_chunk", .kind = KeyKind::integer,
        .fallback = "of the framework", .example = "2048", .units = "tokens",
        .description = "prefill tokens in one iteration, one prompt after the other; memory holds "
                       "what they work on. 0: all prompts whole",
        .zero = true, .list = true, .axis = "prefill_chunk", .variants = requests},
    Key{.path = "workload.draft", .kind = KeyKind::integer, .fallback = "0", .example = "4",
        .units = "tokens",
        .description = "tokens that a small model proposes for each iteration (speculative "
                       "decoding)",
        .zero = true, .list = true, .axis = "draft", .variants = requests},
    Key{.path = "workload.acceptance", .kind = KeyKind::number,
        .need = Need::with_others, .example = "0.8",
        .description = "probability that a draft token is kept",
        .range = config::share_or_zero, .list = true, .axis = "acceptance", .variants = requests,
        .needs = "draft"},
    Key{.path = "workload.draft_model", .kind = KeyKind::name, .fallback = "of `draft_time`",
        .example = "[\"eagle\", \"llama-3.2-1b\"]",
        .description = "what proposes the tokens of a draft, whose time and memory count: a model "
                       "of the catalog; `mtp`, the model's own module for multi-token "
                       "prediction; `eagle`, a head of one layer behind it",
        .list = true, .axis = "draft_model", .names = drafts, .variants = requests,
        .needs = "draft"},
    Key{.path = "workload.draft_time", .kind = KeyKind::number, .fallback = "0",
        .example = "0.1",
        .description = "time of the small model for a token, over that of the model",
        .range = config::any_share, .list = true, .axis = "draft_time", .variants = requests,
        .needs = "draft", .excludes = "draft_model", .because = "its time follows from its layers"},
    Key{.path = "workload.batching", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"chunked\"", .example = "\"disaggregated\"",
        .description = "prefill runs between decode iterations, in chunks beside them, or on "
                       "devices of its own",
        .words = batchings, .list = true, .axis = "batching", .variants = serving},
    Key{.path = "workload.prefill_share", .kind = KeyKind::number, .fallback = "the best",
        .example = "0.25", .description = "replicas for prefill",
        .range = config::open_share, .list = true, .axis = "prefill_share", .variants = serving,
        .needs = "batching = \"disaggregated\""},
    Key{.path = "workload.arrival_rate", .kind = KeyKind::quantity,
        .fallback = "the highest within the limits", .example = "\"20 Hz\"",
        .description = "requests per second, over all replicas; of a trace its own where it is "
                       "not written, `\"none\"`: the highest within the limits",
        .dimension = Dimension::hertz, .none = true, .list = true,
        .axis = "arrival_rate", .asked = true, .variants = serving, .excludes = "concurrency",
        .because = no_loop},
    Key{.path = "workload.concurrency", .kind = KeyKind::integer,
        .fallback = "requests arrive at random", .example = "[16, 64, 256]", .units = "requests",
        .description = "instead of `arrival_rate` so many requests in flight, of all replicas: "
                       "each that is answered is followed by the next, as load generators and "
                       "benchmark guides have it; those that do not fit wait. Limits on means "
                       "hold, percentiles are not known",
        .list = true, .axis = "concurrency", .asked = true, .variants = serving,
        .instead = "write batch"},
    Key{.path = "workload.burstiness", .kind = KeyKind::number, .fallback = "1, or of the trace",
        .example = "4",
        .description = "squared coefficient of variation of the times between arrivals: 1 as of "
                       "Poisson arrivals, more in bursts, 0 evenly spaced. Each request is sent "
                       "to one of the replicas at random",
        .range = config::from_zero, .list = true, .axis = "burstiness", .asked = true,
        .variants = serving, .instead = no_arrivals, .excludes = "concurrency", .because = no_loop},
    Key{.path = "workload.load_curve", .kind = KeyKind::number, .fallback = "none",
        .example = "[0.3, 0.2, 0.6, 1]",
        .description = "requests that arrive in equal parts of the day, relative to each other, or "
                       "`\"trace\"`: in the hours of the trace, which must be a day long. What is "
                       "asked and told holds at its peak, `arrival_rate` too; columns `day_...` "
                       "are means over the day. No axis",
        .words = from_trace, .range = config::from_zero, .list = true, .variants = serving,
        .instead = no_arrivals, .excludes = "concurrency", .because = no_loop},
    Key{.path = "workload.replicas", .kind = KeyKind::name, .fallback = "\"fixed\"",
        .example = "[\"fixed\", \"given_back\"]",
        .description = "what becomes of replicas that the load curve leaves without work: all run "
                       "all day; whole ones are switched off, and still paid for; or given back, "
                       "and not. Those that run keep the limits",
        .words = idle_replicas, .list = true, .axis = "replicas", .variants = serving,
        .instead = no_arrivals, .needs = "load_curve"},
    Key{.path = "workload.time_to_first_token", .kind = KeyKind::quantity,
        .fallback = "\"none\"", .example = "\"500 ms\"", .description = "limit on its mean",
        .dimension = Dimension::seconds, .none = true, .list = true,
        .axis = "time_to_first_token_limit", .asked = true, .variants = serving,
        .instead = is_a_column},
    Key{.path = "workload.time_per_output_token", .kind = KeyKind::quantity,
        .fallback = "\"none\"", .example = "\"30 ms\"", .description = "limit on its mean",
        .dimension = Dimension::seconds, .none = true, .list = true,
        .axis = "time_per_output_token_limit", .asked = true, .variants = serving,
        .instead = is_a_column},
};
// clang-format on

constexpr auto percentile_limits = [] {
  std::array<Key, workload::request_latencies.size()> rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const workload::RequestLatency& one = workload::request_latencies[i];
    rows[i] = {.path = one.limit_path.view(),
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
  }
  return rows;
}();
constexpr auto keys = joined(single_keys, percentile_limits);

}  // namespace

std::span<const Key> workload_keys() {
  return keys;
}

}  // namespace scalesweep::space

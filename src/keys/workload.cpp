// The rows of [workload]. What is trained, or which requests are served.
#include <array>

#include "estimator/diffusion/job.hpp"
#include "estimator/inference/job.hpp"
#include "estimator/recommendation/job.hpp"
#include "estimator/reinforcement/job.hpp"
#include "estimator/run/run_plan.hpp"
#include "keys/prefill_system.hpp"
#include "keys/rows.hpp"
#include "workload/framework.hpp"
#include "workload/recipe.hpp"

namespace scalesweep::keys {
namespace {

using catalog::CataloguedSystem;
using catalog::DerivedSystem;
using estimator::DiffusionJob;
using estimator::InferenceJob;
using estimator::RecommendationJob;
using estimator::ReinforcementJob;
using estimator::RunPlan;
using estimator::TrainingJob;
using workload::Encoder;
using workload::Experts;
using workload::Tuning;

constexpr std::array<std::string_view, 2> attentions = {"flash", "unfused"};
constexpr std::array<std::string_view, 2> image_works = {"inference", "training"};
constexpr auto checkpoint_formats =
    std::to_array<std::string_view>({"fp8", "mxfp8", "mxfp6", "nvfp4", "fp4", "mxfp4", "int8"});

template <typename Job>
void set_model(Job& job, const AxisValue& value) {
  job.model = value.catalog.model(value.label);
}
void set_policy(ReinforcementJob& job, const AxisValue& value) {
  set_model(job.training, value);
}
void set_recommender(RecommendationJob& job, const AxisValue& value) {
  job.model = value.catalog.recommender(value.label);
}
void set_diffusion_model(DiffusionJob& job, const AxisValue& value) {
  job.model = value.catalog.diffusion_model(value.label);
}
// Of a framework that its key replaces.
void set_attention(InferenceJob& job, const AxisValue& value) {
  job.stack.flash_attention = value.label == "flash";
}
// Of an encoder of such alone.
template <bool audio>
constexpr auto set_inputs = [](auto& job, const AxisValue& value) {
  if (job.model.encoder.audio.on() == audio) {
    job.model.encoder.inputs = value.number;
  }
};
template <auto member>
constexpr Setters in_encoder =
    sets<into<&TrainingJob::model, &workload::TransformerModel::encoder, member>,
         into<&InferenceJob::model, &workload::TransformerModel::encoder, member>>;
template <typename Job, auto member>
constexpr auto in_experts = into<&Job::model, &workload::TransformerModel::experts, member>;

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
                   "for each token), `block` (one for 128 elements, 128 x 128 of weights); "
                   "`mxfp8`, `mxfp6`, `mxfp4` and `nvfp4` of those formats alone",
    .words = words_of(workload::recipe_names)};
// Of a service `requests` may say it.
constexpr Key or_requests(Key row) {
  row.unless = row.excludes = "requests";
  return row;
}

constexpr auto workload_table = std::to_array<Row>({
    {{.path = "workload.kind", .kind = KeyKind::name, .need = Need::required,
        .example = "\"training\"",
        .description = "what is asked for. `inference`: a batch of requests with the same prompt "
                       "and output starts together and runs to its end. `serving`: requests "
                       "arrive all the time, the engine keeps a batch filled, and the study finds "
                       "the highest request rate within the latency limits. `recommendation`: a "
                       "batch of samples is trained on, or scored, by a model with embedding "
                       "tables. `diffusion`: a batch of images or videos is made of noise, step "
                       "by step, or trained on. `reinforcement_learning`: one iteration of "
                       "training a model on what it says itself. No axis",
        .words = parallel::workload_kind_names}},
    {of_kind(model, training, "\"gpt3-175b\""), sets<set_model<TrainingJob>>},
    {of_kind(model, inference, "\"llama-2-7b\""), sets<set_model<InferenceJob>>},
    {of_kind(model, serving, "\"llama-3-70b\""), sets<set_model<InferenceJob>>},
    {{.path = "workload.recommender", .kind = KeyKind::name, .need = Need::required,
        .example = "\"dlrm-dcnv2\"",
        .description = "a model with embedding tables: `scalesweep catalog list --kind "
                       "recommenders` lists them",
        .list = true, .axis = "recommender", .asked = true, .names = recommenders,
        .variants = recommendation}, sets<set_recommender>},
    {{.path = "workload.diffusion_model", .kind = KeyKind::name, .need = Need::required,
        .example = "\"flux-1-dev\"",
        .description = "a model that makes images or videos of noise: `scalesweep catalog list "
                       "--kind diffusion_models` lists them",
        .list = true, .axis = "diffusion_model", .asked = true, .names = diffusion_models,
        .variants = diffusion}, sets<set_diffusion_model>},
    {{.path = "workload.phases", .kind = KeyKind::tables, .fallback = "one",
        .example = "[{ name = \"base\", share = 0.95, sequence = 8192, global_batch = 2048 }, "
                   "{ name = \"long\", share = 0.05, sequence = 131_072, global_batch = 128 }]",
        .description = "a run that goes through several phases, each of its share of `tokens`: a "
                       "ramp of the batch, sequences that become longer. They are values of an "
                       "axis, `phase`, by their names; each has strategies of its own, and "
                       "`analyze` adds them up",
        .axis = "phase", .asked = true, .variants = training,
        .needs = "tokens", .because = "they have shares of the tokens of a run"}},
    {{.path = "workload.phases.name", .kind = KeyKind::text, .need = Need::required,
        .example = "\"base\"", .description = "stands for this phase on the axis",
        .variants = training}},
    {{.path = "workload.phases.share", .kind = KeyKind::number, .need = Need::required,
        .example = "0.95", .description = "of all tokens; those of all phases sum to 1",
        .range = config::open_share, .variants = training}},
    {{.path = "workload.phases.sequence", .kind = KeyKind::integer,
        .fallback = "that of `[workload]`", .example = "8192", .units = "tokens",
        .description = "length of every sequence. What no phase says is an axis of `[workload]`; "
                       "where some say it, `[workload]` has one value for the others",
        .variants = training}},
    {{.path = "workload.phases.global_batch", .kind = KeyKind::integer,
        .fallback = "that of `[workload]`", .example = "2048", .units = "sequences",
        .description = "batch of one step, likewise", .variants = training}},
    {{.path = "workload.phases.document", .kind = KeyKind::integer,
        .fallback = "that of `[workload]`", .example = "4096", .units = "tokens",
        .description = "of the document that a token stands in, likewise", .variants = training}},
    {{.path = "workload.sequence", .kind = KeyKind::integer, .need = Need::required,
        .example = "2048", .units = "tokens",
        .description = "length of every sequence. More than the context of the model is a warning",
        .list = true, .axis = "sequence", .asked = true, .variants = training,
        .instead = "write prompt and output", .unless = "phases"}, sets<&TrainingJob::sequence>},
    {{.path = "workload.global_batch", .kind = KeyKind::integer, .need = Need::required,
        .example = "1536", .units = "sequences",
        .description = "batch of one step, over all replicas",
        .list = true, .axis = "global_batch", .asked = true, .variants = training,
        .unless = "phases"}, sets<&TrainingJob::global_batch>},
    {{.path = "workload.batch", .kind = KeyKind::integer, .need = Need::required,
        .example = "[1, 8, 64]", .units = "requests",
        .description = "requests in flight, over all replicas. In serving it is found",
        .list = true, .axis = "batch", .asked = true, .variants = inference},
     sets<&InferenceJob::batch>},
    {{.path = "workload.batch", .kind = KeyKind::integer, .need = Need::required,
        .example = "65536", .units = "samples",
        .description = "samples of a batch, over all devices, which must divide it",
        .list = true, .axis = "batch", .asked = true, .variants = recommendation},
     sets<&RecommendationJob::batch>},
    {{.path = "workload.batch", .kind = KeyKind::integer, .need = Need::required,
        .example = "[1, 8]", .units = "images or videos",
        .description = "images or videos of a batch, over all devices",
        .list = true, .axis = "batch", .asked = true, .variants = diffusion},
     sets<&DiffusionJob::batch>},
    {{.path = "workload.work", .kind = KeyKind::name, .fallback = "\"inference\"",
        .example = "\"training\"",
        .description = "images are made of noise, or the model is trained on a batch of them: a "
                       "step of the optimizer, with one noise level an image and no guidance",
        .words = image_works, .list = true, .axis = "work", .asked = true, .variants = diffusion},
     sets<word<workload::batch_work_names, &DiffusionJob::work>>},
    {{.path = "workload.model", .kind = KeyKind::name, .need = Need::required,
        .example = "\"qwen2.5-7b\"",
        .description = "the policy, which answers and is trained: `scalesweep catalog list --kind "
                       "models` lists models",
        .list = true, .axis = "model", .asked = true, .names = models, .variants = reinforcement},
     sets<set_policy>},
    {{.path = "workload.prompts", .kind = KeyKind::integer, .need = Need::required,
        .example = "512", .units = "prompts", .description = "prompts of an iteration",
        .list = true, .axis = "prompts", .asked = true, .variants = reinforcement},
     sets<&ReinforcementJob::prompts>},
    {{.path = "workload.samples", .kind = KeyKind::integer, .need = Need::standing,
        .fallback = "1", .example = "16", .units = "samples",
        .description = "answers to each prompt, which is read once for all of them",
        .list = true, .axis = "samples", .asked = true, .variants = reinforcement},
     sets<&ReinforcementJob::samples>},
    {{.path = "workload.updates", .kind = KeyKind::integer, .need = Need::standing,
        .fallback = "1", .example = "4",
        .description = "steps of the optimizer in an epoch, which share the samples evenly",
        .list = true, .axis = "updates", .asked = true, .variants = reinforcement},
     sets<&ReinforcementJob::updates>},
    {{.path = "workload.placement", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"colocated\"", .example = "[\"colocated\", \"separate\"]",
        .description = "rollouts and training take turns on the same devices, or each has its own",
        .words = words_of(estimator::placement_names),
        .list = true, .axis = "placement", .variants = reinforcement},
     sets<word<estimator::placement_names, &ReinforcementJob::placement>>},
    {{.path = "workload.rollout_share", .kind = KeyKind::number, .need = Need::standing,
        .fallback = "0.5", .example = "[0.5, 0.75]",
        .description = "of devices: those of rollouts, where these are separate",
        .range = config::open_share, .list = true, .axis = "rollout_share",
        .variants = reinforcement, .needs = "placement = \"separate\""}},
    {{.path = "system.accelerators", .kind = KeyKind::integer, .need = Need::required,
        .example = "1024", .units = "devices", .description = "devices of the whole job",
        .list = true, .axis = "accelerators"},
     sets<&DerivedSystem::endpoints, &CataloguedSystem::endpoints,
          into<&PrefillSystem::system, &CataloguedSystem::endpoints>,
          &ReinforcementJob::devices, &RunPlan::devices>},
    {of_kind(prompt, inference, "200"), sets<&InferenceJob::prompt>},
    {or_requests(of_kind(prompt, serving, "500")), sets<&InferenceJob::prompt>},
    {of_kind(output, inference, "200"), sets<&InferenceJob::output>},
    {or_requests(of_kind(output, serving, "200")), sets<&InferenceJob::output>},
    {{.path = "workload.requests", .kind = KeyKind::file_or_tables,
        .fallback = "`prompt`, `output`",
        .example = "[{ prompt = 500, output = 200, share = 0.7 }, { prompt = 4000, output = 500, "
                   "share = 0.3 }]",
        .description = "a mix of requests instead of one length; or a CSV file of real ones, "
                       "`\"trace.csv\"` beside the spec, with the columns arrival (seconds), "
                       "prompt and output (tokens), and what prompts begin with, below. No axis",
        .list = true, .variants = serving, .instead = "write prompt and output"}},
    {{.path = "workload.requests.prompt", .kind = KeyKind::number, .need = Need::required,
        .example = "500", .units = "tokens", .description = "mean prompt of this class",
        .range = config::above_zero, .variants = serving}},
    {{.path = "workload.requests.output", .kind = KeyKind::number, .need = Need::required,
        .example = "200", .units = "tokens", .description = "mean output of this class",
        .range = config::above_zero, .variants = serving}},
    {{.path = "workload.requests.share", .kind = KeyKind::number, .fallback = "1",
        .example = "0.7", .description = "of this class, relative to the others",
        .range = config::above_zero, .variants = serving}},
    {{.path = "workload.precision", .kind = KeyKind::names_or_tables, .need = Need::standing,
        .fallback = "\"bf16\"", .example = "[\"bf16\", { name = \"lean\", linear = \"fp8\" }]",
        .description = "`fp64 fp32 tf32 bf16 fp16 fp8 mxfp8 mxfp6 fp4 mxfp4 int8`: operands of the "
                       "linear layers. From 16 bits on, weights and activations have the same "
                       "format; below, they stay in bf16 (mixed precision). Gradients, master "
                       "weights and Adam's moments are fp32. A table says more. Where a device has "
                       "no matrix unit for the linear layers or the activations, its points have "
                       "the status `unsupported_precision`",
        .list = true, .axis = "precision", .variants = training}},
    {{.path = "workload.precision", .kind = KeyKind::names_or_tables, .need = Need::standing,
        .fallback = "\"bf16\"", .example = "[\"fp16\", { name = \"w4a16\", weights = \"int4\" }]",
        .description = "operands and weights of the linear layers. From 16 bits on the rest has "
                       "the same format; below, it is bf16. A table says more",
        .list = true, .axis = "precision", .variants = requests}},
    {of_kind(precision_name, training, "\"lean\"")},
    {{.path = "workload.precision.linear", .kind = KeyKind::name, .fallback = "\"bf16\"",
        .example = "\"fp8\"", .description = "operands of the linear layers",
        .variants = training}},
    {of_kind(precision_name, requests, "\"w4a16\"")},
    {{.path = "workload.precision.operands", .kind = KeyKind::name, .fallback = "\"bf16\"",
        .example = "\"fp16\"", .description = "operands of the linear layers, as multiplied",
        .variants = requests}},
    {of_kind(recipe, training, "\"block\"")},
    {of_kind(recipe, requests, "\"block\"")},
    {{.path = "workload.precision.activations", .kind = KeyKind::name,
        .fallback = "that of `linear`, below 16 bits bf16", .example = "\"bf16\"",
        .description = "activations, and attention with them", .variants = training}},
    {{.path = "workload.precision.weights", .kind = KeyKind::name,
        .fallback = "that of `linear`, below 16 bits bf16", .example = "\"bf16\"",
        .description = "stored weights", .variants = training}},
    {{.path = "workload.precision.gradients", .kind = KeyKind::name, .fallback = "\"fp32\"",
        .example = "\"bf16\"", .description = "gradients, as accumulated over micro-batches",
        .variants = training}},
    {{.path = "workload.precision.gradient_communication", .kind = KeyKind::name,
        .fallback = "that of `gradients`", .example = "\"bf16\"",
        .description = "gradients, as sent between replicas", .variants = training}},
    {{.path = "workload.precision.master_weights", .kind = KeyKind::name,
        .fallback = "\"fp32\"", .example = "\"fp32\"",
        .description = "the optimizer's copy of the weights", .variants = training}},
    {{.path = "workload.precision.moments", .kind = KeyKind::name, .fallback = "\"fp32\"",
        .example = "\"bf16\"", .description = "both moments of the optimizer",
        .variants = training}},
    {{.path = "workload.precision.gradient_compression", .kind = KeyKind::number,
        .fallback = "1", .example = "0.5",
        .description = "bytes sent over bytes of gradients in their format",
        .range = {0.0, false, 1.0, true}, .variants = training}},
    {{.path = "workload.precision.weights", .kind = KeyKind::name,
        .fallback = "that of `operands`", .example = "\"int4\"",
        .description = "weights of the linear layers, as stored; `\"int4\"` too",
        .variants = requests}},
    {{.path = "workload.precision.activations", .kind = KeyKind::name,
        .fallback = "that of `operands`, below 16 bits bf16", .example = "\"bf16\"",
        .description = "activations, and attention with them", .variants = requests}},
    {{.path = "workload.precision.cache", .kind = KeyKind::name,
        .fallback = "that of `operands`, below 16 bits bf16", .example = "\"fp8\"",
        .description = "KV cache; `\"int4\"` too", .variants = requests}},
    {{.path = "workload.precision.head", .kind = KeyKind::name,
        .fallback = "that of `operands`, below 16 bits bf16", .example = "\"bf16\"",
        .description = "embedding and output projection; `\"int4\"` too", .variants = requests}},
    {{.path = "workload.precision.experts", .kind = KeyKind::name,
        .fallback = "that of `operands`", .example = "\"mxfp8\"",
        .description = "operands of routed experts; their weights too, unless `expert_weights` "
                       "says more",
        .variants = requests}},
    {{.path = "workload.precision.expert_weights", .kind = KeyKind::name,
        .fallback = "that of `experts`, else of `weights`", .example = "\"mxfp4\"",
        .description = "weights of routed experts, as stored; `\"int4\"` too",
        .variants = requests}},
    {{.path = "workload.precision.shared", .kind = KeyKind::name,
        .fallback = "those of `operands` and `weights`", .example = "\"bf16\"",
        .description = "operands and weights of shared experts", .variants = requests}},
    {{.path = "workload.precision.attention", .kind = KeyKind::name,
        .fallback = "those of `operands` and `weights`", .example = "\"bf16\"",
        .description = "operands and weights of the projections of attention, latent ones too, and "
                       "of the mixers of layers with a state",
        .variants = requests}},
    {{.path = "workload.precision.attention_output", .kind = KeyKind::name,
        .fallback = "that of `attention`", .example = "\"nvfp4\"",
        .description = "the last of these projections, where it differs", .variants = requests}},
    {{.path = "workload.precision.checkpoint", .kind = KeyKind::name, .fallback = "none",
        .example = "\"nvfp4\"",
        .description = "the published checkpoint of the model with weights in this format: what "
                       "it keeps wider is as the catalog says (`checkpoint` of a model). "
                       "`operands` is then what the narrowed layers are multiplied in, and other "
                       "keys are said for all of them",
        .words = checkpoint_formats, .variants = requests}},
    {{.path = "workload.attention", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"flash\"", .example = "\"unfused\"",
        .description = "`flash`: one kernel whose score matrix never leaves the chip. `unfused`: "
                       "scores, softmax and the GEMM with V are kernels that read and write the "
                       "score matrix (sequence² per head) in DRAM, and keep it unless recomputed",
        .words = attentions, .list = true, .axis = "attention", .variants = training},
     sets<[](TrainingJob& j, const AxisValue& v) { j.flash_attention = v.label == "flash"; }>},
    {{.path = "workload.attention", .kind = KeyKind::name, .fallback = "of the framework",
        .example = "\"unfused\"", .description = "kernel of prefill attention",
        .words = attentions, .list = true, .axis = "attention", .variants = requests},
     sets<set_attention>, "framework"},
    {{.path = "workload.framework", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"overlapped\"", .example = "\"megatron-lm\"",
        .description = "the software, an entry of `nodes/frameworks.toml`. `overlapped`: "
                       "communication hides behind kernels, launches are captured in graphs. "
                       "`megatron-lm-2022`: nothing overlaps, the host issues every kernel; for "
                       "comparing with measurements of that time. `megatron-lm`, "
                       "`megatron-bridge`, `nanotron`, `fsdp`, `torchtitan`: as calibrated. "
                       "`\"NAME@VERSION\"` is one of its versions, the name alone the newest",
        .list = true, .axis = "framework", .names = frameworks, .variants = training},
     sets<set_training_stack>},
    {{.path = "workload.framework", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"tensorrt-llm\"", .example = "\"vllm\"",
        .description = "the software, an entry of `nodes/frameworks.toml` with a table "
                       "`serving`: `fastertransformer`, `tensorrt-llm`, `vllm`, `eager` and "
                       "others. "
                       "`\"NAME@VERSION\"` is one of its versions, the name alone the newest",
        .list = true, .axis = "framework", .names = frameworks, .variants = requests},
     sets<set_serving_stack>},
    {{.path = "workload.expert_skew", .kind = KeyKind::number, .fallback = "of the model",
        .example = "[0, 0.3]",
        .description = "how uneven tokens go to experts: exponent of a Zipf law of their "
                       "popularity, which sets what the busiest rank of `expert_parallel` gets. "
                       "0: all alike, and the chance of finitely many tokens is left. Models have "
                       "`experts.request_skew` for requests, else a measured `experts.imbalance` "
                       "or none",
        .range = config::from_zero, .list = true, .axis = "expert_skew",
        .variants = training | requests},
     sets<in_experts<TrainingJob, &Experts::skew>, in_experts<InferenceJob, &Experts::skew>>},
    {{.path = "workload.capacity_factor", .kind = KeyKind::number, .fallback = "of the model",
        .example = "[1, 1.25]",
        .description = "most tokens that an expert takes over the mean; the others are dropped, "
                       "and `explain` says how many. 0: none is. As `experts.capacity` of models",
        .range = config::from_zero, .list = true, .axis = "capacity_factor", .variants = training},
     sets<in_experts<TrainingJob, &Experts::capacity>>},
    {{.path = "workload.tokens", .kind = KeyKind::quantity, .fallback = "a step alone",
        .example = "\"15 T\"",
        .description = "trained on in a whole run, of which columns `time_to_train`, `run_cost` "
                       "and others then tell; what fails meanwhile says `[run]`",
        .dimension = Dimension::tokens, .list = true, .axis = "tokens", .asked = true,
        .variants = training}},
    {{.path = "workload.steps", .kind = KeyKind::integer, .fallback = "by `tokens`",
        .example = "500_000",
        .description = "the same in steps, whatever tokens they have",
        .list = true, .axis = "steps", .asked = true, .variants = training, .unless = "tokens",
        .excludes = "tokens or phases", .because = "their shares are of tokens"}},
    {{.path = "workload.document", .kind = KeyKind::integer, .fallback = "the sequence",
        .example = "[512, 4096]", .units = "tokens",
        .description = "of the document that a token stands in, in the mean, where sequences are "
                       "packed of several and tokens attend to their own alone",
        .list = true, .axis = "document", .asked = true, .variants = training},
     sets<into<&TrainingJob::model, &workload::TransformerModel::document>>},
    {{.path = "workload.optimizer", .kind = KeyKind::name, .fallback = "\"adam\"",
        .example = "[\"adam\", \"muon\"]",
        .description = "how weights follow from gradients, an entry of `nodes/optimizers.toml`: "
                       "its states, and what it computes once a step",
        .list = true, .axis = "optimizer", .names = optimizers,
        .variants = training | reinforcement | diffusion, .needs = "work = \"training\""}},
    {{.path = "workload.adapter_rank", .kind = KeyKind::integer, .fallback = "0",
        .example = "[0, 16]",
        .description = "of adapters that are trained beside weights that stay as they are (LoRA), "
                       "without dropout before them. 0: all weights are trained",
        .zero = true, .list = true, .axis = "adapter_rank", .asked = true, .variants = training},
     sets<into<&TrainingJob::tuning, &Tuning::rank>>},
    {of_kind(adapted_layers, training, "\"attention\"", "adapter_rank"),
     sets<word<workload::adapter_layers_names, &TrainingJob::tuning, &Tuning::layers>>},
    {{.path = "workload.frozen_weights", .kind = KeyKind::name, .fallback = "\"as_trained\"",
        .example = "[\"as_trained\", \"nf4\"]",
        .description = "how weights beside adapters lie in memory: as those that are trained, or "
                       "those of the layers in 8 or 4 bits, which are made operands of before each "
                       "product (QLoRA)",
        .words = words_of(workload::frozen_weights_names),
        .list = true, .axis = "frozen_weights", .variants = training,
        .needs = "adapter_rank"},
     sets<word<workload::frozen_weights_names, &TrainingJob::tuning, &Tuning::frozen>>},
});

// Of images and audio among the tokens of language models.
constexpr auto image_table = std::to_array<Row>({
    {{.path = "workload.images", .kind = KeyKind::number, .fallback = "0",
        .example = "[0, 1, 4]",
        .description = "of a sequence, or of the prompt of a request, in the mean; for a model "
                       "with an `encoder`, which runs beside the embedding. A training `sequence` "
                       "has their tokens among its own, to a `prompt` they are added",
        .range = config::from_zero, .list = true, .axis = "images", .asked = true,
        .variants = training | requests}, sets_each<set_inputs<false>, TrainingJob, InferenceJob>},
    {{.path = "workload.image_width", .kind = KeyKind::integer, .fallback = "448",
        .example = "[448, 1344]", .units = "pixels",
        .description = "of an image, from which the model's tiles or its own scaling follow",
        .list = true, .axis = "image_width", .asked = true, .variants = training | requests,
        .needs = "images"}, in_encoder<&Encoder::width>},
    {{.path = "workload.image_height", .kind = KeyKind::integer, .fallback = "448",
        .example = "[448, 1008]", .units = "pixels", .description = "the other side",
        .list = true, .axis = "image_height", .asked = true, .variants = training | requests,
        .needs = "images"}, in_encoder<&Encoder::height>},
    {{.path = "workload.recordings", .kind = KeyKind::number, .fallback = "0",
        .example = "[0, 1, 4]",
        .description = "of audio, as `images` are; for a model with an `encoder` of `audio`",
        .range = config::from_zero, .list = true, .axis = "recordings", .asked = true,
        .variants = training | requests}, sets_each<set_inputs<true>, TrainingJob, InferenceJob>},
    {{.path = "workload.recording_length", .kind = KeyKind::quantity, .fallback = "\"30 s\"",
        .example = "[\"10 s\", \"5 min\"]",
        .description = "of a recording, from which the model's clips follow",
        .dimension = Dimension::seconds, .list = true, .axis = "recording_length", .asked = true,
        .variants = training | requests, .needs = "recordings"}, in_encoder<&Encoder::length_s>},
    {{.path = "workload.input_spread", .kind = KeyKind::number, .fallback = "0",
        .example = "[0, 0.5, 1]",
        .description = "standard deviation of what a sequence has of `images` or `recordings` over "
                       "its mean: 0: all sequences alike; 1: some have none and a few many; "
                       "never more than a `sequence` holds. Replicas and stages then wait for "
                       "those that encode more",
        .range = config::from_zero, .list = true, .axis = "input_spread", .asked = true,
        .variants = training, .needs = "images or recordings"}, in_encoder<&Encoder::spread>},
    {{.path = "workload.trained", .kind = KeyKind::name, .fallback = "\"all\"",
        .example = "[\"language_model\", \"projector\"]",
        .description = "parts of a model with an `encoder` that are trained: all, or one of them "
                       "with the projector between encoder and language model, or that alone. "
                       "With `adapter_rank` the language model is trained by adapters",
        .words = words_of(workload::trained_parts_names),
        .list = true, .axis = "trained", .asked = true,
        .variants = training},
     sets<word<workload::trained_parts_names, &TrainingJob::tuning, &Tuning::parts>>},
});
// clang-format on

}  // namespace

void set_training_stack(TrainingJob& job, const AxisValue& value) {
  job.stack = value.catalog.framework(value.label).training;
}
void set_serving_stack(InferenceJob& job, const AxisValue& value) {
  job.stack = value.catalog.framework(value.label).serving;
}
void set_diffusion_stack(DiffusionJob& job, const AxisValue& value) {
  job.stack = value.catalog.framework(value.label).diffusion;
}
void set_recommendation_stack(RecommendationJob& job, const AxisValue& value) {
  job.stack = value.catalog.framework(value.label).recommendation;
}
void set_rollout_stack(ReinforcementJob& job, const AxisValue& value) {
  set_serving_stack(job.rollouts, value);
}
void set_policy_stack(ReinforcementJob& job, const AxisValue& value) {
  set_training_stack(job.training, value);
  job.stack = value.catalog.framework(value.label).reinforcement;
}

std::span<const Row> image_rows() {
  return image_table;
}

std::span<const Row> workload_rows() {
  return workload_table;
}

}  // namespace scalesweep::keys

#include "parallel/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "core/names.hpp"

namespace scalesweep::parallel {
namespace {

template <auto member>
std::int32_t value_of(const Strategy& strategy) {
  return static_cast<std::int32_t>(strategy.*member);
}

template <auto member>
void set_value(Strategy& strategy, std::int32_t value) {
  using Value = std::remove_reference_t<decltype(strategy.*member)>;
  strategy.*member = static_cast<Value>(value);
}

template <auto rule>
Choices choices_of(const StrategyRules& rules) {
  using Rule = std::remove_cvref_t<decltype(rules.*rule)>;
  if constexpr (std::is_same_v<Rule, Choices>) {
    return rules.*rule;
  } else if constexpr (std::is_same_v<Rule, bool>) {
    return only(static_cast<std::int64_t>(rules.*rule));
  } else {
    Choices choices = {.divisors = false};
    for (const auto value : rules.*rule) {
      choices.values.push_back(static_cast<std::int64_t>(value));
    }
    return choices;
  }
}

template <auto rule>
void choose(StrategyRules& rules, const Choices& choices) {
  using Rule = std::remove_cvref_t<decltype(rules.*rule)>;
  if constexpr (std::is_same_v<Rule, Choices>) {
    rules.*rule = choices;
  } else if constexpr (std::is_same_v<Rule, bool>) {
    rules.*rule = choices.values.front() != 0;
  } else {
    (rules.*rule).clear();
    for (const std::int64_t value : choices.values) {
      (rules.*rule).push_back(static_cast<typename Rule::value_type>(value));
    }
  }
}

// A field that is not chosen: it follows from others.
template <auto member>
constexpr Field following(Field field) {
  field.value = value_of<member>;
  field.is_member = true;
  field.set = set_value<member>;
  return field;
}

// What is tried, and is no field.
template <auto rule>
constexpr Field rule_alone(Field field) {
  field.choices = choices_of<rule>;
  field.is_tried = true;
  field.choose = choose<rule>;
  return field;
}

template <auto member, auto rule>
constexpr Field chosen(Field field) {
  return rule_alone<rule>(following<member>(field));
}

constexpr auto policy = WorkloadKind::reinforcement_learning;
constexpr std::array training = {WorkloadKind::training, policy};
constexpr std::array training_alone = {WorkloadKind::training};
constexpr std::array of_requests = {WorkloadKind::inference, WorkloadKind::serving};
constexpr std::array of_transformers = {WorkloadKind::training, WorkloadKind::inference,
                                        WorkloadKind::serving, policy};
constexpr std::array of_layers = {WorkloadKind::training, WorkloadKind::inference,
                                  WorkloadKind::serving, WorkloadKind::diffusion, policy};
constexpr std::array of_tables = {WorkloadKind::recommendation};
constexpr std::array training_or_diffusion = {WorkloadKind::training, WorkloadKind::diffusion,
                                              policy};
constexpr std::string_view no_layers = "its devices share tables, and nothing of its small layers";
constexpr std::string_view no_stages =
    "devices share tables, or the tokens and matrices of an image, and nothing else";
constexpr std::array of_batches = {WorkloadKind::training, WorkloadKind::inference,
                                   WorkloadKind::diffusion, policy};

constexpr std::array<std::string_view, 2> off_on = {"off", "on"};
constexpr std::array<std::string_view, 4> zero_stages = {"0", "1", "2", "3"};
constexpr std::array<std::string_view, 3> short_recompute = {"no-rc", "sel-rc", "full-rc"};

using S = Strategy;
using R = StrategyRules;

// clang-format off
constexpr std::array rows = {
    chosen<&S::tensor_parallel, &R::tensor_parallel>({
        .name = "tensor_parallel", .kinds = of_layers, .not_of = no_layers,
        .burden = Burden::kind, .plain = true, .short_name = "TP",
        .always_named = true,
        .long_name = "tensor-parallel size",
        .description = "Devices that share each layer's matrices.",
        .meaning = "devices that share the matrices of a layer",
        .absent = "\"divisors\" of accelerators", .example = "[1, 2, 4, 8]"}),
    chosen<&S::pipeline_parallel, &R::pipeline_parallel>({
        .name = "pipeline_parallel", .kinds = of_transformers, .not_of = no_stages,
        .burden = Burden::kind, .plain = true, .short_name = "PP",
        .always_named = true,
        .long_name = "pipeline-parallel size",
        .description = "Pipeline stages.",
        .meaning = "pipeline stages", .absent = "\"divisors\" of what is left",
        .example = "{ powers_of_two_to = 32 }"}),
    rule_alone<&R::uneven_stages>({
        .name = "uneven_stages", .kind = FieldKind::truth, .words = off_on,
        .kinds = of_transformers, .not_of = no_stages,
        .meaning = "pipelines that do not divide the layers are valid too, and chunks that do "
                   "not; some have a layer more. No column",
        .absent = "false", .example = "true"}),
    chosen<&S::encoder_stages, &R::encoder_stages>({
        .name = "encoder_stages", .zero_word = "none", .kinds = training_alone,
        .burden = Burden::option, .short_name = "enc-",
        .long_name = "stages of the encoder",
        .description = "Pipeline stages, the first ones, that hold the encoder of images or audio "
                       "and nothing else; 0: it is on the first stage beside its layers.",
        .meaning = "stages, the first of `pipeline_parallel`, that have the encoder of images or "
                   "audio alone, in equal parts, or `\"none\"`: it is on the first stage beside "
                   "its layers",
        .absent = "\"none\"", .example = "[\"none\", 1]"}),
    chosen<&S::first_stage_layers, &R::first_stage_layers>({
        .name = "first_stage_layers", .zero_word = "even", .kinds = training,
        .burden = Burden::option, .short_name = "first-",
        .long_name = "layers of the first stage",
        .description = "Layers of the first pipeline stage, where it has a number of its own; 0: "
                       "as the others.",
        .meaning = "layers of the first stage, or `\"even\"`: the stages without a number of "
                   "their own share the rest (decoder_first_pipeline_num_layers of Megatron-LM)",
        .absent = "\"even\"", .example = "[\"even\", 13]"}),
    chosen<&S::last_stage_layers, &R::last_stage_layers>({
        .name = "last_stage_layers", .zero_word = "even", .kinds = training,
        .burden = Burden::option, .short_name = "last-",
        .long_name = "layers of the last stage",
        .description = "Layers of the last pipeline stage, where it has a number of its own; 0: "
                       "as the others.",
        .meaning = "the same of the last stage (decoder_last_pipeline_num_layers)",
        .absent = "\"even\"", .example = "[\"even\", 12]"}),
    following<&S::data_parallel>({
        .name = "data_parallel", .plain = true, .short_name = "DP", .always_named = true,
        .follows = "accelerators",
        .long_name = "data-parallel size",
        .description = "Replicas of the model."}),
    chosen<&S::chunks, &R::chunks>({
        .name = "chunks", .kinds = training, .burden = Burden::option, .plain = true,
        .short_name = "v",
        .long_name = "model chunks per stage",
        .description = "Chunks of layers a pipeline stage holds: 1 is the 1F1B schedule, more "
                       "the interleaved one.",
        .meaning = "chunks of layers in a stage: 1 is the 1F1B schedule, more the interleaved "
                   "one", .absent = "\"divisors\" of the layers of a stage", .example = "[1, 2]"}),
    chosen<&S::micro_batch, &R::micro_batch>({
        .name = "micro_batch", .kinds = of_batches,
        .not_of = "the batch is found, the largest within the limits",
        .of_trained_images = true, .plain = true,
        .short_name = "b", .always_named = true, .follows = "accelerators, batch",
        .long_name = "micro-batch size",
        .description = "Sequences that go through the pipeline together, or images that are "
                       "trained on together.",
        .meaning = "sequences that go through the pipeline together, or images that are trained "
                   "on together",
        .absent = "\"divisors\" of a replica's sequences or images",
        .example = "[1, 2, 4]"}),
    following<&S::micro_batches>({
        .name = "micro_batches", .kinds = of_batches, .of_trained_images = true, .plain = true,
        .follows = "accelerators, global_batch, batch",
        .long_name = "micro-batches of a replica",
        .description = "Micro-batches of one data-parallel replica in one step, or of one batch "
                       "of requests."}),
    chosen<&S::recompute, &R::recompute>({
        .name = "recompute", .kind = FieldKind::word, .words = recompute_names,
        .kinds = training_or_diffusion, .of_trained_images = true, .burden = Burden::option,
        .plain = true, .short_words = short_recompute, .always_named = true,
        .long_name = "activation recomputation",
        .description = "What the backward pass computes again instead of keeping it.",
        .meaning = "activations computed again instead of kept",
        .absent = "all three; of diffusion \"none\" and \"full\"",
        .example = "[\"none\", \"selective\"]"}),
    chosen<&S::zero, &R::zero>({
        .name = "zero", .kind = FieldKind::stage, .words = zero_stages,
        .kinds = training_or_diffusion, .of_trained_images = true, .burden = Burden::option,
        .plain = true, .short_name = "Z",
        .long_name = "ZeRO stage",
        .description = "1: optimizer states are sharded over the data-parallel replicas; 2: "
                       "gradients as well; 3: weights as well.",
        .meaning = "1: optimizer states sharded over the replicas; 2: gradients as well; 3: "
                   "weights as well (fully sharded data parallel)", .absent = "0 and 1",
        .example = "[1, 3]"}),
    chosen<&S::sequence_parallel, &R::sequence_parallel>({
        .name = "sequence_parallel", .kind = FieldKind::truth, .words = off_on,
        .kinds = of_transformers, .not_of = no_stages,
        .burden = Burden::option, .plain = true,
        .short_name = "SP",
        .long_name = "sequence parallelism",
        .description = "Norms and dropout are split along the sequence over the tensor-parallel "
                       "group.",
        .meaning = "norms and dropout split along the sequence",
        .absent = "both; of requests false", .example = "true"}),
    chosen<&S::context_parallel, &R::context_parallel>({
        .name = "context_parallel", .kinds = of_layers, .not_of = no_layers,
        .burden = Burden::kind, .short_name = "CP",
        .long_name = "context-parallel size",
        .description = "Devices that share each sequence.",
        .meaning = "devices that share each sequence, or the tokens of each image",
        .absent = "1; of diffusion \"divisors\" of what is left", .example = "[1, 2]"}),
    chosen<&S::decode_context_parallel, &R::decode_context_parallel>({
        .name = "decode_context_parallel", .kinds = of_requests,
        .not_of = "ranks share the cache of requests, and training has none",
        .burden = Burden::option, .short_name = "DCP",
        .long_name = "decode-context-parallel size",
        .description = "Tensor-parallel ranks that share the cache of a sequence along its "
                       "tokens.",
        .meaning = "tensor-parallel ranks that would hold copies of the same keys and values, and "
                   "have a part of each sequence's tokens instead; divides `tensor_parallel`, or "
                   "with grouped queries `tensor_parallel` over the model's kv_heads",
        .absent = "1", .example = "[1, 2, 8]"}),
    chosen<&S::expert_parallel, &R::expert_parallel>({
        .name = "expert_parallel", .kinds = of_transformers, .not_of = no_stages,
        .burden = Burden::kind, .short_name = "EP",
        .long_name = "expert-parallel size",
        .description = "Devices that the experts of a layer are spread over.",
        .meaning = "devices that the experts of a layer are spread over, among those of a stage "
                   "with the same tensor-parallel rank; of any with `experts_over_tensor`",
        .absent = "1", .example = "[1, 8]"}),
    chosen<&S::experts_over_tensor, &R::experts_over_tensor>({
        .name = "experts_over_tensor", .kind = FieldKind::truth, .words = off_on,
        .kinds = of_transformers, .not_of = no_stages,
        .burden = Burden::option, .short_name = "EP over TP",
        .long_name = "experts over tensor-parallel ranks",
        .description = "Experts are spread over the tensor-parallel ranks as well.",
        .meaning = "experts are spread over all tensor-parallel ranks of as many replicas as "
                   "`expert_parallel` takes, a multiple of `tensor_parallel`: attention cut, "
                   "experts whole", .absent = "false", .example = "true"}),
    chosen<&S::expert_devices, &R::expert_devices>({
        .name = "expert_devices", .zero_word = "none", .kinds = of_requests,
        .not_of = "experts stand among the layers, which their gradients go back through",
        .not_of_prompts = "devices of prompts have experts beside attention",
        .burden = Burden::kind, .short_name = "AFD",
        .long_name = "devices of experts alone",
        .description = "Devices that hold the experts of all replicas and nothing else; 0: none.",
        .meaning = "devices, among `accelerators`, that hold the experts of all replicas and "
                   "nothing else, or `\"none\"`: the others have attention and what else a layer "
                   "has, and micro-batches go to and fro (attention-FFN disaggregation)",
        .absent = "\"none\"", .example = "[\"none\", 8]"}),
    chosen<&S::redundant_experts, &R::redundant_experts>({
        .name = "redundant_experts", .zero_word = "none", .kinds = of_requests,
        .not_of = "experts are kept even by their router, and copies would have gradients to add",
        .burden = Burden::option, .short_name = "copies",
        .long_name = "redundant experts",
        .description = "Copies of the most popular experts of a layer, in all; 0: none.",
        .meaning = "copies of the most popular experts of a layer, in all, which the ranks of "
                   "`expert_parallel` hold beside the experts of the model, or `\"none\"`: less "
                   "for the busiest rank (`expert_skew`), more memory",
        .absent = "\"none\"", .example = "[\"none\", 32]"}),
    rule_alone<&R::uneven_experts>({
        .name = "uneven_experts", .kind = FieldKind::truth, .words = off_on,
        .kinds = of_transformers, .not_of = no_stages,
        .meaning = "an `expert_parallel` that does not divide the experts of a layer and their "
                   "copies is valid too; some ranks hold one more. No column",
        .absent = "false", .example = "true"}),
    chosen<&S::recompute_every, &R::recompute_every>({
        .name = "recompute_every", .kinds = training_or_diffusion, .of_trained_images = true,
        .burden = Burden::option,
        .short_name = "every-",
        .long_name = "layers per recomputed one",
        .description = "With full recomputation: one of so many layers is computed again.",
        .meaning = "with full recomputation: one of so many layers is computed again, the "
                   "others keep their activations", .absent = "1", .example = "[1, 2]"}),
    chosen<&S::shard_group, &R::shard_group>({
        .name = "shard_group", .zero_word = "all", .kinds = training_or_diffusion,
        .of_trained_images = true, .burden = Burden::option, .short_name = "shard",
        .long_name = "ranks of a shard group",
        .description = "Ranks that ZeRO stage 3 shards weights over; 0: all replicas.",
        .meaning = "ranks that `zero = 3` shards over, or `\"all\"`; fewer than all is hybrid "
                   "sharding, replicated beyond", .absent = "\"all\"", .example = "[8, \"all\"]"}),
    chosen<&S::schedule, &R::schedule>({
        .name = "schedule", .kind = FieldKind::word, .words = schedule_names, .kinds = training,
        .burden = Burden::option, .long_name = "pipeline schedule",
        .description = "How the stages of a pipeline take turns.",
        .meaning = "how the stages of a pipeline take turns; `1f1b` is interleaved where a "
                   "stage has several chunks", .absent = "\"1f1b\"", .example = "\"zero_bubble\""}),
    chosen<&S::context_exchange, &R::context_exchange>({
        .name = "context_exchange", .kind = FieldKind::word, .words = context_exchange_names,
        .kinds = training_or_diffusion, .not_of = "the parts of a prompt go around a ring",
        .burden = Burden::option, .long_name = "exchange between parts of a sequence",
        .description = "ring: keys and values go around; all_to_all: heads are exchanged for "
                       "tokens.",
        .meaning = "how the parts of a sequence meet: keys and values go around a ring, or "
                   "heads are exchanged for tokens", .absent = "\"ring\"; of diffusion both",
        .example = "\"all_to_all\""}),
    chosen<&S::rank_order, &R::rank_order>({
        .name = "rank_order", .kind = FieldKind::word, .words = rank_order_names,
        .kinds = training,
        .burden = Burden::option, .long_name = "order of ranks",
        .description = "Dimensions by which ranks are numbered, the innermost first; "
                       "consecutive ranks share a scale-up domain.",
        .meaning = "how ranks are numbered, innermost first; consecutive ranks share a scale-up "
                   "domain", .absent = "the first", .example = "\"tp-pp-cp-ep-dp\""}),
    chosen<&S::offload_activations, &R::offload_activations>({
        .name = "offload_activations", .kind = FieldKind::truth, .words = off_on,
        .kinds = training, .burden = Burden::option, .short_name = "offload-act",
        .long_name = "activation offload",
        .description = "Saved activations wait in host memory.",
        .meaning = "saved activations wait in host memory", .absent = "false", .example = "true"}),
    chosen<&S::offload_optimizer, &R::offload_optimizer>({
        .name = "offload_optimizer", .kind = FieldKind::truth, .words = off_on, .kinds = training,
        .burden = Burden::option, .short_name = "offload-opt",
        .long_name = "optimizer offload",
        .description = "Optimizer states live, and are updated, in host memory.",
        .meaning = "optimizer states live, and are updated, in host memory", .absent = "false",
        .example = "true"}),
    chosen<&S::table_sharding, &R::table_sharding>({
        .name = "table_sharding", .kind = FieldKind::word, .words = table_sharding_names,
        .kinds = of_tables, .not_of = "its models have no tables of rows that are looked up",
        .plain = true, .always_named = true,
        .long_name = "sharding of embedding tables",
        .description = "Where embedding tables are: whole ones dealt out; their columns in parts; "
                       "the rows of each over all devices; a copy on every device; or each as its "
                       "size asks for.",
        .meaning = "`table`: whole ones are dealt out; `column`: parts of at least 32 columns are; "
                   "`row`: the rows of each are spread over all devices; `data`: every device has "
                   "all; `mixed`: `data` of tables with no more rows than a device has samples, "
                   "of the others parts of columns, then of rows, none of which is more than an "
                   "even share of what is stored, looked up or sent",
        .absent = "all but `\"data\"`", .example = "[\"table\", \"row\"]"}),
};
// clang-format on

constexpr auto is_field = [](const Field& row) { return row.is_member; };

constexpr auto fields = [] {
  std::array<Field, std::count_if(rows.begin(), rows.end(), is_field)> found;
  std::copy_if(rows.begin(), rows.end(), found.begin(), is_field);
  return found;
}();

// How many members a struct has: as many as it can be made from.
struct Anything {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};
template <typename T, typename... Members>
constexpr std::ptrdiff_t member_count() {
  if constexpr (requires { T{Members{}..., Anything{}}; }) {
    return member_count<T, Members..., Anything>();
  } else {
    return sizeof...(Members);
  }
}
static_assert(std::ssize(fields) == member_count<Strategy>(), "each field of a strategy has a row");
constexpr auto is_tried = [](const Field& row) { return row.is_tried; };
static_assert(std::count_if(rows.begin(), rows.end(), is_tried) + 3 ==
                  member_count<StrategyRules>(),
              "all that is tried has a row; the kind of workload, its batch and whether it trains "
              "images need none");

// Words of an enum in labels: "no-rc, sel-rc, full-rc", "Z0, Z1", "no-SP, SP".
std::string short_words_of(const Field& field) {
  if (!field.short_words.empty()) {
    return fmt::format("{}", fmt::join(field.short_words, ", "));
  }
  if (field.kind == FieldKind::truth) {
    return fmt::format("no-{0}, {0}", field.short_name);
  }
  return fmt::format("{0}{1}", field.short_name,
                     fmt::join(field.words, fmt::format(", {}", field.short_name)));
}

}  // namespace

bool Field::is_of(WorkloadKind workload) const {
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), workload) != kinds.end();
}

bool Field::is_of(const StrategyRules& rules) const {
  const bool makes_images = rules.kind == WorkloadKind::diffusion && !rules.trains_images;
  return is_of(rules.kind) && !(makes_images && of_trained_images);
}

std::span<const Field> strategy_rows() {
  return rows;
}

std::span<const Field> strategy_fields() {
  return fields;
}

const Field* find_field(std::string_view name) {
  // Only short names in capitals: the others are hardly names ("v", "every-").
  const auto is_name = [](std::string_view short_name) {
    return !short_name.empty() &&
           std::all_of(short_name.begin(), short_name.end(),
                       [](char letter) { return letter >= 'A' && letter <= 'Z'; });
  };
  const auto* found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) {
    return field.name == name ||
           (is_name(field.short_name) && same_but_for_case(field.short_name, name));
  });
  return found == fields.end() ? nullptr : found;
}

std::vector<const Field*> fields_of(const StrategyRules& rules) {
  const StrategyRules plain;
  std::vector<const Field*> found;
  for (const Field& field : fields) {
    const bool is_asked_for = field.plain || field.choices(rules) != field.choices(plain);
    if (is_asked_for && field.is_of(rules)) {
      found.push_back(&field);
    }
  }
  return found;
}

std::string text_of(const Field& field, std::int32_t value) {
  return field.words.empty() ? std::to_string(value)
                             : std::string(field.words[static_cast<std::size_t>(value)]);
}

std::string text_of(const Field& field, const Strategy& strategy) {
  return text_of(field, field.value(strategy));
}

std::string text_of(const Field& field, const StrategyRules& rules) {
  const Choices choices = field.choices(rules);
  if (choices.by_stages) {
    return "one a stage";
  }
  if (choices.divisors) {
    const std::string text = choices.powers_of_two ? "divisors that are powers of two" : "divisors";
    return choices.at_most > 0 ? fmt::format("{} up to {}", text, choices.at_most) : text;
  }
  std::vector<std::string> texts;
  for (const std::int64_t value : choices.values) {
    texts.push_back(text_of(field, static_cast<std::int32_t>(value)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::map<std::string, std::string> column_attributes(const Field& field,
                                                     const StrategyRules& rules) {
  std::map<std::string, std::string> attributes;
  const auto add = [&](const char* name, std::string text) {
    if (!text.empty()) {
      attributes.emplace(name, std::move(text));
    }
  };
  add("short_name", field.words.empty() ? std::string(field.short_name) : short_words_of(field));
  if (!field.always_named && field.choices != nullptr) {
    add("default", text_of(field, Strategy{}));
  }
  if (field.choices == nullptr || field.choices(rules).by_stages) {
    add("follows", std::string(field.follows));
  }
  return attributes;
}

}  // namespace scalesweep::parallel

// torchtitan: a job's TOML file to 0.2, and since 2026 a function in Python that returns its
// configuration, of which keys of the same names are set.
#include <algorithm>

#include "core/text.hpp"
#include "deploy/rules/program_rules.hpp"
#include "deploy/target.hpp"
#include "deploy/targets/torchtitan_models.hpp"
#include "deploy/targets/training_values.hpp"
#include "estimator/parts/stages.hpp"

namespace scalesweep::deploy {
namespace {

using parallel::Recompute;
using technology::Precision;
using R = TrainingRun;
constexpr Place in_file = Place::file;
constexpr Versions to_0_2 = before("main");
constexpr Versions now = since("main");

bool narrow(const R& r) {
  return multiplies(r, Precision::fp8) || multiplies(r, Precision::mxfp8);
}
bool has_stages(const R& r) {
  return r.strategy.pipeline_parallel > 1;
}
bool waits_for_weights(const R& r) {
  return r.strategy.schedule == parallel::Schedule::zero_bubble;
}
// PyTorch splits no backward pass of compiled modules.
bool compiles(const R& r) {
  return r.job.stack.fused_pointwise && !waits_for_weights(r);
}

const Flavor& flavor_of(const R& r) {
  return *torchtitan_flavor(r.model(), r.version);
}

// All parts of a pipeline hold as many layers, with embedding and head beside them.
bool is_even(const R& r) {
  const parallel::Strategy& s = r.strategy;
  return s.first_stage_layers == 0 && s.last_stage_layers == 0 &&
         r.model().layers % (std::int64_t{s.pipeline_parallel} * s.chunks) == 0;
}

// ["layers.4","layers.5"], with what stands before the first and behind the last one.
std::string modules_of_part(const R& r, std::int64_t part, std::int64_t begin) {
  const std::int64_t parts = std::int64_t{r.strategy.pipeline_parallel} * r.strategy.chunks;
  const std::int64_t layers = estimator::layers_of_part(r.model(), r.strategy, part);
  std::vector<std::string> names;
  if (part == 0) {
    names.emplace_back("\"tok_embeddings\"");
  }
  for (std::int64_t layer = begin; layer < begin + layers; ++layer) {
    names.push_back(fmt::format("\"layers.{}\"", layer));
  }
  if (part + 1 == parts) {
    names.emplace_back("\"norm\"");
    names.emplace_back(r.since("main") ? "\"lm_head\"" : "\"output\"");
  }
  return "[" + join(names, ",") + "]";
}

Value parts_of_model(const R& r) {
  if (!has_stages(r) || is_even(r)) {
    return std::nullopt;
  }
  std::vector<std::string> parts;
  std::int64_t begin = 0;
  for (std::int64_t part = 0; part < std::int64_t{r.strategy.pipeline_parallel} * r.strategy.chunks;
       ++part) {
    parts.push_back(modules_of_part(r, part, begin));
    begin += estimator::layers_of_part(r.model(), r.strategy, part);
  }
  return "[" + join(parts, ",") + "]";
}

Value converters(const R& r) {
  if (!narrow(r)) {
    return std::nullopt;
  }
  const std::string_view format = multiplies(r, Precision::fp8) ? "float8" : "mx";
  const std::string linear = fmt::format("\"quantize.linear.{}\"", format);
  return has_experts(r) ? fmt::format("[{}, \"quantize.grouped_mm.{}\"]", linear, format)
                        : "[" + linear + "]";
}

constexpr auto options = std::to_array<TrainingOption>({
    {"--model.name", "model", [](const R& r) { return text(flavor_of(r).family); }, Place::command,
     to_0_2},
    {"--model.flavor", "model", [](const R& r) { return text(flavor_of(r).name); }, Place::command,
     to_0_2},
    {"training.seq_len", "sequence", [](const R& r) { return text(r.job.sequence); }, in_file,
     to_0_2},
    {"training.max_context_length", "sequence", [](const R& r) { return text(r.job.sequence); },
     in_file, now},
    {"training.local_batch_size", "micro_batch; with pipelines times micro_batches",
     [](const R& r) {
       return text(std::int64_t{r.strategy.micro_batch} *
                   (has_stages(r) ? r.strategy.micro_batches : 1));
     },
     in_file, to_0_2},
    {"training.num_tokens_per_microbatch_per_dp_rank", "micro_batch x sequence",
     [](const R& r) { return text(r.strategy.micro_batch * r.job.sequence); }, in_file, now},
    {"training.global_batch_size", "global_batch",
     [](const R& r) { return text(r.job.global_batch); }, in_file, to_0_2},
    {"training.num_tokens_per_train_step", "global_batch x sequence",
     [](const R& r) { return text(r.job.global_batch * r.job.sequence); }, in_file, now},
    // Graphs of CUDA wait for no pipeline and for no tokens whose number the host must know.
    {"training.disable_cuda_graphs", "pipeline_parallel, expert_parallel",
     [](const R& r) { return text_if(has_stages(r) || r.strategy.expert_parallel > 1, "true"); },
     in_file, now},
    {"training.mixed_precision_param", "precision: activations",
     [](const R& r) {
       return text(r.job.precision.activations == Precision::fp32 ? "float32" : "bfloat16");
     },
     in_file},
    {"training.mixed_precision_reduce", "precision: gradients",
     [](const R&) { return text("float32"); }, in_file},
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
    {"parallelism.enable_sequence_parallel", "sequence_parallel",
     [](const R& r) -> Value {
       return r.strategy.tensor_parallel > 1 ? truth(r.strategy.sequence_parallel) : std::nullopt;
     },
     in_file, now},
    {"parallelism.enable_async_tensor_parallel", "framework: hides_forward_tensor_communication",
     [](const R& r) {
       return text_if(r.job.stack.hides_forward_tensor_communication &&
                          r.strategy.tensor_parallel > 1 && compiles(r),
                      "true");
     },
     in_file, to_0_2},
    {"compile.enable_async_tensor_parallel", "framework: hides_forward_tensor_communication",
     [](const R& r) {
       return text_if(r.job.stack.hides_forward_tensor_communication &&
                          r.strategy.tensor_parallel > 1 && compiles(r),
                      "true");
     },
     in_file, now},
    {"parallelism.pipeline_parallel_degree", "pipeline_parallel",
     [](const R& r) { return text(r.strategy.pipeline_parallel); }, in_file},
    {"parallelism.pipeline_parallel_schedule", "chunks, schedule",
     [](const R& r) {
       return text_if(has_stages(r), waits_for_weights(r)     ? "InterleavedZeroBubble"
                                     : r.strategy.chunks > 1 ? "Interleaved1F1B"
                                                              : "1F1B");
     },
     in_file},
    // Embedding and head count as a layer each unless these say 0.
    {"parallelism.pipeline_parallel_first_stage_less_layers", "pipeline_parallel",
     [](const R& r) { return text_if(has_stages(r) && is_even(r), 0); }, in_file},
    {"parallelism.pipeline_parallel_last_stage_less_layers", "pipeline_parallel",
     [](const R& r) { return text_if(has_stages(r) && is_even(r), 0); }, in_file},
    {"parallelism.pipeline_parallel_layers_per_stage", "chunks",
     [](const R& r) {
       const std::int64_t parts = std::int64_t{r.strategy.pipeline_parallel} * r.strategy.chunks;
       return text_if(r.strategy.chunks > 1 && is_even(r), r.model().layers / parts);
     },
     in_file},
    {"parallelism.module_fqns_per_model_part",
     "pipeline_parallel, first_stage_layers, last_stage_layers", parts_of_model, in_file},
    {"parallelism.pipeline_parallel_microbatch_size", "micro_batch",
     [](const R& r) { return text_if(has_stages(r), r.strategy.micro_batch); }, in_file, to_0_2},
    {"parallelism.num_pp_microbatches", "micro_batches",
     [](const R& r) { return text_if(has_stages(r), r.strategy.micro_batches); }, in_file, now},
    {"parallelism.context_parallel_degree", "context_parallel",
     [](const R& r) { return text(r.strategy.context_parallel); }, in_file},
    {"parallelism.expert_parallel_degree", "expert_parallel",
     [](const R& r) { return text_if(has_experts(r), r.strategy.expert_parallel); }, in_file},
    {"parallelism.expert_tensor_parallel_degree", "experts_over_tensor",
     [](const R& r) { return text_if(has_experts(r), expert_tensor_ranks(r.strategy)); }, in_file,
     to_0_2},
    {"activation_checkpoint.mode", "recompute",
     [](const R& r) {
       const bool some = r.strategy.recompute_every > 1;
       return text(some ? "selective" : parallel::name_of(r.strategy.recompute));
     },
     in_file, to_0_2},
    {"activation_checkpoint.selective_ac_option", "recompute, recompute_every",
     [](const R& r) -> Value {
       if (r.strategy.recompute_every > 1) {
         return fmt::format("\"{}\"", r.strategy.recompute_every);
       }
       return text_if(r.strategy.recompute == Recompute::selective, "op");
     },
     in_file, to_0_2},
    {"model.converters", "precision: linear", converters, in_file, to_0_2},
    // The head and the router stay in 16 bits, as estimated: by default none but the head of
    // mx does (config/job_config.py:659 and 702 of 29624e37).
    {"quantize.linear.float8.filter_fqns", "precision: linear",
     [](const R& r) {
       return text_if(multiplies(r, Precision::fp8), R"(["output", "router.gate"])");
     },
     in_file, to_0_2},
    {"quantize.linear.mx.filter_fqns", "precision: linear",
     [](const R& r) {
       return text_if(multiplies(r, Precision::mxfp8), R"(["output", "router.gate"])");
     },
     in_file, to_0_2},
    {"quantize.linear.float8.recipe_name", "precision: recipe",
     [](const R& r) {
       const auto recipe = fp8_recipe(r);
       return recipe ? text(*recipe == workload::Recipe::row ? "rowwise" : "tensorwise")
                     : std::nullopt;
     },
     in_file, to_0_2},
    {"quantize.linear.mx.recipe_name", "precision: recipe",
     [](const R& r) { return text_if(multiplies(r, Precision::mxfp8), "mxfp8_cublas"); }, in_file,
     to_0_2},
    {"quantize.grouped_mm.float8.fqns", "precision: linear",
     [](const R& r) {
       return text_if(has_experts(r) && multiplies(r, Precision::fp8), "[\"experts\"]");
     },
     in_file, to_0_2},
    {"quantize.grouped_mm.mx.fqns", "precision: linear",
     [](const R& r) {
       return text_if(has_experts(r) && multiplies(r, Precision::mxfp8), "[\"experts\"]");
     },
     in_file, to_0_2},
    {"compile.enable", "framework: fused_pointwise", [](const R& r) { return truth(compiles(r)); },
     in_file},
    {"compile.components", "framework: fused_pointwise",
     [](const R& r) { return text_if(compiles(r), "[\"model\", \"loss\"]"); }, in_file, now},
});

// The classes that convert linear layers and experts.
std::vector<std::string> converter_classes(const R& r) {
  if (!narrow(r)) {
    return {};
  }
  const std::string format = multiplies(r, Precision::fp8) ? "Float8" : "MXFP8";
  std::vector<std::string> names = {format + "LinearConverter"};
  if (has_experts(r)) {
    names.insert(names.begin(), format + "GroupedExpertsConverter");
  }
  return names;
}

// Neither the head nor the router, as estimated: by default all linear layers are converted
// (components/quantization/float8.py:61, mx.py:55 of b5bcd76c, whose recipes name these).
std::string_view converted_layers(std::string_view converter) {
  return converter == "Float8LinearConverter" ? R"(, filter_fqns=["lm_head", "router.gate"])"
         : converter == "MXFP8LinearConverter"
             ? R"(, fqns=["attention", "shared_experts", "feed_forward"])"
             : "";
}

// Its multi-token prediction runs beside neither pipelines nor context parallelism.
bool predicts(const R& r) {
  return r.model().prediction_layers > 0 && !has_stages(r) && r.strategy.context_parallel == 1;
}

std::string model_in_python(const R& r) {
  std::string text = fmt::format("\"{}\"", flavor_of(r).name);
  if (flavor_of(r).family == "gpt_oss" && r.strategy.context_parallel > 1) {
    text += ", attn_backend=\"flex\"";
  }
  if (predicts(r)) {
    text += fmt::format(", num_mtp_layers={}", r.model().prediction_layers);
  }
  std::vector<std::string> made;
  for (const std::string& name : converter_classes(r)) {
    made.push_back(fmt::format("{}.Config(model_compile_enabled={}{})", name,
                               compiles(r) ? "True" : "False", converted_layers(name)));
  }
  if (!made.empty()) {
    text += ", converters=[" + join(made, ", ") + "]";
  }
  return "model_registry(" + text + ")";
}

std::string value_in_python(const std::string& value) {
  switch (kind_of(value)) {
    case ValueKind::truth:
      return value == "true" ? "True" : "False";
    case ValueKind::text:
      return fmt::format("\"{}\"", value);
    case ValueKind::number:
    case ValueKind::list:
      break;
  }
  return value;
}

// A module with a function that returns what the nearest one of torchtitan does, changed.
std::string in_python(const R& r, std::span<const Flag> flags) {
  const Flavor& flavor = flavor_of(r);
  const bool is_full = r.strategy.recompute == Recompute::full;
  const std::string policy = is_full                                        ? "FullAC"
                             : r.strategy.recompute == Recompute::selective ? "SelectiveAC"
                                                                            : "";
  std::string text;
  if (const std::vector<std::string> names = converter_classes(r); !names.empty()) {
    text += fmt::format("from torchtitan.components.quantization import {}\n", join(names, ", "));
  }
  if (!policy.empty()) {
    text += fmt::format("from torchtitan.distributed.activation_checkpoint import {}\n", policy);
  }
  text += fmt::format(
      "{4}from torchtitan.models.{0} import {5}model_registry\n"
      "from torchtitan.models.{0}.config_registry import {1}\n\n\n"
      "def train():\n    config = {1}()\n    config.model_spec = {2}\n{6}"
      "    config.activation_checkpoint = {3}\n",
      flavor.family, flavor.config, model_in_python(r),
      policy.empty() ? "None" : policy + ".Config()",
      predicts(r) ? "from torchtitan.models.common.config_utils import decoder_vocab_size\n" : "",
      predicts(r) ? "MTPLoss, " : "",
      predicts(r) ? "    config.loss = MTPLoss.Config(\n"
                    "        global_vocab_size=decoder_vocab_size(config.model_spec))\n"
                  : "");
  for (const Flag& flag : flags) {
    if (!flag.file.empty()) {
      text += fmt::format("    config.{} = {}\n", flag.name, value_in_python(flag.value));
    }
  }
  return text + "    return config\n";
}

std::vector<std::string> notes(const R& r) {
  std::vector<std::string> all = notes_of_layout(r, parallel::RankOrder::tp_cp_ep_dp_pp);
  const auto recipe = fp8_recipe(r);
  if (r.since("main")) {
    all.emplace_back(
        "train.py begins as a configuration of torchtitan does: data, tokenizer, optimizer and "
        "number of steps are those of its function, yours to change in train()");
    if (recipe && recipe != workload::Recipe::row) {
      all.emplace_back("fp8 is scaled by row: this version has no scales by tensor");
    }
  } else {
    all.emplace_back("data, optimizer and number of steps are yours to add to train.toml");
    if (recipe == workload::Recipe::delayed || recipe == workload::Recipe::block) {
      all.emplace_back("recipe_name tensorwise: torchao scales by tensor or by row");
    }
  }
  if (r.model().prediction_layers > 0 && !(r.since("main") && predicts(r))) {
    all.emplace_back(r.since("main")
                         ? "no multi-token prediction modules are trained: torchtitan has them "
                           "without pipelines and context parallelism alone"
                         : "no multi-token prediction modules are trained: this version has none");
  }
  if (r.job.precision.gradient_communication != Precision::fp32) {
    all.emplace_back("gradients are reduced in float32, the only format that it takes");
  }
  if (waits_for_weights(r)) {
    all.emplace_back(
        "InterleavedZeroBubble with one stage a rank is ZB1P, whose passes PyTorch does not "
        "compile: compile.enable is false");
  }
  return all;
}

TrainingForm form(const R& r) {
  if (r.since("main")) {
    return {{"train.py"}, "-m torchtitan.train --module train --config train", in_python};
  }
  return {{"train.toml", Language::toml}, "-m torchtitan.train --job.config_file train.toml"};
}

constexpr auto versions = std::to_array<Version>({
    {"0.2.0", "29624e37"},
    {"0.2.1", "81af8833"},
    {"0.2.2", "73a0e697"},
    {"main-2026-08-21", "b5bcd76c"},
});
constexpr std::array runs_on = {Vendor::nvidia, Vendor::amd};

}  // namespace

const TrainingTarget& torchtitan() {
  static const TrainingTarget target = {.text = {.name = "torchtitan",
                                                 .versions = versions,
                                                 .source = "torchtitan/config",
                                                 .runs_on = runs_on,
                                                 .rules = torchtitan_rules()},
                                        .options = options,
                                        .file = {"train.toml", Language::toml},
                                        .notes = notes,
                                        .form = form};
  return target;
}

}  // namespace scalesweep::deploy

// Frameworks out of their entries.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "catalog/data.hpp"
#include "core/text.hpp"
#include "workload/framework.hpp"

namespace scalesweep::catalog {
namespace {

using workload::Framework;
using workload::ReplicaStack;
using workload::TrainingStack;

// How operands of fp8 are scaled.
workload::Recipe read_recipe(EntryReader& entry) {
  const workload::Recipe recipe =
      read_choice(entry, "fp8_recipe", workload::recipe_names, workload::Recipe::delayed);
  if (!workload::goes_with(recipe, "fp8")) {
    entry.table().error("fp8_recipe",
                        fmt::format("{} scales operands of {}; write one of fp8: {}",
                                    workload::recipe_names[recipe], workload::row_of(recipe).format,
                                    fmt::join(workload::fp8_recipe_names, ", ")));
  }
  return recipe;
}

ReplicaStack read_replicas(EntryReader& entry) {
  ReplicaStack replicas;
  replicas.hides_data_communication = entry.truth("hides_data_communication");
  replicas.hides_sharded_reduction =
      entry.given_truth("hides_sharded_reduction").value_or(replicas.hides_data_communication);
  replicas.hides_weight_gather = entry.truth("hides_weight_gather");
  replicas.gradient_bucket_bytes = entry.value("gradient_bucket");
  replicas.rank_issue_interval_s = entry.value("rank_issue_interval");
  replicas.crossing_issue_interval_s = entry.value("crossing_issue_interval");
  replicas.sharded_layer_issue_s = entry.value("sharded_layer_issue");
  replicas.optimizer_passes = entry.value("optimizer_passes");
  replicas.fp8_recipe = read_recipe(entry);
  return replicas;
}

// What it does with layers of a transformer in whatever kind of work.
void read_layers(EntryReader& entry, Framework& framework) {
  const workload::StageBalance balance = read_choice(
      entry, "stage_balance", workload::stage_balance_names, workload::StageBalance::layers);
  const bool composed = entry.truth("composed");
  framework.training.stage_balance = framework.serving.stage_balance = balance;
  framework.training.composed = framework.serving.composed = composed;
}

// What runs beside what.
void read_overlap(EntryReader& entry, TrainingStack& stack) {
  stack.hides_tensor_communication = entry.truth("hides_tensor_communication");
  stack.hides_forward_tensor_communication = entry.truth("hides_forward_tensor_communication");
  stack.hides_expert_communication = entry.truth("hides_expert_communication");
  stack.hides_pipeline_communication = entry.truth("hides_pipeline_communication");
}

// What the host takes to issue work; `required`: the entry does nothing else.
void read_host(EntryReader& entry, bool required, TrainingStack& stack) {
  stack.issue_interval_s =
      required ? entry.needed("issue_interval") : entry.given("issue_interval").value_or(0.0);
  stack.backward_issue_interval_s =
      entry.given("backward_issue_interval").value_or(stack.issue_interval_s);
  stack.expert_issue_interval_s = entry.value("expert_issue_interval");
  stack.collective_issue_interval_s =
      entry.given("collective_issue_interval").value_or(stack.issue_interval_s);
  stack.step_overhead_s = entry.value("step_overhead");
  stack.step_jitter = entry.value("step_jitter");
  stack.issue_blend = entry.value("issue_blend");
  if (stack.issue_blend > 0.0 && stack.issue_blend < 1.0) {
    entry.table().error("issue_blend", "must be at least 1, or left out");
  }
}

void read_kernels(EntryReader& entry, TrainingStack& stack) {
  stack.fused_pointwise = entry.truth("fused_pointwise");
  stack.kernel_share = entry.value("kernel_share");
  stack.attention_share = entry.value("attention_share");
  stack.attention_core_flop = entry.given("attention_core_flop").value_or(0.0);
  stack.expert_dispatch = read_choice(entry, "expert_dispatch", workload::expert_dispatch_names,
                                      workload::ExpertDispatch::by_routing);
  stack.operand_fusion = read_choice(entry, "operand_fusion", workload::operand_fusion_names,
                                     workload::OperandFusion::everything);
}

void read_memory(EntryReader& entry, TrainingStack& stack) {
  stack.extra_gradient_bytes = entry.value("extra_gradient_bytes");
  stack.gathers_through_copy = entry.truth("gathers_through_copy");
  stack.keeps_embedding_gradient = entry.truth("keeps_embedding_gradient");
  stack.held_hidden_states = entry.value("held_hidden_states");
  stack.fixed_memory_bytes = entry.value("fixed_memory");
  stack.allocator_slack = entry.value("allocator_slack");
}

void read_recompute(EntryReader& entry, TrainingStack& stack) {
  stack.selective_recompute =
      read_choice(entry, "selective_recompute", workload::selective_recompute_names,
                  workload::SelectiveRecompute::attention);
  stack.recompute_stops_early = entry.truth("recompute_stops_early");
  stack.copies_sequence_shards = entry.truth("copies_sequence_shards");
  stack.keeps_gathered_inputs = entry.truth("keeps_gathered_inputs");
}

// How it trains; what the stacks of other kinds share with it is read before.
void read_training(EntryReader& entry, bool required, TrainingStack& stack) {
  read_overlap(entry, stack);
  read_host(entry, required, stack);
  read_kernels(entry, stack);
  read_memory(entry, stack);
  read_recompute(entry, stack);
}

// How it serves requests; what is not written is as in a stack that adds nothing to its kernels.
workload::ServingStack read_serving(EntryReader entry) {
  workload::ServingStack serving;
  serving.prefill_issue_interval_s = entry.value("prefill_issue_interval");
  serving.decode_issue_interval_s = entry.value("decode_issue_interval");
  serving.collective_issue_interval_s = entry.value("collective_issue_interval");
  serving.kernel_latency_share = entry.value("kernel_latency_share");
  serving.collective_latency_share = entry.value("collective_latency_share");
  serving.kernel_gap_s = entry.value("kernel_gap");
  serving.kernel_share = entry.value("kernel_share");
  serving.stream_share = entry.value("stream_share");
  serving.attention_share = entry.value("attention_share");
  serving.narrow_expert_share = entry.value("narrow_expert_share");
  serving.expert_tiles = {entry.value("few_expert_tile_rows"), entry.value("expert_tile_rows"),
                          entry.value("narrow_expert_tile_rows")};
  serving.one_shot_all_reduce = entry.truth("one_shot_all_reduce");
  serving.exchange_beside = read_choice(entry, "exchange_beside", workload::exchange_overlap_names,
                                        workload::ExchangeOverlap::nothing);
  serving.exchange_hidden_share = entry.value("exchange_hidden_share");
  serving.expert_dispatch = read_choice(entry, "expert_dispatch", workload::expert_dispatch_names,
                                        serving.expert_dispatch);
  serving.decode_expert_dispatch = read_choice(
      entry, "decode_expert_dispatch", workload::expert_dispatch_names, serving.expert_dispatch);
  serving.fused_pointwise = entry.truth("fused_pointwise");
  serving.fused_quantization = entry.truth("fused_quantization");
  serving.fp8_recipe = read_recipe(entry);
  serving.decode_strip_rows = entry.value("decode_strip_rows");
  serving.flash_attention = entry.truth("flash_attention");
  serving.shared_heads = entry.value("shared_heads");
  serving.prefill_chunk = entry.value("prefill_chunk");
  serving.chunk_of_all_ranks = entry.truth("chunk_of_all_ranks");
  serving.pipeline_prompt_tokens = entry.value("pipeline_prompt_tokens");
  serving.decodes_last_prompt_token = entry.truth("decodes_last_prompt_token");
  serving.iteration_overhead_s = entry.value("iteration_overhead");
  serving.sequence_overhead_s = entry.value("sequence_overhead");
  serving.request_overhead_s = entry.value("request_overhead");
  serving.page_tokens = entry.value("page_tokens");
  serving.held_output = entry.value("held_output");
  serving.memory_share = entry.value("memory_share");
  return serving;
}

workload::RecommendationStack read_recommendation(EntryReader entry) {
  workload::RecommendationStack stack;
  stack.issue_interval_s = entry.value("issue_interval");
  stack.batch_overhead_s = entry.value("batch_overhead");
  stack.hides_exchange = entry.truth("hides_exchange");
  stack.exchanges_indices = entry.truth("exchanges_indices");
  stack.fused_pointwise = entry.truth("fused_pointwise");
  stack.fused_lookup = entry.truth("fused_lookup");
  stack.kernel_share = entry.value("kernel_share");
  return stack;
}

workload::DiffusionStack read_diffusion_stack(EntryReader entry) {
  workload::DiffusionStack stack;
  stack.issue_interval_s = entry.value("issue_interval");
  stack.step_overhead_s = entry.value("step_overhead");
  stack.batch_overhead_s = entry.value("batch_overhead");
  stack.fused_pointwise = entry.truth("fused_pointwise");
  stack.kernel_share = entry.value("kernel_share");
  stack.attention_share = entry.value("attention_share");
  stack.attention_core_flop = entry.given("attention_core_flop").value_or(0.0);
  stack.softmax_share = entry.value("softmax_share");
  stack.convolution_share = entry.value("convolution_share");
  return stack;
}

// Which layouts it can run; what is not written it cannot.
workload::Runs read_runs(EntryReader entry) {
  workload::Runs runs;
  if (const std::optional<Located> version = entry.given_text("version")) {
    runs.version = version->text;
  }
  if (entry.has("zero")) {
    runs.zero = entry.integers("zero");
  }
  runs.zero_with_pipeline = entry.integer("zero_with_pipeline");
  runs.sequence_parallel = read_choice(entry, "sequence_parallel", workload::sequence_split_names,
                                       workload::SequenceSplit::never);
  runs.precisions = entry.words("precisions");
  for (const workload::Ability& one : workload::abilities) {
    runs.*one.can = entry.truth(one.key());
  }
  return runs;
}

}  // namespace

std::shared_ptr<const Framework> read_framework(EntryReader& entry, const std::string& name) {
  Framework framework;
  framework.name = name;
  // A stack that serves requests may be known for nothing else.
  framework.serves = entry.has("serving");
  framework.recommends = entry.has("recommendation");
  framework.diffuses = entry.has("diffusion");
  framework.trains = entry.has("issue_interval");
  const bool does_other = framework.serves || framework.recommends || framework.diffuses;
  const ReplicaStack replicas = read_replicas(entry);
  read_training(entry, !does_other, framework.training);
  framework.reinforcement.iteration_share = entry.value("iteration_share");
  if (framework.serves) {
    framework.serving = read_serving(entry.group("serving"));
  }
  if (framework.recommends) {
    framework.recommendation = read_recommendation(entry.group("recommendation"));
  }
  if (framework.diffuses) {
    framework.diffusion = read_diffusion_stack(entry.group("diffusion"));
  }
  framework.training.replicas = framework.diffusion.replicas = replicas;
  read_layers(entry, framework);
  if (entry.has("runs")) {
    framework.runs = read_runs(entry.group("runs"));
  }
  return std::make_shared<const Framework>(std::move(framework));
}

}  // namespace scalesweep::catalog

// Frameworks out of their entries.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/data.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

using config::Dimension;
using workload::Framework;

double time_or(EntryReader& entry, const char* key, double otherwise_s) {
  return entry.optional_quantity(key, Dimension::seconds, Range::not_negative)
      .value_or(otherwise_s);
}

double bytes_or_none(EntryReader& entry, const char* key) {
  return entry.optional_quantity(key, Dimension::bytes, Range::not_negative).value_or(0.0);
}

bool flag(EntryReader& entry, const char* key, bool otherwise = false) {
  return entry.optional_boolean(key).value_or(otherwise);
}

// What runs beside what.
void read_overlap(EntryReader& entry, Framework& framework) {
  framework.hides_tensor_communication = flag(entry, "hides_tensor_communication");
  framework.hides_data_communication = flag(entry, "hides_data_communication");
  framework.hides_sharded_reduction =
      flag(entry, "hides_sharded_reduction", framework.hides_data_communication);
  framework.hides_weight_gather = flag(entry, "hides_weight_gather");
  framework.hides_expert_communication = flag(entry, "hides_expert_communication");
  framework.hides_pipeline_communication = flag(entry, "hides_pipeline_communication");
  framework.gradient_bucket_bytes = bytes_or_none(entry, "gradient_bucket");
}

// What the host takes to issue work.
void read_host(EntryReader& entry, Framework& framework) {
  // A stack that answers requests may be known for nothing else.
  framework.answers = entry.table().has("serving");
  framework.trains = entry.table().has("issue_interval");
  framework.issue_interval_s =
      entry.table().has("serving")
          ? time_or(entry, "issue_interval", 0.0)
          : entry.quantity("issue_interval", Dimension::seconds, Range::not_negative);
  framework.backward_issue_interval_s =
      time_or(entry, "backward_issue_interval", framework.issue_interval_s);
  framework.collective_issue_interval_s =
      time_or(entry, "collective_issue_interval", framework.issue_interval_s);
  framework.rank_issue_interval_s = time_or(entry, "rank_issue_interval", 0.0);
  framework.crossing_issue_interval_s = time_or(entry, "crossing_issue_interval", 0.0);
  framework.sharded_layer_issue_s = time_or(entry, "sharded_layer_issue", 0.0);
  framework.step_overhead_s = time_or(entry, "step_overhead", 0.0);
  framework.issue_blend = entry.optional_number("issue_blend", Range::not_negative).value_or(0.0);
  if (framework.issue_blend > 0.0 && framework.issue_blend < 1.0) {
    entry.table().error("issue_blend", "must be at least 1, or left out");
  }
}

void read_kernels(EntryReader& entry, Framework& framework) {
  framework.fused_pointwise = flag(entry, "fused_pointwise", true);
  framework.kernel_share = entry.optional_number("kernel_share", Range::fraction).value_or(1.0);
  framework.attention_share =
      entry.optional_number("attention_share", Range::fraction).value_or(1.0);
  framework.attention_core_flop =
      entry.optional_number("attention_core_flop", Range::positive).value_or(0.0);
  framework.optimizer_passes =
      entry.optional_number("optimizer_passes", Range::positive).value_or(1.0);
}

void read_memory(EntryReader& entry, Framework& framework) {
  framework.extra_gradient_bytes =
      entry.optional_number("extra_gradient_bytes", Range::not_negative).value_or(0.0);
  framework.gathers_through_copy = flag(entry, "gathers_through_copy");
  framework.keeps_embedding_gradient = flag(entry, "keeps_embedding_gradient");
  framework.held_hidden_states =
      entry.optional_number("held_hidden_states", Range::not_negative).value_or(0.0);
  framework.fixed_memory_bytes = bytes_or_none(entry, "fixed_memory");
  framework.allocator_slack =
      entry.optional_number("allocator_slack", Range::not_negative).value_or(0.0);
}

void read_balance(EntryReader& entry, Framework& framework) {
  const std::optional<Located> balance = entry.optional_text("stage_balance");
  if (!balance) {
    return;
  }
  const auto& names = workload::stage_balance_names;
  const auto found = std::find(names.begin(), names.end(), balance->text);
  if (found == names.end()) {
    entry.table().error("stage_balance",
                        fmt::format("'{}' is neither layers nor blocks", balance->text));
    return;
  }
  framework.stage_balance = static_cast<workload::StageBalance>(found - names.begin());
}

double share(EntryReader& entry, const char* key, Range range, double otherwise) {
  return entry.optional_number(key, range).value_or(otherwise);
}

// How it answers requests; what is not written is as in a stack that adds nothing to its kernels.
workload::ServingStack read_serving(EntryReader entry) {
  workload::ServingStack serving;
  serving.prefill_issue_interval_s = time_or(entry, "prefill_issue_interval", 0.0);
  serving.decode_issue_interval_s = time_or(entry, "decode_issue_interval", 0.0);
  serving.collective_issue_interval_s = time_or(entry, "collective_issue_interval", 0.0);
  serving.kernel_latency_share = share(entry, "kernel_latency_share", Range::not_negative, 1.0);
  serving.collective_latency_share =
      share(entry, "collective_latency_share", Range::not_negative, 1.0);
  serving.kernel_gap_s = time_or(entry, "kernel_gap", 0.0);
  serving.kernel_share = share(entry, "kernel_share", Range::fraction, 1.0);
  serving.stream_share = share(entry, "stream_share", Range::fraction, 1.0);
  serving.attention_share = share(entry, "attention_share", Range::fraction, 1.0);
  serving.one_shot_all_reduce = flag(entry, "one_shot_all_reduce");
  serving.fused_pointwise = flag(entry, "fused_pointwise", true);
  serving.flash_attention = flag(entry, "flash_attention", true);
  serving.shared_heads = share(entry, "shared_heads", Range::positive, serving.shared_heads);
  serving.pipeline_prompt_tokens = share(entry, "pipeline_prompt_tokens", Range::not_negative, 0.0);
  serving.decodes_last_prompt_token = flag(entry, "decodes_last_prompt_token");
  serving.iteration_overhead_s = time_or(entry, "iteration_overhead", 0.0);
  serving.sequence_overhead_s = time_or(entry, "sequence_overhead", 0.0);
  serving.request_overhead_s = time_or(entry, "request_overhead", 0.0);
  serving.page_tokens = share(entry, "page_tokens", Range::not_negative, 0.0);
  serving.memory_share = share(entry, "memory_share", Range::fraction, serving.memory_share);
  return serving;
}

}  // namespace

Framework read_framework(EntryReader& entry, const std::string& name) {
  Framework framework;
  framework.name = name;
  read_overlap(entry, framework);
  read_host(entry, framework);
  read_kernels(entry, framework);
  read_memory(entry, framework);
  read_balance(entry, framework);
  if (entry.table().has("serving")) {
    framework.serving = read_serving(entry.group("serving"));
  }
  return framework;
}

}  // namespace scalesweep::catalog

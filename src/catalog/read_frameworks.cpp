// Frameworks out of their entries.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/data.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {

using config::Dimension;

workload::Framework read_framework(EntryReader& entry, const std::string& name) {
  workload::Framework framework;
  framework.name = name;
  framework.hides_tensor_communication =
      entry.optional_boolean("hides_tensor_communication").value_or(false);
  framework.hides_data_communication =
      entry.optional_boolean("hides_data_communication").value_or(false);
  framework.hides_sharded_reduction = entry.optional_boolean("hides_sharded_reduction")
                                          .value_or(framework.hides_data_communication);
  framework.hides_weight_gather = entry.optional_boolean("hides_weight_gather").value_or(false);
  framework.hides_expert_communication =
      entry.optional_boolean("hides_expert_communication").value_or(false);
  framework.hides_pipeline_communication =
      entry.optional_boolean("hides_pipeline_communication").value_or(false);
  framework.fused_pointwise = entry.optional_boolean("fused_pointwise").value_or(true);
  framework.issue_interval_s =
      entry.quantity("issue_interval", Dimension::seconds, Range::not_negative);
  const auto interval = [&](const char* key) {
    return entry.optional_quantity(key, Dimension::seconds, Range::not_negative)
        .value_or(framework.issue_interval_s);
  };
  framework.backward_issue_interval_s = interval("backward_issue_interval");
  framework.collective_issue_interval_s = interval("collective_issue_interval");
  const auto none_or = [&](const char* key) {
    return entry.optional_quantity(key, Dimension::seconds, Range::not_negative).value_or(0.0);
  };
  framework.rank_issue_interval_s = none_or("rank_issue_interval");
  framework.crossing_issue_interval_s = none_or("crossing_issue_interval");
  framework.sharded_layer_issue_s = none_or("sharded_layer_issue");
  framework.gradient_bucket_bytes =
      entry.optional_quantity("gradient_bucket", Dimension::bytes, Range::not_negative)
          .value_or(0.0);
  framework.kernel_share = entry.optional_number("kernel_share", Range::fraction).value_or(1.0);
  framework.attention_share =
      entry.optional_number("attention_share", Range::fraction).value_or(1.0);
  framework.attention_core_flop =
      entry.optional_number("attention_core_flop", Range::positive).value_or(0.0);
  framework.issue_blend = entry.optional_number("issue_blend", Range::not_negative).value_or(0.0);
  if (framework.issue_blend > 0.0 && framework.issue_blend < 1.0) {
    entry.table().error("issue_blend", "must be at least 1, or left out");
  }
  framework.step_overhead_s =
      entry.optional_quantity("step_overhead", Dimension::seconds, Range::not_negative)
          .value_or(0.0);
  framework.optimizer_passes =
      entry.optional_number("optimizer_passes", Range::positive).value_or(1.0);
  framework.extra_gradient_bytes =
      entry.optional_number("extra_gradient_bytes", Range::not_negative).value_or(0.0);
  framework.gathers_through_copy = entry.optional_boolean("gathers_through_copy").value_or(false);
  framework.keeps_embedding_gradient =
      entry.optional_boolean("keeps_embedding_gradient").value_or(false);
  framework.held_hidden_states =
      entry.optional_number("held_hidden_states", Range::not_negative).value_or(0.0);
  framework.fixed_memory_bytes =
      entry.optional_quantity("fixed_memory", Dimension::bytes, Range::not_negative).value_or(0.0);
  framework.allocator_slack =
      entry.optional_number("allocator_slack", Range::not_negative).value_or(0.0);
  if (const std::optional<Located> balance = entry.optional_text("stage_balance")) {
    const auto& names = workload::stage_balance_names;
    const auto found = std::find(names.begin(), names.end(), balance->text);
    if (found == names.end()) {
      entry.table().error("stage_balance",
                          fmt::format("'{}' is neither layers nor blocks", balance->text));
    } else {
      framework.stage_balance = static_cast<workload::StageBalance>(found - names.begin());
    }
  }
  return framework;
}

}  // namespace scalesweep::catalog

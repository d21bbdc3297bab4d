// What is tried of each kind of workload where a spec says nothing.
#include "parallel/enumerate.hpp"

namespace scalesweep::parallel {

StrategyRules batch_rules() {
  StrategyRules rules;
  rules.kind = WorkloadKind::inference;
  rules.batch.key = "batch";
  rules.chunks = only(1);
  rules.recompute = {Recompute::none};
  rules.zero = {0};
  rules.sequence_parallel = {false};
  rules.micro_batch.by_stages = true;
  return rules;
}

StrategyRules service_rules() {
  StrategyRules rules = batch_rules();
  rules.kind = WorkloadKind::serving;
  rules.batch.is_found = true;
  rules.micro_batch.by_stages = false;
  return rules;
}

StrategyRules table_rules() {
  StrategyRules rules = batch_rules();
  rules.kind = WorkloadKind::recommendation;
  rules.table_sharding = {TableSharding::table, TableSharding::column, TableSharding::row,
                          TableSharding::mixed};
  return rules;
}

StrategyRules image_rules() {
  StrategyRules rules = batch_rules();
  rules.kind = WorkloadKind::diffusion;
  rules.context_parallel = {};
  rules.context_exchange = {ContextExchange::all_to_all, ContextExchange::ring};
  return rules;
}

StrategyRules trained_image_rules() {
  StrategyRules rules = image_rules();
  rules.trains_images = true;
  rules.micro_batch = {};
  rules.recompute = {Recompute::none, Recompute::full};
  rules.zero = {0, 1};
  return rules;
}

StrategyRules policy_rules() {
  StrategyRules rules;
  rules.kind = WorkloadKind::reinforcement_learning;
  rules.batch.key = "prompts * samples / updates";
  return rules;
}

}  // namespace scalesweep::parallel

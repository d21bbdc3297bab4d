// Every rule-valid strategy for one model, device count and batch, in a fixed order.
//
// The order is part of a study's identity: point ids index this table. Strategies that share what
// the cost of a layer depends on (sizes that cut it, micro_batch, how its parts are exchanged,
// where ranks stand) are neighbours, so that kernel times computed for one serve the next.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parallel/strategy.hpp"
#include "workload/model.hpp"

namespace scalesweep::parallel {

// What a study is of. A model is trained, answers a batch of requests that start together, or keeps
// answering requests as they arrive.
enum class WorkloadKind : std::uint8_t { training, inference, serving };
inline constexpr std::array<std::string_view, 3> workload_kind_names = {"training", "inference",
                                                                        "serving"};

// Candidate values of one strategy dimension: all divisors of what it must divide, or a list.
struct Choices {
  bool divisors = true;              // every divisor of the bound ...
  std::int64_t at_most = 0;          // ... up to this (0: no limit)
  bool powers_of_two = false;        // ... keeping powers of two only
  std::vector<std::int64_t> values;  // used if `divisors` is false
};

inline Choices only(std::int64_t value) {
  return {.divisors = false, .values = {value}};
}

// What is tried of each dimension; a combination that breaks a rule is left out.
struct StrategyRules {
  WorkloadKind kind = WorkloadKind::training;
  Choices tensor_parallel;
  Choices pipeline_parallel;
  Choices micro_batch;
  Choices chunks;
  Choices context_parallel = only(1);
  Choices expert_parallel = only(1);
  Choices recompute_every = only(1);
  std::vector<std::int64_t> shard_group = {0};  // 0: all replicas
  std::vector<Recompute> recompute = {Recompute::none, Recompute::selective, Recompute::full};
  std::vector<int> zero = {0, 1};
  std::vector<bool> sequence_parallel = {false, true};
  std::vector<Schedule> schedule = {Schedule::one_forward_one_backward};
  std::vector<ContextExchange> context_exchange = {ContextExchange::ring};
  std::vector<RankOrder> rank_order = {RankOrder::tp_cp_ep_dp_pp};
  std::vector<bool> offload_activations = {false};
  std::vector<bool> offload_optimizer = {false};
  // Pipelines that do not divide the layers: some stages hold one layer more than others.
  bool uneven_stages = false;
  // Instead of micro_batch: the batch of a replica is one micro-batch for each stage where
  // pipeline_parallel divides it, else one.
  bool micro_batch_by_stages = false;
};

// What is left of the rules where nothing is trained: no recomputation, no optimizer, one chunk a
// stage. Where requests are served, the batch is found by the estimator and micro_batch is 1.
StrategyRules rules_of(WorkloadKind kind);

struct JobShape {
  std::int64_t accelerators = 1;
  std::int64_t global_batch = 1;  // sequences a step, or requests at a time
  std::int64_t sequence = 1;      // tokens; 0: of any length, what does not divide them is padded
};

// How many candidates each rule removed, in the order the rules are applied; `rule` is the sentence
// that a user reads ("tensor_parallel must divide heads (96)").
struct Rejection {
  std::string rule;
  std::int64_t candidates = 0;
};

struct StrategyTable {
  std::vector<Strategy> strategies;
  std::vector<Rejection> rejections;
};

StrategyTable enumerate_strategies(const StrategyRules& rules,
                                   const workload::TransformerModel& model, const JobShape& job);

}  // namespace scalesweep::parallel

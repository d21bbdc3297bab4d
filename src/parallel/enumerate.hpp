// Every rule-valid strategy for one model, device count and batch, in a fixed order.
//
// The order is part of a study's identity: point ids index this table. Strategies that share what
// the cost of a layer depends on (layer_key) are neighbours, so that kernel times computed for one
// serve the next.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parallel/strategy.hpp"

namespace scalesweep::workload {
struct TransformerModel;
}

namespace scalesweep::parallel {

// What is left of the rules where nothing is trained: no recomputation, no optimizer, one chunk a
// stage.
StrategyRules batch_rules();    // of requests that start together
StrategyRules service_rules();  // of requests that arrive all the time
StrategyRules table_rules();  // of recommendation models, which are replicated but for their tables
StrategyRules image_rules();  // of diffusion models
StrategyRules trained_image_rules();  // where some of that is their training
StrategyRules policy_rules();         // of a model that is trained on what it says itself

struct JobShape {
  std::int64_t accelerators = 1;
  std::int64_t global_batch = 1;    // sequences a step, or requests at a time
  std::int64_t sequence = 1;        // tokens; 0: of any length, what does not divide them is padded
  std::int64_t passes = 1;          // over a sample in a step, which replicas may share
  bool trains = false;              // of images
  std::int64_t expert_devices = 0;  // beside the accelerators
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

// Nothing is asked of the model where the rules are those of recommendation models.
StrategyTable enumerate_strategies(const StrategyRules& rules,
                                   const workload::TransformerModel& model, const JobShape& job);

}  // namespace scalesweep::parallel

// What an iteration of reinforcement learning is: the policy, its samples, who scores and trains
// them, and where.
#pragma once

#include <cstdint>
#include <optional>

#include "core/enum_names.hpp"
#include "estimator/inference/job.hpp"
#include "estimator/training/job.hpp"
#include "workload/model.hpp"
#include "workload/reinforcement/reinforcement_stack.hpp"

namespace scalesweep::estimator {

// Rollouts and training take turns on the same devices, or each has its own.
enum class Placement : std::uint8_t { colocated, separate };
inline constexpr auto placement_names = enum_names<Placement>("colocated", "separate");

struct ReinforcementJob {
  TrainingJob training;   // of the policy; its sequence and batch follow from the samples
  InferenceJob rollouts;  // of the same model; its lengths and batch likewise
  workload::ReinforcementStack stack = {};
  std::optional<workload::TransformerModel> critic = std::nullopt;  // trained beside the policy
  std::optional<workload::TransformerModel> reward = std::nullopt;  // nothing: a rule
  bool has_reference = true;     // the model that the policy began as reads all samples once
  std::int64_t prompts = 1;      // of an iteration
  std::int64_t samples = 1;      // of a prompt
  std::int64_t prompt = 1;       // tokens
  std::int64_t output = 1;       // tokens, a mean
  double output_spread = 0.0;    // standard deviation over the mean, before any limit
  std::int64_t most_output = 0;  // tokens; 0: no limit
  std::int64_t updates = 1;      // of an epoch, that share the samples
  std::int64_t epochs = 1;
  Placement placement = Placement::colocated;
  std::int64_t devices = 1;    // of the whole job
  std::int64_t staleness = 0;  // iterations that weights may be old where a sample begins
  bool keeps_states = false;   // on colocated devices while rollouts run

  double all_samples() const { return static_cast<double>(prompts) * static_cast<double>(samples); }
  double generated_tokens() const { return all_samples() * static_cast<double>(output); }
  bool is_separate() const { return placement == Placement::separate; }
  // Whether rollouts go on while the samples before them are trained on.
  bool overlaps() const { return is_separate() && staleness > 0; }

  friend bool operator==(const ReinforcementJob&, const ReinforcementJob&) = default;
};

}  // namespace scalesweep::estimator

// What is served: a static batch, or the load of a service.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"
#include "estimator/inference/inference_precision.hpp"
#include "estimator/inference/load/load_curve.hpp"
#include "estimator/inference/service/percentiles_of.hpp"
#include "estimator/reuse/adapter_set.hpp"
#include "estimator/reuse/prefix_tiers.hpp"
#include "estimator/reuse/session_law.hpp"
#include "parallel/strategy.hpp"
#include "technology/precision.hpp"
#include "technology/uncertainty.hpp"
#include "workload/model.hpp"
#include "workload/serving/serving_stack.hpp"

namespace scalesweep::estimator {

// The shape of what proposes tokens (drafter.hpp).
struct Drafter {
  workload::TransformerModel model;  // no layers: none is said
  bool is_behind = false;            // takes the hidden states of the model, and shares its tables

  bool on() const { return model.layers > 0; }

  friend bool operator==(const Drafter&, const Drafter&) = default;
};

// A small model proposes `draft` tokens, the model checks them in one iteration and keeps those up
// to the first that it would not have said (Leviathan et al., arXiv:2211.17192).
struct Speculation {
  std::int64_t draft = 0;   // tokens; 0: off
  double acceptance = 0.0;  // probability that a proposed token is kept
  double draft_time = 0.0;  // of the small model for one token, over that of the model for one
  Drafter drafter = {};     // instead of draft_time, its layers

  // Tokens that come out of one iteration: (1 - a^(n + 1)) / (1 - a) (eq. 1).
  double tokens_per_iteration() const {
    const auto n = static_cast<double>(draft);
    return draft <= 0 || acceptance >= 1.0
               ? n + 1.0
               : (1.0 - std::pow(acceptance, n + 1.0)) / (1.0 - acceptance);
  }

  friend bool operator==(const Speculation&, const Speculation&) = default;
};

struct InferenceJob {
  workload::TransformerModel model;
  std::int64_t prompt = 1;  // tokens
  std::int64_t output = 1;  // tokens
  std::int64_t batch = 1;   // requests at a time, of all replicas
  InferencePrecision precision;
  double prefix_hits = 0.0;  // share of the prompt that device memory has already
  // Prefill tokens in one iteration; 0: whole prompts. Nothing: as the framework does.
  std::optional<std::int64_t> prefill_chunk = std::nullopt;
  Speculation speculation = {};
  workload::ServingStack stack = {};
  technology::Uncertainty uncertainty = {};
  PrefixTiers prefixes = {};
  AdapterSet adapters = {};

  // Share of the prompt that is not computed.
  double cached_share() const { return prefix_hits + prefixes.loaded_hits(); }
  // Of one replica; 0: whole prompts.
  double chunk_tokens(const parallel::Strategy& strategy) const {
    if (prefill_chunk) {
      return static_cast<double>(*prefill_chunk);
    }
    const double chunk = stack.prefill_chunk;
    return stack.chunk_of_all_ranks ? std::ceil(chunk / strategy.replicas_of_experts()) : chunk;
  }
  // Of the linear layers; nothing from 16 bits on.
  std::optional<workload::Recipe> recipe(
      workload::LinearPart part = workload::LinearPart::mlp) const {
    return workload::recipe_for(technology::name_of(precision.operands_of(part)), precision.recipe,
                                stack.fp8_recipe);
  }
  // Bytes of an element of the linear layers' weights in memory, with the scales that they are
  // multiplied with.
  double weight_bytes(workload::LinearPart part = workload::LinearPart::mlp) const {
    const technology::Precision weights = precision.weights_of(part);
    const std::optional<workload::Recipe> scaled =
        weights == precision.operands_of(part) ? recipe(part) : std::nullopt;
    return technology::element_bytes(weights) +
           (scaled ? workload::row_of(*scaled).scale_bytes : 0.0);
  }

  friend bool operator==(const InferenceJob&, const InferenceJob&) = default;
};

enum class Batching : std::uint8_t { separate, chunked, disaggregated };
inline constexpr auto batching_names = enum_names<Batching>("separate", "chunked", "disaggregated");
constexpr std::string_view name_of(Batching batching) {
  return batching_names[batching];
}
// Whether requests of a class have its lengths on average, or all just these, as benchmarks ask.
enum class Lengths : std::uint8_t { drawn, fixed };
inline constexpr auto lengths_names = enum_names<Lengths>("drawn", "fixed");

// A class of requests; shares are relative.
struct RequestClass {
  double prompt = 0;  // tokens
  double output = 0;  // tokens
  double share = 1;
};

struct ServingLimits {                   // 0: none
  double time_to_first_token_s = 0.0;    // mean over requests
  double time_per_output_token_s = 0.0;  // mean over requests
  Percentiles first_token_s = {};
  Percentiles output_token_s = {};

  bool at_percentiles() const {
    return first_token_s != Percentiles{} || output_token_s != Percentiles{};
  }
};

// Devices of their own for prompts, beside those of the strategy, which decode.
struct PrefillDevices {
  std::vector<parallel::Strategy> groups;  // layouts that are tried (group_of_replicas)
  std::int64_t devices = 0;                // 0: as many as the others keep busy
};

struct ServingJob {
  // prompt, output and batch are not read. chunk_tokens is the most prefill tokens in one
  // iteration; 0: all prompts that wait, whole.
  InferenceJob inference;
  std::vector<RequestClass> requests;
  SessionLaw sessions = {};  // that the requests are turns of
  ServingLimits limits;
  double arrival_rate = 0.0;  // requests a second, of all replicas; 0: as many as the limits allow
  // Instead of arrivals so many open requests of all replicas, each followed by the next as soon as
  // it is done (a closed loop, as load generators make), or of sessions their time to think later,
  // when so many of those are open; 0: they arrive at random.
  double concurrency = 0.0;
  // Squared coefficient of variation of the times between arrivals: 1 of Poisson arrivals. Each is
  // sent to one of the replicas at random.
  double burstiness = 1.0;
  Lengths lengths = Lengths::drawn;
  Batching batching = Batching::chunked;
  double prefill_share = 0.0;  // of replicas for prefill, disaggregated; 0: the best
  std::optional<PrefillDevices> prefill = std::nullopt;  // of disaggregated, instead of a share
  double most_sequences = 0.0;  // in flight at a time, of a replica; 0: what fits
  technology::Uncertainty first_token_uncertainty = {};  // of the time to the first token
  LoadCurve load_curve = {};                             // read by load/day_mean alone
};

}  // namespace scalesweep::estimator

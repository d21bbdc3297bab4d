// What the estimator says of a measured inference case.
#include <cmath>

#include "estimator/inference/inference.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/passes/iteration.hpp"
#include "estimator/inference/service/prefill_pool.hpp"
#include "estimator/inference/service/serving.hpp"
#include "validation/inference_cases.hpp"

namespace scalesweep::validation {
namespace {

using estimator::InferenceEstimate;
using estimator::ServingEstimate;

double value_of(const InferenceCase& c, const InferenceEstimate& estimate) {
  switch (c.metric) {
    case InferenceMetric::latency:
      return estimate.latency_s();
    case InferenceMetric::first_token:
      return estimate.time_to_first_token_s();
    case InferenceMetric::output_token:
      return estimate.time_per_output_token_s();
    case InferenceMetric::tokens_per_second:
      break;
  }
  return c.rate_without_prompt && c.job.output > 1
             ? static_cast<double>(c.job.batch) / estimate.time_per_output_token_s()
             : estimate.tokens_per_s;
}

double value_of(const InferenceCase& c, const ServingEstimate& estimate) {
  switch (c.metric) {
    case InferenceMetric::first_token:
      return estimate.time_to_first_token_s;
    case InferenceMetric::output_token:
      return c.median_gap ? estimate.median_token_gap_s : estimate.time_per_output_token_s;
    case InferenceMetric::latency:
    case InferenceMetric::tokens_per_second:
      break;
  }
  return estimate.tokens_per_s;
}

template <typename Estimate>
InferencePrediction prediction(const InferenceCase& c, const Estimate& estimate,
                               const estimator::Charges& charges, bool fits) {
  InferencePrediction p;
  p.fits = fits;
  p.relative_uncertainty = estimate.relative_uncertainty;
  p.traits = estimate.traits;
  p.memory = estimate.memory;
  p.requests = estimate.requests();
  if (const double value = value_of(c, estimate); value > 0.0) {
    p.value = value;
    p.bottleneck = name_of(estimator::dominant(charges));
    p.device_power_w = estimate.device_power_w;
    const std::int64_t devices = c.gpus + (c.prefill ? c.prefill->devices : 0);
    p.figures = energy_at(estimate.device_power_w, devices, estimate.tokens_per_s);
  }
  return p;
}

// What runs of a batch at a time, and how often such a part follows another.
struct Turns {
  parallel::Strategy strategy;
  double count = 1.0;
};

// Engines let requests wait whose caches do not fit, which shows in times per token, in rates and,
// where the cache is paged, in the latency of the batch. On average caches hold half of the output;
// a request of a batch begins where its whole output has room.
Turns turns_of(const InferenceCase& c) {
  Turns turns{c.strategy};
  const bool is_rate =
      c.metric == InferenceMetric::output_token || c.metric == InferenceMetric::tokens_per_second;
  const bool waits = c.metric == InferenceMetric::latency && c.job.stack.page_tokens > 0.0;
  if (!is_rate && !waits) {
    return turns;
  }
  estimator::InferenceJob held = c.job;
  held.output = is_rate ? (c.job.output + 1) / 2 : c.job.output;
  const auto batch = static_cast<double>(c.job.batch);
  const double replicas = c.strategy.data_parallel;
  const double own =
      estimator::inference_memory(held, c.system, c.strategy).largest_batch_per_replica;
  if (own >= 1.0 && own * replicas < batch) {
    turns.strategy.micro_batches = 1;
    turns.strategy.micro_batch = static_cast<std::int32_t>(own);
    turns.count = waits ? std::ceil(batch / (own * replicas)) : 1.0;
  }
  return turns;
}

// A batch that starts together, held to the end.
InferencePrediction predict_batch(const InferenceCase& c) {
  const Turns turns = turns_of(c);
  const InferenceEstimate estimate = estimator::estimate_inference(c.job, c.system, turns.strategy);
  InferencePrediction p =
      prediction(c, estimate,
                 c.metric == InferenceMetric::first_token ? estimate.first_token : estimate.latency,
                 estimate.verdict == estimator::Verdict::fits);
  if (p.value) {
    p.value = *p.value * turns.count;
  }
  return p;
}

// What first tokens take longer in the mean where all open requests begin at once and one prompt
// goes after the other: the first ones, of which each waits for half of the others of its replica.
double started_together_s(const InferenceCase& c, estimator::ServingJob job) {
  const double others = c.concurrency / c.strategy.data_parallel - 1.0;
  if (c.requests_each <= 0.0 || others <= 0.0 || c.prefill) {
    return 0.0;
  }
  job.concurrency = 1.0;
  const ServingEstimate alone = estimator::estimate_serving(job, c.system, c.strategy);
  const double prompt_s = alone.time_to_first_token_s - c.job.stack.request_overhead_s;
  return 0.5 * others * prompt_s / c.requests_each;
}

// So many open requests of one shape. Prompts join the iterations of the others or have their own,
// whole or in chunks, as the framework does.
InferencePrediction predict_open(const InferenceCase& c) {
  estimator::ServingJob job;
  job.inference = c.job;
  job.requests = {{static_cast<double>(c.job.prompt), static_cast<double>(c.job.output), 1.0}};
  job.batching = c.separate_prompts ? estimator::Batching::separate : estimator::Batching::chunked;
  job.concurrency = c.concurrency;
  job.lengths = c.lengths;
  std::optional<estimator::PrefillPool> pool;
  if (c.prefill) {
    job.batching = estimator::Batching::disaggregated;
    job.prefill = c.prefill;
    pool.emplace(job, c.system, c.prefill->groups, c.prefill->devices);
  }
  const ServingEstimate estimate =
      estimator::estimate_serving(job, c.system, c.strategy, pool ? &*pool : nullptr);
  InferencePrediction p = prediction(c, estimate, estimate.iteration,
                                     estimate.verdict != estimator::ServingVerdict::does_not_fit);
  if (p.value && c.metric == InferenceMetric::first_token) {
    *p.value += started_together_s(c, job);
  }
  return p;
}

}  // namespace

double tokens_of(const InferenceCase& c) {
  const double requests = c.concurrency > 0.0 ? c.concurrency : static_cast<double>(c.job.batch);
  switch (c.metric) {
    case InferenceMetric::latency:
      return requests * static_cast<double>(c.job.output);
    case InferenceMetric::first_token:
      return requests * static_cast<double>(c.job.prompt);
    case InferenceMetric::output_token:
      return requests;
    case InferenceMetric::tokens_per_second:
      break;
  }
  return 0.0;
}

InferencePrediction predict(const InferenceCase& c) {
  return c.concurrency > 0.0 ? predict_open(c) : predict_batch(c);
}

}  // namespace scalesweep::validation

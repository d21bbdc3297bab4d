// What the estimator says of a measured inference case.
#include "estimator/inference/inference.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/iteration.hpp"
#include "estimator/inference/serving.hpp"
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
  return c.metric == InferenceMetric::first_token    ? estimate.time_to_first_token_s
         : c.metric == InferenceMetric::output_token ? estimate.time_per_output_token_s
                                                     : estimate.tokens_per_s;
}

template <typename Estimate>
InferencePrediction prediction(const InferenceCase& c, const Estimate& estimate,
                               const estimator::Charges& charges, bool fits) {
  InferencePrediction p;
  p.fits = fits;
  p.memory = estimate.memory;
  if (const double value = value_of(c, estimate); value > 0.0) {
    p.value = value;
    p.bottleneck = name_of(estimator::dominant(charges));
    p.device_power_w = estimate.device_power_w;
    p.energy = energy_at(estimate.device_power_w, c.gpus, estimate.tokens_per_s);
  }
  return p;
}

// What runs of a batch: engines let requests wait whose caches do not fit, which shows in times per
// token and in rates. On average caches hold half of the output.
parallel::Strategy running(const InferenceCase& c) {
  parallel::Strategy strategy = c.strategy;
  if (c.metric != InferenceMetric::output_token && c.metric != InferenceMetric::tokens_per_second) {
    return strategy;
  }
  estimator::InferenceJob half = c.job;
  half.output = (c.job.output + 1) / 2;
  const double largest = estimator::inference_memory(half, c.system, c.strategy).largest_batch;
  if (largest >= 1.0 && largest < static_cast<double>(c.job.batch)) {
    strategy.micro_batches = 1;
    strategy.micro_batch = static_cast<std::int32_t>(largest);
  }
  return strategy;
}

// A batch that starts together, held to the end.
InferencePrediction predict_batch(const InferenceCase& c) {
  const InferenceEstimate estimate = estimator::estimate_inference(c.job, c.system, running(c));
  return prediction(
      c, estimate,
      c.metric == InferenceMetric::first_token ? estimate.first_token : estimate.latency,
      estimate.verdict == estimator::Verdict::fits);
}

// So many open requests of one shape. Prompts join the iterations of the others whole, as the
// engines do unless they are told otherwise.
InferencePrediction predict_open(const InferenceCase& c) {
  estimator::ServingJob job;
  job.inference = c.job;
  job.requests = {{static_cast<double>(c.job.prompt), static_cast<double>(c.job.output), 1.0}};
  job.batching = estimator::Batching::chunked;
  const ServingEstimate estimate =
      estimator::estimate_at_concurrency(job, c.concurrency, c.system, c.strategy);
  return prediction(c, estimate, estimate.iteration,
                    estimate.verdict != estimator::ServingVerdict::does_not_fit);
}

}  // namespace

InferencePrediction predict(const InferenceCase& c) {
  return c.concurrency > 0.0 ? predict_open(c) : predict_batch(c);
}

}  // namespace scalesweep::validation

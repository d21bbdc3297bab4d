#include "random_inference.hpp"
#include "estimator/inference/drafter.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimator/inference/passes/image_pass.hpp"
#include "parallel/shared_cache.hpp"
#include "random_training.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator::test {
namespace {

using technology::Precision;

bool coin() {
  return *rc::gen::arbitrary<bool>();
}

workload::ServingStack any_stack() {
  workload::ServingStack stack;
  if (coin()) {
    stack.prefill_issue_interval_s = *rc::gen::element(0.0, 5e-6, 20e-6);
    stack.decode_issue_interval_s = *rc::gen::element(0.0, 2e-6, 10e-6);
    stack.collective_issue_interval_s = *rc::gen::element(0.0, 5e-6);
  }
  stack.kernel_latency_share = *rc::gen::element(1.0, 0.5);
  stack.collective_latency_share = *rc::gen::element(1.0, 0.6);
  stack.kernel_gap_s = *rc::gen::element(0.0, 1e-6);
  stack.kernel_share = *rc::gen::element(1.0, 0.8);
  stack.stream_share = *rc::gen::element(1.0, 0.9);
  stack.attention_share = *rc::gen::element(1.0, 0.7);
  stack.one_shot_all_reduce = coin();
  stack.fused_pointwise = coin();
  stack.flash_attention = coin();
  stack.partial_outputs = *rc::gen::element(workload::PartialOutputs::reduce_scatter,
                                            workload::PartialOutputs::all_to_all);
  stack.own_group_queries = coin();
  stack.expert_micro_batches = *rc::gen::element(1.0, 2.0, 3.0);
  stack.decodes_last_prompt_token = coin();
  stack.exchange_beside = *rc::gen::element(
      workload::ExchangeOverlap::nothing, workload::ExchangeOverlap::nothing,
      workload::ExchangeOverlap::shared_experts, workload::ExchangeOverlap::two_batches);
  stack.iteration_overhead_s = *rc::gen::element(0.0, 3e-4);
  stack.sequence_overhead_s = *rc::gen::element(0.0, 1e-5);
  stack.request_overhead_s = *rc::gen::element(0.0, 1e-2);
  stack.page_tokens = *rc::gen::element(0.0, 16.0, 64.0);
  return stack;
}

InferencePrecision any_precision() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return quantised(Precision::fp8);
    case 1:
      return weight_only(Precision::fp4);
    case 2: {
      InferencePrecision precision = quantised(Precision::fp8);
      precision.cache = Precision::fp8;
      return precision;
    }
    default:
      return {};
  }
}

// A part of the tokens that is no more than half of all, or nothing.
std::int64_t any_chunk(std::int64_t prompt) {
  return coin() ? 0 : std::max<std::int64_t>(1, prompt / *rc::gen::element(2, 5, 40));
}

parallel::Strategy any_layout(const workload::TransformerModel& model) {
  parallel::Strategy strategy;
  strategy.tensor_parallel = *rc::gen::element(1, 2, 4, 8);
  strategy.pipeline_parallel = *rc::gen::element(1, 1, 2, 4);
  strategy.context_parallel = *rc::gen::element(1, 1, 1, 2);
  strategy.data_parallel = *rc::gen::element(1, 2, 8);
  if (model.experts.on()) {
    strategy.expert_parallel =
        std::gcd(*rc::gen::element(1, 2, 8), strategy.data_parallel * strategy.context_parallel);
  }
  if (model.experts.on() && strategy.pipeline_parallel == 1 && strategy.context_parallel == 1 &&
      strategy.expert_parallel == 1) {
    strategy.expert_devices = *rc::gen::element(0, 0, 1, 2, 8);
  }
  if (strategy.context_parallel == 1) {
    strategy.decode_context_parallel = static_cast<std::int32_t>(
        parallel::shared_cache_ranks(model, strategy.tensor_parallel, *rc::gen::element(1, 2, 8)));
  }
  strategy.sequence_parallel = coin() && strategy.tensor_parallel > 1;
  strategy.micro_batch = *rc::gen::element(1, 2, 7, 16, 100, 256);
  strategy.micro_batches = strategy.pipeline_parallel > 1 ? *rc::gen::element(1, 2, 4, 6) : 1;
  return strategy;
}

std::string description(const InferenceExample& e) {
  const parallel::Strategy& s = e.strategy;
  const workload::ServingStack& stack = e.job.stack;
  return fmt::format(
      "tp {} cp {} dcp {} pp {} dp {} ep {} + {}, {} x {} sequences, {} + {} tokens, chunk {}, "
      "hits {} "
      "{} {}, "
      "adapters {}, draft {}; {} x {}, {} experts, latent {}, window {} in {}, {} linear, {} bare, "
      "top {}, {} images; flash {}, fused {}, gap {}, issue {} "
      "{}\n",
      s.tensor_parallel, s.context_parallel, s.decode_context_parallel, s.pipeline_parallel,
      s.data_parallel, s.expert_parallel, s.expert_devices, s.micro_batches, s.micro_batch,
      e.job.prompt, e.job.output, e.job.chunk_tokens(s), e.job.prefix_hits,
      e.job.prefixes.host_hits, e.job.prefixes.storage_hits, e.job.adapters.count,
      e.job.speculation.draft, e.job.model.layers, e.job.model.hidden, e.job.model.experts.count,
      e.job.model.latent.on(), e.job.model.local.window, e.job.model.local.layers,
      e.job.model.linear.layers, e.job.model.bare_layers, e.job.model.sparse.top_k,
      e.job.model.encoder.inputs, stack.flash_attention, stack.fused_pointwise, stack.kernel_gap_s,
      stack.prefill_issue_interval_s, stack.decode_issue_interval_s);
}

}  // namespace

Drafter any_drafter() {
  const std::int64_t hidden = *rc::gen::element(512, 2048);
  return drafter_of(
      scalesweep::test::llama(hidden, *rc::gen::inRange(1, 20), 16, 8, 4 * hidden, 32000));
}

InferenceExample any_inference() {
  const Example training = any_unlimited_example();
  InferenceExample example;
  example.system = training.system;
  if (coin()) {
    for (technology::LinkLevel& level : example.system.levels) {
      level.link.one_shot_latency = Seconds::si(5e-6);
      level.link.one_shot_efficiency = 0.7;
    }
  }
  InferenceJob& job = example.job;
  job.model = training.job.model;
  job.model.prediction_layers = 0;
  job.model.document = 0;  // requests are not packed
  job.prompt = static_cast<std::int64_t>(log_uniform(1.0, 20000.0));
  add_images(job);
  job.output = static_cast<std::int64_t>(log_uniform(1.0, 1500.0));
  job.precision = any_precision();
  job.prefix_hits = *rc::gen::element(0.0, 0.0, 0.5, 0.9);
  if (coin() && coin()) {
    job.prefixes.host_hits = 0.05;
    job.prefixes.storage_hits = *rc::gen::element(0.0, 0.04);
    job.prefixes.storage_bytes_per_s = 1e10;
    job.prefixes.loading = coin() ? PrefixLoading::layerwise : PrefixLoading::before;
  }
  if (coin() && coin()) {
    job.adapters = {.count = *rc::gen::element(1, 50), .rank = *rc::gen::element(8, 64)};
  }
  job.prefill_chunk = any_chunk(job.prompt);
  if (coin() && coin()) {
    job.speculation = {*rc::gen::element(1, 4, 8), *rc::gen::element(0.0, 0.7, 1.0), 0.05};
    if (coin()) {
      job.speculation.drafter = any_drafter();
    }
  }
  job.stack = any_stack();
  example.strategy = any_layout(job.model);
  job.batch = std::int64_t{example.strategy.micro_batch} * example.strategy.micro_batches *
              example.strategy.data_parallel;
  RC_LOG() << description(example);
  return example;
}

ServingJob any_service(const InferenceExample& example) {
  ServingJob job;
  job.inference = example.job;
  const auto prompt = static_cast<double>(example.job.prompt);
  const auto output = static_cast<double>(example.job.output);
  job.requests = {{prompt, output, 1.0}};
  if (coin()) {
    job.requests.push_back({std::ceil(prompt / 3.0), 2.0 * output, 0.5});
  }
  job.batching = *rc::gen::element(Batching::separate, Batching::chunked, Batching::disaggregated);
  return job;
}

InferenceEstimate estimate_of(const InferenceExample& e) {
  return estimate_inference(e.job, e.system, e.strategy);
}

double latency_s(const InferenceExample& e) {
  return estimate_of(e).latency_s();
}

void scale_rate(InferenceExample& example, Resource resource, double factor) {
  Example shared;
  shared.system = example.system;
  scale_rate(shared, resource, factor);
  example.system = shared.system;
  if (resource != Resource::latency) {
    return;
  }
  technology::AttentionKernels& attention = example.system.device.attention;
  for (Seconds* latency : {&attention.prefill_latency, &attention.decode_latency,
                           &attention.merge_latency, &attention.decode_block_latency}) {
    *latency *= 1.0 / factor;
  }
  for (technology::LinkLevel& level : example.system.levels) {
    level.link.one_shot_latency *= 1.0 / factor;
  }
  workload::ServingStack& stack = example.job.stack;
  for (double* fixed_s :
       {&stack.prefill_issue_interval_s, &stack.decode_issue_interval_s,
        &stack.collective_issue_interval_s, &stack.kernel_gap_s, &stack.iteration_overhead_s,
        &stack.sequence_overhead_s, &stack.request_overhead_s}) {
    *fixed_s /= factor;
  }
}

}  // namespace scalesweep::estimator::test

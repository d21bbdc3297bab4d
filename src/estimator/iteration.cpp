#include "estimator/iteration.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "estimator/collective.hpp"
#include "estimator/kernels.hpp"

namespace scalesweep::estimator {
namespace {

using workload::AttentionSpan;
using workload::LayerKind;

// Lengths that a sum over many is computed from.
constexpr double most_samples = 16.0;

Cost waiting(double seconds) {
  Cost cost;
  cost.time = Charges::of(Resource::latency, seconds);
  return cost;
}

// The part of the layers that attends to all tokens.
double whole_share(const workload::TransformerModel& model) {
  return workload::layers_with(model, AttentionSpan::whole) / static_cast<double>(model.layers);
}

IterationCost iteration_of(const InferenceBlock& block) {
  IterationCost cost;
  cost.linear = block.linear;
  cost.attention = block.attention;
  cost.other = block.other;
  cost.communication = block.communication;
  cost.host = waiting(std::max(0.0, block.issue_s - block.device_s()));
  return cost;
}

}  // namespace

IterationCost& IterationCost::operator+=(const IterationCost& o) {
  linear += o.linear;
  attention += o.attention;
  other += o.other;
  communication += o.communication;
  pipeline += o.pipeline;
  host += o.host;
  slowest_stage_s += o.slowest_stage_s;
  return *this;
}

IterationCost operator*(double n, const IterationCost& c) {
  return {n * c.linear,   n * c.attention, n * c.other,          n * c.communication,
          n * c.pipeline, n * c.host,      n * c.slowest_stage_s};
}

IterationModel::IterationModel(const InferenceSetting& setting, const parallel::Strategy& strategy)
    : setting_(&setting),
      strategy_(strategy),
      stages_(stage_shares(setting.job.model, strategy, setting.job.framework.stage_balance)) {}

IterationModel::Blocks IterationModel::blocks(const Iteration& iteration) const {
  const InferenceSetting& set = *setting_;
  const workload::TransformerModel& model = set.job.model;
  const workload::InferenceSlice slice =
      slice_of(set, strategy_, iteration.prompts, iteration.decoding);
  const double interval_s = issue_interval_s(set, iteration.prompts);
  Blocks blocks;
  const auto fill = [&](InferenceBlock& block, LayerKind kind) {
    std::vector<workload::Operator> operators = inference_layer_operators(model, slice, kind);
    std::erase_if(operators, [](const workload::Operator& op) {
      return op.block == workload::Block::attention_core;
    });
    block.add(set, operators, interval_s);
    block.add(set, strategy_, layer_messages(set, strategy_, slice, kind));
  };
  const bool experts = model.experts.on();
  if (!experts || model.expert_layers() < model.layers) {
    fill(blocks.layer, LayerKind::dense);
  }
  if (experts) {
    fill(blocks.expert_layer, LayerKind::experts);
  }
  set_attention(blocks, iteration);
  blocks.embedding.add(set, inference_embedding_operators(model, slice), interval_s);
  blocks.head.add(set, inference_head_operators(model, slice), interval_s);
  blocks.head.add(set, strategy_, head_messages(set, strategy_, slice));
  return blocks;
}

void IterationModel::set_attention(Blocks& blocks, const Iteration& iteration) const {
  const InferenceSetting& set = *setting_;
  const workload::TransformerModel& model = set.job.model;
  const workload::InferenceSlice slice =
      slice_of(set, strategy_, iteration.prompts, iteration.decoding);
  const double interval_s = issue_interval_s(set, iteration.prompts);
  const double whole = whole_share(model);
  const auto fill = [&](InferenceBlock& block, AttentionSpan span) {
    block = {};
    block.add(set, inference_attention_operators(model, slice, span), interval_s);
  };
  if (whole > 0.0) {
    fill(blocks.whole, AttentionSpan::whole);
  }
  if (whole < 1.0) {
    fill(blocks.window, AttentionSpan::window);
  }
}

IterationCost IterationModel::assemble(const Blocks& blocks, const Iteration& iteration) const {
  const InferenceSetting& set = *setting_;
  const double whole = whole_share(set.job.model);
  const auto layer_of = [&](InferenceBlock block) {
    IterationCost cost;
    if (whole > 0.0) {
      InferenceBlock with = block;
      cost += whole * iteration_of(with += blocks.whole);
    }
    if (whole < 1.0) {
      cost += (1.0 - whole) * iteration_of(block += blocks.window);
    }
    return cost;
  };
  const IterationCost layer = layer_of(blocks.layer);
  const IterationCost expert_layer = layer_of(blocks.expert_layer);
  IterationCost pass;
  double slowest_s = 0.0;
  for (const StageShare& share : stages_.kinds()) {
    IterationCost stage = share.layers * layer;
    if (share.expert_layers > 0.0) {
      stage += share.expert_layers * expert_layer;
    }
    if (share.embedding) {
      stage += iteration_of(blocks.embedding);
    }
    if (share.head) {
      stage += iteration_of(blocks.head);
    }
    slowest_s = std::max(slowest_s, stage.total().time.total_s());
    pass += static_cast<double>(share.count) * stage;
  }
  if (strategy_.pipeline_parallel > 1) {
    const double tokens = iteration.prompts.tokens() + iteration.decoding.tokens();
    const double parts = strategy_.sequence_parallel ? strategy_.tensor_parallel : 1.0;
    const double bytes = tokens / strategy_.context_parallel *
                         static_cast<double>(set.job.model.hidden) *
                         technology::element_bytes(set.job.precision.activations) / parts;
    const Cost send = transfer_cost(
        bytes, parallel::stage_link(strategy_, set.system.scale_up_domain), set.system);
    pass.pipeline = static_cast<double>(strategy_.pipeline_parallel - 1) * send;
    slowest_s += send.time.total_s();
  }
  const workload::ServingStack& stack = set.job.framework.serving;
  const double sequences = iteration.prompts.sequences + iteration.decoding.sequences;
  pass.host += waiting(stack.iteration_overhead_s + stack.sequence_overhead_s * sequences);
  pass.slowest_stage_s = slowest_s;
  return pass;
}

IterationCost IterationModel::pass(const Iteration& iteration) const {
  return assemble(blocks(iteration), iteration);
}

// Midpoints of equal parts: x is the index of an iteration, and the sum over the indices of an
// affine function is their number times its value at the mean index.
template <class At>
IterationCost IterationModel::sum(double count, const At& at) const {
  const double samples = std::min(most_samples, std::max(1.0, std::ceil(count)));
  const double part = count / samples;
  IterationCost sum;
  for (double i = 0.0; i < samples; ++i) {
    sum += part * at((i + 0.5) * part - 0.5);
  }
  return sum;
}

IterationCost IterationModel::decode(double sequences, double from, double to) const {
  if (to <= from || sequences <= 0.0) {
    return {};
  }
  const Speculation& speculation = setting_->job.speculation;
  const double yield = speculation.tokens_per_iteration();
  Iteration iteration;
  iteration.decoding = {sequences, static_cast<double>(speculation.draft) + 1.0, from};
  Blocks shared = blocks(iteration);
  return sum((to - from) / yield, [&](double index) {
    iteration.decoding.cached_tokens = from + index * yield;
    set_attention(shared, iteration);
    return assemble(shared, iteration);
  });
}

IterationCost IterationModel::prefill(double sequences, double tokens, double cached,
                                      double chunk) const {
  if (tokens <= 0.0 || sequences <= 0.0) {
    return {};
  }
  const double parts = chunk > 0.0 ? std::max(1.0, std::ceil(sequences * tokens / chunk)) : 1.0;
  Iteration iteration;
  iteration.prompts = {sequences, tokens / parts, cached};
  Blocks shared = blocks(iteration);
  return sum(parts, [&](double index) {
    iteration.prompts.cached_tokens = cached + index * tokens / parts;
    set_attention(shared, iteration);
    return assemble(shared, iteration);
  });
}

}  // namespace scalesweep::estimator

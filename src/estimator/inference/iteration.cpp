#include "estimator/inference/iteration.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "estimator/parts/collective.hpp"
#include "estimator/parts/stages.hpp"
#include "estimator/reuse/adapters.hpp"

namespace scalesweep::estimator {
namespace {

using workload::AttentionSpan;
using workload::ExchangeOverlap;
using workload::LayerKind;
using workload::LayerVariant;
using workload::LayerVariants;
using workload::Mixer;

// Lengths that a sum over many is computed from.
constexpr double most_samples = 16.0;

Cost waiting(double seconds) {
  Cost cost;
  cost.time = Charges::of(Resource::latency, seconds);
  return cost;
}

// The part of the layers with attention that attends to all tokens.
double whole_share(const workload::TransformerModel& model) {
  const double attending = workload::layers_with(model, Mixer::attention);
  return attending > 0.0 ? workload::layers_with(model, AttentionSpan::whole) / attending : 1.0;
}

// Half of the requests, as much of each.
Iteration half_of(Iteration iteration) {
  iteration.prefill.sequences *= 0.5;
  iteration.decode.sequences *= 0.5;
  return iteration;
}

IterationCost iteration_of(const InferenceBlock& block, const ExchangeCover& cover = {}) {
  IterationCost cost;
  cost.linear = block.linear;
  cost.attention = block.attention;
  cost.other = block.other;
  cost.communication = block.communication + cover.open(block);
  // Where the host sets the time, all of it is the host's: what the device is charged with is taken
  // back, so that a single entry may be negative; the sum is not.
  const Charges device = (cost.linear + cost.attention + cost.other + cost.communication).time;
  if (block.issue_s > device.total_s()) {
    cost.host = waiting(block.issue_s);
    cost.host.time -= device;
  }
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
  slowest_stage += o.slowest_stage;
  return *this;
}

IterationCost operator*(double n, const IterationCost& c) {
  return {n * c.linear,   n * c.attention, n * c.other,        n * c.communication,
          n * c.pipeline, n * c.host,      n * c.slowest_stage};
}

namespace {

// Attention of a layer, which depends on the lengths of the caches.
struct AttentionBlocks {
  InferenceBlock whole, window;
};

// Layers of one kind: each of its variants, without attention where that is its mixer.
struct VariantBlock {
  LayerVariant variant;
  InferenceBlock block;
};
class LayerBlocks {
 public:
  void add(const VariantBlock& block) { blocks_.push_back(block); }
  auto begin() const { return blocks_.begin(); }
  auto end() const { return blocks_.end(); }

  // The mean of what is charged to communication, and what is issued.
  double communication_s() const {
    return sum([](const VariantBlock& of) {
      return of.variant.share * of.block.communication.time.total_s();
    });
  }
  double issue_s() const {
    return sum([](const VariantBlock& of) { return of.block.issue_s; });
  }
  // The same in all variants.
  double exchange_s() const { return blocks_.front().block.exchange.time.total_s(); }

 private:
  template <class Of>
  double sum(const Of& of) const {
    double total = 0.0;
    for (const VariantBlock& block : *this) {
      total += of(block);
    }
    return total;
  }

  std::vector<VariantBlock> blocks_;  // one, but of models that mix layers
};

struct Blocks {
  LayerBlocks layer, expert_layer;
  AttentionBlocks attention;
  ExchangeCover cover;
  InferenceBlock embedding, head;
  // Of half a batch, where it may run beside the exchange of the other half.
  bool may_halve = false;
  LayerBlocks half_expert_layer;
  AttentionBlocks half_attention;
  ExchangeCover half_cover;
};

AttentionBlocks attention_blocks(const Replica& replica, const Iteration& iteration) {
  AttentionBlocks blocks;
  const workload::InferenceSlice slice = slice_of(replica, iteration.prefill, iteration.decode);
  const IterationKernels kernels = kernels_of(replica.setting, iteration.prefill);
  const workload::TransformerModel& model = replica.job().model;
  const auto fill = [&](InferenceBlock& block, AttentionSpan span) {
    block = {};
    if (workload::layers_with(model, span) > 0.0) {
      block.add(replica.setting, inference_attention_operators(model, slice, span), kernels);
    }
  };
  fill(blocks.whole, AttentionSpan::whole);
  fill(blocks.window, AttentionSpan::window);
  return blocks;
}

void set_attention(Blocks& blocks, const Replica& replica, const Iteration& iteration) {
  blocks.attention = attention_blocks(replica, iteration);
  if (blocks.may_halve) {
    blocks.half_attention = attention_blocks(replica, half_of(iteration));
  }
}

// Layers without attention; a state takes as long whatever the caches hold.
LayerBlocks layer_blocks(const Replica& replica, const Iteration& iteration, LayerKind kind,
                         KnownProducts* known = nullptr) {
  const InferenceSetting& set = replica.setting;
  workload::InferenceSlice slice = slice_of(replica, iteration.prefill, iteration.decode);
  slice.prefill_share = iteration.prefill_share;
  const IterationKernels kernels = kernels_of(set, iteration.prefill);
  LayerBlocks blocks;
  for (const LayerVariant& variant : LayerVariants(set.job.model, kind)) {
    std::vector<workload::Operator> operators = inference_layer_operators(
        set.job.model, slice, variant.kind, AttentionSpan::whole, variant.mixer);
    InferenceBlock block;
    block.add(set, adapter_operators(set.job, slice, operators), kernels);
    if (variant.mixer == Mixer::attention) {
      std::erase_if(operators, [](const workload::Operator& op) {
        return op.block == workload::Block::attention_core;
      });
    }
    block.add(set, operators, kernels, known);
    block.add(set, layer_messages(replica, slice, variant.kind, variant.mixer));
    blocks.add({variant, block});
  }
  return blocks;
}

void add_expert_layers(Blocks& blocks, const Replica& replica, const Iteration& iteration,
                       KnownProducts* known) {
  const ExchangeOverlap beside = replica.job().framework.serving.exchange_beside;
  blocks.expert_layer = layer_blocks(replica, iteration, LayerKind::experts, known);
  blocks.may_halve =
      beside == ExchangeOverlap::two_batches && blocks.expert_layer.exchange_s() > 0.0;
  if (blocks.may_halve) {
    blocks.half_expert_layer = layer_blocks(replica, half_of(iteration), LayerKind::experts);
    blocks.half_cover = cover_of(replica.setting, beside, iteration.prefill);
  } else {
    blocks.cover = cover_of(replica.setting, beside, iteration.prefill);
  }
}

Blocks blocks_of(const Replica& replica, const Iteration& iteration) {
  const InferenceSetting& set = replica.setting;
  const workload::TransformerModel& model = set.job.model;
  const workload::InferenceSlice slice = slice_of(replica, iteration.prefill, iteration.decode);
  const IterationKernels kernels = kernels_of(set, iteration.prefill);
  Blocks blocks;
  const bool experts = model.experts.on();
  const bool dense = !experts || model.expert_layers() < model.layers;
  KnownProducts products;
  KnownProducts* const known = experts && dense ? &products : nullptr;
  if (dense) {
    blocks.layer = layer_blocks(replica, iteration, LayerKind::dense, known);
  }
  if (experts) {
    add_expert_layers(blocks, replica, iteration, known);
  }
  blocks.embedding.add(set, inference_embedding_operators(model, slice), kernels);
  blocks.head.add(set, inference_head_operators(model, slice), kernels);
  blocks.head.add(set, head_messages(replica, slice));
  set_attention(blocks, replica, iteration);
  return blocks;
}

// A layer with its attention, the mean of those with both spans.
IterationCost attending(const InferenceBlock& block, const AttentionBlocks& attention, double whole,
                        const ExchangeCover& cover) {
  IterationCost layer;
  if (whole > 0.0) {
    InferenceBlock with = block;
    layer += whole * iteration_of(with += attention.whole, cover);
  }
  if (whole < 1.0) {
    InferenceBlock with = block;
    layer += (1.0 - whole) * iteration_of(with += attention.window, cover);
  }
  return layer;
}

// The mean of the layers of a kind.
IterationCost layer_of(const LayerBlocks& blocks, const AttentionBlocks& attention, double whole,
                       const ExchangeCover& cover = {}) {
  IterationCost layer;
  for (const auto& [variant, block] : blocks) {
    layer += variant.share * (variant.mixer == Mixer::attention
                                  ? attending(block, attention, whole, cover)
                                  : iteration_of(block, cover));
  }
  return layer;
}

// As one batch, or in halves: whichever is faster, as those who serve turn it on.
IterationCost expert_layer_of(const Blocks& blocks, double whole) {
  const IterationCost one = layer_of(blocks.expert_layer, blocks.attention, whole, blocks.cover);
  if (!blocks.may_halve) {
    return one;
  }
  const IterationCost two =
      2.0 * layer_of(blocks.half_expert_layer, blocks.half_attention, whole, blocks.half_cover);
  return two.total().time.total_s() < one.total().time.total_s() ? two : one;
}

// Adds `times` iterations with these blocks.
void add_iterations(PassParts& parts, const Blocks& blocks, const workload::TransformerModel& model,
                    double times) {
  const double whole = whole_share(model);
  parts.layer += times * layer_of(blocks.layer, blocks.attention, whole);
  if (model.experts.on()) {
    parts.expert_layer += times * expert_layer_of(blocks, whole);
  }
  parts.embedding += times * iteration_of(blocks.embedding);
  parts.head += times * iteration_of(blocks.head);
  parts.iterations += times;
}

PassParts parts_for(const Iteration& iteration) {
  PassParts parts;
  parts.tokens = iteration.prefill.tokens() + iteration.decode.tokens();
  parts.sequences = iteration.prefill.sequences + iteration.decode.sequences;
  return parts;
}

// Midpoints of equal parts: the sum over the indices 0, 1, ... count - 1 of an affine function is
// their number times its value at the mean index. No part is shorter than one iteration, so that
// none begins before the first.
template <class Iterate>
void sum_over(double count, const Iterate& iterate) {
  constexpr double rounding = 1e-9;
  const double samples = std::clamp(std::floor(count + rounding), 1.0, most_samples);
  const double part = count / samples;
  for (double i = 0.0; i < samples; ++i) {
    iterate(std::max(0.0, (i + 0.5) * part - 0.5), part);
  }
}

double issued_s(const Blocks& blocks) {
  return blocks.layer.issue_s() + blocks.expert_layer.issue_s() + blocks.attention.whole.issue_s +
         blocks.attention.window.issue_s + blocks.embedding.issue_s + blocks.head.issue_s;
}

// Adds `repeats` times `count` iterations that differ in what the caches hold, which `set_length`
// says of the i-th. Where the host issues nothing and no half hides the other's exchange, a layer
// is the sum of its kernels, and attention is summed alone.
template <class SetLength>
void add_lengths(PassParts& parts, const Replica& replica, Iteration iteration, double count,
                 double repeats, const SetLength& set_length) {
  Blocks blocks = blocks_of(replica, iteration);
  const bool is_sum = issued_s(blocks) <= 0.0 && !blocks.may_halve;
  Cost whole, window;
  sum_over(count, [&](double index, double times) {
    set_length(iteration, index);
    set_attention(blocks, replica, iteration);
    if (is_sum) {
      whole += times * blocks.attention.whole.attention;
      window += times * blocks.attention.window.attention;
    } else {
      add_iterations(parts, blocks, replica.job().model, repeats * times);
    }
  });
  if (is_sum) {
    blocks.attention.whole.attention = (1.0 / count) * whole;
    blocks.attention.window.attention = (1.0 / count) * window;
    add_iterations(parts, blocks, replica.job().model, repeats * count);
  }
}

}  // namespace

PassParts pass_parts(const Replica& replica, const Iteration& iteration) {
  PassParts parts = parts_for(iteration);
  add_iterations(parts, blocks_of(replica, iteration), replica.job().model, 1.0);
  return parts;
}

ExpertLayerRun expert_layer_run(const Replica& replica, const Iteration& iteration) {
  const Blocks blocks = blocks_of(replica, iteration);
  const double whole = whole_share(replica.job().model);
  ExpertLayerRun run;
  const IterationCost cost = expert_layer_of(blocks, whole);
  const IterationCost one = layer_of(blocks.expert_layer, blocks.attention, whole, blocks.cover);
  run.halves = cost.total().time.total_s() < one.total().time.total_s();
  const LayerBlocks& layers = run.halves ? blocks.half_expert_layer : blocks.expert_layer;
  const double passes = run.halves ? 2.0 : 1.0;
  const double exchange_s = passes * layers.exchange_s();
  if (exchange_s > 0.0) {
    const double open_s = (cost.communication.time.total_s() - passes * layers.communication_s());
    run.open_share = std::max(0.0, open_s / exchange_s);
  }
  return run;
}

PassParts decode_parts(const Replica& replica, double sequences, double from, double to) {
  if (to <= from || sequences <= 0.0) {
    return {};
  }
  const Speculation& speculation = replica.job().speculation;
  const double yield = speculation.tokens_per_iteration();
  Iteration iteration;
  iteration.decode = {sequences, static_cast<double>(speculation.draft) + 1.0, from};
  PassParts parts = parts_for(iteration);
  add_lengths(parts, replica, iteration, (to - from) / yield, 1.0,
              [&](Iteration& at, double index) { at.decode.cached_tokens = from + index * yield; });
  return parts;
}

workload::TokenGroup first_prompts(double sequences, double tokens, double cached, double chunk) {
  const double all = sequences * tokens;
  const double taken = chunk > 0.0 ? all / std::max(1.0, std::ceil(all / chunk)) : all;
  const double part = std::min(tokens, taken);
  return {taken / part, part, cached};
}

PassParts prefill_parts(const Replica& replica, double sequences, double tokens, double cached,
                        double chunk) {
  if (tokens <= 0.0 || sequences <= 0.0) {
    return {};
  }
  Iteration iteration;
  iteration.prefill = first_prompts(sequences, tokens, cached, chunk);
  const workload::TokenGroup first = iteration.prefill;
  const double passes = sequences / first.sequences;  // over all prompts
  const double count = tokens / first.new_tokens;     // parts of a prompt
  // GEMMs that depend on what is cached (keys of latents) are taken at its mean.
  iteration.prefill.cached_tokens = cached + 0.5 * (tokens - first.new_tokens);
  PassParts parts = parts_for(iteration);
  add_lengths(parts, replica, iteration, count, passes, [&](Iteration& at, double index) {
    at.prefill.cached_tokens = cached + index * first.new_tokens;
  });
  return parts;
}

IterationCost whole_passes(const Replica& replica, const PassParts& parts) {
  const InferenceJob& job = replica.job();
  const parallel::Strategy& strategy = replica.strategy;
  const technology::System& system = replica.setting.system;
  IterationCost pass;
  Charges slowest;
  const StageShares stages = stage_shares(job.model, strategy, job.framework.stage_balance);
  for (const StageShare& share : stages.kinds()) {
    IterationCost stage = share.layers * parts.layer;
    if (share.expert_layers > 0.0) {
      stage += share.expert_layers * parts.expert_layer;
    }
    if (share.embedding) {
      stage += parts.embedding;
    }
    if (share.head) {
      stage += parts.head;
    }
    slowest = longer(slowest, stage.total().time);
    pass += static_cast<double>(share.count) * stage;
  }
  if (strategy.pipeline_parallel > 1) {
    const double cut = strategy.sequence_parallel ? strategy.tensor_parallel : 1.0;
    const double bytes = parts.tokens / strategy.context_parallel *
                         static_cast<double>(job.model.hidden) *
                         technology::element_bytes(job.precision.activations) / cut;
    const Cost send = parts.iterations *
                      transfer_cost(bytes, replica.group(parallel::Dimension::pipeline), system);
    pass.pipeline = static_cast<double>(strategy.pipeline_parallel - 1) * send;
    slowest += send.time;
  }
  const workload::ServingStack& stack = job.framework.serving;
  pass.host += waiting(parts.iterations *
                       (stack.iteration_overhead_s + stack.sequence_overhead_s * parts.sequences));
  pass.slowest_stage = slowest;
  return pass;
}

IterationCost iteration_cost(const Replica& replica, const Iteration& iteration) {
  return whole_passes(replica, pass_parts(replica, iteration));
}

IterationCost decode_cost(const Replica& replica, double sequences, double from, double to) {
  return whole_passes(replica, decode_parts(replica, sequences, from, to));
}

IterationCost prefill_cost(const Replica& replica, double sequences, double tokens, double cached,
                           double chunk) {
  return whole_passes(replica, prefill_parts(replica, sequences, tokens, cached, chunk));
}

}  // namespace scalesweep::estimator

#include "estimator/inference/passes/iteration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "estimator/inference/passes/image_pass.hpp"
#include "estimator/inference/passes/pass_kernels.hpp"
#include "estimator/inference/passes/ping_pong.hpp"
#include "estimator/parts/collective.hpp"
#include "estimator/parts/stages.hpp"

namespace scalesweep::estimator {
namespace {

using workload::AttentionSpan;
using workload::ExchangeOverlap;
using workload::InferenceSlice;
using workload::Mixer;

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

// The layers of one kind: kernels, and what each of its variants sends.
class LayerBlocks {
 public:
  LayerBlocks() = default;
  // The kernels outlive it.
  LayerBlocks(const LayerKernels& kernels, const Replica& replica, const InferenceSlice& slice)
      : kernels_(kernels), sent_(kernels.size()) {
    for (std::size_t i = 0; replica.setting.sends && i < kernels_.size(); ++i) {
      const workload::LayerVariant& variant = kernels_[i].variant;
      sent_[i].add(replica.setting, layer_messages(replica, slice, variant.kind, variant.mixer));
    }
  }

  bool any() const { return !kernels_.empty(); }
  // The mean of the layers with attention over these caches.
  IterationCost mean(const CacheAttention& attention, double whole,
                     const ExchangeCover& cover = {}) const {
    IterationCost layer;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      const workload::LayerVariant& variant = kernels_[i].variant;
      const InferenceBlock block = block_of(i);
      layer.add(variant.share, variant.mixer == Mixer::attention
                                   ? attending(block, attention, whole, cover)
                                   : iteration_of(block, cover));
    }
    return layer;
  }

  // The mean of what is charged to communication, and what is issued.
  double communication_s() const {
    double s = 0.0;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      s += kernels_[i].variant.share * sent_[i].communication.time.total_s();
    }
    return s;
  }
  double sent_issue_s() const {
    double s = 0.0;
    for (const SentBlock& sent : sent_) {
      s += sent.issue_s;
    }
    return s;
  }
  // The same in all variants.
  double exchange_s() const { return sent_.empty() ? 0.0 : sent_.front().exchange.time.total_s(); }

 private:
  InferenceBlock block_of(std::size_t i) const {
    InferenceBlock block = kernels_[i].block;
    return block += sent_[i];
  }

  static IterationCost with(InferenceBlock block, const CacheAttention::Span& attention,
                            const ExchangeCover& cover) {
    block.attention += attention.cost;
    block.issue_s += attention.issue_s;
    return iteration_of(block, cover);
  }
  // A layer with its attention, the mean of those with both spans.
  static IterationCost attending(const InferenceBlock& block, const CacheAttention& attention,
                                 double whole, const ExchangeCover& cover) {
    IterationCost layer;
    if (whole > 0.0) {
      layer.add(whole, with(block, attention.whole, cover));
    }
    if (whole < 1.0) {
      layer.add(1.0 - whole, with(block, attention.window, cover));
    }
    return layer;
  }

  std::span<const VariantKernels> kernels_;
  std::vector<SentBlock> sent_;  // of each variant
};

// A layer with experts in so many micro-batches that go to and fro between devices of attention and
// of experts; the kernels outlive it.
struct Turn {
  double micro_batches = 1.0;
  LayerBlocks attention;
  const InferenceBlock* experts = nullptr;
  Cost there = {}, back = {};

  Turn(const TurnKernels& kernels, const Replica& replica, const InferenceSlice& all)
      : micro_batches(kernels.micro_batches), experts(&kernels.experts) {
    const InferenceSlice slice = part_of(all, 1.0 / micro_batches);
    attention = LayerBlocks(kernels.attention, replica, slice);
    if (replica.setting.sends) {
      const std::vector<Message> links = expert_link_messages(replica, slice);
      there = message_cost(links.front(), replica.setting).cost;
      back = message_cost(links.back(), replica.setting).cost;
    }
  }

  IterationCost layer(const CacheAttention& cache, double whole, const Replica& replica) const {
    const auto layers = static_cast<double>(replica.job().model.expert_layers());
    return ping_pong({attention.mean(cache, whole), there, iteration_of(*experts), back},
                     micro_batches, layers, replica.strategy);
  }
};

// Kernels and messages of an iteration; the kernels outlive them.
struct Blocks {
  const Replica& replica;
  const PassKernels& kernels;
  double whole = 1.0;  // of the layers with attention
  bool experts = false;
  LayerBlocks layer, expert_layer;
  ExchangeCover cover = {};
  InferenceBlock head = {};
  bool has_images = false;  // among the prompts
  InferenceBlock encoder = {};
  // Of half a batch, where it may run beside the exchange of the other half.
  bool may_halve = false;
  LayerBlocks half_expert_layer = {};
  // Where experts have devices of their own, instead of expert_layer; of as many micro-batches as
  // is fastest.
  std::vector<Turn> turns = {};

  // Of the host, in all of it; 0: layers are the sums of their kernels.
  double issue_s() const {
    return kernels.issue_s() + layer.sent_issue_s() + expert_layer.sent_issue_s() + head.issue_s +
           encoder.issue_s;
  }
  IterationCost one_batch(const CacheAttention& attention) const {
    return expert_layer.mean(attention, whole, may_halve ? ExchangeCover{} : cover);
  }
  // As one batch, or in halves: whichever is faster, as those who serve turn it on.
  IterationCost expert_layer_of(const PassKernels::Length& length) const {
    if (!turns.empty()) {
      return fastest_turn(length).second;
    }
    const IterationCost one = one_batch(length.attention);
    if (!may_halve) {
      return one;
    }
    const IterationCost two = 2.0 * half_expert_layer.mean(length.half_attention, whole, cover);
    return two.total().time.total_s() < one.total().time.total_s() ? two : one;
  }
  std::pair<double, IterationCost> fastest_turn(const PassKernels::Length& length) const {
    std::pair<double, IterationCost> best;
    double best_s = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const IterationCost layer = turns[i].layer(length.turn_attention[i], whole, replica);
      if (const double layer_s = layer.total().time.total_s(); layer_s < best_s) {
        best_s = layer_s;
        best = {turns[i].micro_batches, layer};
      }
    }
    return best;
  }
  // Adds so many iterations with these caches.
  void add_to(PassParts& parts, const PassKernels::Length& length, double iterations) const {
    const auto add = [&](IterationCost& sum, const IterationCost& cost) {
      if (turns.empty()) {
        sum.add(iterations, cost);
      } else {
        sum.add(iterations, of_mean_device(cost, replica.strategy));
      }
    };
    if (layer.any()) {
      add(parts.layer, layer.mean(length.attention, whole));
    }
    if (experts) {
      parts.expert_layer.add(iterations, expert_layer_of(length));
    }
    add(parts.embedding, iteration_of(kernels.embedding));
    add(parts.head, iteration_of(head));
    if (has_images) {
      IterationCost images;
      images.encoder = iteration_of(encoder).total();
      add(parts.encoder, images);
    }
    parts.iterations += iterations;
  }
};

InferenceSlice slice_of(const Replica& replica, const Iteration& iteration) {
  InferenceSlice slice = slice_of(replica, iteration.prefill, iteration.decode);
  slice.prefill_share = iteration.prefill_share;
  return slice;
}

Blocks blocks_of(const Replica& replica, const PassKernels& kernels, const InferenceSlice& slice) {
  const InferenceSetting& set = replica.setting;
  const workload::TransformerModel& model = set.job.model;
  const ExchangeOverlap beside = set.job.stack.exchange_beside;
  Blocks blocks = {replica,
                   kernels,
                   whole_share(model),
                   model.experts.on(),
                   LayerBlocks(kernels.layer, replica, slice),
                   LayerBlocks(kernels.expert_layer, replica, slice)};
  if (blocks.experts) {
    blocks.cover = cover_of(set, beside, slice.prefill);
    blocks.may_halve = kernels.has_halves && (!set.sends || blocks.expert_layer.exchange_s() > 0.0);
  }
  if (blocks.may_halve) {
    blocks.half_expert_layer = LayerBlocks(kernels.half_expert_layer, replica, half_of(slice));
  }
  for (const TurnKernels& turn : kernels.turns) {
    blocks.turns.emplace_back(turn, replica, slice);
  }
  blocks.head = kernels.head;
  blocks.has_images = model.encoder.asked() && slice.prefill.tokens() > 0.0;
  if (set.sends) {
    blocks.head.add(set, head_messages(replica, slice));
  }
  if (blocks.has_images) {
    blocks.encoder = kernels.encoder;
    if (set.sends) {
      add_encoder_messages(blocks.encoder, replica, slice);
    }
  }
  return blocks;
}

PassParts parts_for(const Iteration& iteration) {
  PassParts parts;
  parts.tokens = iteration.prefill.tokens() + iteration.decode.tokens();
  parts.sequences = iteration.prefill.sequences + iteration.decode.sequences;
  return parts;
}

// Calls `use` with the kernels of so many iterations.
template <class Use>
void with_kernels(const InferenceSetting& setting, const InferenceSlice& slice,
                  const CacheGrowth& growth, const Use& use) {
  if (setting.known != nullptr) {
    use(setting.known->at(setting, slice, growth));
  } else {
    use(pass_kernels(setting, slice, growth));
  }
}

// `repeats` times the iterations that differ in what the caches hold. Where the host issues nothing
// and no half hides the other's exchange, a layer is the sum of its kernels, and attention is
// summed alone.
PassParts parts_of(const Replica& replica, const Iteration& iteration,
                   const CacheGrowth& growth = {}, double repeats = 1.0) {
  PassParts parts = parts_for(iteration);
  const InferenceSlice slice = slice_of(replica, iteration);
  with_kernels(replica.setting, slice, growth, [&](const PassKernels& kernels) {
    const Blocks blocks = blocks_of(replica, kernels, slice);
    if (blocks.issue_s() <= 0.0 && !blocks.may_halve && blocks.turns.empty()) {
      blocks.add_to(parts, {.attention = kernels.mean_attention(growth.iterations)},
                    repeats * growth.iterations);
      return;
    }
    for (const PassKernels::Length& length : kernels.lengths) {
      blocks.add_to(parts, length, repeats * length.iterations);
    }
  });
  return parts;
}

}  // namespace

PassParts pass_parts(const Replica& replica, const Iteration& iteration) {
  return parts_of(replica, iteration);
}

ExpertLayerRun expert_layer_run(const Replica& replica, const Iteration& iteration) {
  const InferenceSlice slice = slice_of(replica, iteration);
  const PassKernels kernels = pass_kernels(replica.setting, slice, {});
  const Blocks blocks = blocks_of(replica, kernels, slice);
  ExpertLayerRun run;
  if (!blocks.turns.empty()) {
    run.micro_batches = blocks.fastest_turn(kernels.lengths.front()).first;
    return run;
  }
  const IterationCost cost = blocks.expert_layer_of(kernels.lengths.front());
  const IterationCost one = blocks.one_batch(kernels.lengths.front().attention);
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
  return parts_of(replica, iteration, {CacheGrowth::Of::decode, (to - from) / yield, from, yield});
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
  return parts_of(replica, iteration, {CacheGrowth::Of::prefill, count, cached, first.new_tokens},
                  passes);
}

Cost stage_send(const Replica& replica, double iterations, double tokens) {
  const parallel::Strategy& strategy = replica.strategy;
  const InferenceJob& job = replica.job();
  if (strategy.pipeline_parallel == 1 || !replica.setting.sends) {
    return {};
  }
  const double cut = strategy.sequence_parallel ? strategy.tensor_parallel : 1.0;
  const double bytes = tokens / strategy.context_parallel * static_cast<double>(job.model.hidden) *
                       technology::element_bytes(job.precision.activations) / cut;
  return iterations *
         transfer_cost(bytes, replica.group(parallel::Dimension::pipeline), replica.setting.system);
}

double engine_s(const InferenceJob& job, const PassParts& parts) {
  const workload::ServingStack& stack = job.stack;
  return parts.iterations *
         (stack.iteration_overhead_s + stack.sequence_overhead_s * parts.sequences);
}

double engine_wait_s(const InferenceJob& job, double engine_s, double device_s) {
  return job.stack.overlapped_scheduling ? std::max(0.0, engine_s - device_s) : engine_s;
}

IterationCost whole_passes(const Replica& replica, const PassParts& parts) {
  const InferenceJob& job = replica.job();
  const parallel::Strategy& strategy = replica.strategy;
  IterationCost pass;
  Charges slowest;
  const StageShares stages = stage_shares(job.model, strategy, job.stack.stage_balance);
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
    if (share.encoders > 0.0) {
      stage.add(share.encoders, parts.encoder);
    }
    slowest = longer(slowest, stage.total().time);
    pass.add(static_cast<double>(share.count), stage);
  }
  if (strategy.pipeline_parallel > 1) {
    const Cost send = stage_send(replica, parts.iterations, parts.tokens);
    pass.pipeline = static_cast<double>(strategy.pipeline_parallel - 1) * send;
    slowest += send.time;
  }
  pass.host += waiting(engine_wait_s(job, engine_s(job, parts), pass.total().time.total_s()));
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

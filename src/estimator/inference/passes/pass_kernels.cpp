#include "estimator/inference/passes/pass_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "core/contracts.hpp"
#include "estimator/inference/passes/image_pass.hpp"
#include "estimator/parts/mixed_hash.hpp"
#include "estimator/reuse/adapters.hpp"

namespace scalesweep::estimator {

using workload::InferenceSlice;

InferenceSlice part_of(InferenceSlice slice, double share) {
  slice.prefill.sequences *= share;
  slice.decode.sequences *= share;
  return slice;
}

InferenceSlice half_of(const InferenceSlice& slice) {
  return part_of(slice, 0.5);
}

namespace {

using workload::AttentionSpan;
using workload::LayerKind;
using workload::LayerVariant;
using workload::LayerVariants;
using workload::Mixer;

// Lengths that a sum over many is computed from.
constexpr double most_samples = 16.0;
// Of some kB each.
constexpr std::size_t most_passes = 2048;
constexpr std::size_t most_products = 65536;

// Layers without attention; a state takes as long whatever the caches hold.
LayerKernels layer_kernels(const InferenceSetting& set, const InferenceSlice& slice, LayerKind kind,
                           KnownProducts* products) {
  const IterationKernels kernels = kernels_of(set, slice.prefill);
  LayerKernels layer;
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
    block.add(set, operators, kernels, products);
    layer.push_back({variant, block});
  }
  return layer;
}

CacheAttention attention_of(const InferenceSetting& set, const InferenceSlice& slice) {
  const IterationKernels kernels = kernels_of(set, slice.prefill);
  const workload::TransformerModel& model = set.job.model;
  const auto over = [&](AttentionSpan span) {
    InferenceBlock block;
    if (workload::layers_with(model, span) > 0.0) {
      block.add(set, inference_attention_operators(model, slice, span), kernels);
    }
    return CacheAttention::Span{block.attention, block.issue_s};
  };
  return {over(AttentionSpan::whole), over(AttentionSpan::window)};
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

void add_lengths(PassKernels& pass, const InferenceSetting& set, InferenceSlice slice,
                 const CacheGrowth& growth) {
  sum_over(growth.iterations, [&](double index, double iterations) {
    const double tokens = growth.first_tokens + index * growth.step_tokens;
    if (growth.of == CacheGrowth::Of::prefill) {
      slice.prefill.cached_tokens = tokens;
    } else if (growth.of == CacheGrowth::Of::decode) {
      slice.decode.cached_tokens = tokens;
    }
    PassKernels::Length length = {iterations, attention_of(set, slice)};
    if (pass.has_halves) {
      length.half_attention = attention_of(set, half_of(slice));
    }
    for (const TurnKernels& turn : pass.turns) {
      length.turn_attention.push_back(attention_of(set, part_of(slice, 1.0 / turn.micro_batches)));
    }
    pass.lengths.push_back(length);
  });
}

// As many micro-batches as the stack lets go to and fro, and fewer; each has a token at least.
void add_turns(PassKernels& pass, const InferenceSetting& set, const InferenceSlice& slice,
               KnownProducts* products) {
  const double most = std::min(set.job.stack.expert_micro_batches, slice.tokens());
  for (double count = 1.0; count == 1.0 || count <= most; ++count) {
    const InferenceSlice own = part_of(slice, 1.0 / count);
    TurnKernels turn = {count, layer_kernels(set, own, LayerKind::experts, products), {}};
    const InferenceSlice of_experts = expert_device_slice(own);
    turn.experts.add(set, expert_device_operators(set.job.model, of_experts),
                     kernels_of(set, slice.prefill), products);
    pass.turns.push_back(turn);
  }
}

PassKernels pass_kernels(const InferenceSetting& set, const InferenceSlice& slice,
                         const CacheGrowth& growth, KnownProducts* products) {
  const workload::TransformerModel& model = set.job.model;
  const IterationKernels kernels = kernels_of(set, slice.prefill);
  PassKernels pass;
  if (!model.experts.on() || model.expert_layers() < model.layers) {
    pass.layer = layer_kernels(set, slice, LayerKind::dense, products);
  }
  if (slice.expert_devices > 0) {
    add_turns(pass, set, slice, products);
  } else if (model.experts.on()) {
    pass.expert_layer = layer_kernels(set, slice, LayerKind::experts, products);
    pass.has_halves = set.job.stack.exchange_beside == workload::ExchangeOverlap::two_batches &&
                      slice.expert_shards > 1;
  }
  if (pass.has_halves) {
    pass.half_expert_layer = layer_kernels(set, half_of(slice), LayerKind::experts, products);
  }
  pass.embedding.add(set, inference_embedding_operators(model, slice), kernels, products);
  pass.head.add(set, inference_head_operators(model, slice), kernels, products);
  pass.encoder = encoder_kernels(set, slice);
  add_lengths(pass, set, slice, growth);
  return pass;
}

}  // namespace

double issue_of(const LayerKernels& layer) {
  double issue_s = 0.0;
  for (const VariantKernels& variant : layer) {
    issue_s += variant.block.issue_s;
  }
  return issue_s;
}

double PassKernels::issue_s() const {
  const CacheAttention& attention = lengths.front().attention;
  const double of_turns = turns.empty() ? 0.0 : issue_of(turns.front().attention);
  return issue_of(layer) + issue_of(expert_layer) + of_turns + attention.whole.issue_s +
         attention.window.issue_s + embedding.issue_s + head.issue_s + encoder.issue_s;
}

CacheAttention PassKernels::mean_attention(double iterations) const {
  CacheAttention mean = lengths.front().attention;
  Cost whole, window;
  for (const Length& length : lengths) {
    whole += length.iterations * length.attention.whole.cost;
    window += length.iterations * length.attention.window.cost;
  }
  mean.whole.cost = (1.0 / iterations) * whole;
  mean.window.cost = (1.0 / iterations) * window;
  return mean;
}

PassKernels pass_kernels(const InferenceSetting& setting, const InferenceSlice& slice,
                         const CacheGrowth& growth) {
  KnownProducts products;
  return pass_kernels(setting, slice, growth, &products);
}

PassMemo::PassMemo(const InferenceJob& job, const technology::Device& device)
    : model_(job.model),
      precision_(job.precision),
      stack_(job.stack),
      adapters_(job.adapters),
      device_(device) {}

bool PassMemo::is_of(const InferenceJob& job) const {
  return model_ == job.model && precision_ == job.precision && stack_ == job.stack &&
         adapters_ == job.adapters;
}

bool PassMemo::holds_for(const InferenceJob& job, const technology::Device& device) const {
  return is_of(job) && device_ == device;
}

// Of fields that strategies and iterations vary; the others are nearly always the same.
std::size_t PassMemo::Hash::operator()(const Key& key) const {
  const InferenceSlice& slice = key.slice;
  std::size_t hash = static_cast<std::size_t>(key.growth.of);
  for (const double size :
       {key.clock_hz, key.kept_share, slice.prefill.sequences, slice.prefill.new_tokens,
        slice.prefill.cached_tokens, slice.decode.sequences, slice.decode.cached_tokens,
        key.growth.iterations, key.growth.first_tokens, slice.expert_sources,
        slice.prefill_share}) {
    hash = mixed_size(hash, size);
  }
  for (const std::int64_t size :
       {slice.tensor_shards, slice.context_shards, slice.cache_shards, slice.expert_shards,
        slice.expert_devices, std::int64_t{slice.sequence_shards}}) {
    hash = mixed(hash, static_cast<std::uint64_t>(size));
  }
  return hash;
}

const PassKernels& PassMemo::at(const InferenceSetting& setting, const InferenceSlice& slice,
                                const CacheGrowth& growth) {
  SCALESWEEP_EXPECT(is_of(setting.job));  // a key has neither its model nor its stack
  const Key key = {setting.system.device.clock.si(), setting.kept_share(), slice, growth};
  const auto found = passes_.find(key);
  if (found != passes_.end()) {
    return found->second;
  }
  if (passes_.size() >= most_passes) {
    passes_.clear();
  }
  KnownProducts& products = products_[{key.clock_hz, key.kept_share}];
  const std::size_t known = products.size();
  PassKernels pass = pass_kernels(setting, slice, growth, &products);
  count_ += products.size() - known;
  if (count_ >= most_products) {
    products_.clear();
    count_ = 0;
  }
  return passes_.emplace(key, std::move(pass)).first->second;
}

const std::shared_ptr<PassMemo>& PassMemo::of_drafter(const InferenceJob& drafter) {
  return drafter_ = pass_memo(drafter, device_, drafter_);
}

std::shared_ptr<PassMemo> pass_memo(const InferenceJob& job, const technology::Device& device,
                                    const std::shared_ptr<PassMemo>& before) {
  return before != nullptr && before->holds_for(job, device)
             ? before
             : std::make_shared<PassMemo>(job, device);
}

}  // namespace scalesweep::estimator

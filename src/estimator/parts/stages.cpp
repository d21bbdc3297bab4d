#include "estimator/parts/stages.hpp"

#include <algorithm>

#include "core/contracts.hpp"
#include "workload/feed_forward/expert_load.hpp"

namespace scalesweep::estimator {
namespace {

using workload::TransformerModel;

// Splits `layers` consecutive layers from `begin` on into those with and those without experts.
StageShare share_of_layers(const TransformerModel& model, std::int64_t begin, std::int64_t layers) {
  const auto experts_before = [&](std::int64_t layer) {
    const std::int64_t behind_dense = std::max<std::int64_t>(0, layer - model.experts.dense_layers);
    return model.experts.on() ? behind_dense / model.experts.every : 0;
  };
  StageShare share;
  share.expert_layers = static_cast<double>(experts_before(begin + layers) - experts_before(begin));
  share.layers = static_cast<double>(layers) - share.expert_layers;
  return share;
}

// Layers before part `part` of `parts` that follow each other. Where they do not divide, embedding
// and head count as one layer each, so that the first and the last part hold fewer of the others
// (Megatron-LM's accounting for them in the split).
std::int64_t layers_before(std::int64_t layers, std::int64_t parts, std::int64_t part) {
  if (layers % parts == 0) {
    return layers / parts * part;
  }
  if (part == 0 || part == parts) {
    return part == 0 ? 0 : layers;
  }
  const std::int64_t blocks = layers + 2;
  const std::int64_t spare = blocks % parts;
  // Parts in the middle take what is left over.
  const std::int64_t first_with_more = (parts - spare) / 2;
  const std::int64_t more = std::clamp<std::int64_t>(part - first_with_more, 0, spare);
  return std::clamp<std::int64_t>(blocks / parts * part + more - 1, 0, layers);
}

// The same where the first or the last stage has a number of its own. Each cuts its layers into as
// many chunks, and one round of those goes through all stages before the next begins.
std::int64_t layers_before(std::int64_t layers, const parallel::Strategy& strategy,
                           std::int64_t part) {
  const std::int64_t first = strategy.first_stage_layers;
  const std::int64_t last = strategy.last_stage_layers;
  if (first == 0 && last == 0) {
    return layers_before(layers, std::int64_t{strategy.layer_stages()} * strategy.chunks, part);
  }
  const std::int64_t others = strategy.layer_stages() - (first > 0 ? 1 : 0) - (last > 0 ? 1 : 0);
  const std::int64_t middle = others > 0 ? (layers - first - last) / others : 0;
  const std::int64_t round = part / strategy.layer_stages();
  const std::int64_t stage = part % strategy.layer_stages();
  const std::int64_t in_round =
      stage == 0 ? 0 : (first > 0 ? first : middle) + (stage - 1) * middle;
  return (round * layers + in_round) / strategy.chunks;
}

StageShares by_layers(const TransformerModel& model, const parallel::Strategy& strategy) {
  const std::int64_t stages = strategy.layer_stages();
  StageShares shares;
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    StageShare share;
    for (std::int64_t part = stage; part < stages * strategy.chunks; part += stages) {
      const std::int64_t begin = layers_before(model.layers, strategy, part);
      const StageShare chunk = share_of_layers(model, begin, layers_of_part(model, strategy, part));
      share.layers += chunk.layers;
      share.expert_layers += chunk.expert_layers;
    }
    share.embedding = stage == 0;
    share.head = stage == stages - 1;
    share.first = stage;
    shares.add(share);
  }
  return shares;
}

// A block goes to the current stage; once the blocks dealt out cost its even share, the next stage
// begins. A layer costs its weights, the head its own, the embedding nothing (the
// placement that nanotron documents for its pipeline blocks).
StageShares by_blocks(const TransformerModel& model, std::int64_t stages) {
  // Its GEMMs alone: norms and biases cost nothing here.
  const auto h = static_cast<double>(model.hidden);
  const auto kv = static_cast<double>(model.kv_heads * model.head_dim);
  const double layer_cost = 2.0 * h * (static_cast<double>(model.heads * model.head_dim) + kv) +
                            (model.gated_ffn ? 3.0 : 2.0) * h * static_cast<double>(model.ffn);
  const double head_cost = model.head_parameters();
  const double total = static_cast<double>(model.layers) * layer_cost + head_cost;
  StageShares shares;
  StageShare current;
  current.embedding = true;
  std::int64_t stage = 0;
  std::int64_t begin = 0;
  double dealt = 0.0;
  const auto close_stage = [&](std::int64_t end) {
    const StageShare layers = share_of_layers(model, begin, end - begin);
    current.layers = layers.layers;
    current.expert_layers = layers.expert_layers;
    current.first = stage++;
    shares.add(current);
    current = StageShare{};
    begin = end;
  };
  for (std::int64_t layer = 0; layer < model.layers; ++layer) {
    dealt += layer_cost;
    const double even = total * static_cast<double>(stage + 1) / static_cast<double>(stages);
    if (dealt >= even && stage < stages - 1) {
      close_stage(layer + 1);
    }
  }
  current.head = true;
  close_stage(model.layers);
  while (stage < stages) {
    close_stage(model.layers);  // what comes behind the head costs nothing
  }
  return shares;
}

// Most pipelines are even: first, middle and last stage need no search.
StageShares even(const TransformerModel& model, std::int64_t stages) {
  const double layers = static_cast<double>(model.layers) / static_cast<double>(stages);
  StageShares shares;
  StageShare share;
  share.layers = layers;
  share.embedding = true;
  share.head = stages == 1;
  shares.add(share);
  if (stages > 2) {
    share.embedding = false;
    share.first = 1;
    share.count = stages - 2;
    shares.add(share);
  }
  if (stages > 1) {
    share.embedding = false;
    share.head = true;
    share.first = stages - 1;
    share.count = 1;
    shares.add(share);
  }
  return shares;
}

}  // namespace

void StageShares::add(const StageShare& share) {
  for (std::size_t i = 0; i < size_; ++i) {
    StageShare& kind = kinds_[i];
    if (kind.layers == share.layers && kind.expert_layers == share.expert_layers &&
        kind.embedding == share.embedding && kind.head == share.head) {
      kind.count += share.count;
      return;
    }
  }
  SCALESWEEP_EXPECT(size_ < most_kinds);
  kinds_[size_++] = share;
}

StageShare whole_model(const TransformerModel& model) {
  StageShare whole;
  whole.expert_layers = static_cast<double>(model.expert_layers());
  whole.layers = static_cast<double>(model.layers) - whole.expert_layers;
  whole.embedding = whole.head = true;
  whole.predictions = static_cast<double>(model.prediction_layers);
  whole.encoders = model.encoder.on() ? 1.0 : 0.0;
  return whole;
}

void StageShares::add_predictions(double modules) {
  for (std::size_t i = 0; i < size_; ++i) {
    if (kinds_[i].head) {
      kinds_[i].predictions += modules;
    }
  }
}

void StageShares::add_encoders(double encoders) {
  for (std::size_t i = 0; i < size_; ++i) {
    if (kinds_[i].embedding) {
      kinds_[i].encoders += encoders;
    }
  }
}

void StageShares::put_encoder_first(std::int64_t stages) {
  SCALESWEEP_EXPECT(size_ < most_kinds);
  for (std::size_t i = 0; i < size_; ++i) {
    kinds_[i].first += stages;
  }
  StageShare encoder;
  encoder.encoders = 1.0 / static_cast<double>(stages);
  encoder.count = stages;
  std::copy_backward(kinds_.begin(), kinds_.begin() + size_, kinds_.begin() + size_ + 1);
  kinds_.front() = encoder;
  ++size_;
}

StageShares stage_shares(const TransformerModel& model, const parallel::Strategy& strategy,
                         workload::StageBalance balance) {
  const std::int64_t stages = strategy.layer_stages();
  const bool edges = strategy.first_stage_layers > 0 || strategy.last_stage_layers > 0;
  const bool alike =
      !model.experts.on() && !edges && model.layers % (stages * strategy.chunks) == 0;
  StageShares shares = balance == workload::StageBalance::blocks && stages > 1 && !edges
                           ? by_blocks(model, stages)
                       : alike ? even(model, stages)
                               : by_layers(model, strategy);
  shares.add_predictions(static_cast<double>(model.prediction_layers));
  if (strategy.encoder_stages > 0) {
    shares.put_encoder_first(strategy.encoder_stages);
  } else {
    shares.add_encoders(model.encoder.on() ? 1.0 : 0.0);
  }
  return shares;
}

std::int64_t layers_of_part(const TransformerModel& model, const parallel::Strategy& strategy,
                            std::int64_t part) {
  return layers_before(model.layers, strategy, part + 1) -
         layers_before(model.layers, strategy, part);
}

double most_layers(const TransformerModel& model, const parallel::Strategy& strategy,
                   workload::StageBalance balance) {
  double most = 0.0;
  const StageShares stages = stage_shares(model, strategy, balance);
  for (const StageShare& share : stages.kinds()) {
    most = std::max(most, share.layers + share.expert_layers);
  }
  return most;
}

std::vector<const StageShare*> by_stage(const StageShares& shares, std::int32_t stages) {
  std::vector<const StageShare*> holds(static_cast<std::size_t>(stages), nullptr);
  for (const StageShare& share : shares.kinds()) {
    holds[static_cast<std::size_t>(share.first)] = &share;
  }
  for (const StageShare& share : shares.kinds()) {
    std::int64_t left = share.count - 1;
    for (auto s = static_cast<std::size_t>(share.first); s < holds.size() && left > 0; ++s) {
      if (holds[s] == nullptr) {
        holds[s] = &share;
        --left;
      }
    }
  }
  return holds;
}

namespace {

// Of the layers with experts that a device of a stage holds, routed ones.
double routed_parameters(const TransformerModel& model, const parallel::Strategy& strategy,
                         double layers) {
  if (strategy.expert_devices > 0) {
    return 0.0;
  }
  const double cut = strategy.expert_parallel > 1 ? 1.0 : strategy.tensor_parallel;
  const double ranks = strategy.expert_parallel;
  // Of the fullest rank, over an even share.
  const double held = workload::experts_held(model.experts, ranks, strategy.redundant_experts) *
                      ranks / static_cast<double>(model.experts.count);
  return layers * held * model.routed_expert_parameters() / (ranks * cut);
}

}  // namespace

double part_parameters(const workload::TransformerModel& model, const parallel::Strategy& strategy,
                       const StageShare& share, workload::LinearPart part) {
  const double experts = model.experts.on() ? share.expert_layers : 0.0;
  const auto tensor = static_cast<double>(strategy.tensor_parallel);
  switch (part) {
    case workload::LinearPart::attention:
    case workload::LinearPart::attention_output: {
      const double output = model.mixer_output_parameters();
      const double own = part == workload::LinearPart::attention_output
                             ? output
                             : model.mixer_parameters() - output;
      return (share.layers + share.expert_layers) * own / tensor;
    }
    case workload::LinearPart::experts:
      return experts > 0.0 ? routed_parameters(model, strategy, experts) : 0.0;
    case workload::LinearPart::shared_experts:
      return experts > 0.0 && strategy.expert_devices == 0
                 ? experts * model.shared_expert_parameters() / tensor
                 : 0.0;
    default:
      return 0.0;
  }
}

StageParameters stage_parameters(const workload::TransformerModel& model,
                                 const parallel::Strategy& strategy, const StageShare& share) {
  const auto tensor = static_cast<double>(strategy.tensor_parallel);
  StageParameters parameters;
  double dense = share.layers * model.layer_parameters();
  if (model.experts.on()) {
    dense += share.expert_layers * model.unrouted_expert_parameters();
    if (strategy.expert_devices > 0) {
      dense -= (share.expert_layers + share.predictions) * model.shared_expert_parameters();
    }
    parameters.routed = routed_parameters(model, strategy, share.expert_layers + share.predictions);
  }
  if (share.predictions > 0.0) {
    const double routed = model.experts.on() ? model.routed_expert_parameters() : 0.0;
    dense += share.predictions * (model.prediction_parameters() - routed);
  }
  if (share.embedding) {
    dense += model.embedding_parameters();
  }
  if (share.encoders > 0.0) {
    dense += share.encoders * (workload::encoder_parameters(model.encoder) +
                               workload::projector_parameters(model.encoder, model.hidden));
  }
  // A tied head on another stage than the table holds a copy of it.
  if (share.head && !(share.embedding && model.tied_embeddings)) {
    dense += model.head_parameters();
  }
  parameters.dense = dense / tensor;
  return parameters;
}

ExpertDeviceParameters expert_device_parameters(const workload::TransformerModel& model,
                                                const parallel::Strategy& strategy, double layers) {
  const auto devices = static_cast<double>(strategy.expert_devices);
  const double held = workload::experts_held(model.experts, devices, strategy.redundant_experts);
  return {
      layers * held / static_cast<double>(model.experts.count) * model.routed_expert_parameters(),
      layers * model.shared_expert_parameters()};
}

double held_layers(const TransformerModel& model, const StageShare& share) {
  if (share.all_layers() > 0.0 || share.encoders <= 0.0) {
    return share.all_layers();
  }
  return share.encoders * static_cast<double>(model.encoder.model->layers);
}

}  // namespace scalesweep::estimator

// How the blocks of a model are dealt out to the stages of a pipeline.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel/strategy.hpp"
#include "workload/serving/linear_formats.hpp"
#include "workload/stage_balance.hpp"

namespace scalesweep::workload {
struct TransformerModel;
}

namespace scalesweep::estimator {

// Stages that hold the same: what, how many there are, and which comes first.
struct StageShare {
  double layers = 0;         // with a plain MLP
  double expert_layers = 0;  // with experts
  bool embedding = false;
  bool head = false;
  std::int64_t first = 0;
  std::int64_t count = 1;
  double predictions = 0;  // multi-token prediction modules, beside the head
  double encoders = 0;  // with their projector, before the embedding; a part on stages of its own

  double all_layers() const { return layers + expert_layers + predictions; }
  // The same without embedding, head and encoder.
  StageShare layers_alone() const {
    StageShare layers_of = *this;
    layers_of.embedding = layers_of.head = false;
    layers_of.encoders = 0.0;
    return layers_of;
  }
  StageShare without_encoder() const {
    StageShare rest = *this;
    rest.encoders = 0.0;
    return rest;
  }
  friend bool operator==(const StageShare&, const StageShare&) = default;
};

// All of a model on one stage.
StageShare whole_model(const workload::TransformerModel& model);

class StageShares {
 public:
  std::span<const StageShare> kinds() const { return {kinds_.data(), size_}; }
  // Counts one more stage of what `share` holds.
  void add(const StageShare& share);
  // Gives the stage with the head so many prediction modules, that with the embedding so many
  // encoders.
  void add_predictions(double modules);
  void add_encoders(double encoders);
  // So many more stages, before all others, with equal parts of an encoder.
  void put_encoder_first(std::int64_t stages);
  friend bool operator==(const StageShares& a, const StageShares& b) {
    return std::equal(a.kinds().begin(), a.kinds().end(), b.kinds().begin(), b.kinds().end());
  }

 private:
  static constexpr std::size_t most_kinds = 24;
  std::array<StageShare, most_kinds> kinds_{};
  std::size_t size_ = 0;
};

// Chunk c of stage s of p is part c p + s of the model. Where layers do not divide evenly over
// these parts, those with the embedding or the head get fewer (StageBalance::layers), or blocks go
// to stages until their cost exceeds an even share (StageBalance::blocks, which knows no chunks).
// Numbers of layers that the strategy gives to the first or the last stage come before both. What
// is between stages of an encoder is taken to be as large as hidden states between layers.
StageShares stage_shares(const workload::TransformerModel& model,
                         const parallel::Strategy& strategy, workload::StageBalance balance);

// Layers of part `part` of the layer_stages() x chunks of StageBalance::layers.
std::int64_t layers_of_part(const workload::TransformerModel& model,
                            const parallel::Strategy& strategy, std::int64_t part);

// Layers of the stage with the most, without prediction modules.
double most_layers(const workload::TransformerModel& model, const parallel::Strategy& strategy,
                   workload::StageBalance balance);

// What each of so many stages holds, by stage; points into `shares`.
std::vector<const StageShare*> by_stage(const StageShares& shares, std::int32_t stages);

// Parameters that one device of a stage holds before data parallelism shards anything: those that
// all replicas share, and routed experts, which are spread over the expert-parallel ranks. Neither
// routed nor shared ones where experts have devices of their own.
struct StageParameters {
  double dense = 0.0;
  double routed = 0.0;
  double total() const { return dense + routed; }
};
StageParameters stage_parameters(const workload::TransformerModel& model,
                                 const parallel::Strategy& strategy, const StageShare& share);

// What one of expert_devices holds of so many layers with experts: its part of the routed ones and
// their copies, and all shared ones.
struct ExpertDeviceParameters {
  double routed = 0.0;
  double shared = 0.0;
};
ExpertDeviceParameters expert_device_parameters(const workload::TransformerModel& model,
                                                const parallel::Strategy& strategy, double layers);

// Of those of its layers, prediction modules not counted, the ones of a part of the linear layers:
// 0 of what is in none of attention and experts.
double part_parameters(const workload::TransformerModel& model, const parallel::Strategy& strategy,
                       const StageShare& share, workload::LinearPart part);

// Layers that follow each other on a stage: its own, or of an encoder that it has alone.
double held_layers(const workload::TransformerModel& model, const StageShare& share);

}  // namespace scalesweep::estimator

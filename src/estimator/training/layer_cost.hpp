// What one device spends on one micro-batch of one transformer layer, of the embedding and of the
// output head: everything that depends on the sizes of the tensor, context and expert groups, the
// micro-batch and sequence parallelism only.
#pragma once

#include <cstddef>

#include "estimator/parts/cost.hpp"
#include "estimator/parts/rates.hpp"
#include "estimator/training/job.hpp"
#include "estimator/training/kernel_sums.hpp"
#include "estimator/training/states/matrix_updates.hpp"
#include "workload/layer.hpp"

namespace scalesweep::estimator {

enum class PassPart {
  compute,
  tensor_communication,
  context_communication,
  expert_communication,
  host_wait,
};
inline constexpr std::size_t pass_part_count = 5;

// Kernels, the communication that stays exposed beside them, and what the device waits for the host
// where that issues more slowly than both run. Single charges of a wait that blends with the time
// of the device may be negative where they take over from it; those of the total never are.
struct PassCost : Indexed<PassCost, PassPart, Cost, pass_part_count> {
  Cost communication() const {
    return (*this)[PassPart::tensor_communication] + (*this)[PassPart::context_communication] +
           (*this)[PassPart::expert_communication];
  }
  Cost kernels() const { return (*this)[PassPart::compute] + (*this)[PassPart::host_wait]; }
  Cost total() const {
    return (*this)[PassPart::compute] + communication() + (*this)[PassPart::host_wait];
  }
};

struct BlockCost {
  PassCost forward;
  PassCost backward;
  Cost selective_repeats;  // forward part that selective recomputation repeats
  Cost full_omits;         // kernels of the forward pass that full recomputation leaves out
  // What the backward pass is shorter by where the weight gradients wait (zero-bubble schedules):
  // their kernels less what hides behind them, if the host does not set the time.
  Cost weight_gradients;

  BlockCost& operator+=(const BlockCost& o) {
    forward += o.forward;
    backward += o.backward;
    selective_repeats += o.selective_repeats;
    full_omits += o.full_omits;
    weight_gradients += o.weight_gradients;
    return *this;
  }
  BlockCost& operator-=(const BlockCost& o) {
    forward -= o.forward;
    backward -= o.backward;
    selective_repeats -= o.selective_repeats;
    full_omits -= o.full_omits;
    weight_gradients -= o.weight_gradients;
    return *this;
  }
  BlockCost& add(double n, const BlockCost& o) {
    forward.add(n, o.forward);
    backward.add(n, o.backward);
    selective_repeats.add(n, o.selective_repeats);
    full_omits.add(n, o.full_omits);
    weight_gradients.add(n, o.weight_gradients);
    return *this;
  }
};

// What layers of each kind save of one micro-batch for the backward pass.
struct SavedLayers {
  workload::SavedActivations layer;         // with a plain MLP
  workload::SavedActivations expert_layer;  // with experts instead; zero where the model has none
  workload::SavedActivations encoder;       // all of its layers and of its projector
  bool has_experts = false;

  // Prediction modules have a layer of the kind of the model's last one.
  const workload::SavedActivations& last_layer() const {
    return has_experts ? expert_layer : layer;
  }
};

struct LayerCosts {
  BlockCost layer;         // with a plain MLP
  BlockCost expert_layer;  // with experts instead; zero where the model has none
  BlockCost embedding;
  BlockCost head;
  // A multi-token prediction module: what it has of its own, one more layer and one more head.
  BlockCost prediction;
  BlockCost encoder;  // of images: all of its layers and its projector
  SavedLayers saved;
  // What the optimizer multiplies for a layer, once a step.
  MatrixUpdates updates;
  MatrixUpdates expert_updates;

  const BlockCost& last_layer() const { return saved.has_experts ? expert_layer : layer; }
  const MatrixUpdates& last_updates() const { return saved.has_experts ? expert_updates : updates; }
};

// `any_layout`: the matrix units take operands with either axis innermost.
workload::Slice slice_of(const TrainingJob& job, const parallel::Strategy& strategy,
                         bool any_layout = false);

// Of the system, this depends on the layouts that its matrix units take only.
SavedLayers saved_layers(const Setting& setting);
LayerCosts layer_costs(const Setting& setting);
// The same: `rates` are block_rates(), and `memo` is of the same model and what else of the job
// decides on its operators, of any system.
LayerCosts layer_costs(const Setting& setting, const BlockRates& rates, KernelMemo& memo);

// The encoder's own job for one micro-batch of sequences. Its linear layers stay in the format of
// activations. Tensor-parallel ranks cut it like the layers behind it, and context-parallel ranks
// take an even part of the images each.
struct EncoderWork {
  TrainingJob job;
  parallel::Strategy strategy;  // its micro-batch: pieces of images
  double share = 1.0;           // of them that there are in the mean, a whole number or not

  static EncoderWork of(const TrainingJob& job, const parallel::Strategy& strategy);
};

// Forward and backward; the backward pass ends at the projector where the encoder is not trained.
BlockCost encoder_cost(const Setting& setting, const BlockRates& rates, KernelMemo& memo);

// The kernels of it alone: what no network decides. Seconds.
double encoder_kernels_s(const Setting& setting, const BlockRates& rates, KernelMemo& memo);

// What all of its layers and its projector keep of one micro-batch.
workload::SavedActivations saved_encoder(const Setting& setting);

// A layer and the patches of an encoder, whose own job (EncoderWork) the setting has.
LayerCosts encoder_layer_costs(const Setting& setting, const BlockRates& rates, KernelMemo& memo);

// Of one device, one micro-batch: forward and backward passes of all layers of the model, with what
// they communicate.
Cost pass_cost(const Setting& setting, const BlockRates& rates, KernelMemo& memo);

// Whether layers cost the same on both systems: the device is the same, and so are the levels of
// the network that groups of a layer reach.
bool same_layers(const parallel::Strategy& strategy, const technology::System& a,
                 const technology::System& b);

BlockRates block_rates(const TrainingJob& job, const technology::System& system);

// What sums of kernels are looked up by, of the strategy of a setting.
struct KernelSetting {
  const Setting& setting;
  workload::Slice slice;
  bool of_encoder = false;  // the model of the setting's job is one
  const BlockRates& rates;  // block_rates()
  KernelMemo& memo;

  KernelSetting(const Setting& setting, const BlockRates& rates, KernelMemo& memo,
                bool of_encoder = false);
  // Holds until the next call.
  const KernelSums& operator()(const BlockName& name) const;
};

// Host time for each rank of a collective of a group, and of the whole collective, which may be
// several launches: the hosts of the group wait for each other once.
double rank_issue_s(const workload::ReplicaStack& stack, const parallel::Group& group);
double collective_issue_s(const workload::TrainingStack& stack, const parallel::Group& group,
                          double launches = 1.0);

// The tensor-parallel collectives of one layer, per pass. Without sequence parallelism an
// all-reduce follows each row-parallel GEMM (two per pass); with it each becomes a
// reduce-scatter and an all-gather precedes each column-parallel GEMM (Korthikanti et al. 2022,
// figure 5).
parallel::Collective tensor_collective(const Setting& setting, parallel::CollectiveKind kind);

}  // namespace scalesweep::estimator

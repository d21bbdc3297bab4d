// What one device spends on a layer, the embedding and the output head in one iteration of an
// engine: kernels at the rates that the stack reaches, and messages.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "estimator/inference/job.hpp"
#include "estimator/links/expert_exchange.hpp"
#include "estimator/parts/collective.hpp"
#include "estimator/parts/cost.hpp"
#include "estimator/parts/matmul.hpp"
#include "estimator/parts/rates.hpp"
#include "estimator/parts/stages.hpp"
#include "parallel/placement.hpp"
#include "technology/device.hpp"
#include "workload/inference_layer.hpp"

namespace scalesweep::estimator {

class PassMemo;  // pass_kernels.hpp

// A job on a system, with the rates that its stack reaches there. Built once for many strategies.
struct InferenceSetting {
  InferenceSetting(InferenceJob job, const technology::System& system);
  // The same at a slower clock (power_limit.hpp).
  InferenceSetting at_clock_step(int clock_step) const;
  // The same where `share` of weights and caches stay in L2 from pass to pass.
  InferenceSetting keeping(double share) const;

  InferenceJob job;
  technology::System system;  // fixed times of messages as the stack has them
  std::array<Rates, workload::linear_part_names.size()> linear;  // GEMMs of linear layers
  Rates activation;                                              // other GEMMs, streams
  Rates attention;
  // Of the job and the device, where kernels are met again; those who share it are of one thread.
  std::shared_ptr<PassMemo> known = nullptr;
  // False: messages between devices are left out, what is left no network makes less.
  bool sends = true;

  const Rates& of(const workload::Operator& op) const;
  const Rates& of(workload::LinearPart part) const { return linear[index_of(part)]; }
  double kept_share() const { return kept_share_; }

 private:
  void set_rates();

  double kept_share_ = 0.0;
};

// The devices that share requests, as one strategy lays them out. The setting outlives it.
struct Replica {
  const InferenceSetting& setting;
  parallel::Strategy strategy;

  const InferenceJob& job() const { return setting.job; }
  // Into how many parts the stage with the most layers cuts the model: pipeline_parallel where all
  // stages have as many.
  double stages() const {
    const InferenceJob& of = job();
    return static_cast<double>(of.model.layers) /
           most_layers(of.model, strategy, of.stack.stage_balance);
  }
  parallel::Group group(parallel::Dimension dimension) const {
    return parallel::group_of(strategy, dimension, levels_of(setting.system));
  }
};

// A collective of an iteration; `bytes` as in parallel::Collective.
struct Message {
  std::string_view name;
  parallel::CollectiveKind kind = parallel::CollectiveKind::all_reduce;
  parallel::Group group;
  double bytes = 0.0;
  bool of_experts = false;              // tokens to experts and back, ...
  bool direct = false;                  // ... written straight to the devices of experts
  parallel::Collective forwarded = {};  // ... inside domains at the same time; of no bytes: nothing
};

workload::InferenceSlice slice_of(const Replica& replica, const workload::TokenGroup& prefill,
                                  const workload::TokenGroup& decode);

// Of one layer, and of the output head, in order. Two all-reduces a layer (Shoeybi et al.,
// arXiv:1909.08053, section 3), one where blocks stand side by side; with sequence parallelism a
// reduce-scatter and an all-gather each; tokens to experts and back; keys and values of the other
// parts of a prompt, and the parts of a decoded token's attention; or states of those parts.
std::vector<Message> layer_messages(const Replica& replica, const workload::InferenceSlice& slice,
                                    workload::LayerKind kind,
                                    workload::Mixer mixer = workload::Mixer::attention);
std::vector<Message> head_messages(const Replica& replica, const workload::InferenceSlice& slice);

Cost operator_cost(const workload::Operator& op, const InferenceSetting& setting);
CollectiveCost message_cost(const Message& message, const InferenceSetting& setting);

// How a stack runs the operators of an iteration with these prompts, or without any.
struct IterationKernels {
  double interval_s = 0.0;  // of the host, to issue one
  double strip_rows = 0.0;  // of a GEMM, that read its weights together; 0: all
};
IterationKernels kernels_of(const InferenceSetting& setting, const workload::TokenGroup& prefill);

// Products that are estimated once: layers with experts and without begin alike, and passes that
// differ in the caches of their sequences have the same.
class KnownProducts {
 public:
  // As operator_cost; the rates of the setting are always the same.
  Cost cost(const workload::Operator& op, const InferenceSetting& setting);
  std::size_t size() const { return known_.size(); }

 private:
  std::unordered_map<workload::MatMul, Cost, MatMulHash> known_;
};

// What a block sends.
struct SentBlock {
  Cost communication;    // but for tokens to experts and back
  Cost exchange;         // that, as if nothing ran beside it
  double issue_s = 0.0;  // of the host

  void add(const InferenceSetting& setting, const std::vector<Message>& messages);
};

// Sums of a block.
struct InferenceBlock {
  Cost linear;
  Cost attention;
  Cost other;
  Cost communication;  // as of SentBlock
  Cost exchange;
  Charges shared_experts;  // of linear and other, what may run beside it
  double issue_s = 0.0;    // of the host

  Charges kernels() const { return linear.time + attention.time + other.time; }
  // `known`: of the same setting; null where products are not met again.
  void add(const InferenceSetting& setting, const std::vector<workload::Operator>& operators,
           const IterationKernels& kernels, KnownProducts* known = nullptr);
  void add(const InferenceSetting& setting, const std::vector<Message>& messages);
  InferenceBlock& operator+=(const SentBlock& sent);
};

// How long the exchange of an iteration outlasts what hides it. Its kernels take cores from those
// beside them in iterations with prompts; those of decode alone leave messages to the network
// (DeepEP, normal and low-latency kernels).
struct ExchangeCover {
  workload::ExchangeOverlap beside = workload::ExchangeOverlap::nothing;
  double core_share = 0.0;
  double hidden_share = 1.0;  // of the exchange: the rest waits for what it brings

  Cost open(const InferenceBlock& block) const;
};
ExchangeCover cover_of(const InferenceSetting& setting, workload::ExchangeOverlap beside,
                       const workload::TokenGroup& prefill);

}  // namespace scalesweep::estimator

// A job on a system with the rates that its stack reaches there, and how a strategy lays a replica
// out.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "estimator/inference/job.hpp"
#include "estimator/parts/collective.hpp"
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
  // What the stack's library of experts says of their formats; nothing: it has none.
  std::optional<technology::ExpertKernels> experts;
  // Of the job and the device, where kernels are met again; those who share it are of one thread.
  std::shared_ptr<PassMemo> known = nullptr;
  // False: messages between devices are left out, what is left no network makes less.
  bool sends = true;

  const Rates& of(const workload::Operator& op) const;
  const Rates& of(workload::LinearPart part) const { return linear[index_of(part)]; }
  double kept_share() const { return kept_share_; }
  // Products of experts as that library has them, where GEMMs of the device stood.
  void use_expert_kernels();

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

}  // namespace scalesweep::estimator

// One way to run a service: how many sequences it holds, and what it does with any number of them.
// For the search of serving.cpp only.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "estimator/inference/estimate.hpp"
#include "estimator/inference/job.hpp"
#include "estimator/inference/passes/inference_blocks.hpp"
#include "estimator/inference/service/decode_passes.hpp"
#include "estimator/inference/service/prefill_layout.hpp"
#include "estimator/inference/service/steady_state.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// What all ways to run a service have in common.
struct Demand {
  Demand(const ServingJob& job_, const technology::System& system,
         const std::shared_ptr<PassMemo>& known = nullptr)
      : job(job_), mix(mix_of(job_)), setting(job_.inference, system) {
    setting.known = known;
  }

  const ServingJob& job;
  RequestMix mix;
  InferenceSetting setting;

  // Of devices whose power leaves them a slower clock (power_limit.hpp).
  const InferenceSetting& setting_at(int clock_step) const;
  DecodePasses& passes_at(int clock_step) const { return passes_[clock_step]; }
  // A group of replicas of the strategy that processes prompts, as of settled_layout().
  const PrefillLayout& prompts_of(const parallel::Strategy& strategy) const;

 private:
  // Known ones, which change no result.
  mutable std::map<int, InferenceSetting> slower_;  // by clock step, but for the full clock
  mutable std::map<int, DecodePasses> passes_;      // by clock step
  mutable std::map<parallel::Strategy, PrefillLayout> prompts_;  // by group
};

// The memory of a replica that decodes, with so many sequences of all replicas.
InferenceMemory memory_with(const Demand& demand, parallel::Strategy strategy, double batch);

// The most sequences that all replicas hold, where in the mean so many more of each have room.
double most_batch(const Demand& demand, const parallel::Strategy& strategy, double set_aside = 0.0);

// Of the weights of a device and one sequence, what stays in L2 from pass to pass.
double kept_weights(const Demand& demand, const parallel::Strategy& strategy);

// The demand outlives it.
struct Service {
  const Demand* demand;
  parallel::Strategy decode;
  std::optional<PromptPool> prompts = {};  // of two pools
  double most_batch = 0.0;                 // of all replicas; 0: nothing fits
  double chunk_batch = 0.0;                // at which prompts come as fast as chunks take them
  bool may_keep = false;                   // L2 holds the weights of a device
  double unkept_w = 0.0;                   // of a device whose limit no batch keeps; else 0

  double replicas() const { return decode.data_parallel; }  // that decode
  double prefill_replicas() const { return prompts ? prompts->strategy.data_parallel : 0.0; }
  // Of weights and the caches of so many sequences, what stays in L2.
  double kept(double batch) const;
  // At the clock that the power of these sequences leaves: iterations of prefill and decode follow
  // each other faster than a power limit acts, so that their mean sets it.
  SteadyState at(Loop loop, double batch) const;
  // Of the devices of `decode`, those that have a request: less than one sequence in a replica is
  // one in a part of the time. Replicas that share experts run while any of them does.
  double running_devices(const SteadyState& state) const;
  // Leaves of `most_batch` what keeps the power limit at the slowest clock, whole sequences for
  // each replica. Where one each breaks it, `unkept_w`: a limit acts faster than such a service
  // idles.
  void keep_limit();
  // Of those that decode, and of those of `prompts`; in a second.
  EnergyUse decode_energy(const SteadyState& state) const;
  EnergyUse prompt_energy(const SteadyState& state) const;
  // Mean over the devices of `decode`.
  double device_power_w(const SteadyState& state) const;

 private:
  SteadyState at_clock(Loop loop, double batch, int clock_step) const;
};

Service mixed_service(const Demand& demand, const parallel::Strategy& strategy);

// Of the replicas of a strategy, so many for prompts.
Service pools_service(const Demand& demand, const parallel::Strategy& strategy,
                      std::int32_t prefill_replicas);

// Beside a pool of other devices.
Service pools_service(const Demand& demand, const parallel::Strategy& strategy,
                      const PromptPool& prompts);

}  // namespace scalesweep::estimator

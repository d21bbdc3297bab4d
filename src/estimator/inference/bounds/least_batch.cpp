#include "estimator/inference/bounds/least_batch.hpp"

#include <algorithm>

#include "estimator/inference/inference_memory.hpp"
#include "estimator/parts/fastest_first.hpp"
#include "estimator/parts/power/envelope_bounds.hpp"
#include "estimator/parts/power/power_limit.hpp"

namespace scalesweep::estimator {
namespace {

double seconds(const IterationCost& cost) {
  return cost.total().time.total_s();
}

PhaseTimes phase_times(const Replica& replica, const PassParts& parts) {
  PhaseTimes times;
  times.layer_s = seconds(parts.layer);
  times.expert_layer_s = seconds(parts.expert_layer);
  times.embedding_s = seconds(parts.embedding);
  times.encoder_s = seconds(parts.encoder);
  times.head_s = seconds(parts.head);
  times.engine_s = estimator::engine_s(replica.job(), parts);
  times.iterations = parts.iterations;
  times.tokens = parts.tokens;
  times.device = pass_cost(replica.job(), parts);
  return times;
}

// Of micro-batches that follow each other through the stages (add_passes in inference.cpp).
double least_phase_s(const Replica& replica, const PhaseTimes& times, const StageShares& shares,
                     double micro_batches, bool prefill) {
  // Groups of stages lie where the numbers of stages and of replicas put them.
  const double send_s = stage_send(replica, times.iterations, times.tokens).time.total_s();
  double stages = 0.0;
  double through_s = times.slower_s;
  double slowest_s = 0.0;
  for (const StageShare& share : shares.kinds()) {
    const double stage_s = share.layers * times.layer_s +
                           share.expert_layers * times.expert_layer_s +
                           (share.embedding ? times.embedding_s : 0.0) +
                           (share.head ? times.head_s : 0.0) + share.encoders * times.encoder_s;
    slowest_s = std::max(slowest_s, stage_s);
    stages += static_cast<double>(share.count);
    through_s += static_cast<double>(share.count) * stage_s;
  }
  slowest_s = std::max(slowest_s, through_s / stages) + send_s;
  through_s += (stages - 1.0) * send_s;
  through_s += engine_wait_s(replica.job(), times.engine_s, through_s);
  return prefill ? through_s + (micro_batches - 1.0) * slowest_s
                 : std::max(through_s, micro_batches * slowest_s);
}

bool has_last(const InferenceJob& job) {
  return job.stack.decodes_last_prompt_token;
}

// Where a pass finds weights in L2 depends on the strategy: nothing is known of its time.
bool is_known(const InferenceMemory& memory, const technology::Device& device) {
  return kept_share(memory, device) <= 0.0;
}

}  // namespace

BatchTimes batch_times(const Replica& prefill, const PassParts& prefill_parts,
                       const Replica& decode, const PassParts& decode_parts) {
  BatchTimes times;
  times.prefill = phase_times(prefill, prefill_parts);
  times.decode = phase_times(decode, decode_parts);
  if (has_last(prefill.job())) {
    times.last = phase_times(
        prefill, pass_parts(prefill, last_prompt_token(prefill.job(), prefill.strategy)));
  }
  return times;
}

BatchTimes batch_times(const Replica& replica) {
  return batch_times(replica, prefill_passes(replica), replica, decode_passes(replica));
}

namespace {

// At the full clock, and what passes take more at one near where they settle.
BatchTimes slower(BatchTimes full, const BatchTimes& near) {
  full.prefill.slower_s = slower_passes_s(full.prefill.device, near.prefill.device);
  full.decode.slower_s = slower_passes_s(full.decode.device, near.decode.device);
  return full;
}

// The times of a bound; nothing is known of the energy.
LeastBatch least_times(const Replica& replica, const StageShares& shares, const BatchTimes& times) {
  const InferenceJob& job = replica.job();
  const parallel::Strategy& strategy = replica.strategy;
  const double groups = strategy.micro_batches;
  LeastBatch least;
  least.first_token_s =
      job.stack.request_overhead_s +
      least_phase_s(replica, times.prefill, shares, prompt_groups(job, strategy).count, true);
  if (has_last(job)) {
    least.first_token_s += least_phase_s(replica, times.last, shares, groups, true);
  }
  least.latency_s = least.first_token_s;
  if (job.output > 1) {
    least.latency_s += least_phase_s(replica, times.decode, shares, groups, false);
  }
  return least;
}

// energy_j(system, passes of a phase, its seconds), of both phases.
template <class Energy>
double both_phases_j(const BatchAt& at, const BatchTimes& times, const LeastBatch& least,
                     const Energy& energy_j) {
  const parallel::Strategy& strategy = at.prefill.strategy;
  const double columns = static_cast<double>(strategy.devices()) / strategy.pipeline_parallel;
  const auto of = [&](const technology::System& system, const PhaseTimes& phase,
                      double micro_batches, double phase_s) {
    const PassWork passes = {phase.device.work, phase.device.time.total_s(),
                             columns * micro_batches};
    return phase_s > 0.0 ? energy_j(system, passes, phase_s) : 0.0;
  };
  return of(at.prefill.setting.system, times.prefill,
            prompt_groups(at.prefill.job(), strategy).count, least.first_token_s) +
         of(at.decode.system, times.decode, strategy.micro_batches,
            least.latency_s - least.first_token_s);
}

void take_share(LeastBatch& least, double share) {
  least.first_token_s *= share;
  least.latency_s *= share;
}

}  // namespace

LeastBatch least_batch(const BatchAt& at, const StageShares& shares, const BatchTimes& times) {
  LeastBatch least = least_times(at.prefill, shares, times);
  const auto devices = static_cast<double>(at.prefill.strategy.devices());
  least.energy_j =
      sums_rounded *
      both_phases_j(at, times, least,
                    [&](const technology::System& system, const PassWork& passes, double phase_s) {
                      return least_energy_j(system, passes, devices, phase_s);
                    });
  take_share(least, sums_rounded);
  return least;
}

LeastBatch least_batch(const BatchAt& near, const StageShares& shares, const BatchTimes& full,
                       const BatchTimes& at_near, const technology::Envelope& envelope) {
  const parallel::Strategy& strategy = near.prefill.strategy;
  LeastBatch least = least_times(near.prefill, shares, slower(full, at_near));
  take_share(least, within_batch(envelope));
  least.energy_j =
      within_batch(envelope) *
      both_phases_j(near, at_near, least,
                    [&](const technology::System& system, const PassWork& passes, double phase_s) {
                      return least_energy_j(system, envelope, passes,
                                            static_cast<double>(strategy.devices()), phase_s);
                    });
  return least;
}

// Tensor-parallel ranks are innermost, so that where they stand does not depend on the others;
// context and expert groups do, and all replicas meet at expert_devices.
parallel::Strategy pass_key(const parallel::Strategy& strategy) {
  parallel::Strategy key = strategy;
  key.micro_batches = 1;
  if (strategy.context_parallel == 1 && strategy.expert_parallel == 1 &&
      strategy.expert_devices == 0) {
    key.pipeline_parallel = std::min(strategy.pipeline_parallel, 2);  // prompts may be cut in one
    key.data_parallel = 1;
  }
  return key;
}

BatchSurvey::BatchSurvey(const InferenceJob& job, const technology::Device& device)
    : job_(job), device_(device) {}

bool BatchSurvey::holds_for(const InferenceJob& job, const technology::Device& device) const {
  return job_ == job && device_ == device;
}

void BatchSurvey::find_out(std::span<const parallel::Strategy> strategies,
                           const InferenceSetting& setting) {
  strategies_ = strategies;
  known_.clear();
  shares_.clear();
  keys_.clear();
  least_.reset();
  known_.reserve(strategies.size());
  for (const parallel::Strategy& strategy : strategies) {
    Known known = {inference_memory(setting.job, setting.system, strategy)};
    known.passes = keys_.emplace(pass_key(strategy), keys_.size()).first->second;
    const StageShares dealt =
        stage_shares(setting.job.model, strategy, setting.job.stack.stage_balance);
    const auto found = std::find(shares_.begin(), shares_.end(), dealt);
    known.shares = static_cast<std::uint32_t>(found - shares_.begin());
    if (found == shares_.end()) {
      shares_.push_back(dealt);
    }
    known_.push_back(known);
  }
}

const BatchSurvey::Known& BatchSurvey::at(std::span<const parallel::Strategy> strategies,
                                          std::size_t index, const InferenceSetting& setting) {
  if (strategies.data() != strategies_.data() || strategies.size() != strategies_.size()) {
    find_out(strategies, setting);
  }
  return known_[index];
}

std::span<const LeastBatch> BatchSurvey::least(std::span<const parallel::Strategy> strategies,
                                               const InferenceSetting& setting) {
  at(strategies, 0, setting);
  if (least_) {
    return *least_;
  }
  InferenceSetting alone = setting;
  alone.sends = false;
  std::vector<std::optional<BatchTimes>> times(keys_.size());
  std::vector<LeastBatch>& all = least_.emplace();
  for (std::size_t index = 0; index < strategies.size(); ++index) {
    const Known& known = known_[index];
    if (verdict_of(known.memory) != Verdict::fits) {
      continue;
    }
    LeastBatch least;
    if (is_known(known.memory, setting.system.device)) {
      const Replica replica = {alone, strategies[index]};
      std::optional<BatchTimes>& of_passes = times[known.passes];
      if (!of_passes) {
        of_passes = batch_times(replica);
      }
      least = least_batch({replica, alone}, shares(known), *of_passes);
    }
    least.index = static_cast<std::uint32_t>(index);
    all.push_back(least);
  }
  order_fastest_first(all, &LeastBatch::latency_s);
  return *least_;
}

}  // namespace scalesweep::estimator

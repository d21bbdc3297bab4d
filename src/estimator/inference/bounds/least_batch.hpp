// What a batch takes at least, from what its passes cost: enough to know of most strategies that
// another one is better, in a fraction of the time that a whole estimate takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "estimator/inference/estimate.hpp"
#include "estimator/inference/passes/phases.hpp"
#include "estimator/parts/stages.hpp"
#include "technology/derive/envelope.hpp"

namespace scalesweep::estimator {

// All passes of a phase for one micro-batch. Seconds.
struct PhaseTimes {
  double layer_s = 0.0;  // each
  double expert_layer_s = 0.0;
  double embedding_s = 0.0;
  double encoder_s = 0.0;
  double head_s = 0.0;
  double slower_s = 0.0;  // more at least of all stages together, wherever
  double engine_s = 0.0;  // beside the stages
  double iterations = 0.0;
  double tokens = 0.0;  // of an iteration
  Cost device;          // pass_cost(): what sets the clock
};

struct BatchTimes {
  PhaseTimes prefill;
  PhaseTimes last;  // the iteration of the last token of the prompt, where there is one
  PhaseTimes decode;
};

BatchTimes batch_times(const Replica& replica);
// At a clock for each phase.
BatchTimes batch_times(const Replica& prefill, const PassParts& prefill_parts,
                       const Replica& decode, const PassParts& decode_parts);

struct LeastBatch {
  std::uint32_t index = 0;        // of the strategy
  double first_token_s = 0.0;     // at least
  double latency_s = 0.0;         // at least
  double energy_j = 0.0;          // of the whole system, at least
  double energy_of_rest_j = 0.0;  // of this strategy and all that follow
};

// A replica at the clock of its prefill, and the setting at that of its decoding.
struct BatchAt {
  Replica prefill;
  const InferenceSetting& decode;
};

// Never more than a batch takes that has these times, or at slower clocks. Left out is what loads
// prefixes and what drafts.
LeastBatch least_batch(const BatchAt& at, const StageShares& shares, const BatchTimes& times);
// The same on every system of an envelope, of whose fastest one these are: with `full` at its full
// clock, `at_near` at clocks that both phases would settle at, or below.
LeastBatch least_batch(const BatchAt& near, const StageShares& shares, const BatchTimes& full,
                       const BatchTimes& at_near, const technology::Envelope& envelope);

// What the parts of a pass depend on: strategies with the same key have the same.
parallel::Strategy pass_key(const parallel::Strategy& strategy);

// The strategies of one job on one kind of device, whatever joins them.
class BatchSurvey {
 public:
  BatchSurvey(const InferenceJob& job, const technology::Device& device);

  bool holds_for(const InferenceJob& job, const technology::Device& device) const;

  struct Known {
    InferenceMemory memory;
    std::uint32_t passes = 0;  // the same of those with the same pass_key()
    std::uint32_t shares = 0;  // how layers are dealt out to stages
  };
  // `setting` is of the job and the device. All of it holds until other strategies are asked for.
  const Known& at(std::span<const parallel::Strategy> strategies, std::size_t index,
                  const InferenceSetting& setting);
  const StageShares& shares(const Known& known) const { return shares_[known.shares]; }
  std::size_t kinds_of_passes() const { return keys_.size(); }
  // What no network makes less, of those that fit; the fastest first.
  std::span<const LeastBatch> least(std::span<const parallel::Strategy> strategies,
                                    const InferenceSetting& setting);

 private:
  void find_out(std::span<const parallel::Strategy> strategies, const InferenceSetting& setting);

  InferenceJob job_;
  technology::Device device_;
  std::span<const parallel::Strategy> strategies_;
  std::vector<Known> known_;
  std::vector<StageShares> shares_;
  std::map<parallel::Strategy, std::uint32_t> keys_;
  std::optional<std::vector<LeastBatch>> least_;
};

}  // namespace scalesweep::estimator

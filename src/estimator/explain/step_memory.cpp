#include "estimator/explain/step_memory.hpp"

#include <algorithm>
#include <cstddef>

#include "core/contracts.hpp"
#include "estimator/training/states/memory.hpp"

namespace scalesweep::estimator {
namespace {

// At one moment only the last level counts.
void add_level(std::vector<HeldLevel>& levels, double start_s, double micro_batches) {
  if (levels.back().start_s == start_s) {
    levels.back().micro_batches = micro_batches;
  } else {
    levels.push_back({start_s, micro_batches});
  }
}

}  // namespace

double StageMemory::peak_micro_batches() const {
  double peak = 0.0;
  for (const HeldLevel& level : levels) {
    peak = std::max(peak, level.micro_batches);
  }
  return peak;
}

std::vector<HeldLevel> held_levels(const std::vector<TimelineSlice>& stage, int chunks) {
  const bool weights_wait = std::any_of(stage.begin(), stage.end(), [](const TimelineSlice& slice) {
    return slice.pass == PassKind::weights;
  });
  const PassKind last = weights_wait ? PassKind::weights : PassKind::backward;
  std::vector<HeldLevel> levels = {{0.0, 0.0}};
  int held = 0;  // passes through a chunk
  for (std::size_t i = 0; i < stage.size() && stage[i].micro_batch >= 0; ++i) {
    const TimelineSlice& slice = stage[i];
    const bool begins = i == 0 || !of_one_pass(stage[i - 1], slice);
    const bool ends = i + 1 == stage.size() || !of_one_pass(slice, stage[i + 1]);
    if (begins && slice.pass == PassKind::forward) {
      ++held;
      add_level(levels, slice.start_s, static_cast<double>(held) / chunks);
    }
    if (ends && slice.pass == last) {
      --held;
      add_level(levels, slice.start_s + slice.duration_s, static_cast<double>(held) / chunks);
    }
  }
  SCALESWEEP_ENSURE(held == 0);
  return levels;
}

std::vector<StageMemory> step_memory(const Setting& setting, const StepTimeline& timeline) {
  const auto& [job, system, strategy] = setting;
  const LayerCosts costs = layer_costs(setting);
  const StageShares shares = stage_shares(job.model, strategy, job.stack.stage_balance);
  const std::vector<const StageShare*> holds = by_stage(shares, strategy.pipeline_parallel);
  SCALESWEEP_EXPECT(timeline.stages.size() == holds.size());
  std::vector<StageMemory> stages;
  for (std::size_t s = 0; s < holds.size(); ++s) {
    StageShare share = *holds[s];
    share.first = static_cast<std::int64_t>(s);  // fewer are in flight the later it comes
    StageMemory memory;
    memory.estimate = stage_memory(job, strategy, costs.saved, share);
    memory.kept_bytes =
        strategy.offload_activations ? 0.0 : kept_bytes(costs.saved, share, strategy);
    memory.estimated_micro_batches = micro_batches_in_flight(strategy, share.first);
    memory.beside_bytes = std::max(0.0, memory.estimate.activations_bytes -
                                            memory.estimated_micro_batches * memory.kept_bytes);
    memory.levels = held_levels(timeline.stages[s], strategy.chunks);
    stages.push_back(std::move(memory));
  }
  return stages;
}

}  // namespace scalesweep::estimator

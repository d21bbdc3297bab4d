#include "estimator/explain/step_timeline.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "estimator/training/step.hpp"
#include "estimator/training/training.hpp"
#include "technology/derive/clock.hpp"

namespace scalesweep::estimator {
namespace {

// Seconds of a phase within a pass.
struct Piece {
  Phase phase;
  double seconds;
};
using Pieces = std::vector<Piece>;

double total_s(const Pieces& pieces) {
  double sum_s = 0.0;
  for (const Piece& piece : pieces) {
    sum_s += piece.seconds;
  }
  return sum_s;
}

// The passes of a micro-batch through all chunks of a stage.
struct StagePieces {
  Pieces forward;
  Pieces backward;
  Pieces weights;

  const Pieces& of(PassKind kind) const {
    return kind == PassKind::forward ? forward : kind == PassKind::backward ? backward : weights;
  }
};

constexpr std::array<std::pair<PassPart, Phase>, 3> exchanges = {
    {{PassPart::tensor_communication, Phase::tensor_communication},
     {PassPart::context_communication, Phase::context_communication},
     {PassPart::expert_communication, Phase::expert_communication}}};

void add(Pieces& pieces, Phase phase, double seconds) {
  if (seconds > 0.0) {
    pieces.push_back({phase, seconds});
  }
}

StagePieces pieces_of(const Setting& setting, const LayerCosts& costs, const StageShare& share) {
  const StageCost stage = stage_cost(setting, costs, share, pipeline_transfers(setting));
  const BlockCost blocks = blocks_of(costs, share);
  const auto phase_s = [&](Phase phase) { return stage.phases[phase].time.total_s(); };
  StagePieces pieces;
  add(pieces.forward, Phase::forward, phase_s(Phase::forward));
  add(pieces.backward, Phase::recompute, phase_s(Phase::recompute));
  const bool wait = setting.strategy.schedule == parallel::Schedule::zero_bubble;
  const double waiting_s =
      wait ? std::min(stage.weight_gradients.time.total_s(), phase_s(Phase::backward)) : 0.0;
  add(pieces.backward, Phase::backward, phase_s(Phase::backward) - waiting_s);
  add(pieces.weights, Phase::backward, waiting_s);
  for (const auto& [part, phase] : exchanges) {
    const double there_s = blocks.forward[part].time.total_s();
    add(pieces.forward, phase, there_s);
    add(pieces.backward, phase, phase_s(phase) - there_s);
  }
  // What runs beside the passes adds to each what the pass has more than all of the above.
  const double beside_s = phase_s(Phase::data_communication) + phase_s(Phase::offload);
  const double ahead_s = stage.passes.forward.total_s() - total_s(pieces.forward);
  const double ahead = beside_s > 0.0 ? std::clamp(ahead_s / beside_s, 0.0, 1.0) : 0.0;
  for (const Phase phase : {Phase::data_communication, Phase::offload}) {
    add(pieces.forward, phase, ahead * phase_s(phase));
    add(pieces.backward, phase, (1.0 - ahead) * phase_s(phase));
  }
  const double one_way_s = 0.5 * phase_s(Phase::pipeline_communication);
  add(pieces.forward, Phase::pipeline_communication, one_way_s);
  add(pieces.backward, Phase::pipeline_communication, one_way_s);
  return pieces;
}

// By stage.
std::vector<StagePieces> stages_of(const Setting& setting, const LayerCosts& costs,
                                   const StageShares& shares) {
  std::vector<StagePieces> stages;
  for (const StageShare* share : by_stage(shares, setting.strategy.pipeline_parallel)) {
    stages.push_back(pieces_of(setting, costs, *share));
  }
  return stages;
}

class Layout {
 public:
  Layout(const Setting& setting, const LayerCosts& costs, const StepCost& step)
      : strategy_(setting.strategy), step_(step), stages_(stages_of(setting, costs, step.shares)) {}

  StepTimeline run() {
    const double parts = strategy_.chunks;
    std::vector<PassSeconds> seconds;
    for (const StagePieces& stage : stages_) {
      seconds.push_back({total_s(stage.forward) / parts, total_s(stage.backward) / parts,
                         total_s(stage.weights) / parts});
    }
    const auto passes = scheduled_passes(strategy_, seconds);
    timeline_.stages.resize(stages_.size());
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      for (const StagePass& pass : passes[s]) {
        add_pass(s, pass);
      }
    }
    add_once(Phase::data_communication);
    add_once(Phase::optimizer);
    add_once(Phase::stragglers);
    add_once(Phase::uneven_inputs);
    return std::move(timeline_);
  }

 private:
  void add_slice(std::size_t stage, const TimelineSlice& slice) {
    timeline_.stages[stage].push_back(slice);
    timeline_.end_s = std::max(timeline_.end_s, slice.start_s + slice.duration_s);
  }

  void add_pass(std::size_t stage, const StagePass& pass) {
    double start_s = pass.start_s;
    for (const Piece& piece : stages_[stage].of(pass.kind)) {
      const double duration_s = piece.seconds / strategy_.chunks;
      add_slice(stage, {piece.phase, pass.kind, pass.chunk, pass.micro_batch, start_s, duration_s});
      start_s += duration_s;
    }
  }

  // After the last pass of all, on every stage.
  void add_once(Phase phase) {
    const double start_s = timeline_.end_s;
    const double duration_s = step_.once(phase)->time.total_s();
    for (std::size_t s = 0; duration_s > 0.0 && s < stages_.size(); ++s) {
      add_slice(s, {phase, PassKind::backward, 0, -1, start_s, duration_s});
    }
  }

  const parallel::Strategy& strategy_;
  const StepCost& step_;
  std::vector<StagePieces> stages_;
  StepTimeline timeline_;
};

}  // namespace

StepTimeline step_timeline(const Setting& setting) {
  const TrainingEstimate estimate = estimate_training(setting);
  technology::System settled = setting.system;
  settled.device = technology::at_clock(settled.device, estimate.clock_fraction);
  const Setting at_clock = {setting.job, settled, setting.strategy};
  const LayerCosts costs = layer_costs(at_clock);
  const StepCost step = step_cost(at_clock, costs);
  StepTimeline timeline = Layout(at_clock, costs, step).run();
  timeline.step_s = estimate.step_time_s();
  return timeline;
}

}  // namespace scalesweep::estimator

#include "cli/explain/trace/step_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/explain/explain_parts.hpp"
#include "core/text.hpp"
#include "estimator/training/job.hpp"

namespace scalesweep::cli {
namespace {

using estimator::StageMemory;

// What sums of many slices may differ from the sum of their parts.
constexpr double summed_rounding = 1e-9;

bool is_same(double one, double other) {
  return std::abs(one / other - 1.0) <= summed_rounding;
}

double peak_bytes(const StageMemory& stage) {
  return stage.bytes_with(stage.peak_micro_batches());
}

std::string time_note(const estimator::StepTimeline& timeline) {
  const std::string step = with_si_prefix(timeline.step_s, "s");
  if (is_same(timeline.end_s, timeline.step_s)) {
    return fmt::format("what is drawn ends at the step_time of the estimate, {}", step);
  }
  return fmt::format(
      "what is drawn ends at {}, {:+.2g} % off the step_time of the estimate, {}: stages that hold "
      "different layers take turns as one-stage sums say",
      with_si_prefix(timeline.end_s, "s"), 100.0 * (timeline.end_s / timeline.step_s - 1.0), step);
}

std::string memory_note(const StepDrawing& drawing) {
  const StageMemory& stage = drawing.memory[drawing.fullest];
  double estimated = 0.0;
  for (const StageMemory& each : drawing.memory) {
    estimated = std::max(estimated, each.estimate.total_bytes());
  }
  const double peak = peak_bytes(stage);
  if (is_same(peak, estimated)) {
    return fmt::format("memory peaks at the memory_total of the estimate, {}, on stage {}",
                       with_si_prefix(estimated, "B"), drawing.fullest);
  }
  return fmt::format(
      "memory peaks at {} on stage {}, {:+.2g} % off the memory_total of the estimate, {}: in this "
      "order {:.3g} micro-batches are in flight there, where its closed form counts {:.3g}",
      with_si_prefix(peak, "B"), drawing.fullest, 100.0 * (peak / estimated - 1.0),
      with_si_prefix(estimated, "B"), stage.peak_micro_batches(), stage.estimated_micro_batches);
}

}  // namespace

std::string drawing_problem(parallel::Schedule schedule) {
  return estimator::has_order(schedule)
             ? ""
             : "stages of the schedule dual_pipe run passes of two micro-batches at a time, which "
               "are not drawn; take the same point with schedule 1f1b or zero_bubble";
}

StepDrawing step_drawing(const study::Point& point) {
  const estimator::Setting setting = training_setting(point);
  StepDrawing drawing;
  drawing.timeline = estimator::step_timeline(setting);
  drawing.memory = estimator::step_memory(setting, drawing.timeline);
  const auto fullest = std::max_element(drawing.memory.begin(), drawing.memory.end(),
                                        [](const StageMemory& one, const StageMemory& other) {
                                          return peak_bytes(one) < peak_bytes(other);
                                        });
  drawing.fullest = static_cast<std::size_t>(fullest - drawing.memory.begin());
  drawing.notes = {time_note(drawing.timeline), memory_note(drawing)};
  return drawing;
}

}  // namespace scalesweep::cli

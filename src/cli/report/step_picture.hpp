// A training step as the page of the report draws it: the passes of every stage and the memory of a
// few of them, in few bytes.
#pragma once

#include <cstddef>

#include "cli/explain/trace/step_drawing.hpp"
#include "core/documents/json.hpp"

namespace scalesweep::cli {

// Of more passes than this on all stages together the first and the last ones are drawn.
inline constexpr std::size_t most_drawn_passes = 4000;

// Times are whole numbers, of which `units` are the time that is drawn (`end_s`).
//   windows: [begin, end] of what is drawn, one or two
//   phases: names; pieces are [place among them, time]
//   stages: of each the passes in their order within the windows, `kinds` as letters F, B and W (a
//     weight-gradient pass), `starts`, `micro_batches`, `chunks` where there is more than one, and
//     `pieces` by letter, which follow each other in a pass
//   once: [place of phase, start, time] on every stage
//   memory: of the first, the last and the fullest stage the bytes that stay (`weights`,
//     `gradients`, `optimizer`, `beside`) and that each micro-batch in flight keeps (`kept`), at
//     most how many those are (`peak`), and from which `starts` on how many are `held`
//   notes: sentences
Json step_picture(const StepDrawing& drawing, std::size_t most_passes = most_drawn_passes);

}  // namespace scalesweep::cli

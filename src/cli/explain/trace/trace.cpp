#include "cli/explain/trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/explain/explain_inference.hpp"
#include "cli/explain/trace/step_drawing.hpp"
#include "core/failure.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

Failure usage(const std::string& message) {
  return Failure(ExitCode::usage, message);
}

std::string_view word_of(estimator::PassKind pass) {
  switch (pass) {
    case estimator::PassKind::forward:
      return "forward pass";
    case estimator::PassKind::backward:
      return "backward pass";
    case estimator::PassKind::weights:
      break;
  }
  return "gradients of weights";
}

TraceSlice slice_of(const estimator::TimelineSlice& slice) {
  TraceSlice drawn;
  drawn.category = estimator::phase_names[slice.phase];
  drawn.start_s = slice.start_s;
  drawn.duration_s = slice.duration_s;
  drawn.name = drawn.category;
  if (slice.micro_batch >= 0) {
    drawn.name = fmt::format("{} {}", drawn.category, slice.micro_batch);
    drawn.micro_batch = slice.micro_batch;
    drawn.chunk = slice.chunk;
    drawn.detail = word_of(slice.pass);
  }
  return drawn;
}

Trace step_trace(const study::Point& point) {
  if (const std::string problem = drawing_problem(point.strategy.schedule); !problem.empty()) {
    throw usage("--trace: " + problem);
  }
  StepDrawing drawing = step_drawing(point);
  Trace trace;
  for (std::size_t s = 0; s < drawing.memory.size(); ++s) {
    TraceLane lane{fmt::format("stage {}", s), {}};
    for (const estimator::TimelineSlice& slice : drawing.timeline.stages[s]) {
      lane.slices.push_back(slice_of(slice));
    }
    const estimator::StageMemory& memory = drawing.memory[s];
    for (const estimator::HeldLevel& level : memory.levels) {
      lane.memory.push_back({level.start_s, memory.bytes_with(level.micro_batches)});
    }
    trace.lanes.push_back(std::move(lane));
  }
  trace.notes = std::move(drawing.notes);
  return trace;
}

using estimator::IterationOperator;
using Operators = std::vector<IterationOperator>;

// How often a block of operators runs as a whole: as often as the rarest of them, if all others run
// so often a whole number of times each; else once, with all that they take.
int rounds_of(const Operators& block) {
  constexpr double most = 1000.0;
  double rounds = block.front().times;
  for (const IterationOperator& op : block) {
    rounds = std::min(rounds, op.times);
  }
  const auto is_whole = [](double number) {
    return number >= 1.0 && std::abs(number - std::round(number)) < 1e-9;
  };
  const bool whole = std::all_of(block.begin(), block.end(), [&](const IterationOperator& op) {
    return is_whole(op.times / rounds);
  });
  return is_whole(rounds) && whole && rounds <= most ? static_cast<int>(std::lround(rounds)) : 1;
}

void add_block(TraceLane& lane, const Operators& block) {
  const int rounds = rounds_of(block);
  for (int round = 0; round < rounds; ++round) {
    for (const IterationOperator& op : block) {
      const double duration_s = op.times * op.once.time.total_s() / rounds;
      const std::string where = rounds == 1 ? op.block : fmt::format("{} {}", op.block, round);
      lane.slices.push_back(
          {op.name, op.message ? "message" : std::string(estimator::name_of(op.bound)),
           lane.end_s(), duration_s, -1, -1, fmt::format("{}: {}", where, op.shape)});
    }
  }
}

TraceLane lane_of(const OperatorLane& operators) {
  TraceLane lane{operators.name, {}};
  Operators block;
  for (const IterationOperator& op : operators.operators) {
    if (!block.empty() && block.front().block != op.block) {
      add_block(lane, block);
      block.clear();
    }
    block.push_back(op);
  }
  if (!block.empty()) {
    add_block(lane, block);
  }
  return lane;
}

Trace iteration_trace(const study::Study& study, const study::Point& point) {
  Trace trace;
  for (const OperatorLane& operators : operator_lanes(study, point)) {
    trace.lanes.push_back(lane_of(operators));
    trace.notes.push_back(
        fmt::format("the operators of {} take {}; {} is {}, with {}", operators.name,
                    with_si_prefix(trace.lanes.back().end_s(), "s"), operators.figure,
                    with_si_prefix(operators.figure_s, "s"), operators.besides));
  }
  return trace;
}

bool is_picture(const std::string& file) {
  return fs::path(file).extension() == ".svg";
}

}  // namespace

Trace trace_of(const study::Study& study, const study::Point& point) {
  if (!point.system.system || point.filtered) {
    throw usage(fmt::format("--trace: point {} has no estimate to draw", point.id));
  }
  const study::WorkloadKind* const kind = &study.kind();
  const bool trains = kind == &study::training_kind();
  if (!trains && kind != &study::inference_kind() && kind != &study::serving_kind()) {
    throw usage(
        fmt::format("--trace: points of kind = \"{}\" are not drawn; those of training, inference "
                    "and serving are",
                    kind->form.name));
  }
  Trace trace = trains ? step_trace(point) : iteration_trace(study, point);
  trace.title = fmt::format("Point {} of {}", point.id, study.spec().title);
  return trace;
}

void check_trace_file(const std::string& file, bool force) {
  if (fs::path(file).extension() != ".json" && !is_picture(file)) {
    throw usage(
        fmt::format("--trace {}: name a file .json, for Perfetto (ui.perfetto.dev) and "
                    "chrome://tracing, or .svg, a picture",
                    file));
  }
  if (!force && fs::exists(file)) {
    throw Failure(ExitCode::cannot_create, fmt::format("{} exists; --force replaces it", file));
  }
}

void write_trace(const Trace& trace, const std::string& file) {
  write_file_durably(file, is_picture(file) ? trace_svg(trace) : trace_json(trace));
}

}  // namespace scalesweep::cli

#include "cli/report/step_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

namespace scalesweep::cli {
namespace {

using estimator::PassKind;
using estimator::TimelineSlice;

constexpr std::int64_t time_units = 1'000'000;

constexpr std::array<std::pair<PassKind, const char*>, 3> letters = {
    {{PassKind::forward, "F"}, {PassKind::backward, "B"}, {PassKind::weights, "W"}}};

const char* letter_of(PassKind kind) {
  const auto* const found = std::find_if(letters.begin(), letters.end(),
                                         [&](const auto& each) { return each.first == kind; });
  return found->second;
}

// Slices of one pass; those of what comes once a step are passes of their own.
struct Pass {
  std::vector<TimelineSlice> slices;
  const TimelineSlice& first() const { return slices.front(); }
};

std::vector<Pass> passes_of(const std::vector<TimelineSlice>& stage) {
  std::vector<Pass> passes;
  for (const TimelineSlice& slice : stage) {
    if (slice.micro_batch < 0) {
      continue;
    }
    if (passes.empty() || !estimator::of_one_pass(passes.back().first(), slice)) {
      passes.emplace_back();
    }
    passes.back().slices.push_back(slice);
  }
  return passes;
}

class Picture {
 public:
  Picture(const StepDrawing& drawing, std::size_t most_passes)
      : drawing_(drawing), end_s_(drawing.timeline.end_s) {
    for (const std::vector<TimelineSlice>& stage : drawing.timeline.stages) {
      stages_.push_back(passes_of(stage));
    }
    choose_windows(most_passes);
  }

  Json json() {
    std::vector<Json> stages;
    for (const std::vector<Pass>& passes : stages_) {
      stages.push_back(stage_json(passes));
    }
    const Json once = once_json();
    std::vector<Json> windows;
    for (const auto& [begin, end] : windows_) {
      windows.emplace_back(std::vector<std::int64_t>{begin, end});
    }
    return Json::object({{"end_s", end_s_},
                         {"units", time_units},
                         {"windows", windows},
                         {"phases", phases_},
                         {"stages", stages},
                         {"once", once},
                         {"memory", memory_json()},
                         {"notes", drawing_.notes}});
  }

 private:
  std::int64_t time(double seconds) const {
    return std::llround(seconds / end_s_ * static_cast<double>(time_units));
  }

  // The first and the last of the passes, as many as may be drawn.
  void choose_windows(std::size_t most_passes) {
    std::vector<double> starts;
    for (const std::vector<Pass>& passes : stages_) {
      for (const Pass& pass : passes) {
        starts.push_back(pass.first().start_s);
      }
    }
    windows_ = {{0, time_units}};
    if (starts.size() > most_passes) {
      std::sort(starts.begin(), starts.end());
      const std::int64_t begin_of_last = time(starts[starts.size() - most_passes / 2]);
      windows_ = {{0, time(starts[most_passes / 2])}, {begin_of_last, time_units}};
    }
  }

  bool is_drawn(std::int64_t start) const {
    return start < windows_.front().second || start >= windows_.back().first;
  }

  std::size_t place_of(estimator::Phase phase) {
    const std::string name(estimator::phase_names[phase]);
    const auto found = std::find(phases_.begin(), phases_.end(), name);
    const auto place = static_cast<std::size_t>(found - phases_.begin());
    if (found == phases_.end()) {
      phases_.push_back(name);
    }
    return place;
  }

  // Passes of a kind are alike on a stage.
  Json pieces_json(const std::vector<Pass>& passes) {
    Json::Members pieces;
    for (const auto& [kind, letter] : letters) {
      const auto pass = std::find_if(passes.begin(), passes.end(), [kind = kind](const Pass& one) {
        return one.first().pass == kind;
      });
      if (pass == passes.end()) {
        continue;
      }
      std::vector<Json> parts;
      for (const TimelineSlice& slice : pass->slices) {
        parts.emplace_back(std::vector<Json>{place_of(slice.phase), time(slice.duration_s)});
      }
      pieces.emplace_back(letter, parts);
    }
    return Json::object(std::move(pieces));
  }

  Json stage_json(const std::vector<Pass>& passes) {
    std::string kinds;
    std::vector<std::int64_t> starts;
    std::vector<int> micro_batches;
    std::vector<int> chunks;
    for (const Pass& pass : passes) {
      const std::int64_t start = time(pass.first().start_s);
      if (is_drawn(start)) {
        kinds += letter_of(pass.first().pass);
        starts.push_back(start);
        micro_batches.push_back(pass.first().micro_batch);
        chunks.push_back(pass.first().chunk);
      }
    }
    Json::Members members = {{"kinds", kinds},
                             {"starts", starts},
                             {"micro_batches", micro_batches},
                             {"pieces", pieces_json(passes)}};
    if (std::any_of(chunks.begin(), chunks.end(), [](int chunk) { return chunk > 0; })) {
      members.emplace_back("chunks", chunks);
    }
    return Json::object(std::move(members));
  }

  Json once_json() {
    std::vector<Json> once;
    for (const TimelineSlice& slice : drawing_.timeline.stages.front()) {
      if (slice.micro_batch < 0) {
        once.emplace_back(
            std::vector<Json>{place_of(slice.phase), time(slice.start_s), time(slice.duration_s)});
      }
    }
    return once;
  }

  // Levels within the windows, and the one that each of them begins with.
  Json levels_json(const std::vector<estimator::HeldLevel>& levels, Json::Members members) const {
    std::vector<std::int64_t> starts;
    std::vector<double> held;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const bool begins = i + 1 < levels.size() && is_drawn(time(levels[i + 1].start_s));
      if (begins || is_drawn(time(levels[i].start_s))) {
        starts.push_back(time(levels[i].start_s));
        held.push_back(levels[i].micro_batches);
      }
    }
    members.emplace_back("starts", starts);
    members.emplace_back("held", held);
    return Json::object(std::move(members));
  }

  Json memory_json() const {
    const std::set<std::size_t> shown = {0, drawing_.fullest, drawing_.memory.size() - 1};
    std::vector<Json> memory;
    for (const std::size_t stage : shown) {
      const estimator::StageMemory& held = drawing_.memory[stage];
      memory.push_back(levels_json(held.levels, {{"stage", stage},
                                                 {"weights", held.estimate.weights_bytes},
                                                 {"gradients", held.estimate.gradients_bytes},
                                                 {"optimizer", held.estimate.optimizer_bytes},
                                                 {"beside", held.beside_bytes},
                                                 {"kept", held.kept_bytes},
                                                 {"peak", held.peak_micro_batches()}}));
    }
    return memory;
  }

  const StepDrawing& drawing_;
  double end_s_;
  std::vector<std::vector<Pass>> stages_;
  std::vector<std::pair<std::int64_t, std::int64_t>> windows_;
  std::vector<std::string> phases_;
};

}  // namespace

Json step_picture(const StepDrawing& drawing, std::size_t most_passes) {
  return Picture(drawing, most_passes).json();
}

}  // namespace scalesweep::cli

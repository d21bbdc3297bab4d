// A pipeline whose stages hold several chunks, pass by pass: the plain oracle of what the
// interleaved schedule takes and holds. Order of passes as in Megatron-LM's
// forward_backward_pipelining_with_interleaving (Narayanan et al., arXiv:2104.04473, section 2.2).
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace scalesweep::test {

struct ChunkPasses {
  double forward_s = 0.0;
  double backward_s = 0.0;
  double held = 0.0;  // from the end of the forward to that of the backward pass, in any unit
};

struct SimulatedPipeline {
  double time_s = 0.0;
  std::vector<double> most_held;  // of each stage
};

class PipelineSimulation {
 public:
  // chunks[s][c] is chunk c of stage s; the stages divide `micro_batches`.
  PipelineSimulation(std::vector<std::vector<ChunkPasses>> chunks, int micro_batches)
      : chunks_(std::move(chunks)),
        stages_(static_cast<int>(chunks_.size())),
        rounds_(static_cast<int>(chunks_.front().size())),
        micro_batches_(micro_batches) {}

  SimulatedPipeline run() {
    const auto parts = static_cast<std::size_t>(stages_ * rounds_);
    const std::vector<double> never(static_cast<std::size_t>(micro_batches_), unknown);
    forward_.assign(parts, never);
    backward_.assign(parts, never);
    SimulatedPipeline result;
    std::vector<std::vector<Pass>> left;
    for (int stage = 0; stage < stages_; ++stage) {
      left.push_back(order_of(stage));
      result.most_held.push_back(most_held(stage, left.back()));
    }
    std::vector<std::size_t> next(left.size(), 0);
    std::vector<double> free_s(left.size(), 0.0);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t s = 0; s < left.size(); ++s) {
        while (next[s] < left[s].size() &&
               run_pass(static_cast<int>(s), left[s][next[s]], free_s[s])) {
          ++next[s];
          moved = true;
        }
      }
    }
    result.time_s = *std::max_element(free_s.begin(), free_s.end());
    return result;
  }

 private:
  struct Pass {
    bool forward = true;
    int chunk = 0;
    int micro_batch = 0;
  };
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  // The k-th pass of a kind on a stage: as many micro-batches as there are stages go through one
  // chunk before the next.
  Pass pass(bool forward, int k) const {
    const int in_group = k % (stages_ * rounds_);
    const int chunk = in_group / stages_;
    return {forward, forward ? chunk : rounds_ - 1 - chunk,
            k / (stages_ * rounds_) * stages_ + in_group % stages_};
  }

  std::vector<Pass> order_of(int stage) const {
    const int all = micro_batches_ * rounds_;
    const int ahead = 2 * (stages_ - 1 - stage) + (rounds_ - 1) * stages_;
    const int warm_up = micro_batches_ == stages_ ? all : std::min(all, ahead);
    std::vector<Pass> order;
    for (int k = 0; k < all + warm_up; ++k) {
      if (k < all) {
        order.push_back(pass(true, k));
      }
      if (k >= warm_up) {
        order.push_back(pass(false, k - warm_up));
      }
    }
    return order;
  }

  double most_held(int stage, const std::vector<Pass>& order) const {
    double held = 0.0;
    double most = 0.0;
    for (const Pass& pass : order) {
      held += (pass.forward ? 1.0 : -1.0) * at(stage, pass.chunk).held;
      most = std::max(most, held);
    }
    return most;
  }

  const ChunkPasses& at(int stage, int chunk) const {
    return chunks_[static_cast<std::size_t>(stage)][static_cast<std::size_t>(chunk)];
  }

  // False where what it waits for has not run.
  bool run_pass(int stage, const Pass& pass, double& free_s) {
    const int part = pass.chunk * stages_ + stage;
    const auto p = static_cast<std::size_t>(part);
    const auto m = static_cast<std::size_t>(pass.micro_batch);
    const bool last = part == stages_ * rounds_ - 1;
    const double ready_s = pass.forward ? (part == 0 ? 0.0 : forward_[p - 1][m])
                                        : (last ? forward_[p][m] : backward_[p + 1][m]);
    if (ready_s == unknown) {
      return false;
    }
    const ChunkPasses& chunk = at(stage, pass.chunk);
    free_s = std::max(free_s, ready_s) + (pass.forward ? chunk.forward_s : chunk.backward_s);
    (pass.forward ? forward_ : backward_)[p][m] = free_s;
    return true;
  }

  std::vector<std::vector<ChunkPasses>> chunks_;
  int stages_ = 0;
  int rounds_ = 0;
  int micro_batches_ = 0;
  std::vector<std::vector<double>> forward_;  // ends of passes, by part and micro-batch
  std::vector<std::vector<double>> backward_;
};

}  // namespace scalesweep::test

#include "estimator/explain/pipeline_schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "core/contracts.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Schedule;

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

// The order of the passes of each stage.
class Orders {
 public:
  explicit Orders(const parallel::Strategy& strategy)
      : stages_(strategy.pipeline_parallel),
        chunks_(strategy.chunks),
        micro_batches_(strategy.micro_batches),
        weights_wait_(strategy.schedule == Schedule::zero_bubble) {}

  std::vector<StagePass> of(int stage) const {
    const int all = micro_batches_ * chunks_;
    const int ahead = warm_up(stage, all);
    std::vector<StagePass> order;
    for (int k = 0; k < all + ahead; ++k) {
      if (k < all) {
        order.push_back(pass(PassKind::forward, k));
      }
      if (k >= ahead) {
        order.push_back(pass(PassKind::backward, k - ahead));
        add_weights(order, k - ahead - stage);
      }
    }
    for (int k = std::max(0, all - stage); k < all; ++k) {
      add_weights(order, k);
    }
    return order;
  }

 private:
  // Forward passes before the first backward pass.
  int warm_up(int stage, int all) const {
    const int behind = stages_ - 1 - stage;
    if (chunks_ == 1) {
      return std::min(all, behind);
    }
    return micro_batches_ == stages_ ? all : std::min(all, 2 * behind + (chunks_ - 1) * stages_);
  }

  // The k-th of a kind: as many micro-batches as there are stages go through one chunk before the
  // next.
  StagePass pass(PassKind kind, int k) const {
    if (chunks_ == 1) {
      return {kind, 0, k};
    }
    const int in_group = k % (stages_ * chunks_);
    const int chunk = in_group / stages_;
    return {kind, kind == PassKind::forward ? chunk : chunks_ - 1 - chunk,
            k / (stages_ * chunks_) * stages_ + in_group % stages_};
  }

  void add_weights(std::vector<StagePass>& order, int k) const {
    if (weights_wait_ && k >= 0) {
      order.push_back(pass(PassKind::weights, k));
    }
  }

  int stages_;
  int chunks_;
  int micro_batches_;
  bool weights_wait_;
};

// Runs the orders of all stages against each other.
class Timetable {
 public:
  Timetable(const parallel::Strategy& strategy, const std::vector<PassSeconds>& stages)
      : stages_(stages),
        parts_(strategy.pipeline_parallel * strategy.chunks),
        forward_(index(parts_), Ends(index(strategy.micro_batches))),
        backward_(forward_),
        next_(stages.size(), 0),
        free_s_(stages.size(), 0.0) {
    const Orders orders(strategy);
    for (int stage = 0; stage < strategy.pipeline_parallel; ++stage) {
      passes_.push_back(orders.of(stage));
    }
  }

  std::vector<std::vector<StagePass>> run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t stage = 0; stage < passes_.size(); ++stage) {
        while (next_[stage] < passes_[stage].size() && run_next(stage)) {
          ++next_[stage];
          moved = true;
        }
      }
    }
    for (std::size_t stage = 0; stage < passes_.size(); ++stage) {
      SCALESWEEP_ENSURE(next_[stage] == passes_[stage].size());
    }
    return std::move(passes_);
  }

 private:
  using Ends = std::vector<std::optional<double>>;  // by micro-batch; nothing: has not run

  // When all that a pass needs is there; nothing while it is not.
  std::optional<double> ready_s(const StagePass& pass, std::size_t part) const {
    const std::size_t m = index(pass.micro_batch);
    const bool last = part + 1 == index(parts_);
    switch (pass.kind) {
      case PassKind::forward:
        return part == 0 ? std::optional(0.0) : forward_[part - 1][m];
      case PassKind::backward:
        return last ? forward_[part][m] : backward_[part + 1][m];
      case PassKind::weights:
        return backward_[part][m];
    }
    return std::nullopt;
  }

  bool run_next(std::size_t stage) {
    StagePass& pass = passes_[stage][next_[stage]];
    const std::size_t part = index(pass.chunk) * stages_.size() + stage;
    const std::optional<double> ready = ready_s(pass, part);
    if (!ready) {
      return false;
    }
    const PassSeconds& takes = stages_[stage];
    pass.start_s = std::max(free_s_[stage], *ready);
    double& end_s = free_s_[stage];
    switch (pass.kind) {
      case PassKind::forward:
        end_s = pass.start_s + takes.forward_s;
        forward_[part][index(pass.micro_batch)] = end_s;
        break;
      case PassKind::backward:
        end_s = pass.start_s + takes.backward_s;
        backward_[part][index(pass.micro_batch)] = end_s;
        break;
      case PassKind::weights:
        end_s = pass.start_s + takes.weights_s;
        break;
    }
    return true;
  }

  const std::vector<PassSeconds>& stages_;
  int parts_;
  std::vector<Ends> forward_;  // ends of passes, by part of the model
  std::vector<Ends> backward_;
  std::vector<std::size_t> next_;
  std::vector<double> free_s_;
  std::vector<std::vector<StagePass>> passes_;
};

}  // namespace

bool has_order(parallel::Schedule schedule) {
  return schedule != Schedule::dual_pipe;
}

std::vector<std::vector<StagePass>> scheduled_passes(const parallel::Strategy& strategy,
                                                     const std::vector<PassSeconds>& stages) {
  SCALESWEEP_EXPECT(has_order(strategy.schedule));
  SCALESWEEP_EXPECT(stages.size() == index(strategy.pipeline_parallel));
  return Timetable(strategy, stages).run();
}

}  // namespace scalesweep::estimator

#include "estimator/training.hpp"

#include <optional>
#include <utility>

#include "core/contracts.hpp"
#include "estimator/layer_cost.hpp"
#include "estimator/step.hpp"

namespace scalesweep::estimator {
namespace {

bool same_layers(const parallel::Strategy& a, const parallel::Strategy& b) {
  return a.tensor_parallel == b.tensor_parallel && a.micro_batch == b.micro_batch &&
         a.sequence_parallel == b.sequence_parallel;
}

}  // namespace

TrainingEstimate estimate_training(const TrainingJob& job, const technology::System& system,
                                   const parallel::Strategy& strategy) {
  SCALESWEEP_EXPECT(std::int64_t{strategy.data_parallel} * strategy.micro_batch *
                        strategy.micro_batches ==
                    job.global_batch);
  return compose(job, system, strategy, layer_costs(job, system, strategy));
}

// Strategies that share their layer costs are neighbours in the enumeration, so remembering the
// last one is enough and the memory is constant.
struct TrainingEstimator::Memo {
  TrainingJob job;
  technology::System system;
  std::optional<parallel::Strategy> last;
  LayerCosts costs;
};

TrainingEstimator::TrainingEstimator(TrainingJob job, technology::System system)
    : memo_(std::make_unique<Memo>(Memo{std::move(job), std::move(system), std::nullopt, {}})) {}

TrainingEstimator::~TrainingEstimator() = default;
TrainingEstimator::TrainingEstimator(TrainingEstimator&&) noexcept = default;
TrainingEstimator& TrainingEstimator::operator=(TrainingEstimator&&) noexcept = default;

TrainingEstimate TrainingEstimator::operator()(const parallel::Strategy& strategy) {
  if (!memo_->last || !same_layers(*memo_->last, strategy)) {
    memo_->costs = layer_costs(memo_->job, memo_->system, strategy);
    memo_->last = strategy;
  }
  return compose(memo_->job, memo_->system, strategy, memo_->costs);
}

}  // namespace scalesweep::estimator

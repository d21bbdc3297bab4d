// Training: the time of a step.
#include <fmt/core.h>

#include "estimator/parts/power/power_limit.hpp"
#include "estimator/run/whole_run.hpp"
#include "estimator/training/training.hpp"
#include "space/axes/workload_axes.hpp"
#include "study/columns/estimate_columns.hpp"
#include "study/kinds/checks.hpp"
#include "study/kinds/estimator_of.hpp"
#include "study/kinds/job_parts.hpp"
#include "study/kinds/precision.hpp"
#include "study/kinds/requests/contexts.hpp"
#include "study/kinds/requests/images.hpp"
#include "study/kinds/training/run_plans.hpp"
#include "study/savings.hpp"
#include "workload/framework.hpp"

namespace scalesweep::study {
namespace {

using estimator::TrainingJob;

// What no axis says where phases do.
void set(TrainingJob& job, const space::TrainingPhase& phase) {
  job.sequence = phase.sequence.value_or(job.sequence);
  job.global_batch = phase.global_batch.value_or(job.global_batch);
  job.model.document = phase.document.value_or(job.model.document);
}

class TrainingJobs {
 public:
  TrainingJobs(const space::Spec& spec, const StudyAxes& axes)
      : rules_(axes),
        precisions_(spec, axes, precision_policy),
        optimizers_(axes),
        uncertainties_(axes, catalog::MeasuredWork::training),
        runs_(axes),
        phases_(spec.phases),
        phase_(axes.find(space::phase_axis)) {}

  Job operator()(const PointAxes& point) const {
    TrainingJob job;
    job.optimizer = optimizers_.at(point);
    rules_.apply(point, job);
    const space::TrainingPhase* const phase = phase_ ? &phases_[point[*phase_].index] : nullptr;
    if (phase != nullptr) {
      set(job, *phase);
    }
    job.precision = precisions_.at(point);
    job.uncertainty = uncertainties_.at(point);
    const double tokens = static_cast<double>(job.sequence) * static_cast<double>(job.global_batch);
    const Multiplied multiplied = multiplied_of(job.precision.linear, job.precision.activations);
    std::optional<estimator::RunPlan> plan = runs_.at(point, tokens);
    if (phase != nullptr && plan) {
      plan->tokens *= phase->share;
    }
    return {std::move(job), tokens, multiplied, std::move(plan)};
  }

 private:
  AxisRules<TrainingJob> rules_;
  Precisions<estimator::PrecisionPolicy> precisions_;
  Optimizers optimizers_;
  Uncertainties uncertainties_;
  RunPlans runs_;
  std::vector<space::TrainingPhase> phases_;
  AxisPosition phase_;
};

constexpr Status too_slow = own_status(0);  // of training_statuses

class Training {
 public:
  static constexpr std::span<const KindStatus> statuses = training_statuses;

  Training(Job job, const SystemChoice& systems, std::span<const OperatorName> /*operators*/,
           const Training* before)
      : run_(job.run ? std::optional<estimator::RunEstimator>(
                           std::in_place, *job.run, work_of<TrainingJob>(job), *systems.system)
                     : std::nullopt),
        device_(systems.system->device),
        estimator_(work_of<TrainingJob>(std::move(job)), *systems.system,
                   before != nullptr ? &before->estimator_ : nullptr) {}

  Status estimate(const parallel::Strategy& strategy, Rows /*rows*/) {
    return keep(estimator_(strategy), strategy);
  }
  Status estimate(std::span<const parallel::Strategy> strategies, std::size_t index, Rows rows) {
    return keep(rows == Rows::feasible ? estimator_.if_fits(strategies, index)
                                       : estimator_(strategies, index),
                strategies[index]);
  }
  Status settle(std::span<const parallel::Strategy> strategies, std::size_t index) {
    least_ = &estimator_.settle(strategies, index);
    return status_with_run(*least_);
  }
  std::span<const estimator::LeastStep> survey(std::span<const parallel::Strategy> strategies) {
    return estimator_.least_steps(strategies);
  }
  void coarse_bound(std::span<const parallel::Strategy> strategies,
                    const estimator::LeastStep& step) {
    least_ = &estimator_.at_least(strategies, step);
    set_least_run(strategies[step.index]);
  }
  void bound_of_rest(std::span<const parallel::Strategy> strategies,
                     const estimator::LeastStep& step) {
    least_ = &estimator_.at_least(
        strategies,
        {.index = step.index, .step_s = step.step_s, .energy_j = step.energy_of_rest_j});
    if (run_) {
      least_run_ = run_->of_any_strategy(*least_);
    }
  }
  void quick_bound(std::span<const parallel::Strategy> strategies, std::size_t index) {
    least_ = &estimator_.at_least(strategies, index, estimator::Closeness::quick);
    set_least_run(strategies[index]);
  }
  void tight_bound(std::span<const parallel::Strategy> strategies, std::size_t index) {
    least_ = &estimator_.at_least(strategies, index, estimator::Closeness::near);
    set_least_run(strategies[index]);
  }
  void coarse_bound(std::span<const parallel::Strategy> strategies,
                    const estimator::LeastStep& step, const technology::Envelope& envelope) {
    least_ = &estimator_.at_least(strategies, step, envelope);
    set_least_run_anywhere();
  }
  void tight_bound(std::span<const parallel::Strategy> strategies, std::size_t index,
                   const technology::Envelope& envelope) {
    least_ = &estimator_.at_least(strategies, index, envelope);
    set_least_run_anywhere();
  }
  double least_time_s() const { return least_->step_time_s(); }
  double least_figure(const JobFigures& figures, std::size_t figure) const {
    const std::size_t of_step = step_figures();
    return figure < of_step ? bounded_figure(*least_, figures, figure)
                            : bounded_run_figure(least_run_, *least_, figures, figure - of_step);
  }
  double settled_shortfall(const JobFigures& figures) const {
    return nearest_with_run(*least_, figures);
  }
  double rank() const { return last_.step_time_s(); }
  std::string reason() const {
    const Status status = status_with_run(last_);
    if (status == status_of(technology::DeriveProblem::power_below_rest)) {
      return estimator::unkept_limit_text(device_, last_.unkept_power_w);
    }
    return status == too_slow
               ? fmt::format(
                     "a checkpoint is written in {:.3g} times the interval between two; "
                     "make it longer, or leave it out for the best",
                     run_->over_interval())
               : "";
  }
  void fill(EstimateRow& row, const JobFigures& figures) const {
    fill_row(row, last_, figures);
    if (run_) {
      add_run(row, last_run_, last_, figures);
      row.status = status_with_run(last_);
    }
  }
  double nearest(const JobFigures& figures) const { return nearest_with_run(last_, figures); }

 private:
  Status status_with_run(const estimator::TrainingEstimate& step) const {
    const Status status = status_of_batch(step);
    return status == Status::ok && run_ && run_->over_interval() > 1.0 ? too_slow : status;
  }
  double nearest_with_run(const estimator::TrainingEstimate& step,
                          const JobFigures& figures) const {
    return status_with_run(step) == too_slow ? run_->over_interval() : shortfall_of(step, figures);
  }
  Status keep(const estimator::TrainingEstimate& estimate, const parallel::Strategy& strategy) {
    last_ = estimate;
    if (run_ && last_.step_time_s() > 0.0) {
      last_run_ = (*run_)(last_, strategy);
    }
    return status_with_run(last_);
  }
  void set_least_run(const parallel::Strategy& strategy) {
    if (run_ && least_->step_time_s() > 0.0) {
      least_run_ = (*run_)(*least_, strategy);
    }
  }
  void set_least_run_anywhere() {
    if (run_) {
      least_run_ = run_->at_least(*least_);
    }
  }

  std::optional<estimator::RunEstimator> run_;
  estimator::RunEstimate last_run_;
  estimator::RunEstimate least_run_;
  technology::Device device_;
  estimator::TrainingEstimator estimator_;
  estimator::TrainingEstimate last_;
  const estimator::TrainingEstimate* least_ = nullptr;  // the estimator's
};

void check(const space::Spec& spec, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  check_precisions(spec, is_format, "", diagnostics);
  check_frameworks(spec, catalog, &workload::Framework::trains, "trains", diagnostics);
  check_contexts(spec, catalog, diagnostics);
  check_adapters(spec, catalog, diagnostics);
  check_images(spec, catalog, diagnostics);
}

}  // namespace

void make_training_faster(Job& job, estimator::Resource resource, double factor) {
  auto* const training = std::any_cast<TrainingJob>(&job.work);
  if (training == nullptr) {
    return;
  }
  workload::TrainingStack& stack = training->stack;
  if (resource == estimator::Resource::tensor_compute) {
    stack.attention_core_flop *= factor;
  }
  if (resource != estimator::Resource::latency) {
    return;
  }
  for (double* fixed_s :
       {&stack.issue_interval_s, &stack.backward_issue_interval_s, &stack.expert_issue_interval_s,
        &stack.collective_issue_interval_s, &stack.replicas.rank_issue_interval_s,
        &stack.replicas.crossing_issue_interval_s, &stack.replicas.sharded_layer_issue_s,
        &stack.step_overhead_s}) {
    *fixed_s /= factor;
  }
}

const WorkloadKind& training_kind() {
  static const WorkloadKind kind = {
      .form = space::training_form(),
      .columns = training_columns,
      .optional_columns = [](const space::Spec& spec) -> store::Schema {
        return asks_for_runs(spec) ? run_columns() : store::Schema();
      },
      .optional_bounded = bounded_run_columns,
      .check = check,
      .jobs = [](const space::Spec& spec, const StudyAxes& axes) -> JobResolver {
        return TrainingJobs(spec, axes);
      },
      .estimator = make_estimator<Training>};
  return kind;
}

}  // namespace scalesweep::study

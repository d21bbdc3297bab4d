// Training: the time of a step.
#include "estimator/training/training.hpp"
#include "study/columns/estimate_columns.hpp"
#include "study/kinds/checks.hpp"
#include "study/kinds/estimator_of.hpp"
#include "study/kinds/job_parts.hpp"
#include "study/kinds/precision.hpp"
#include "study/kinds/workload_kind.hpp"

namespace scalesweep::study {
namespace {

using estimator::TrainingJob;

constexpr auto axis_rules = std::to_array<AxisRule<TrainingJob>>({
    {"model", [](TrainingJob& j, const AxisValue& v) { j.model = v.catalog.model(v.label); }},
    {"expert_skew",  // replaces that of the model
     [](TrainingJob& j, const AxisValue& v) { j.model.experts.skew = v.number; }},
    {"capacity_factor",  // the same
     [](TrainingJob& j, const AxisValue& v) { j.model.experts.capacity = v.number; }},
    {"sequence", [](TrainingJob& j, const AxisValue& v) { j.sequence = v.integer(); }},
    {"global_batch", [](TrainingJob& j, const AxisValue& v) { j.global_batch = v.integer(); }},
    {"attention",
     [](TrainingJob& j, const AxisValue& v) { j.flash_attention = v.label == "flash"; }},
    {"framework",
     [](TrainingJob& j, const AxisValue& v) { j.framework = v.catalog.framework(v.label); }},
});

class TrainingJobs {
 public:
  TrainingJobs(const space::Spec& spec, const StudyAxes& axes)
      : rules_(axes, axis_rules),
        precisions_(spec, axes, precision_policy),
        uncertainties_(axes, catalog::MeasuredWork::training) {}

  Job operator()(const PointAxes& point) const {
    TrainingJob job;
    rules_.apply(point, job);
    job.precision = precisions_.at(point);
    job.uncertainty = uncertainties_.at(point);
    const double tokens = static_cast<double>(job.sequence) * static_cast<double>(job.global_batch);
    const std::array multiplied = {job.precision.linear, job.precision.activations};
    return {std::move(job), tokens, multiplied};
  }

 private:
  AxisRules<TrainingJob> rules_;
  Precisions<estimator::PrecisionPolicy> precisions_;
  Uncertainties uncertainties_;
};

class Training {
 public:
  static constexpr std::span<const KindStatus> statuses = {};

  Training(TrainingJob job, const technology::System& system, const Training* before)
      : estimator_(std::move(job), system, before != nullptr ? &before->estimator_ : nullptr) {}

  Status estimate(const parallel::Strategy& strategy, Rows /*rows*/) {
    last_ = estimator_(strategy);
    return status_of(last_.verdict);
  }
  Status estimate(std::span<const parallel::Strategy> strategies, std::size_t index, Rows rows) {
    last_ = rows == Rows::feasible ? estimator_.if_fits(strategies, index)
                                   : estimator_(strategies, index);
    return status_of(last_.verdict);
  }
  Status settle(std::span<const parallel::Strategy> strategies, std::size_t index) {
    least_ = &estimator_.settle(strategies, index);
    return status_of(least_->verdict);
  }
  std::span<const estimator::LeastStep> survey(std::span<const parallel::Strategy> strategies) {
    return estimator_.least_steps(strategies);
  }
  void look_far(std::span<const parallel::Strategy> strategies, const estimator::LeastStep& step) {
    least_ = &estimator_.at_least(strategies, step);
  }
  void look(std::span<const parallel::Strategy> strategies, std::size_t index) {
    least_ = &estimator_.at_least(strategies, index, estimator::Closeness::quick);
  }
  void look_closer(std::span<const parallel::Strategy> strategies, std::size_t index) {
    least_ = &estimator_.at_least(strategies, index, estimator::Closeness::near);
  }
  void look_far(std::span<const parallel::Strategy> strategies, const estimator::LeastStep& step,
                const technology::Envelope& envelope) {
    least_ = &estimator_.at_least(strategies, step, envelope);
  }
  void look_closer(std::span<const parallel::Strategy> strategies, std::size_t index,
                   const technology::Envelope& envelope) {
    least_ = &estimator_.at_least(strategies, index, envelope);
  }
  double least_time_s() const { return least_->step_time_s(); }
  double least_figure(const JobFigures& figures, std::size_t figure) const {
    return bounded_figure(*least_, figures, figure);
  }
  double looked_nearest(const JobFigures& figures) const { return nearest_of(*least_, figures); }
  double rank() const { return last_.step_time_s(); }
  std::string reason() const { return ""; }
  void fill(EstimateRow& row, const JobFigures& figures) const { fill_row(row, last_, figures); }
  double nearest(const JobFigures& figures) const { return nearest_of(last_, figures); }

 private:
  estimator::TrainingEstimator estimator_;
  estimator::TrainingEstimate last_;
  const estimator::TrainingEstimate* least_ = nullptr;  // the estimator's
};

void check(const space::Spec& spec, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  check_precisions(spec, is_format, "", diagnostics);
  check_frameworks(spec, catalog, &workload::Framework::trains, "trains", diagnostics);
}

}  // namespace

const WorkloadKind& training_kind() {
  static const WorkloadKind kind = {
      .form = space::training_form(),
      .columns = training_columns,
      .check = check,
      .jobs = [](const space::Spec& spec, const StudyAxes& axes) -> JobResolver {
        return TrainingJobs(spec, axes);
      },
      .estimator = [](Job job, const SystemChoice& systems, std::span<const OperatorName>,
                      const PointEstimator* before) -> std::unique_ptr<PointEstimator> {
        return std::make_unique<EstimatorOf<Training>>(
            take_work<TrainingJob>(std::move(job)), *systems.system, work_behind<Training>(before));
      }};
  return kind;
}

}  // namespace scalesweep::study

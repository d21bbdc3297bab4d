// Recommendation: the time of a batch of a model with embedding tables.
#include <fmt/core.h>

#include "core/text.hpp"
#include "estimator/recommendation/recommendation.hpp"
#include "study/columns/estimate_columns.hpp"
#include "study/kinds/checks.hpp"
#include "study/kinds/estimator_of.hpp"
#include "study/kinds/precision.hpp"
#include "study/kinds/workload_kind.hpp"
#include "workload/framework.hpp"

namespace scalesweep::study {
namespace {

using estimator::RecommendationJob;

JobResolver jobs(const space::Spec& /*spec*/, const StudyAxes& axes) {
  return [rules = AxisRules<RecommendationJob>(axes)](const PointAxes& point) {
    RecommendationJob job;
    rules.apply(point, job);
    const auto samples = static_cast<double>(job.batch);
    const std::array multiplied = {job.operands, job.activations()};
    return Job{std::move(job), samples, multiplied};
  };
}

class Recommendation {
 public:
  static constexpr std::span<const KindStatus> statuses = {};

  Recommendation(RecommendationJob job, const technology::System& system,
                 const Recommendation* before)
      : estimator_(std::move(job), system, before != nullptr ? &before->estimator_ : nullptr) {}

  Status estimate(const parallel::Strategy& strategy, Rows rows) {
    last_ = rows == Rows::feasible ? estimator_.if_fits(strategy) : estimator_(strategy);
    return status_of(last_.verdict);
  }
  double rank() const { return last_.batch_time_s(); }
  std::string reason() const {
    const estimator::RecommendationMemory& memory = last_.memory;
    return last_.verdict == estimator::Verdict::fits
               ? ""
               : fmt::format(
                     "the fullest device lacks {} of {}; its tables take {}, their states "
                     "and all optimizers {}",
                     with_si_prefix(memory.short_bytes(), "B"),
                     with_si_prefix(memory.total_bytes(), "B"),
                     with_si_prefix(memory.tables_bytes, "B"),
                     with_si_prefix(memory.optimizer_bytes, "B"));
  }
  void fill(EstimateRow& row, const JobFigures& figures) const { fill_row(row, last_, figures); }
  double nearest(const JobFigures& figures) const { return shortfall_of(last_, figures); }

 private:
  estimator::RecommendationEstimator estimator_;
  estimator::RecommendationEstimate last_;
};

void check(const space::Spec& spec, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  check_precisions(spec, is_format, "", diagnostics);
  check_frameworks(spec, catalog, &workload::Framework::recommends,
                   "runs models with embedding tables", diagnostics);
}

}  // namespace

const WorkloadKind& recommendation_kind() {
  static const WorkloadKind kind = {
      .form = space::recommendation_form(),
      .columns = recommendation_columns,
      .check = check,
      .jobs = jobs,
      .estimator = [](Job job, const SystemChoice& systems, std::span<const OperatorName>,
                      const PointEstimator* before) -> std::unique_ptr<PointEstimator> {
        return std::make_unique<EstimatorOf<Recommendation>>(
            take_work<RecommendationJob>(std::move(job)), *systems.system,
            estimator_cast<Recommendation>(before));
      }};
  return kind;
}

}  // namespace scalesweep::study

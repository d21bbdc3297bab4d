// Recommendation: the time of a batch of a model with embedding tables.
#include <fmt/core.h>

#include "core/text.hpp"
#include "estimator/recommendation/recommendation.hpp"
#include "study/columns/estimate_columns.hpp"
#include "study/kinds/checks.hpp"
#include "study/kinds/estimator_of.hpp"
#include "study/kinds/precision.hpp"
#include "workload/framework.hpp"

namespace scalesweep::study {
namespace {

using estimator::RecommendationJob;

JobResolver jobs(const space::Spec& /*spec*/, const StudyAxes& axes) {
  return [rules = AxisRules<RecommendationJob>(axes)](const PointAxes& point) {
    RecommendationJob job;
    rules.apply(point, job);
    const auto samples = static_cast<double>(job.batch);
    const Multiplied multiplied = multiplied_of(job.operands, job.activations());
    return Job{std::move(job), samples, multiplied};
  };
}

std::string lack_text(const estimator::RecommendationEstimate& estimate,
                      const RecommendationJob& /*job*/) {
  const estimator::RecommendationMemory& memory = estimate.memory;
  return fmt::format(
      "the fullest device lacks {} of {}; its tables take {}, their states and all optimizers {}",
      with_si_prefix(memory.short_bytes(), "B"), with_si_prefix(memory.total_bytes(), "B"),
      with_si_prefix(memory.tables_bytes, "B"), with_si_prefix(memory.optimizer_bytes, "B"));
}

void check(const space::Spec& spec, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  check_precisions(spec, is_format, "", diagnostics);
  check_frameworks(spec, catalog, &workload::Framework::recommends,
                   "runs models with embedding tables", diagnostics);
}

}  // namespace

const WorkloadKind& recommendation_kind() {
  static const WorkloadKind kind = {
      .form = space::recommendation_form(),
      .unit = sample_unit,
      .columns = recommendation_columns,
      .check = check,
      .jobs = jobs,
      .estimator = make_estimator<PlainWork<estimator::RecommendationEstimator, lack_text>>};
  return kind;
}

}  // namespace scalesweep::study

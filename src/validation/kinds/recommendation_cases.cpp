#include "validation/kinds/recommendation_cases.hpp"

#include <fmt/format.h>

#include <string>

#include "validation/kinds/named_stack.hpp"
#include "workload/framework.hpp"

namespace scalesweep::validation {
namespace {

constexpr NeededStack recommendation_stack = {"hugectr", &workload::Framework::recommends,
                                              "runs models with embedding tables",
                                              "recommendation"};

void read_job(RowReader& row, const CaseDefaults& defaults, RecommendationCase& c) {
  estimator::RecommendationJob& job = c.job;
  job.table_optimizer = estimator::TableOptimizer::sgd;
  row.read_keys(job, {"recommender", "batch", "work", "precision", "table_precision",
                      "table_optimizer", "dense_optimizer", "resident_rows"});
  const workload::Framework framework = read_stack(row, defaults, recommendation_stack);
  c.framework = framework.name;
  defaults.catalog.use_libraries(c.system.device.name, framework.name, c.system.device);
  job.stack = framework.recommendation;
}

}  // namespace

std::optional<RecommendationCase> read_recommendation_case(RowReader& row,
                                                           const CaseDefaults& defaults) {
  RecommendationCase c;
  read_system(row, defaults, c);
  read_job(row, defaults, c);
  c.strategy.data_parallel = static_cast<std::int32_t>(c.gpus);
  c.strategy.table_sharding = static_cast<parallel::TableSharding>(
      row.choice("table_sharding", parallel::table_sharding_names));
  c.samples_per_s = row.number("samples_per_s");
  if (row.good() && c.job.batch % c.gpus != 0) {
    row.error("batch", fmt::format("{} samples are no multiple of gpus ({})", c.job.batch, c.gpus));
  }
  return row.good() ? std::optional(c) : std::nullopt;
}

namespace {

void predict_recommendation(const RecommendationCase& c, CaseRow& r) {
  set_labels(r, c);
  r.op = workload::batch_work_names[c.job.work];
  r.shape = c.job.model.name;
  r.lengths = fmt::format("{}", c.job.batch);
  r.tokens = static_cast<double>(c.job.batch);
  r.is_rate = true;
  r.measured = c.samples_per_s;
  const estimator::RecommendationEstimate estimate =
      estimator::estimate_recommendation(c.job, c.system, c.strategy);
  Prediction& p = r.predicted;
  p.value = r.tokens / estimate.batch_time_s();
  set_batch_prediction(p, estimate,
                       estimate.memory.weights_bytes + estimate.memory.gradients_bytes +
                           estimate.memory.optimizer_bytes);
}

}  // namespace

const CaseKind& recommendation_cases() {
  static constexpr CaseKind kind = {
      "recommendation", "samples_per_s", "recommender", recommendation_columns,
      read_and_predict<read_recommendation_case, predict_recommendation>};
  return kind;
}

}  // namespace scalesweep::validation

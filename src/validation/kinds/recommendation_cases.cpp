#include "validation/kinds/recommendation_cases.hpp"

#include <fmt/format.h>

#include <string>

#include "validation/cases/case_figures.hpp"
#include "validation/kinds/named_stack.hpp"

namespace scalesweep::validation {
namespace {

using technology::Precision;

constexpr NeededStack recommendation_stack = {"hugectr", &workload::Framework::recommends,
                                              "runs models with embedding tables",
                                              "recommendation"};

void read_job(RowReader& row, const CaseDefaults& defaults, RecommendationCase& c) {
  estimator::RecommendationJob& job = c.job;
  const std::string name = row.entry("recommender", catalog::Section::recommenders);
  if (!name.empty()) {
    job.model = defaults.catalog.recommender(name);
  }
  job.batch = row.integer("batch", std::nullopt);
  job.work = static_cast<workload::BatchWork>(row.choice("work", workload::batch_work_names));
  job.operands = row.precision("precision", Precision::fp16);
  job.tables = row.precision("table_precision", Precision::fp32);
  job.table_optimizer = static_cast<estimator::TableOptimizer>(
      row.choice("table_optimizer", estimator::table_optimizer_names));
  job.dense_optimizer = static_cast<estimator::TableOptimizer>(
      row.choice("dense_optimizer", estimator::table_optimizer_names));
  job.resident = row.number("resident_rows").value_or(1.0);
  const workload::Framework framework = read_stack(row, defaults, recommendation_stack);
  c.framework = framework.name;
  job.stack = framework.recommendation;
}

}  // namespace

std::optional<RecommendationCase> read_recommendation_case(RowReader& row,
                                                           const CaseDefaults& defaults) {
  RecommendationCase c;
  const std::string device = row.entry("device", catalog::Section::devices);
  c.gpus = row.integer("gpus", std::nullopt);
  if (!device.empty()) {
    c.system = defaults.systems.of(device, c.gpus);
    read_power_limit(row, c.system.device);
  }
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

}  // namespace scalesweep::validation

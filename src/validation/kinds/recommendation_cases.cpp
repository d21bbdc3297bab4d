#include "validation/kinds/recommendation_cases.hpp"

#include <fmt/format.h>

#include <string>

#include "validation/cases/case_figures.hpp"
#include "validation/kinds/named_stack.hpp"

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

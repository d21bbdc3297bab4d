#include "cli/explain/explain_recommendation.hpp"

#include <fmt/core.h>

#include <string>

#include "analysis/words/value_text.hpp"
#include "cli/catalog/ownership_sheets.hpp"
#include "cli/explain/explain_parts.hpp"
#include "core/text.hpp"
#include "estimator/recommendation/recommendation.hpp"

namespace scalesweep::cli {
namespace {

using estimator::Cost;
using estimator::RecommendationExplanation;
using estimator::RecommendationJob;

RecommendationExplanation explanation_of(const study::Point& point) {
  return estimator::explain_recommendation(study::work_of<RecommendationJob>(point.job),
                                           *point.system.system, point.strategy);
}

std::string status_text(const estimator::RecommendationEstimate& estimate) {
  return estimate.verdict == estimator::Verdict::fits
             ? "ok"
             : fmt::format("does_not_fit: the fullest device lacks {}",
                           with_si_prefix(estimate.memory.short_bytes(), "B"));
}

Sheet result_sheet(const study::Point& point, const estimator::RecommendationEstimate& estimate) {
  const double time_s = estimate.batch_time_s();
  const double samples = point.job.tokens;
  const technology::Device& device = point.system.system->device;
  const double clock_hz = device.clock.si() * estimate.clock_fraction;
  Sheet sheet = pairs_sheet("result", "Result");
  sheet.rows = {
      {"status", status_text(estimate)},
      {"batch_time", seconds_cell(time_s)},
      {"bottleneck", std::string(estimator::name_of(estimator::dominant(estimate.batch)))},
      {"samples_per_second", {analysis::rate_text(samples / time_s, "samples"), samples / time_s}},
      {"lookups_per_second",
       {with_si_prefix(estimate.lookups_per_s, "rows/s"), estimate.lookups_per_s}},
      {"found_in_l2",
       {fmt::format("{:.1f} %", 100.0 * estimate.found_in_l2), estimate.found_in_l2}},
      {"table_imbalance",
       {fmt::format("{:.3g} times the mean", estimate.table_imbalance), estimate.table_imbalance}},
      {"exchanged_bytes", bytes_cell(estimate.exchanged_bytes)},
      {"model_flop_utilization",
       {fmt::format("{:.1f} %", 100.0 * estimate.model_flop_utilization),
        estimate.model_flop_utilization}},
      {"energy_per_batch", joules_cell(estimate.energy.total_j())},
      {"energy_per_sample", joules_cell(estimate.energy.total_j() / samples)},
      {"device_power",
       {fmt::format("{} of {}", with_si_prefix(estimate.device_power_w, "W"),
                    with_si_prefix(device.thermal_design_power.si(), "W")),
        estimate.device_power_w}},
      {"clock", {with_si_prefix(clock_hz, "Hz"), clock_hz}},
  };
  return sheet;
}

Sheet terms_sheet(const RecommendationExplanation& explanation) {
  Sheet sheet{"terms",
              "Terms, each alone; what runs beside others adds less",
              {{"name", "", Align::left},
               {"alone_s", "alone", Align::right},
               {"bound", "bound by", Align::left}},
              {},
              true};
  const auto row = [&](const char* name, const Cost& cost) {
    const double time_s = cost.time.total_s();
    if (time_s > 0.0) {
      sheet.rows.push_back({name, seconds_cell(time_s),
                            std::string(estimator::name_of(estimator::dominant(cost.time)))});
    }
  };
  const estimator::RecommendationTerms& terms = explanation.terms;
  row("exchange of indices", terms.exchange.indices);
  row("lookup", terms.rows.lookup.cost);
  row("exchange of rows", terms.exchange.forward);
  row("bottom MLP, forward", terms.dense.bottom_forward);
  row("interaction", terms.dense.interaction);
  row("top MLP", terms.dense.top);
  row("bottom MLP, backward", terms.dense.bottom_backward);
  row("exchange of row gradients", terms.exchange.backward);
  row("reduction of gradients", terms.exchange.gradients);
  row("table update", terms.rows.update);
  row("dense update", terms.dense.update);
  return sheet;
}

Sheet tables_sheet(const estimator::PlacedTables& tables) {
  Sheet sheet{"tables",
              "Tables of the device that looks up most",
              {{"count", "tables", Align::right},
               {"rows", "rows", Align::right},
               {"dim", "columns", Align::right},
               {"pooling", "rows of a sample", Align::right},
               {"samples", "samples", Align::right}},
              {},
              true};
  for (const estimator::DeviceTables& one : tables.busiest) {
    sheet.rows.push_back({plain_cell(one.count), plain_cell(one.rows), plain_cell(one.dim),
                          plain_cell(one.pooling), plain_cell(one.samples)});
  }
  return sheet;
}

Sheet memory_sheet(const estimator::RecommendationMemory& memory) {
  Sheet sheet{"memory",
              "Memory of the fullest device",
              {{"name", "", Align::left}, {"bytes", "bytes", Align::right}},
              {},
              true};
  sheet.rows = {{"tables", bytes_cell(memory.tables_bytes)},
                {"dense", bytes_cell(memory.weights_bytes - memory.tables_bytes)},
                {"gradients", bytes_cell(memory.gradients_bytes)},
                {"optimizer", bytes_cell(memory.optimizer_bytes)},
                {"activations", bytes_cell(memory.activations_bytes)},
                {"total", bytes_cell(memory.total_bytes())},
                {"usable", bytes_cell(memory.usable_bytes)},
                {"on the host", bytes_cell(memory.host_bytes)}};
  return sheet;
}

}  // namespace

void add_recommendation_sheets(std::vector<Sheet>& sheets, const study::Point& point,
                               Format /*format*/) {
  const RecommendationExplanation explanation = explanation_of(point);
  const estimator::RecommendationEstimate& estimate = explanation.estimate;
  const double time_s = estimate.batch_time_s();
  sheets.push_back(result_sheet(point, estimate));
  sheets.push_back(split_sheet("resources", "Time of a batch by the resource that set it",
                               estimator::resource_names, estimate.batch.values, time_s));
  sheets.push_back(split_sheet("phases", "Time of a batch by phase",
                               estimator::recommendation_phase_names, estimate.phase_s, time_s));
  sheets.push_back(terms_sheet(explanation));
  sheets.push_back(tables_sheet(explanation.terms.tables));
  sheets.push_back(memory_sheet(estimate.memory));
  add_ownership_sheets(
      sheets, point,
      {"One batch", time_s, estimate.energy.total_j(), point.job.tokens, 0.0, "samples"});
  sheets.push_back(device_sheet(*point.system.system, point.job.multiplied.front(), std::nullopt));
}

Sheet recommendation_terms(const study::Point& point) {
  return terms_sheet(explanation_of(point));
}

}  // namespace scalesweep::cli

#include "cli/explain/kinds/explain_recommendation.hpp"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "cli/explain/explain_parts.hpp"
#include "cli/explain/explained_figures.hpp"
#include "core/text.hpp"
#include "estimator/recommendation/recommendation.hpp"

namespace scalesweep::cli {
namespace {

using estimator::RecommendationExplanation;
using estimator::RecommendationJob;

RecommendationExplanation explanation_of(const study::Point& point) {
  return estimator::explain_recommendation(study::work_of<RecommendationJob>(point.job),
                                           *point.system.system, point.strategy);
}

Sheet result_sheet(const study::Point& point, const estimator::RecommendationEstimate& estimate,
                   const ExplainedFigures& figures) {
  Sheet sheet = pairs_sheet("result", "Result");
  sheet.rows = {{"status", batch_text(estimate, point, "the fullest device")}};
  figures.add_to(sheet, {"batch_time", "bottleneck", "samples_per_second"});
  const double lookups = figures["lookups_per_second"];
  const double imbalance = figures["table_imbalance"];
  sheet.rows.push_back({"lookups_per_second", {with_si_prefix(lookups, "rows/s"), lookups}});
  sheet.rows.push_back({"found_in_l2", share_cell(figures["found_in_l2"], 1.0)});
  sheet.rows.push_back(
      {"table_imbalance", {fmt::format("{:.3g} times the mean", imbalance), imbalance}});
  figures.add_to(sheet, {"exchanged_bytes", "model_flop_utilization", "energy_per_batch",
                         "energy_per_sample", "device_power", "clock"});
  return sheet;
}

Sheet terms_sheet(const RecommendationExplanation& explanation) {
  AloneTerms row;
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
  return row.sheet();
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

Sheet memory_sheet(const ExplainedFigures& figures) {
  return bytes_sheet("Memory of the fullest device",
                     {{"tables", figures["memory_tables"]},
                      {"dense", figures["memory_weights"] - figures["memory_tables"]},
                      {"gradients", figures["memory_gradients"]},
                      {"optimizer", figures["memory_optimizer"]},
                      {"activations", figures["memory_activations"]},
                      {"total", figures["memory_total"]},
                      {"usable", figures["memory_usable"]},
                      {"on the host", figures["memory_host"]}});
}

}  // namespace

void add_recommendation_sheets(std::vector<Sheet>& sheets, const study::Study& study,
                               const study::Point& point, Format /*format*/) {
  const RecommendationExplanation explanation = explanation_of(point);
  const estimator::RecommendationEstimate& estimate = explanation.estimate;
  const ExplainedFigures figures(study.kind(), point, estimate);
  sheets.push_back(result_sheet(point, estimate, figures));
  add_time_sheets(sheets, "Time of a batch", estimate.batch, estimator::recommendation_phase_names,
                  estimate.phase_s);
  sheets.push_back(terms_sheet(explanation));
  sheets.push_back(tables_sheet(explanation.terms.tables));
  sheets.push_back(memory_sheet(figures));
  add_price_and_device(sheets, study, point,
                       {"One batch", figures.time_s(), estimate.energy.total_j()});
}

Sheet recommendation_terms(const study::Point& point) {
  return terms_sheet(explanation_of(point));
}

}  // namespace scalesweep::cli

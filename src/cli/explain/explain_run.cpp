#include "cli/explain/explain_run.hpp"

#include <fmt/core.h>

#include <cmath>
#include <string>
#include <utility>

#include "cli/explain/explain_parts.hpp"
#include "core/text.hpp"
#include "estimator/training/job.hpp"
#include "study/columns/estimate_columns.hpp"

namespace scalesweep::cli {
namespace {

using estimator::RunEstimate;

// Of the job and standing by.
Cell devices_cell(const RunEstimate& run, const estimator::RunPlan& plan) {
  return {fmt::format("{} and {} that stand by", with_thousands(std::llround(plan.devices)),
                      with_thousands(std::llround(run.devices - plan.devices))),
          run.devices};
}

// Where the entry of reliability knows what labs' runs took.
void add_reached(Sheet& sheet, const RunEstimate& run, const technology::Reliability& reliability) {
  const estimator::ReachedTimes& reached = run.reached;
  if (!reached.is_known()) {
    return;
  }
  const double time_s = run.time_s();
  sheet.rows.push_back(
      {"reached_time",
       {fmt::format("{} ({} to {} in two of three runs)", duration_text(reached.middle * time_s),
                    duration_text(reached.low * time_s), duration_text(reached.high * time_s)),
        reached.middle * time_s}});
  sheet.rows.push_back({"reported_losses",
                        {fmt::format("{:.1f} % batch ramp, {:.1f} % evaluation, {:.1f} % by hand",
                                     100.0 * reliability.batch_ramp, 100.0 * reliability.evaluation,
                                     100.0 * reliability.by_hand),
                         reliability.batch_ramp + reliability.evaluation + reliability.by_hand}});
}

Sheet run_sheet(const RunEstimate& run, const estimator::RunEstimator& runs,
                const estimator::TrainingEstimate& step, const study::Point& point) {
  const estimator::RunPlan& plan = runs.plan();
  Sheet sheet = pairs_sheet("run", "Whole run");
  sheet.rows = {
      {"tokens", {with_si_prefix(plan.tokens, "") + " tokens", plan.tokens}},
      {"steps", plain_cell(run.steps)},
      {"time_to_train", seconds_cell(run.time_s())},
      {"goodput", share_cell(run.goodput(), 1.0)},
      {"effective_utilization", share_cell(step.model_flop_utilization * run.goodput(), 1.0)},
      {"devices", devices_cell(run, plan)},
      {"run_device_hours", plain_cell(run.devices * run.time_s() / 3600.0)},
      {"run_energy", joules_cell(run.energy_j)},
  };
  add_reached(sheet, run, plan.reliability);
  if (point.system.ownership) {
    const study::StepPrice price = study::price_of_run(*point.system.ownership, run);
    sheet.rows.push_back(
        {"run_cost",
         {fmt::format("{:.4g} million USD", 1e-6 * price.cost_usd()), price.cost_usd()}});
    sheet.rows.push_back(
        {"run_carbon",
         {fmt::format("{:.4g} t CO2 equivalent", 1e-3 * price.carbon_kg()), price.carbon_kg()}});
  }
  const estimator::CheckpointCost& checkpoint = run.checkpoint;
  const std::string kind(estimator::checkpoint_kind_names[plan.checkpoint]);
  sheet.rows.push_back(
      {"checkpoint",
       {fmt::format("{}, {}, stops the job for {}, {} beside it", kind,
                    with_si_prefix(checkpoint.bytes, "B"), duration_text(checkpoint.stop_s),
                    duration_text(checkpoint.behind_s)),
        checkpoint.bytes}});
  sheet.rows.push_back({"checkpoint_every",
                        {fmt::format("{} of work, {}", duration_text(run.interval_s),
                                     plan.interval_s > 0.0 ? "as asked for" : "the best"),
                         run.interval_s}});
  sheet.rows.push_back({"restart_time", seconds_cell(run.restart_s)});
  return sheet;
}

// By what fails, most first as in the enumeration.
Sheet failures_sheet(const RunEstimate& run, const estimator::FailureRates& rates) {
  Sheet sheet{"failures",
              "What stops the run",
              {{"name", "", Align::left},
               {"between", "one in", Align::right},
               {"times", "times", Align::right}},
              {},
              true};
  const auto row = [&](std::string name, double per_s) {
    if (per_s > 0.0) {
      sheet.rows.push_back(
          {std::move(name), seconds_cell(1.0 / per_s), plain_cell(per_s * run.time_s())});
    }
  };
  for (std::size_t i = 0; i < rates.values.size(); ++i) {
    row(std::string(estimator::failure_cause_names[i]), rates.values[i]);
  }
  row("all", rates.sum());
  return sheet;
}

}  // namespace

std::optional<estimator::RunEstimator> runs_of(const study::Point& point) {
  return point.job.run
             ? std::optional<estimator::RunEstimator>(
                   std::in_place, *point.job.run, study::work_of<estimator::TrainingJob>(point.job),
                   *point.system.system)
             : std::nullopt;
}

void add_run_sheets(std::vector<Sheet>& sheets, const study::Point& point,
                    const estimator::TrainingEstimate& step,
                    const std::optional<estimator::RunEstimator>& runs) {
  if (!runs) {
    return;
  }
  const RunEstimate run = (*runs)(step, point.strategy);
  sheets.push_back(run_sheet(run, *runs, step, point));
  sheets.push_back(split_sheet("run_parts", "Time to train by what it goes into",
                               estimator::run_part_names, run.times.values, run.time_s()));
  sheets.push_back(split_sheet("run_resources",
                               "Time to train by the resource that sets it; the rest are failures "
                               "and fixed times",
                               estimator::resource_names, run.charges.values, run.time_s()));
  sheets.push_back(failures_sheet(run, runs->rates()));
}

}  // namespace scalesweep::cli

#include "cli/explain/explain_reinforcement.hpp"

#include <fmt/core.h>

#include <string>

#include "analysis/words/value_text.hpp"
#include "cli/catalog/ownership_sheets.hpp"
#include "cli/explain/explain_parts.hpp"
#include "core/text.hpp"
#include "estimator/reinforcement/reinforcement.hpp"

namespace scalesweep::cli {
namespace {

using estimator::Charges;
using estimator::ReinforcementExplanation;
using estimator::ReinforcementJob;

const ReinforcementJob& job_of(const study::Point& point) {
  return study::work_of<ReinforcementJob>(point.job);
}

ReinforcementExplanation explanation_of(const study::Point& point) {
  return estimator::explain_reinforcement(job_of(point), *point.system.system, point.strategy);
}

std::string status_text(const estimator::ReinforcementEstimate& estimate) {
  return estimate.verdict == estimator::Verdict::fits
             ? "ok"
             : fmt::format("does_not_fit: a device lacks {}",
                           with_si_prefix(estimate.memory.short_bytes(), "B"));
}

std::string placement_text(const ReinforcementJob& job) {
  if (!job.is_separate()) {
    return "colocated: rollouts and training take turns";
  }
  return job.overlaps()
             ? fmt::format("separate: rollouts beside training, weights {} iterations old at most",
                           job.staleness)
             : "separate: rollouts and training wait for each other";
}

Sheet result_sheet(const study::Point& point, const estimator::ReinforcementEstimate& estimate) {
  const double time_s = estimate.iteration_s();
  const technology::Device& device = point.system.system->device;
  const estimator::RolloutLayout& rollouts = estimate.rollouts;
  Sheet sheet = pairs_sheet("result", "Result");
  sheet.rows = {{"status", status_text(estimate)}};
  if (!has_time(estimate)) {
    return sheet;
  }
  const std::vector<std::vector<Cell>> rows = {
      {"iteration_time", seconds_cell(time_s)},
      {"placement", placement_text(job_of(point))},
      {"bottleneck", std::string(estimator::name_of(estimator::dominant(estimate.iteration)))},
      {"tokens_per_second",
       {analysis::rate_text(point.job.tokens / time_s, "tokens"), point.job.tokens / time_s}},
      {"samples_per_second",
       {analysis::rate_text(estimate.samples / time_s, "samples"), estimate.samples / time_s}},
      {"rollout_time", seconds_cell(estimate.rollout_s)},
      {"training_time", seconds_cell(estimate.training_s)},
      {"training_devices", plain_cell(static_cast<double>(estimate.trainers))},
      {"rollout_devices", plain_cell(static_cast<double>(rollouts.devices))},
      {"rollout_tensor_parallel", plain_cell(static_cast<double>(rollouts.tensor_parallel))},
      {"rollout_sequences",
       {fmt::format("{:.0f} of a replica at once, {:.0f} fit", rollouts.sequences,
                    rollouts.most_sequences),
        rollouts.sequences}},
      {"longest_output", plain_cell(estimate.longest_output)},
      {"energy_per_iteration", joules_cell(estimate.energy.total_j())},
      {"device_power",
       {fmt::format("{} of {}", with_si_prefix(estimate.device_power_w, "W"),
                    with_si_prefix(device.thermal_design_power.si(), "W")),
        estimate.device_power_w}},
  };
  sheet.rows.insert(sheet.rows.end(), rows.begin(), rows.end());
  return sheet;
}

Sheet terms_sheet(const ReinforcementExplanation& explanation) {
  Sheet sheet{"terms",
              "Terms of an iteration, each alone; what runs beside others is hidden",
              {{"name", "", Align::left},
               {"times", "times", Align::right},
               {"all_s", "in all", Align::right},
               {"bound", "bound by", Align::left}},
              {},
              true};
  const auto row = [&](const char* name, double times, const Charges& all) {
    const double time_s = all.total_s();
    if (time_s > 0.0) {
      sheet.rows.push_back({name, plain_cell(times), seconds_cell(time_s),
                            std::string(estimator::name_of(estimator::dominant(all)))});
    }
  };
  const auto updates = [&](const char* name, const estimator::TrainedModel& model) {
    Charges all;
    all.add(model.times, model.step.step);
    row(name, model.times, all);
  };
  const estimator::RolloutRun& rollouts = explanation.rollouts;
  row("prompts, and caches for new weights", 1.0, rollouts.prompts.time);
  row("decode", 1.0, rollouts.answers.full.time);
  row("decode with few sequences", 1.0, rollouts.answers.tail.time);
  row("scoring", 1.0, explanation.training.scoring);
  updates("updates of the policy", explanation.training.policy);
  if (explanation.training.critic) {
    updates("updates of the critic", *explanation.training.critic);
  }
  row("weights to the engine", 1.0, explanation.weights.time);
  return sheet;
}

Sheet memory_sheet(const estimator::ReinforcementMemory& memory) {
  Sheet sheet{"memory",
              "Memory of a device",
              {{"name", "", Align::left},
               {"training", "while it trains", Align::right},
               {"rollouts", "in rollouts", Align::right}},
              {},
              true};
  const Cell blank = "";
  sheet.rows = {
      {"weights", bytes_cell(memory.weights_bytes), bytes_cell(memory.rollout_weights_bytes)},
      {"gradients and states", bytes_cell(memory.states_bytes), blank},
      {"activations", bytes_cell(memory.activations_bytes), blank},
      {"caches", blank, bytes_cell(memory.cache_bytes)},
      {"total", bytes_cell(memory.training_bytes()), bytes_cell(memory.rollout_bytes())},
      {"usable", bytes_cell(memory.usable_bytes), bytes_cell(memory.rollout_usable_bytes)}};
  return sheet;
}

}  // namespace

void add_reinforcement_sheets(std::vector<Sheet>& sheets, const study::Point& point,
                              Format /*format*/) {
  const ReinforcementJob& job = job_of(point);
  if (!job.is_separate() && job.staleness > 0) {
    Sheet sheet = pairs_sheet("result", "Result");
    sheet.rows = {{"status", "not_separate: staleness goes with placement = \"separate\""}};
    sheets.push_back(sheet);
    return;
  }
  const ReinforcementExplanation explanation = explanation_of(point);
  const estimator::ReinforcementEstimate& estimate = explanation.estimate;
  const double time_s = estimate.iteration_s();
  sheets.push_back(result_sheet(point, estimate));
  if (has_time(estimate)) {
    sheets.push_back(split_sheet("resources", "Time of an iteration by the resource that set it",
                                 estimator::resource_names, estimate.iteration.values, time_s));
    sheets.push_back(split_sheet("phases", "Time of an iteration by phase",
                                 estimator::reinforcement_phase_names, estimate.phase_s, time_s));
  }
  sheets.push_back(terms_sheet(explanation));
  sheets.push_back(memory_sheet(estimate.memory));
  if (has_time(estimate)) {
    add_ownership_sheets(sheets, point,
                         {"One iteration", time_s, estimate.energy.total_j(), point.job.tokens});
  }
  sheets.push_back(device_sheet(*point.system.system, point.job.multiplied.front(), std::nullopt));
}

Sheet reinforcement_terms(const study::Point& point) {
  return terms_sheet(explanation_of(point));
}

}  // namespace scalesweep::cli

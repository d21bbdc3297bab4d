#include "cli/explain/kinds/explain_reinforcement.hpp"

#include <fmt/core.h>

#include <string>

#include "cli/explain/explain_parts.hpp"
#include "cli/explain/explained_figures.hpp"
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

std::string placement_text(const ReinforcementJob& job) {
  if (!job.is_separate()) {
    return "colocated: rollouts and training take turns";
  }
  return job.overlaps()
             ? fmt::format("separate: rollouts beside training, weights {} iterations old at most",
                           job.staleness)
             : "separate: rollouts and training wait for each other";
}

Sheet result_sheet(const study::Point& point, const estimator::ReinforcementEstimate& estimate,
                   const ReinforcementJob& job, const ExplainedFigures& figures) {
  Sheet sheet = pairs_sheet("result", "Result");
  sheet.rows = {{"status", batch_text(estimate, point)}};
  if (!has_time(estimate)) {
    return sheet;
  }
  figures.add_to(sheet, {"iteration_time"});
  sheet.rows.push_back({"placement", placement_text(job)});
  figures.add_to(
      sheet, {"bottleneck", "tokens_per_second", "samples_per_second", "rollout_time",
              "training_time", "training_devices", "rollout_devices", "rollout_tensor_parallel"});
  const double sequences = figures["rollout_sequences"];
  sheet.rows.push_back({"rollout_sequences",
                        {fmt::format("{:.0f} of a replica at once, {:.0f} fit", sequences,
                                     estimate.rollouts.most_sequences),
                         sequences}});
  figures.add_to(sheet, {"longest_output", "energy_per_iteration", "device_power"});
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

void add_reinforcement_sheets(std::vector<Sheet>& sheets, const study::Study& study,
                              const study::Point& point, Format /*format*/) {
  const ReinforcementJob& job = job_of(point);
  if (!job.is_separate() && job.staleness > 0) {
    Sheet sheet = pairs_sheet("result", "Result");
    sheet.rows = {{"status", "not_separate: staleness goes with placement = \"separate\""}};
    sheets.push_back(sheet);
    return;
  }
  const ReinforcementExplanation explanation = explanation_of(point);
  const estimator::ReinforcementEstimate& estimate = explanation.estimate;
  const ExplainedFigures figures(study.kind(), point, estimate);
  sheets.push_back(result_sheet(point, estimate, job, figures));
  if (has_time(estimate)) {
    add_time_sheets(sheets, "Time of an iteration", estimate.iteration,
                    estimator::reinforcement_phase_names, estimate.phase_s);
  }
  sheets.push_back(terms_sheet(explanation));
  sheets.push_back(memory_sheet(estimate.memory));
  add_price_and_device(sheets, study, point,
                       {"One iteration", figures.time_s(), estimate.energy.total_j()});
}

Sheet reinforcement_terms(const study::Point& point) {
  return terms_sheet(explanation_of(point));
}

}  // namespace scalesweep::cli

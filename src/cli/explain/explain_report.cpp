#include "cli/explain/explain_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/catalog/derivation_sheets.hpp"
#include "cli/explain/explain_inference.hpp"
#include "cli/explain/explain_parts.hpp"
#include "cli/explain/explain_run.hpp"
#include "cli/explain/explained_figures.hpp"
#include "cli/explain/kinds/explain_diffusion.hpp"
#include "cli/explain/kinds/explain_recommendation.hpp"
#include "cli/explain/kinds/explain_reinforcement.hpp"
#include "core/text.hpp"
#include "estimator/error_bar.hpp"
#include "estimator/explain/explain_training.hpp"
#include "estimator/training/job.hpp"
#include "study/sample.hpp"

namespace scalesweep::cli {
namespace {

using estimator::Explanation;

std::string status_text(const study::Point& point, const estimator::TrainingEstimate& estimate,
                        const std::optional<estimator::RunEstimator>& runs) {
  if (estimate.verdict != estimator::Verdict::fits) {
    return "does_not_fit";
  }
  const double over = runs ? runs->over_interval() : 0.0;
  return limited_text(
      over > 1.0
          ? fmt::format("checkpoint_too_slow: it is written in {:.3g} times the interval", over)
          : "ok",
      study::status_of_batch(estimate), point.system.system->device, estimate.unkept_power_w);
}

Sheet result_sheet(const study::Point& point, const Explanation& explanation,
                   const std::optional<estimator::RunEstimator>& runs,
                   const ExplainedFigures& figures) {
  const estimator::TrainingEstimate& estimate = explanation.estimate;
  const auto& job = study::work_of<estimator::TrainingJob>(point.job);
  Sheet sheet = pairs_sheet("result", "Result");
  sheet.rows = {{"status", status_text(point, estimate, runs)}};
  figures.add_to(sheet, {"step_time"});
  sheet.rows.push_back(
      {"relative_uncertainty",
       uncertainty_cell(estimator::at_limit(job.uncertainty, estimate.limit_uncertainty),
                        point.strategy.devices(), estimate.traits, "step time")});
  figures.add_to(sheet,
                 {"bottleneck", "model_flop_utilization", "tokens_per_second", "energy_per_step",
                  "energy_per_token", "average_power", "device_power", "clock", "memory_total"});
  const double reserved = figures["memory_reserved"];
  sheet.rows.push_back({"memory_reserved",
                        {fmt::format("{} of {} usable, {} there", with_si_prefix(reserved, "B"),
                                     with_si_prefix(explanation.usable_bytes, "B"),
                                     with_si_prefix(figures["memory_capacity"], "B")),
                         reserved}});
  if (const workload::Experts& experts = job.model.experts; experts.capacity > 0.0) {
    sheet.rows.push_back({"dropped_tokens",
                          {fmt::format("{:.2f} % of what goes to experts, beyond {:g} times the "
                                       "mean of one",
                                       100.0 * explanation.dropped_copies, experts.capacity),
                           explanation.dropped_copies}});
  }
  return sheet;
}

// Each group under a line of its own in text; beside every term for programs.
Sheet terms_sheet(const Explanation& explanation, Format format) {
  const double step_s = explanation.estimate.step_time_s();
  const bool text = format == Format::text;
  Sheet sheet{"terms",
              "Terms: executions on the critical path, bubble included; they sum to the step time",
              {{"name", "", Align::left},
               {"times", "times", Align::right},
               {"once_s", "once", Align::right},
               {"step_s", "in all", Align::right},
               {"share", "share", Align::right},
               {"bound", "bound by", Align::left},
               {"detail", "detail", Align::left}},
              {},
              true};
  if (!text) {
    sheet.columns.insert(sheet.columns.begin(), {"group", "group", Align::left});
  }
  const Cell blank = "";
  std::string group;
  double sum_s = 0.0;
  for (const estimator::Term& term : explanation.terms) {
    if (text && term.group != group) {
      sheet.rows.push_back({term.group, blank, blank, blank, blank, blank, blank});
    }
    group = term.group;
    sum_s += term.step_s();
    std::vector<Cell> row = {text ? "  " + term.name : term.name,
                             plain_cell(term.times),
                             seconds_cell(term.once.time.total_s()),
                             seconds_cell(term.step_s()),
                             share_cell(term.step_s(), step_s),
                             std::string(estimator::name_of(term.bound)),
                             term.detail};
    if (!text) {
      row.insert(row.begin(), term.group);
    }
    sheet.rows.push_back(std::move(row));
  }
  if (text) {
    sheet.rows.push_back(
        {"sum", blank, blank, seconds_cell(sum_s), share_cell(sum_s, step_s), blank, blank});
  }
  return sheet;
}

Sheet memory_sheet(const Explanation& explanation) {
  Sheet sheet{"memory",
              "Memory of one device",
              {{"name", "", Align::left},
               {"first_stage", "first stage", Align::right},
               {"last_stage", "last stage", Align::right}},
              {},
              true};
  const estimator::MemoryUse& first = explanation.first_stage;
  const estimator::MemoryUse& last = explanation.last_stage;
  sheet.rows = {
      {"weights", bytes_cell(first.weights_bytes), bytes_cell(last.weights_bytes)},
      {"gradients", bytes_cell(first.gradients_bytes), bytes_cell(last.gradients_bytes)},
      {"optimizer", bytes_cell(first.optimizer_bytes), bytes_cell(last.optimizer_bytes)},
      {"activations", bytes_cell(first.activations_bytes), bytes_cell(last.activations_bytes)},
      {"total", bytes_cell(first.total_bytes()), bytes_cell(last.total_bytes())},
      {"reserved", bytes_cell(first.reserved_bytes), bytes_cell(last.reserved_bytes)},
  };
  return sheet;
}

// Its columns are named after what burns it.
Sheet energy_sheet(const ExplainedFigures& figures) {
  Sheet sheet{"energy",
              "Energy of one step, whole system",
              {{"name", "", Align::left},
               {"energy", "energy", Align::right},
               {"share", "share", Align::right}},
              {},
              true};
  const double total_j = figures["energy_per_step"];
  for (const std::string name :
       {"tensor", "vector", "dram", "l2", "scale_up", "scale_out", "static", "idle", "active"}) {
    const double part_j = figures["energy_" + name];
    sheet.rows.push_back({name, joules_cell(part_j), share_cell(part_j, total_j)});
  }
  return sheet;
}

Explanation explanation_of(const study::Point& point) {
  return estimator::explain_training(training_setting(point));
}

void add_training_sheets(std::vector<Sheet>& sheets, const study::Study& study,
                         const study::Point& point, Format format) {
  const Explanation explanation = explanation_of(point);
  const estimator::TrainingEstimate& estimate = explanation.estimate;
  const std::optional<estimator::RunEstimator> runs = runs_of(point);
  const ExplainedFigures figures(study.kind(), point, estimate);
  sheets.push_back(result_sheet(point, explanation, runs, figures));
  add_time_sheets(sheets, "Step time", estimate.step, estimator::phase_names, estimate.phase_s);
  sheets.push_back(terms_sheet(explanation, format));
  sheets.push_back(memory_sheet(explanation));
  sheets.push_back(energy_sheet(figures));
  add_run_sheets(sheets, point, estimate, runs);
  add_price_and_device(sheets, study, point,
                       {"One step", figures.time_s(), estimate.energy.total_j()},
                       study::work_of<estimator::TrainingJob>(point.job).recipe());
}

Sheet training_terms(const study::Point& point) {
  return terms_sheet(explanation_of(point), Format::csv);
}

// What is told of a point that has a system, kind by kind.
struct Sections {
  const study::WorkloadKind& (*kind)();
  void (*add)(std::vector<Sheet>& sheets, const study::Study& study, const study::Point& point,
              Format format);
  Sheet (*table)(const study::Point& point);  // for CSV
};
constexpr auto sections = std::to_array<Sections>(
    {{study::training_kind, add_training_sheets, training_terms},
     {study::inference_kind, add_inference_sheets, inference_operators},
     {study::serving_kind, add_serving_sheets, serving_operators},
     {study::recommendation_kind, add_recommendation_sheets, recommendation_terms},
     {study::diffusion_kind, add_diffusion_sheets, diffusion_terms},
     {study::reinforcement_kind, add_reinforcement_sheets, reinforcement_terms}});

const Sections& sections_of(const study::Study& study) {
  const auto* const found =
      std::find_if(sections.begin(), sections.end(),
                   [&](const Sections& one) { return &one.kind() == &study.kind(); });
  if (found == sections.end()) {
    throw Failure(ExitCode::usage, "points of this kind of workload cannot be explained");
  }
  return *found;
}

Sheet requirements_sheet(const study::Study& study, const study::Point& point) {
  Sheet sheet = pairs_sheet("requirements", "Requirements of the spec");
  const std::vector<space::Requirement>& requirements = study.spec().requirements;
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    const std::string_view outcome = point.requirements_met.at(i) ? "met" : "missed";
    sheet.rows.push_back({requirements[i].name,
                          fmt::format("{}: {}", outcome, requirements[i].condition.expression)});
  }
  return sheet;
}

}  // namespace

std::vector<Sheet> explain_sheets(const study::Study& study, const study::Point& point,
                                  Format format) {
  std::vector<Sheet> sheets = {point_sheet(study, point)};
  const bool rejected = !point.system.system || point.filtered;
  if (format == Format::csv) {
    return {rejected ? rejection_sheet(point) : sections_of(study).table(point)};
  }
  if (rejected) {
    sheets.push_back(rejection_sheet(point));
  } else {
    sections_of(study).add(sheets, study, point, format);
    if (!study.spec().requirements.empty()) {
      sheets.push_back(requirements_sheet(study, point));
    }
  }
  if (point.system.derivation) {
    const catalog::DerivedSystem& asked = *point.system.asked;
    sheets.push_back(
        derivation_sheet(study.catalog().parts(asked), asked.budget, *point.system.derivation));
  }
  return sheets;
}

}  // namespace scalesweep::cli

#include "cli/explain_report.hpp"

#include <fmt/core.h>

#include <cmath>

#include "cli/derivation_sheets.hpp"
#include "cli/ownership_sheets.hpp"
#include "core/text.hpp"
#include "estimator/explain.hpp"
#include "study/sample.hpp"

namespace scalesweep::cli {
namespace {

using estimator::Explanation;

Cell seconds(double s) {
  return {with_si_prefix(s, "s"), s};
}
Cell bytes(double b) {
  return {with_si_prefix(b, "B"), b};
}
Cell joules(double j) {
  return {with_si_prefix(j, "J"), j};
}
Cell plain(double number) {
  return {fmt::format("{:.6g}", number), number};
}

Cell share(double part, double whole) {
  const double fraction = whole > 0.0 ? part / whole : 0.0;
  return {fmt::format("{:.1f} %", 100.0 * fraction), fraction};
}

Sheet pairs(std::string name, std::string title) {
  return {std::move(name),
          std::move(title),
          {{"name", "", Align::left}, {"value", "", Align::left}},
          {},
          false};
}

Sheet point_sheet(const study::Study& study, const study::Point& point) {
  Sheet sheet = pairs("point", fmt::format("Point {} of {}", point.id, study.spec().title));
  sheet.rows.push_back({"point_id", {with_thousands(point.id), point.id}});
  for (const study::CoordinateText& text : study::coordinates(study, point)) {
    sheet.rows.push_back({text.name, text.label});
  }
  return sheet;
}

Cell clock_cell(const technology::Device& device, double fraction) {
  const double settled_hz = device.clock.si() * fraction;
  const std::string text = with_si_prefix(settled_hz, "Hz");
  if (fraction == 1.0) {
    return {text, settled_hz};
  }
  return {
      fmt::format("{}, lowered to {:.1f} % by the thermal design power", text, 100.0 * fraction),
      settled_hz};
}

Cell uncertainty_cell(const study::Point& point, double relative) {
  if (relative <= 0.0) {
    return {"not known"};
  }
  const bool measured = technology::measured_at_scale(
      study::training_job(point).uncertainty, static_cast<double>(point.strategy.devices()));
  return {fmt::format("+-{:.1f} % of the step time{}", 100.0 * relative,
                      measured ? ""
                               : "; not measured on this device, framework and scale: the largest "
                                 "of those that were"),
          relative};
}

Sheet result_sheet(const study::Point& point, const Explanation& explanation) {
  const estimator::TrainingEstimate& estimate = explanation.estimate;
  const double step_s = estimate.step_time_s();
  const double tokens = static_cast<double>(study::training_job(point).sequence) *
                        static_cast<double>(study::training_job(point).global_batch);
  const technology::Device& device = point.system.system->device;
  const bool fits = estimate.verdict == estimator::Verdict::fits;
  Sheet sheet = pairs("result", "Result");
  sheet.rows = {
      {"status", fits ? "ok" : "does_not_fit"},
      {"step_time", seconds(step_s)},
      {"relative_uncertainty", uncertainty_cell(point, estimate.relative_uncertainty)},
      {"bottleneck", std::string(estimator::name_of(estimator::dominant(estimate.step)))},
      {"model_flop_utilization",
       {fmt::format("{:.1f} %", 100.0 * estimate.model_flop_utilization),
        estimate.model_flop_utilization}},
      {"tokens_per_second", {with_si_prefix(tokens / step_s, "tokens/s"), tokens / step_s}},
      {"energy_per_step", joules(estimate.energy.total_j())},
      {"energy_per_token", joules(estimate.energy.total_j() / tokens)},
      {"average_power",
       {with_si_prefix(estimate.energy.total_j() / step_s / point.accelerators, "W") +
            " per device",
        estimate.energy.total_j() / step_s / point.accelerators}},
      {"device_power",
       {fmt::format("{} of {}", with_si_prefix(estimate.device_power_w, "W"),
                    with_si_prefix(device.thermal_design_power.si(), "W")),
        estimate.device_power_w}},
      {"clock", clock_cell(device, estimate.clock_fraction)},
      {"memory_total", bytes(estimate.memory.total_bytes())},
      {"memory_reserved",
       {fmt::format("{} of {} usable, {} there",
                    with_si_prefix(estimate.memory.reserved_bytes, "B"),
                    with_si_prefix(explanation.usable_bytes, "B"),
                    with_si_prefix(device.dram.capacity.si(), "B")),
        estimate.memory.reserved_bytes}},
  };
  return sheet;
}

template <typename Names, typename Values>
Sheet split_sheet(std::string name, std::string title, const Names& names, const Values& values,
                  double whole) {
  Sheet sheet{
      std::move(name),
      std::move(title),
      {{"name", "", Align::left}, {"time", "time", Align::right}, {"share", "share", Align::right}},
      {},
      true};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0.0) {
      sheet.rows.push_back({std::string(names[i]), seconds(values[i]), share(values[i], whole)});
    }
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
                             plain(term.times),
                             seconds(term.once.time.total_s()),
                             seconds(term.step_s()),
                             share(term.step_s(), step_s),
                             std::string(estimator::name_of(term.bound)),
                             term.detail};
    if (!text) {
      row.insert(row.begin(), term.group);
    }
    sheet.rows.push_back(std::move(row));
  }
  if (text) {
    sheet.rows.push_back({"sum", blank, blank, seconds(sum_s), share(sum_s, step_s), blank, blank});
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
      {"weights", bytes(first.weights_bytes), bytes(last.weights_bytes)},
      {"gradients", bytes(first.gradients_bytes), bytes(last.gradients_bytes)},
      {"optimizer", bytes(first.optimizer_bytes), bytes(last.optimizer_bytes)},
      {"activations", bytes(first.activations_bytes), bytes(last.activations_bytes)},
      {"total", bytes(first.total_bytes()), bytes(last.total_bytes())},
      {"reserved", bytes(first.reserved_bytes), bytes(last.reserved_bytes)},
  };
  return sheet;
}

Sheet energy_sheet(const Explanation& explanation) {
  const estimator::EnergyUse& energy = explanation.estimate.energy;
  Sheet sheet{"energy",
              "Energy of one step, whole system",
              {{"name", "", Align::left},
               {"energy", "energy", Align::right},
               {"share", "share", Align::right}},
              {},
              true};
  const double total_j = energy.total_j();
  const auto row = [&](const char* name, double part_j) {
    sheet.rows.push_back({name, joules(part_j), share(part_j, total_j)});
  };
  row("tensor", energy.tensor_j);
  row("vector", energy.vector_j);
  row("dram", energy.dram_j);
  row("l2", energy.l2_j);
  row("scale_up", energy.scale_up_j);
  row("scale_out", energy.scale_out_j);
  row("static", energy.static_j);
  row("idle", energy.idle_j);
  row("active", energy.active_j);
  return sheet;
}

Cell rate(double value, double sustained, const char* unit) {
  return {fmt::format("{} (sustained {:.0f} %)", with_si_prefix(value, unit), 100.0 * sustained),
          value};
}

Sheet device_sheet(const study::Point& point) {
  const technology::System& system = *point.system.system;
  const technology::Device& device = system.device;
  const std::size_t precision = technology::index_of(study::training_job(point).precision.linear);
  Sheet sheet = pairs("device", "Device and networks");
  sheet.rows = {
      {"device", device.name},
      {"cores", plain(device.cores)},
      {"clock", {with_si_prefix(device.clock.si(), "Hz"), device.clock.si()}},
      {fmt::format("{} matrix peak",
                   technology::name_of(study::training_job(point).precision.linear)),
       rate(device.tensor_peak[precision].si(), device.tensor_sustained[precision], "FLOP/s")},
      {"vector peak", rate(device.vector_peak.si(), device.vector_sustained, "FLOP/s")},
      {"DRAM", rate(device.dram.bandwidth.si(), device.dram.sustained, "B/s")},
      {"DRAM capacity", bytes(device.dram.capacity.si())},
      {"L2", rate(device.l2.bandwidth.si(), device.l2.sustained, "B/s")},
      {"L2 capacity", bytes(device.l2.capacity.si())},
      {"thermal design power",
       {with_si_prefix(device.thermal_design_power.si(), "W"), device.thermal_design_power.si()}},
      {fmt::format("scale-up, {} devices", system.scale_up_domain),
       rate(system.scale_up.bandwidth.si(), system.scale_up.sustained, "B/s")},
      {"scale-out", rate(system.scale_out.bandwidth.si(), system.scale_out.sustained, "B/s")},
  };
  return sheet;
}

Sheet rejection_sheet(const study::Point& point) {
  Sheet sheet = pairs("result", "Result: no estimate");
  const study::Status status = point.filtered ? study::Status::filtered : point.system.status;
  sheet.rows.push_back({"status", study::status_names()[study::index_of(status)]});
  sheet.rows.push_back(
      {"reason", point.filtered ? "a [[filter]] of the spec removes it" : point.system.reason});
  return sheet;
}

}  // namespace

std::vector<Sheet> explain_sheets(const study::Study& study, const study::Point& point,
                                  Format format) {
  std::vector<Sheet> sheets = {point_sheet(study, point)};
  if (!point.system.system || point.filtered) {
    sheets.push_back(rejection_sheet(point));
    if (format == Format::csv) {
      return {sheets.back()};
    }
  } else {
    const Explanation explanation = estimator::explain_training(
        study::training_job(point), *point.system.system, point.strategy);
    if (format == Format::csv) {
      return {terms_sheet(explanation, format)};
    }
    const estimator::TrainingEstimate& estimate = explanation.estimate;
    const double step_s = estimate.step_time_s();
    sheets.push_back(result_sheet(point, explanation));
    sheets.push_back(split_sheet("resources", "Step time by the resource that set it",
                                 estimator::resource_names, estimate.step.time_s, step_s));
    sheets.push_back(split_sheet("phases", "Step time by phase", estimator::phase_names,
                                 estimate.phase_s, step_s));
    sheets.push_back(terms_sheet(explanation, format));
    sheets.push_back(memory_sheet(explanation));
    sheets.push_back(energy_sheet(explanation));
    add_ownership_sheets(sheets, point, estimate);
    sheets.push_back(device_sheet(point));
  }
  if (point.system.derivation) {
    const catalog::DerivedSystem& asked = *point.system.asked;
    sheets.push_back(
        derivation_sheet(study.catalog().parts(asked), asked.budget, *point.system.derivation));
  }
  return sheets;
}

}  // namespace scalesweep::cli

#include "cli/explain/explain_diffusion.hpp"

#include <fmt/core.h>

#include <string>

#include "analysis/words/value_text.hpp"
#include "cli/catalog/ownership_sheets.hpp"
#include "cli/explain/explain_parts.hpp"
#include "core/text.hpp"
#include "estimator/diffusion/diffusion.hpp"

namespace scalesweep::cli {
namespace {

using estimator::Cost;
using estimator::DiffusionExplanation;
using estimator::DiffusionJob;

const DiffusionJob& job_of(const study::Point& point) {
  return study::work_of<DiffusionJob>(point.job);
}

DiffusionExplanation explanation_of(const study::Point& point) {
  return estimator::explain_diffusion(job_of(point), *point.system.system, point.strategy);
}

std::string status_text(const estimator::DiffusionEstimate& estimate) {
  return estimate.verdict == estimator::Verdict::fits
             ? "ok"
             : fmt::format("does_not_fit: a device lacks {}",
                           with_si_prefix(estimate.memory.short_bytes(), "B"));
}

Sheet result_sheet(const study::Point& point, const estimator::DiffusionEstimate& estimate) {
  const double time_s = estimate.batch_time_s();
  const double images = point.job.tokens;
  const DiffusionJob& job = job_of(point);
  const technology::Device& device = point.system.system->device;
  const double clock_hz = device.clock.si() * estimate.clock_fraction;
  Sheet sheet = pairs_sheet("result", "Result");
  sheet.rows = {
      {"status", status_text(estimate)},
      {"batch_time", seconds_cell(time_s)},
      {"bottleneck", std::string(estimator::name_of(estimator::dominant(estimate.batch)))},
      {"images_per_second", {analysis::rate_text(images / time_s, "images"), images / time_s}},
      {"denoising_steps", plain_cell(static_cast<double>(job.steps()))},
      {"step_time", seconds_cell(estimate.step_s)},
      {"attended_tokens", plain_cell(estimate.tokens)},
      {"model_flop_utilization",
       {fmt::format("{:.1f} %", 100.0 * estimate.model_flop_utilization),
        estimate.model_flop_utilization}},
      {"energy_per_batch", joules_cell(estimate.energy.total_j())},
      {"energy_per_image", joules_cell(estimate.energy.total_j() / images)},
      {"device_power",
       {fmt::format("{} of {}", with_si_prefix(estimate.device_power_w, "W"),
                    with_si_prefix(device.thermal_design_power.si(), "W")),
        estimate.device_power_w}},
      {"clock", {with_si_prefix(clock_hz, "Hz"), clock_hz}},
  };
  return sheet;
}

// Of a micro-batch, or once a step.
template <typename Row>
void add_training_terms(const estimator::DiffusionTerms& terms, const Row& row) {
  const estimator::DiffusionKernels& kernels = terms.kernels;
  const estimator::DiffusionExchange& exchange = terms.exchange;
  row("text encoder, a micro-batch", kernels.encoder);
  row("latent encoder, a micro-batch", kernels.latent_encoder);
  row("linear layers forward, a micro-batch", kernels.pass.linear);
  row("attention forward, a micro-batch", kernels.pass.attention);
  row("pointwise forward, a micro-batch", kernels.pass.pointwise);
  row("linear layers backward, a micro-batch", kernels.backward.linear);
  row("attention backward, a micro-batch", kernels.backward.attention);
  row("pointwise backward, a micro-batch", kernels.backward.pointwise);
  row("tensor reduction, a pass of a micro-batch", exchange.tensor);
  row("context exchange forward, a micro-batch", exchange.context);
  row("context exchange backward, a micro-batch", exchange.context_backward);
  row("sharded weights beside the passes of a micro-batch", terms.update.weights.whole.total());
  row("gradients beside the last backward pass", terms.update.gradients.behind_backward);
  row("updated weights beside the next forward pass", terms.update.gradients.behind_forward);
  row("gradients and weights in the open, a step", terms.update.gradients.open);
}

Sheet terms_sheet(const DiffusionExplanation& explanation) {
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
  const estimator::DiffusionKernels& kernels = explanation.terms.kernels;
  const estimator::DiffusionExchange& exchange = explanation.terms.exchange;
  if (explanation.terms.slice.trains) {
    add_training_terms(explanation.terms, row);
    return sheet;
  }
  row("text encoder, once", kernels.encoder);
  row("linear layers, a step", kernels.pass.linear);
  row("attention, a step", kernels.pass.attention);
  row("pointwise, a step", kernels.pass.pointwise);
  row("tensor reduction, a step", exchange.tensor);
  row(exchange.hides_context ? "context exchange beside attention, a step"
                             : "context exchange, a step",
      exchange.context);
  row("guidance exchange, a step", exchange.guidance);
  row("decoder, once", kernels.decoder);
  return sheet;
}

Sheet memory_sheet(const estimator::DiffusionMemory& memory, bool trains) {
  Sheet sheet{"memory",
              "Memory of a device",
              {{"name", "", Align::left}, {"bytes", "bytes", Align::right}},
              {},
              true};
  sheet.rows = {{"transformer", bytes_cell(memory.denoiser_bytes)},
                {trains ? "frozen encoders" : "encoders and decoder",
                 bytes_cell(memory.weights_bytes - memory.denoiser_bytes)}};
  if (trains) {
    sheet.rows.push_back({"gradients", bytes_cell(memory.gradients_bytes)});
    sheet.rows.push_back({"optimizer", bytes_cell(memory.optimizer_bytes)});
    sheet.rows.push_back({"averaged weights", bytes_cell(memory.average_bytes)});
  }
  sheet.rows.push_back({"activations", bytes_cell(memory.activations_bytes)});
  sheet.rows.push_back({trains ? "images" : "output", bytes_cell(memory.output_bytes)});
  sheet.rows.push_back({"total", bytes_cell(memory.total_bytes())});
  sheet.rows.push_back({"usable", bytes_cell(memory.usable_bytes)});
  return sheet;
}

}  // namespace

void add_diffusion_sheets(std::vector<Sheet>& sheets, const study::Point& point,
                          Format /*format*/) {
  const DiffusionExplanation explanation = explanation_of(point);
  const estimator::DiffusionEstimate& estimate = explanation.estimate;
  const double time_s = estimate.batch_time_s();
  sheets.push_back(result_sheet(point, estimate));
  sheets.push_back(split_sheet("resources", "Time of a batch by the resource that set it",
                               estimator::resource_names, estimate.batch.values, time_s));
  sheets.push_back(split_sheet("phases", "Time of a batch by phase",
                               estimator::diffusion_phase_names, estimate.phase_s, time_s));
  sheets.push_back(terms_sheet(explanation));
  sheets.push_back(memory_sheet(estimate.memory, job_of(point).trains()));
  add_ownership_sheets(
      sheets, point,
      {"One batch", time_s, estimate.energy.total_j(), point.job.tokens, 0.0, "images"});
  sheets.push_back(device_sheet(*point.system.system, point.job.multiplied.front(), std::nullopt));
}

Sheet diffusion_terms(const study::Point& point) {
  return terms_sheet(explanation_of(point));
}

}  // namespace scalesweep::cli

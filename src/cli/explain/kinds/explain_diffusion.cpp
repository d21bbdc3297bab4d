#include "cli/explain/kinds/explain_diffusion.hpp"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "cli/explain/explain_parts.hpp"
#include "cli/explain/explained_figures.hpp"
#include "core/text.hpp"
#include "estimator/diffusion/diffusion.hpp"

namespace scalesweep::cli {
namespace {

using estimator::DiffusionExplanation;
using estimator::DiffusionJob;

const DiffusionJob& job_of(const study::Point& point) {
  return study::work_of<DiffusionJob>(point.job);
}

DiffusionExplanation explanation_of(const study::Point& point) {
  return estimator::explain_diffusion(job_of(point), *point.system.system, point.strategy);
}

Sheet result_sheet(const study::Point& point, const DiffusionExplanation& explanation,
                   const DiffusionJob& job, const ExplainedFigures& figures) {
  Sheet sheet = pairs_sheet("result", "Result");
  sheet.rows = {{"status", batch_text(explanation.estimate, point)}};
  figures.add_to(sheet, {"batch_time", "bottleneck", "images_per_second"});
  sheet.rows.push_back({"denoising_steps", plain_cell(static_cast<double>(job.steps()))});
  figures.add_to(sheet, {"step_time", "attended_tokens", "model_flop_utilization",
                         "energy_per_batch", "energy_per_image", "device_power", "clock"});
  return sheet;
}

// Of a micro-batch, or once a step.
void add_training_terms(const estimator::DiffusionTerms& terms, AloneTerms& row) {
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
  AloneTerms row;
  const estimator::DiffusionKernels& kernels = explanation.terms.kernels;
  const estimator::DiffusionExchange& exchange = explanation.terms.exchange;
  if (explanation.terms.slice.trains) {
    add_training_terms(explanation.terms, row);
    return row.sheet();
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
  return row.sheet();
}

Sheet memory_sheet(const ExplainedFigures& figures, bool trains) {
  std::vector<NamedBytes> bytes = {{"transformer", figures["memory_denoiser"]},
                                   {trains ? "frozen encoders" : "encoders and decoder",
                                    figures["memory_weights"] - figures["memory_denoiser"]}};
  if (trains) {
    bytes.emplace_back("gradients", figures["memory_gradients"]);
    bytes.emplace_back("optimizer", figures["memory_optimizer"]);
    bytes.emplace_back("averaged weights", figures["memory_average"]);
  }
  bytes.emplace_back("activations", figures["memory_activations"]);
  bytes.emplace_back(trains ? "images" : "output", figures["memory_output"]);
  bytes.emplace_back("total", figures["memory_total"]);
  bytes.emplace_back("usable", figures["memory_usable"]);
  return bytes_sheet("Memory of a device", bytes);
}

}  // namespace

void add_diffusion_sheets(std::vector<Sheet>& sheets, const study::Study& study,
                          const study::Point& point, Format /*format*/) {
  const DiffusionExplanation explanation = explanation_of(point);
  const estimator::DiffusionEstimate& estimate = explanation.estimate;
  const DiffusionJob& job = job_of(point);
  const ExplainedFigures figures(study.kind(), point, estimate);
  sheets.push_back(result_sheet(point, explanation, job, figures));
  add_time_sheets(sheets, "Time of a batch", estimate.batch, estimator::diffusion_phase_names,
                  estimate.phase_s);
  sheets.push_back(terms_sheet(explanation));
  sheets.push_back(memory_sheet(figures, job.trains()));
  add_price_and_device(sheets, study, point,
                       {"One batch", figures.time_s(), estimate.energy.total_j()});
}

Sheet diffusion_terms(const study::Point& point) {
  return terms_sheet(explanation_of(point));
}

}  // namespace scalesweep::cli

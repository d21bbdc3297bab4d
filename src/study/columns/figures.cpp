#include "study/columns/figures.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "study/step_price.hpp"

namespace scalesweep::study {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double known(double uncertainty) {
  return uncertainty > 0.0 ? uncertainty : nan;
}

template <std::size_t phases, std::size_t figures>
void set_figures(EstimateRow& row, const std::array<double, phases>& phase_s,
                 const std::array<double, figures>& values) {
  row.figures.resize(phases + figures);
  std::copy(phase_s.begin(), phase_s.end(), row.figures.begin());
  std::copy(values.begin(), values.end(), row.figures.begin() + phases);
  row.labels.clear();
}

// Of so many seconds of the whole system.
StepPrice price_of(const JobFigures& job, double time_s, double energy_j) {
  return job.ownership ? step_price(*job.ownership, time_s, job.accelerators, energy_j) : no_price;
}

std::array<double, training_figure_count> figures_of(const estimator::TrainingEstimate& estimate,
                                                     const JobFigures& job) {
  const double time_s = estimate.step_time_s();
  const estimator::EnergyUse& energy = estimate.energy;
  const estimator::MemoryUse& memory = estimate.memory;
  const double energy_j = energy.total_j();
  const double million_tokens = job.tokens * 1e-6;
  const StepPrice price = price_of(job, time_s, energy_j);
  return {estimate.model_flop_utilization,
          job.tokens / time_s,
          job.clock_hz * estimate.clock_fraction,
          energy_j,
          energy_j / job.tokens,
          energy_j / time_s / job.accelerators,
          estimate.device_power_w,
          energy.tensor_j,
          energy.vector_j,
          energy.dram_j,
          energy.l2_j,
          energy.scale_up_j,
          energy.scale_out_j,
          energy.static_j,
          energy.idle_j,
          energy.active_j,
          memory.total_bytes(),
          memory.weights_bytes,
          memory.gradients_bytes,
          memory.optimizer_bytes,
          memory.activations_bytes,
          memory.reserved_bytes,
          job.memory_capacity_bytes,
          job.tensor_peak_flop_per_s,
          job.dram_bytes_per_s,
          job.scale_up_bytes_per_s,
          job.scale_out_bytes_per_s,
          job.shares.core_area.value_or(nan),
          job.shares.memory_edge.value_or(nan),
          job.shares.memory_power.value_or(nan),
          price.capital_usd,
          price.cost_usd(),
          price.cost_usd() / million_tokens,
          price.embodied_kg,
          price.operational_kg,
          price.carbon_kg() / million_tokens,
          known(estimate.relative_uncertainty)};
}

std::array<double, inference_figure_count> figures_of(const estimator::InferenceEstimate& estimate,
                                                      const JobFigures& job) {
  const double time_s = estimate.latency_s();
  const double energy_j = estimate.energy.total_j();
  const double million_tokens = job.tokens * 1e-6;
  const StepPrice price = price_of(job, time_s, energy_j);
  const estimator::InferenceMemory& memory = estimate.memory;
  return {estimate.time_to_first_token_s(),
          estimate.time_per_output_token_s(),
          estimate.tokens_per_s,
          estimate.tokens_per_s / job.accelerators,
          energy_j,
          energy_j / job.tokens,
          energy_j / time_s / job.accelerators,
          estimate.device_power_w,
          memory.total_bytes(),
          memory.weights_bytes,
          memory.cache_bytes,
          memory.activations_bytes,
          memory.usable_bytes,
          job.memory_capacity_bytes,
          job.tensor_peak_flop_per_s,
          job.dram_bytes_per_s,
          job.scale_up_bytes_per_s,
          job.scale_out_bytes_per_s,
          memory.largest_batch,
          job.shares.core_area.value_or(nan),
          job.shares.memory_edge.value_or(nan),
          job.shares.memory_power.value_or(nan),
          price.capital_usd,
          price.cost_usd() / million_tokens,
          price.carbon_kg() / million_tokens,
          known(estimate.relative_uncertainty)};
}

// Of one second.
std::array<double, serving_figure_count> figures_of(const estimator::ServingEstimate& estimate,
                                                    const JobFigures& job) {
  const double power_w = estimate.energy.total_j();
  const double million_tokens = estimate.tokens_per_s * 1e-6;
  const StepPrice price = price_of(job, 1.0, power_w);
  const estimator::InferenceMemory& memory = estimate.memory;
  const bool fits = estimate.verdict != estimator::ServingVerdict::does_not_fit;
  return {estimate.request_rate,
          estimate.batch,
          estimate.time_to_first_token_s,
          estimate.waiting_s,
          estimate.prefill_replicas,
          estimate.tokens_per_s,
          estimate.tokens_per_s / job.accelerators,
          job.accelerators / estimate.tokens_per_s,
          1.0 / estimate.request_rate,
          fits ? estimate.miss : nan,
          power_w / estimate.tokens_per_s,
          power_w / job.accelerators,
          estimate.device_power_w,
          memory.total_bytes(),
          memory.weights_bytes,
          memory.cache_bytes,
          memory.activations_bytes,
          memory.usable_bytes,
          job.memory_capacity_bytes,
          job.tensor_peak_flop_per_s,
          job.dram_bytes_per_s,
          job.scale_up_bytes_per_s,
          job.scale_out_bytes_per_s,
          memory.largest_batch,
          job.shares.core_area.value_or(nan),
          job.shares.memory_edge.value_or(nan),
          job.shares.memory_power.value_or(nan),
          price.capital_usd,
          price.cost_usd() / million_tokens,
          price.carbon_kg() / million_tokens,
          known(estimate.relative_uncertainty)};
}

}  // namespace

Status status_of(const estimator::ServingEstimate& estimate) {
  switch (estimate.verdict) {
    case estimator::ServingVerdict::meets_limits:
      return Status::ok;
    case estimator::ServingVerdict::misses_limits:
      return Status::misses_limits;
    case estimator::ServingVerdict::too_few_replicas:
      return Status::too_few_replicas;
    case estimator::ServingVerdict::does_not_fit:
      break;
  }
  return Status::does_not_fit;
}

void fill_row(EstimateRow& row, const estimator::TrainingEstimate& estimate,
              const JobFigures& job) {
  row.status = status_of(estimate.verdict);
  row.time_s = estimate.step_time_s();
  row.charges = estimate.step;
  set_figures(row, estimate.phase_s, figures_of(estimate, job));
}

void fill_row(EstimateRow& row, const estimator::InferenceEstimate& estimate,
              const JobFigures& job) {
  row.status = status_of(estimate.verdict);
  row.time_s = estimate.latency_s();
  row.charges = estimate.latency;
  set_figures(row, estimate.phase_s, figures_of(estimate, job));
}

// Charges and phases of a mean iteration become those of a token.
void fill_row(EstimateRow& row, const estimator::ServingEstimate& estimate, const JobFigures& job) {
  row.status = status_of(estimate);
  row.time_s = estimate.time_per_output_token_s;
  const double iteration_s = estimate.iteration.total_s();
  const double scale = iteration_s > 0.0 ? row.time_s / iteration_s : 0.0;
  row.charges = scale * estimate.iteration;
  auto phase_s = estimate.phase_s;
  for (double& phase : phase_s) {
    phase *= scale;
  }
  set_figures(row, phase_s, figures_of(estimate, job));
  row.labels.push_back(static_cast<std::uint8_t>(estimate.bound));
}

}  // namespace scalesweep::study

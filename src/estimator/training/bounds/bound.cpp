#include "estimator/training/bounds/bound.hpp"

#include <algorithm>

#include "estimator/parts/power/envelope_bounds.hpp"
#include "estimator/parts/power/power_limit.hpp"
#include "estimator/training/data_parallel.hpp"
#include "estimator/training/step.hpp"

namespace scalesweep::estimator {
namespace {

double stage_s(const UnitTimes& units, const StageShare& share) {
  return share.layers * units.layer_s + share.expert_layers * units.expert_layer_s +
         share.predictions * units.prediction_s + (share.embedding ? units.embedding_s : 0.0) +
         share.encoders * units.encoder_s + (share.head ? units.head_s : 0.0);
}

}  // namespace

UnitTimes unit_times(const StageUnits& units) {
  const auto seconds = [](const StageSums& unit) { return unit.total.time.total_s(); };
  return {seconds(units.layer),     seconds(units.expert_layer), seconds(units.prediction),
          seconds(units.embedding), seconds(units.encoder),      seconds(units.head)};
}

namespace {

// The mean of the layers of a kind, of which the model has so many.
void add_layers(KernelTimes& times, KernelTimes::Block& block, const KernelSetting& kernels,
                workload::LayerKind kind, double layers) {
  for (const workload::LayerVariant& variant :
       workload::LayerVariants(kernels.setting.job.model, kind)) {
    const KernelSums& sums = kernels({BlockName::Part::layer, variant.kind, variant.mixer});
    block.passes_s += variant.share * sums.passes_s();
    block.selective_s += variant.share * sums.selective_repeats.time.total_s();
    block.full_s += variant.share * (sums.forward.time.total_s() - sums.full_omits.time.total_s());
    const double times_run = layers * variant.share;
    for (const Cost* part :
         {&sums.forward, &sums.backward, &sums.data_gradients, &sums.weight_gradients}) {
      times.pass_work.add(times_run, part->work);
    }
  }
  times.pass_s += layers * block.passes_s;
}

}  // namespace

double KernelTimes::Block::with_recomputation_s(const parallel::Strategy& strategy) const {
  switch (strategy.recompute) {
    case parallel::Recompute::none:
      break;
    case parallel::Recompute::selective:
      return passes_s + selective_s;
    case parallel::Recompute::full:
      return passes_s + full_s / strategy.recompute_every;
  }
  return passes_s;
}

UnitTimes KernelTimes::units(const TrainingJob& job, const parallel::Strategy& strategy) const {
  UnitTimes units;
  units.layer_s = layer.with_recomputation_s(strategy);
  units.expert_layer_s = expert_layer.with_recomputation_s(strategy);
  units.embedding_s = embedding_s;
  units.encoder_s = encoder_s;
  units.head_s = head_s;
  if (job.model.prediction_layers > 0) {
    units.prediction_s =
        prediction_s + head_s + (job.model.experts.on() ? units.expert_layer_s : units.layer_s);
  }
  return units;
}

KernelTimes kernel_times(const Setting& setting, const BlockRates& rates, KernelMemo& memo) {
  const workload::TransformerModel& model = setting.job.model;
  const KernelSetting kernels(setting, rates, memo);
  KernelTimes times;
  const auto experts = static_cast<double>(model.expert_layers());
  if (const double plain = static_cast<double>(model.layers) - experts; plain > 0.0) {
    add_layers(times, times.layer, kernels, workload::LayerKind::dense, plain);
  }
  if (model.experts.on()) {
    add_layers(times, times.expert_layer, kernels, workload::LayerKind::experts, experts);
  }
  times.embedding_s = kernels({.part = BlockName::Part::embedding}).passes_s();
  times.head_s = kernels({.part = BlockName::Part::head}).passes_s();
  if (model.encoder.asked()) {
    times.encoder_s = encoder_kernels_s(setting, rates, memo);
  }
  if (model.prediction_layers > 0) {
    times.prediction_s = kernels({.part = BlockName::Part::prediction}).passes_s();
  }
  return times;
}

double least_step_s(const Setting& setting, const UnitTimes& units, const StageShares& shares,
                    double transfer_s, double optimizer_bytes, double slower_passes_s) {
  const auto& [job, system, strategy] = setting;
  const double transfers_s = 2.0 * strategy.chunks * transfer_s;
  double slowest_s = 0.0;
  double all_s = 0.0;
  for (const StageShare& share : shares.kinds()) {
    const double one_s = stage_s(units, share) + transfers_s;
    slowest_s = std::max(slowest_s, one_s);
    all_s += static_cast<double>(share.count) * one_s;
  }
  all_s += slower_passes_s;
  slowest_s = std::max(slowest_s, all_s / strategy.pipeline_parallel);
  double step_s = strategy.micro_batches * slowest_s;
  if (strategy.schedule == parallel::Schedule::one_forward_one_backward) {
    step_s += (all_s - slowest_s) / strategy.chunks;
  }
  step_s += optimizer_time(setting, optimizer_bytes).total_s() + job.stack.step_overhead_s;
  return sums_rounded * (1.0 + straggling(job.stack.step_jitter, strategy.devices())) * step_s;
}

namespace {

// Of all layers of the model, in a step, by all columns of stages together.
double passes_of(const parallel::Strategy& strategy) {
  return static_cast<double>(strategy.devices()) / strategy.pipeline_parallel *
         static_cast<double>(strategy.micro_batches);
}

}  // namespace

double least_energy_j(const Setting& setting, const Work& pass_work, double pass_s, double step_s) {
  return sums_rounded *
         estimator::least_energy_j(setting.system, {pass_work, pass_s, passes_of(setting.strategy)},
                                   static_cast<double>(setting.strategy.devices()), step_s);
}

double least_energy_j(const Setting& setting, const technology::Envelope& envelope,
                      const Cost& near, double step_s) {
  return within(envelope) *
         estimator::least_energy_j(setting.system, envelope,
                                   {near.work, near.time.total_s(), passes_of(setting.strategy)},
                                   static_cast<double>(setting.strategy.devices()), step_s);
}

}  // namespace scalesweep::estimator

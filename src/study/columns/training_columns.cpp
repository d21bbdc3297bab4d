// The columns of a training step.
#include "study/columns/estimate_columns.hpp"
#include "study/columns/shared_columns.hpp"
#include "study/kinds/training/run_plans.hpp"

namespace scalesweep::study {
namespace {

using Estimate = estimator::TrainingEstimate;
using At = Evaluated<Estimate>;
using Row = ColumnRow<Estimate>;
using Of = Shared<Estimate>;

constexpr auto figure_rows = joined(
    std::to_array<Row>({
        {"model_flop_utilization", "1", "model FLOP utilization",
         "Model FLOP, recomputation not counted, over the peak of all devices in the step time.",
         "as_rate utilization", Better::larger,
         [](const At& at) { return at.estimate.model_flop_utilization; }, Bounded::yes},
        {"tokens_per_second", "s-1", "training throughput",
         "Tokens trained on per second, whole job.", "throughput", Better::larger,
         [](const At& at) { return at.work_units / at.time_s; }, Bounded::yes},
        {"clock", "Hz", "clock",
         "Clock of the device; below its own where the step would exceed the thermal design power.",
         "", Better::neither,
         [](const At& at) { return at.job.clock_hz * at.estimate.clock_fraction; }},
        {"energy_per_step", "J", "energy per step",
         "Energy of all devices and networks in one step.", "", Better::smaller,
         [](const At& at) { return at.energy_j; }, Bounded::yes},
    }),
    Of::energy("energy per token", "Energy per step over tokens per step.",
               "Energy per step over step time and devices: networks are part of it."),
    std::to_array<Row>({
        {"energy_tensor", "J", "energy of matrix units",
         "Share of energy_per_step: matrix operations, registers and shared memory included.", "",
         Better::smaller, [](const At& at) { return at.estimate.energy.tensor_j; }},
        {"energy_vector", "J", "energy of vector units",
         "Share of energy_per_step: other operations, registers and shared memory included.", "",
         Better::smaller, [](const At& at) { return at.estimate.energy.vector_j; }},
        {"energy_dram", "J", "energy of DRAM", "Share of energy_per_step: bytes to and from DRAM.",
         "", Better::smaller, [](const At& at) { return at.estimate.energy.dram_j; }},
        {"energy_l2", "J", "energy of L2", "Share of energy_per_step: bytes to and from L2.", "",
         Better::smaller, [](const At& at) { return at.estimate.energy.l2_j; }},
        {"energy_scale_up", "J", "energy of scale-up",
         "Share of energy_per_step: bytes inside the domain, all hops, and what switches burn at "
         "rest.",
         "", Better::smaller, [](const At& at) { return at.estimate.energy.scale_up_j; }},
        {"energy_scale_out", "J", "energy of scale-out",
         "Share of energy_per_step: bytes between domains, all hops, and what adapters, optics and "
         "switches burn at rest.",
         "", Better::smaller, [](const At& at) { return at.estimate.energy.scale_out_j; }},
        {"energy_static", "J", "static energy",
         "Share of energy_per_step: leakage; 0 where the catalog knows idle power only.", "",
         Better::smaller, [](const At& at) { return at.estimate.energy.static_j; }},
        {"energy_idle", "J", "idle energy",
         "Share of energy_per_step: what else devices burn whatever they do.", "", Better::smaller,
         [](const At& at) { return at.estimate.energy.idle_j; }},
        {"energy_active", "J", "active energy",
         "Share of energy_per_step: what devices burn beside that while a program keeps them busy, "
         "waits included: clock tree, instruction issue.",
         "", Better::smaller, [](const At& at) { return at.estimate.energy.active_j; }},
    }),
    Of::memory("Bytes in use on the fullest device."),
    std::to_array<Row>({
        {"memory_gradients", "B", "memory of gradients", "Share of memory_total: gradients.", "",
         Better::smaller, [](const At& at) { return at.estimate.memory.gradients_bytes; },
         Bounded::exact},
        {"memory_optimizer", "B", "memory of optimizer", "Share of memory_total: optimizer states.",
         "", Better::smaller, [](const At& at) { return at.estimate.memory.optimizer_bytes; },
         Bounded::exact},
        Of::memory_activations("Share of memory_total: activations kept for the backward pass."),
        {"memory_reserved", "B", "memory reserved",
         "What the allocator of the framework holds at the peak: memory_total and its slack. It "
         "decides what fits.",
         "nearest:does_not_fit", Better::smaller,
         [](const At& at) { return at.estimate.memory.reserved_bytes; }, Bounded::exact},
    }),
    Of::device, Of::shares_and_capital,
    std::to_array<Row>({
        {"cost_per_step", "USD", "cost per step",
         "Capital written off in the step time, and the energy of devices, networks and servers.",
         "as_time", Better::smaller, [](const At& at) { return at.price.cost_usd(); },
         Bounded::yes},
        Of::cost_per_million_tokens("cost per million tokens",
                                    "Cost per step over millions of tokens per step."),
    }),
    Of::cost_parts,
    std::to_array<Row>({
        {"embodied_carbon_per_step", "kg", "embodied carbon per step",
         "CO2 equivalent of making devices and servers, written off in the step time.", "as_time",
         Better::smaller, [](const At& at) { return at.price.embodied_kg; }, Bounded::yes},
        {"operational_carbon_per_step", "kg", "operational carbon per step",
         "CO2 equivalent of the energy of devices, networks and servers.", "as_time",
         Better::smaller, [](const At& at) { return at.price.operational_kg; }, Bounded::yes},
        Of::carbon_per_million_tokens(
            "carbon per million tokens",
            "Embodied and operational carbon per step over millions of tokens per step."),
        Of::relative_uncertainty(
            "relative uncertainty of the step time",
            "Two of three measured steps of this device, framework and scale lie within it, or of "
            "the others where none was measured; wider by what the point has that was measured "
            "less. NaN where the catalog has none."),
    }));

}  // namespace

EstimateColumns training_columns() {
  EstimateColumns columns = {
      time_column("step_time", "step time",
                  "Time of one training step: forward, backward and update.", "time rank"),
      estimator::phase_names,
      schema_of(figure_rows),
      {least_known_column()},
      {"step_time", "energy_per_token", "accelerators"},
      training_statuses,
      "What became of the point. ok; does_not_fit: estimated, but the fullest device lacks memory; "
      "checkpoint_too_slow: a checkpoint is not written before the next one is due; the others "
      "have "
      "no estimate: filtered: removed by a filter; the rest: why the device cannot be built or "
      "used."};
  columns.bounds = Bounds::of_time;
  columns.bounded = bounded_of(figure_rows);
  return columns;
}

double bounded_figure(const Estimate& least, const JobFigures& job, std::size_t figure) {
  return bounded_batch_figure<figure_rows>(least, job, least.step, figure);
}

std::size_t step_figures() {
  return figure_rows.size();
}

double shortfall_of(const Estimate& estimate, const JobFigures& job) {
  return memory_shortfall<figure_rows>(estimate, job);
}

void fill_row(EstimateRow& row, const Estimate& estimate, const JobFigures& job) {
  set_batch_row<figure_rows>(row, estimate, job, estimate.step);
}

}  // namespace scalesweep::study

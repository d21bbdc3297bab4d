// The columns of an iteration of reinforcement learning.
#include "study/columns/estimate_columns.hpp"
#include "study/columns/shared_columns.hpp"
#include "study/kinds/reinforcement/statuses.hpp"

namespace scalesweep::study {
namespace {

using Estimate = estimator::ReinforcementEstimate;
using At = Evaluated<Estimate>;
using Row = ColumnRow<Estimate>;
using Of = Shared<Estimate>;

constexpr auto time_rows = std::to_array<Row>({
    {"rollout_time", "s", "time of rollouts",
     "Prompts and decode of all samples, hidden behind training or not.", "", Better::smaller,
     [](const At& at) { return at.estimate.rollout_s; }},
    {"tail_time", "s", "time of the tail",
     "Share of rollout_time: while fewer than half of the sequences run that run at once at most.",
     "", Better::smaller, [](const At& at) { return at.estimate.tail_s; }},
    {"training_time", "s", "time of training",
     "Scoring and all updates, hidden behind rollouts or not.", "", Better::smaller,
     [](const At& at) { return at.estimate.training_s; }},
    {"update_time", "s", "time of an update", "One step of the policy.", "", Better::smaller,
     [](const At& at) { return at.estimate.step_s; }},
    {"model_flop_utilization", "1", "model FLOP utilization",
     "Model FLOP of an update of the policy over the peak of the devices that train.",
     "as_rate utilization", Better::larger, [](const At& at) { return at.estimate.utilization; }},
});
constexpr auto rollout_rows = std::to_array<Row>({
    {"training_devices", "1", "devices that train",
     "Of accelerators; those of rollouts too where they are colocated.", "", Better::neither,
     [](const At& at) { return static_cast<double>(at.estimate.trainers); }},
    {"rollout_devices", "1", "devices of rollouts", "Of accelerators.", "", Better::neither,
     [](const At& at) { return static_cast<double>(at.estimate.rollouts.devices); }},
    {"rollout_tensor_parallel", "1", "tensor-parallel size of rollouts",
     "Devices of a replica of the engine: the fastest that fits.", "", Better::neither,
     [](const At& at) { return static_cast<double>(at.estimate.rollouts.tensor_parallel); }},
    {"rollout_sequences", "1", "sequences of a replica",
     "That run at once at most, of a replica of the engine.", "", Better::neither,
     [](const At& at) { return at.estimate.rollouts.sequences; }},
    {"longest_output", "1", "longest answer", "Tokens of the longest of all samples.", "",
     Better::neither, [](const At& at) { return at.estimate.longest_output; }},
    {"moved_weights", "B", "weights moved",
     "Weights of the policy in the formats of rollouts, which move there once an iteration.", "",
     Better::smaller, [](const At& at) { return at.estimate.moved_bytes; }},
});

constexpr auto figure_rows = joined(
    std::to_array<Row>({
        {"tokens_per_second", "s-1", "generated tokens per second",
         "Tokens of answers that are generated and trained on per second, whole job.", "throughput",
         Better::larger, [](const At& at) { return at.work_units / at.time_s; }},
        {"tokens_per_second_per_device", "s-1", "generated tokens per second per device",
         "tokens_per_second over devices.", "device_throughput", Better::larger,
         [](const At& at) { return at.work_units / at.time_s / at.job.devices(); }},
        {"samples_per_second", "s-1", "samples per second",
         "Answers that are generated and trained on per second, whole job.", "", Better::larger,
         [](const At& at) { return at.estimate.samples / at.time_s; }},
    }),
    time_rows, rollout_rows,
    std::to_array<Row>({
        {"device_hours", "h", "device hours of an iteration", "Iteration time times devices.",
         "as_time", Better::smaller,
         [](const At& at) { return at.time_s / 3600.0 * at.job.devices(); }},
        {"energy_per_iteration", "J", "energy per iteration",
         "Energy of all devices and networks in one iteration.", "", Better::smaller,
         [](const At& at) { return at.energy_j; }},
        {"energy_per_token", "J", "energy per token", "Energy per iteration over generated tokens.",
         "unit_energy", Better::smaller, &Of::unit_energy},
    }),
    Of::power("Energy per iteration over its time and devices: networks are part of it."),
    Of::memory("Bytes in use on a device, of training or of rollouts, whichever are more."),
    std::to_array<Row>({
        {"memory_states", "B", "memory of gradients and states",
         "Of devices that train: gradients and states of the optimizer.", "", Better::smaller,
         [](const At& at) { return at.estimate.memory.states_bytes; }},
        Of::memory_activations(
            "Of devices that train: activations, with the longest answer, and what the allocator "
            "keeps."),
        {"memory_cache", "B", "memory of caches",
         "Of devices of rollouts: KV caches of as many sequences as run at once.", "",
         Better::smaller, [](const At& at) { return at.estimate.memory.cache_bytes; }},
        {"memory_short", "B", "memory short",
         "What a device lacks, of training or of rollouts, whichever lacks more; below 0 what it "
         "has left. It decides what fits.",
         "nearest:does_not_fit", Better::smaller,
         [](const At& at) { return at.estimate.memory.short_bytes(); }},
    }),
    Of::device, Of::shares_and_capital,
    std::to_array<Row>({
        {"cost_per_iteration", "USD", "cost per iteration",
         "Capital written off in the time of an iteration, and the energy of devices, networks and "
         "servers.",
         "as_time", Better::smaller, [](const At& at) { return at.price.cost_usd(); }},
        {"cost_per_million_tokens", "USD", "cost per million tokens",
         "Cost per iteration over millions of generated tokens.", "as_time unit_cost",
         Better::smaller, &Of::unit_cost},
    }),
    Of::cost_parts,
    std::to_array<Row>({
        {"carbon_per_million_tokens", "kg", "carbon per million tokens",
         "Embodied and operational CO2 equivalent.", "as_time", Better::smaller, &Of::unit_carbon},
    }));

}  // namespace

EstimateColumns reinforcement_columns() {
  return {
      time_column("iteration_time", "iteration time",
                  "Time of an iteration: rollouts, scoring, updates and weights that move; what "
                  "runs beside others is counted once.",
                  "time rank"),
      estimator::reinforcement_phase_names,
      schema_of(figure_rows),
      {},
      {"iteration_time", "energy_per_token", "accelerators"},
      reinforcement_statuses,
      "What became of the point. ok; does_not_fit: a device lacks memory; estimated, unless the "
      "engine of rollouts has no room for a sequence: then memory and devices are known alone; the "
      "others have no estimate: not_separate: staleness without devices of their own for "
      "rollouts; filtered: removed by a filter; the rest: why the device cannot be built or "
      "used."};
}

double shortfall_of(const Estimate& estimate, const JobFigures& job) {
  return memory_shortfall<figure_rows>(estimate, job);
}

void fill_row(EstimateRow& row, const Estimate& estimate, const JobFigures& job) {
  set_batch_row<figure_rows>(row, estimate, job, estimate.iteration);
}

}  // namespace scalesweep::study

// The columns of a batch of a recommendation model.
#include "study/columns/estimate_columns.hpp"
#include "study/columns/shared_columns.hpp"

namespace scalesweep::study {
namespace {

using Estimate = estimator::RecommendationEstimate;
using At = Evaluated<Estimate>;
using Row = ColumnRow<Estimate>;
using Of = Shared<Estimate>;

constexpr auto figure_rows = joined(
    std::to_array<Row>({
        {"samples_per_second", "s-1", "samples per second",
         "Samples trained on or scored per second, whole job.", "throughput", Better::larger,
         [](const At& at) { return at.tokens / at.time_s; }},
        {"samples_per_second_per_device", "s-1", "samples per second per device",
         "samples_per_second over devices.", "device_throughput", Better::larger,
         [](const At& at) { return at.tokens / at.time_s / at.job.devices(); }},
        {"model_flop_utilization", "1", "model FLOP utilization",
         "FLOP of MLPs and interaction over the peak of all devices in the time of a batch.",
         "as_rate utilization", Better::larger,
         [](const At& at) { return at.estimate.model_flop_utilization; }},
        {"lookups_per_second", "s-1", "lookups per second",
         "Rows of tables that are looked up per second, whole job.", "", Better::larger,
         [](const At& at) { return at.estimate.lookups_per_s; }},
        {"found_in_l2", "1", "found in L2",
         "Share of lookups whose rows are in L2, on the device that looks up most.", "",
         Better::larger, [](const At& at) { return at.estimate.found_in_l2; }},
        {"exchanged_bytes", "B", "bytes exchanged",
         "Rows, gradients and indices that a device sends in a batch, its own share counted as "
         "well; of the device that sends most.",
         "", Better::smaller, [](const At& at) { return at.estimate.exchanged_bytes; }},
        {"table_imbalance", "1", "imbalance of tables",
         "Bytes that the busiest device looks up over the mean.", "", Better::smaller,
         [](const At& at) { return at.estimate.table_imbalance; }},
        {"clock", "Hz", "clock",
         "Clock of the device; below its own where a batch would exceed the thermal design power.",
         "", Better::neither,
         [](const At& at) { return at.job.clock_hz * at.estimate.clock_fraction; }},
        {"energy_per_batch", "J", "energy per batch",
         "Energy of all devices and networks in one batch.", "", Better::smaller,
         [](const At& at) { return at.energy_j; }},
        {"energy_per_sample", "J", "energy per sample", "Energy per batch over its samples.",
         "unit_energy", Better::smaller, &Of::unit_energy},
    }),
    Of::power("Energy per batch over its time and devices: networks are part of it."),
    Of::memory("Bytes in use on the fullest device."),
    std::to_array<Row>({
        {"memory_tables", "B", "memory of tables", "Share of memory_weights: embedding tables.", "",
         Better::smaller, [](const At& at) { return at.estimate.memory.tables_bytes; }},
        {"memory_gradients", "B", "memory of gradients",
         "Share of memory_total: gradients of MLPs and cross layers.", "", Better::smaller,
         [](const At& at) { return at.estimate.memory.gradients_bytes; }},
        {"memory_optimizer", "B", "memory of optimizer",
         "Share of memory_total: optimizer states of tables and of all else.", "", Better::smaller,
         [](const At& at) { return at.estimate.memory.optimizer_bytes; }},
        Of::memory_activations(
            "Share of memory_total: activations, and rows that are sent and received."),
        {"memory_host", "B", "host memory of tables",
         "Tables and their states that the host of the fullest device holds.", "", Better::smaller,
         [](const At& at) { return at.estimate.memory.host_bytes; }},
        {"memory_usable", "B", "memory usable",
         "Bytes of one device that tensors may use. It decides what fits.", "", Better::neither,
         [](const At& at) { return at.estimate.memory.usable_bytes; }},
        {"memory_short", "B", "memory short",
         "memory_total less memory_usable: what the fullest device lacks; below 0 what it has "
         "left.",
         "nearest:does_not_fit", Better::smaller,
         [](const At& at) { return at.estimate.memory.short_bytes(); }},
    }),
    Of::device, Of::shares_and_capital,
    std::to_array<Row>({
        {"cost_per_million_samples", "USD", "cost per million samples",
         "Capital written off in the time of a batch, and the energy of devices, networks and "
         "servers.",
         "as_time unit_cost", Better::smaller, &Of::unit_cost},
    }),
    Of::cost_parts,
    std::to_array<Row>({
        {"carbon_per_million_samples", "kg", "carbon per million samples",
         "Embodied and operational CO2 equivalent.", "as_time", Better::smaller, &Of::unit_carbon},
    }));

}  // namespace

EstimateColumns recommendation_columns() {
  return {time_column("batch_time", "batch time",
                      "Time of a batch: lookup, exchange, dense part, and where it is trained on "
                      "the way back and the update.",
                      "time rank"),
          estimator::recommendation_phase_names,
          schema_of(figure_rows),
          {},
          {"batch_time", "energy_per_sample", "accelerators"}};
}

double shortfall_of(const Estimate& estimate, const JobFigures& job) {
  return nearest_figure<figure_rows, row_with<figure_rows>("nearest:does_not_fit")>(estimate, job);
}

void fill_row(EstimateRow& row, const Estimate& estimate, const JobFigures& job) {
  const double time_s = estimate.batch_time_s();
  set_row<figure_rows>(row, status_of(estimate.verdict),
                       At::of(estimate, job, time_s, time_s, job.tokens), estimate.batch,
                       estimate.phase_s);
}

}  // namespace scalesweep::study

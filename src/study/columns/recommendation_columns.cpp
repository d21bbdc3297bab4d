// The columns of a batch of a recommendation model.
#include "study/columns/estimate_columns.hpp"
#include "study/columns/shared_columns.hpp"

namespace scalesweep::study {
namespace {

using Estimate = estimator::RecommendationEstimate;
using At = Evaluated<Estimate>;
using Row = ColumnRow<Estimate>;
using Of = SharedByBatches<Estimate, sample_unit>;

constexpr auto figure_rows = joined(
    Of::throughput("Samples trained on or scored per second, whole job."),
    std::to_array<Row>({
        Of::utilization(
            "FLOP of MLPs and interaction over the peak of all devices in the time of a batch."),
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
    }),
    Of::clock_and_energy("Energy per batch over its samples."),
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
    }),
    Of::room("memory_total less memory_usable: what the fullest device lacks; below 0 what it has "
             "left."),
    Of::device_and_price());

}  // namespace

EstimateColumns recommendation_columns() {
  return Of::columns(figure_rows, estimator::recommendation_phase_names,
                     "Time of a batch: lookup, exchange, dense part, and where it is trained on "
                     "the way back and the update.");
}

double shortfall_of(const Estimate& estimate, const JobFigures& job) {
  return memory_shortfall<figure_rows>(estimate, job);
}

void fill_row(EstimateRow& row, const Estimate& estimate, const JobFigures& job) {
  set_batch_row<figure_rows>(row, estimate, job, estimate.batch);
}

}  // namespace scalesweep::study

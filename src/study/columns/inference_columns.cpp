// The columns of a batch of requests that starts together.
#include "study/columns/estimate_columns.hpp"
#include "study/columns/shared_columns.hpp"

namespace scalesweep::study {
namespace {

using Estimate = estimator::InferenceEstimate;
using At = Evaluated<Estimate>;
using Row = ColumnRow<Estimate>;
using Of = SharedByInference<Estimate>;

constexpr auto figure_rows = joined(
    std::to_array<Row>({
        {"time_to_first_token", "s", "time to first token", "From the start to the first token.",
         "", Better::smaller, [](const At& at) { return at.estimate.time_to_first_token_s(); },
         Bounded::exact},
        {"time_per_output_token", "s", "time per output token",
         "Mean of all tokens of a request after the first; 0 where there are none.", "main",
         Better::smaller, [](const At& at) { return at.estimate.time_per_output_token_s(); },
         Bounded::exact},
    }),
    Of::in_flight(),
    Of::throughput("Output tokens per second, all replicas, from the start to the last token."),
    std::to_array<Row>({
        {"prefill_clock", "Hz", "clock in prefill",
         "Clock of the device; below its own where prefill would exceed the thermal design power.",
         "", Better::neither,
         [](const At& at) { return at.job.clock_hz * at.estimate.prefill_clock_fraction; }},
        {"decode_clock", "Hz", "clock in decode", "The same of the tokens after the first.", "",
         Better::neither,
         [](const At& at) { return at.job.clock_hz * at.estimate.decode_clock_fraction; }},
        {"kept_in_l2", "1", "kept in L2",
         "Share of weights and cache that a pass finds in L2 since the one before.", "",
         Better::neither, [](const At& at) { return at.estimate.kept_in_l2; }},
        {"energy_per_batch", "J", "energy per batch",
         "Energy of all devices and networks from the start to the last token.", "",
         Better::smaller, [](const At& at) { return at.energy_j; }, Bounded::yes},
    }),
    Of::energy("energy per output token",
               "energy_per_batch over output tokens: the energy of the prompt is part of it.",
               "energy_per_batch over latency and devices: networks are part of it."),
    Of::memory_and_device(
        "Share of memory_total: keys and values of whole requests, prompt and output."),
    Of::reuse(),
    Of::price(
        "Capital written off in the latency, and the energy of devices, networks and servers.",
        "relative uncertainty of the latency"));

}  // namespace

EstimateColumns inference_columns() {
  EstimateColumns columns = {
      time_column("latency", "latency",
                  "Time from the start of a batch of requests to its last token.", "time rank"),
      estimator::inference_phase_names,
      schema_of(figure_rows),
      {least_known_column()},
      {"latency", "energy_per_token", "accelerators"}};
  columns.bounds = Bounds::of_time;
  columns.bounded = bounded_of(figure_rows);
  return columns;
}

double bounded_figure(const Estimate& least, const JobFigures& job, std::size_t figure) {
  return bounded_batch_figure<figure_rows>(least, job, least.latency, figure);
}

double shortfall_of(const Estimate& estimate, const JobFigures& job) {
  return memory_shortfall<figure_rows>(estimate, job);
}

void fill_row(EstimateRow& row, const Estimate& estimate, const JobFigures& job) {
  set_batch_row<figure_rows>(row, estimate, job, estimate.latency);
}

}  // namespace scalesweep::study

// The columns of a batch of requests that starts together.
#include "study/columns/estimate_columns.hpp"
#include "study/columns/shared_columns.hpp"

namespace scalesweep::study {
namespace {

using Estimate = estimator::InferenceEstimate;
using At = Evaluated<Estimate>;
using Row = ColumnRow<Estimate>;
using Of = SharedByInference<Estimate>;

constexpr Row time_row = {"latency",
                          "s",
                          "latency",
                          "Time from the start of a batch of requests to its last token.",
                          "time rank",
                          Better::smaller,
                          [](const At& at) { return at.time_s; }};

constexpr Row figure_rows[] = {
    {"time_to_first_token", "s", "time to first token", "From the start to the first token.", "",
     Better::smaller, [](const At& at) { return at.estimate.time_to_first_token_s(); }},
    {"time_per_output_token", "s", "time per output token",
     "Mean of all tokens of a request after the first; 0 where there are none.", "main",
     Better::smaller, [](const At& at) { return at.estimate.time_per_output_token_s(); }},
    Of::tokens_per_second(
        "Output tokens per second, all replicas, from the start to the last token."),
    Of::tokens_per_second_per_device,
    {"energy_per_batch", "J", "energy per batch",
     "Energy of all devices and networks from the start to the last token.", "", Better::smaller,
     [](const At& at) { return at.energy_j; }},
    Of::energy_per_token("energy per output token",
                         "energy_per_batch over output tokens: the energy of the prompt is part of "
                         "it."),
    Of::average_power("energy_per_batch over latency and devices: networks are part of it."),
    Of::device_power,
    Of::memory_total,
    Of::memory_weights,
    Of::memory_cache("Share of memory_total: keys and values of whole requests, prompt and "
                     "output."),
    Of::memory_activations,
    Of::memory_usable,
    Of::memory_capacity,
    Of::tensor_peak,
    Of::dram_bandwidth,
    Of::scale_up_bandwidth,
    Of::scale_out_bandwidth,
    Of::largest_batch,
    Of::share_core_area,
    Of::share_memory_edge,
    Of::share_memory_power,
    Of::capital_cost,
    Of::cost_per_million_tokens(
        "cost per million output tokens",
        "Capital written off in the latency, and the energy of devices, networks and servers."),
    Of::carbon_per_million_tokens,
    Of::relative_uncertainty(
        "relative uncertainty of the latency",
        "Two of three measured cases lie within it. NaN where it is not known."),
};

}  // namespace

EstimateColumns inference_columns() {
  return {column_of(time_row, store::ColumnType::f64),
          estimator::inference_phase_names,
          schema_of<figure_rows>(),
          {},
          {"latency", "energy_per_token", "accelerators"}};
}

void fill_row(EstimateRow& row, const Estimate& estimate, const JobFigures& job) {
  const double time_s = estimate.latency_s();
  const At at = At::of(estimate, job, time_s, time_s, job.tokens);
  row.status = status_of(estimate.verdict);
  row.time_s = time_row.getter(at);
  row.charges = estimate.latency;
  row.labels.clear();
  set_figures<figure_rows>(row, estimate.phase_s, at);
}

}  // namespace scalesweep::study

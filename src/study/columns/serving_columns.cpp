// The columns of a service in its steady state.
#include <cmath>

#include "study/columns/estimate_columns.hpp"
#include "study/columns/shared_columns.hpp"
#include "study/kinds/serving.hpp"

namespace scalesweep::study {
namespace {

using Estimate = estimator::ServingEstimate;
using At = Evaluated<Estimate>;
using Row = ColumnRow<Estimate>;
using Of = SharedByInference<Estimate>;

template <std::size_t... i>
constexpr auto percentile_rows(std::index_sequence<i...>) {
  using workload::request_latencies;
  return std::to_array<Row>(
      {{request_latencies[i].name.view(), "s", request_latencies[i].long_name.view(),
        request_latencies[i].column_description.view(),
        request_latencies[i].time == workload::RequestTime::first_token ? "bar:first_token" : "",
        Better::smaller, [](const At& at) {
          const double time_s = estimator::percentile_of(at.estimate, request_latencies[i]);
          return std::isfinite(time_s) ? time_s : unknown;
        }}...});
}

template <std::int32_t parallel::Strategy::*size>
double prefill_size(const At& at) {
  return at.estimate.prefill_replicas > 0.0 ? at.estimate.prefill_strategy.*size : 0.0;
}

constexpr auto figure_rows = joined(
    std::to_array<Row>({
        {"request_rate", "Hz", "request rate",
         "Requests answered per second, all replicas: the most that the limits allow, or all that "
         "arrive.",
         "as_rate", Better::larger, [](const At& at) { return at.estimate.request_rate; },
         Bounded::yes},
    }),
    Of::in_flight(),
    std::to_array<Row>({
        {"time_to_first_token", "s", "time to first token",
         "Mean over requests, all waiting included. Where the batch is always full, and the "
         "percentiles NaN, requests queue without end: then from a place in the batch on.",
         "bar:first_token", Better::smaller,
         [](const At& at) { return at.estimate.time_to_first_token_s; }},
        {"waiting", "s", "waiting", "Share of time_to_first_token: before a prompt is begun.",
         "bar:first_token", Better::smaller, [](const At& at) { return at.estimate.waiting_s; }},
    }),
    percentile_rows(std::make_index_sequence<workload::request_latencies.size()>{}),
    std::to_array<Row>({
        {"prefill_replicas", "1", "replicas that process prompts", "Of disaggregated ones; else 0.",
         "", Better::neither, [](const At& at) { return at.estimate.prefill_replicas; }},
        {"prefill_devices", "1", "devices that process prompts",
         "Of disaggregated services: some of `accelerators`, or with [prefill] further ones.", "",
         Better::neither, [](const At& at) { return at.estimate.prefill_devices(); }},
        {"prefill_tensor_parallel", "1", "tensor parallelism of prefill",
         "Of the replicas that process prompts, found with [prefill]; 0 where there are none.", "",
         Better::neither, prefill_size<&parallel::Strategy::tensor_parallel>},
        {"prefill_pipeline_parallel", "1", "pipeline parallelism of prefill",
         "As prefill_tensor_parallel.", "", Better::neither,
         prefill_size<&parallel::Strategy::pipeline_parallel>},
        {"prefill_expert_parallel", "1", "expert parallelism of prefill",
         "As prefill_tensor_parallel.", "", Better::neither,
         prefill_size<&parallel::Strategy::expert_parallel>},
        {"devices", "1", "devices", "Of all pools.", "", Better::smaller,
         [](const At& at) { return at.job.devices(); }},
    }),
    Of::throughput("Output tokens per second, all replicas."),
    std::to_array<Row>({
        // A service is not better for being fast with few requests: what counts is what it takes to
        // serve them within the limits.
        {"device_seconds_per_token", "s", "device time per output token",
         "Devices of all pools over tokens_per_second: the inverse of the throughput per device, "
         "to be minimised.",
         "rank", Better::smaller,
         [](const At& at) { return at.job.devices() / at.estimate.tokens_per_s; }, Bounded::yes},
        {"seconds_per_request", "s", "system time per request",
         "The inverse of request_rate, to be minimised.", "", Better::smaller,
         [](const At& at) { return 1.0 / at.estimate.request_rate; }, Bounded::yes},
        {"miss", "1", "miss of the limits",
         "The largest of time / limit - 1, and of arrivals / the largest rate - 1; 0 where the "
         "limits are met, NaN where the model does not fit.",
         "nearest:misses_limits", Better::smaller, [](const At& at) { return at.estimate.miss; }},
    }),
    std::to_array<Row>({
        {"clock", "Hz", "clock",
         "Clock of the device; below its own where the service would exceed the thermal design "
         "power.",
         "", Better::neither,
         [](const At& at) { return at.job.clock_hz * at.estimate.clock_fraction; }},
        {"kept_in_l2", "1", "kept in L2",
         "Share of weights and cache that a pass finds in L2 since the one before.", "",
         Better::neither, [](const At& at) { return at.estimate.kept_in_l2; }},
    }),
    Of::energy("energy per output token",
               "Energy of all devices and networks per second over tokens_per_second.",
               "Energy per second over devices: networks are part of it."),
    Of::memory_and_device(
        "Share of memory_total: keys and values of all sequences being answered."),
    Of::reuse(),
    Of::price("Capital written off, and the energy of devices, networks and servers.",
              "relative uncertainty of the time per output token"),
    std::to_array<Row>({
        {"first_token_uncertainty", "1", "relative uncertainty of the time to first token",
         "Two of three measured times to the first token lie within it. NaN where it is not known.",
         "uncertainty:first_token", Better::neither,
         [](const At& at) { return Of::known_or_not(at.estimate.first_token_uncertainty); }},
    }));

// What a second of the mean day takes.
struct MeanSecond {
  const estimator::DayMean& day;
  StepPrice paid;  // of the devices that are paid for
  StepPrice run;   // of those that are on
};
using DayRow = FigureRow<MeanSecond>;

constexpr auto day_rows = std::to_array<DayRow>({
    {"day_tokens_per_second", "s-1", "output throughput over the day",
     "Mean over the day of the load curve, whose peak all other columns are of. NaN, as all of the "
     "day, where the peak misses the limits.",
     "", Better::larger, [](const MeanSecond& at) { return at.day.tokens_per_s; }},
    {"day_utilisation", "1", "utilisation over the day",
     "Mean load of the replicas that are on, over their load at the peak.", "", Better::larger,
     [](const MeanSecond& at) { return at.day.utilisation; }},
    {"day_devices", "1", "devices that are on over the day",
     "Mean over the day, devices of whole replicas.", "", Better::smaller,
     [](const MeanSecond& at) { return at.day.devices_on; }},
    {"day_energy_per_token", "J", "energy per output token over the day",
     "Energy of devices that are on, and of networks, over the tokens of the day.", "",
     Better::smaller, [](const MeanSecond& at) { return at.day.power_w / at.day.tokens_per_s; }},
    {"day_device_seconds_per_token", "s", "device time per output token over the day",
     "Of devices that are paid for: all, or those that are on where others are given back.",
     "as_time", Better::smaller,
     [](const MeanSecond& at) { return at.day.devices_paid / at.day.tokens_per_s; }},
    {"day_cost_per_million_tokens", "USD", "cost per million output tokens over the day",
     "Capital written off of the devices that are paid for, and energy of those that are on, their "
     "networks and servers.",
     "as_time", Better::smaller,
     [](const MeanSecond& at) {
       return (at.paid.written_off_usd() + at.run.energy_usd) / (at.day.tokens_per_s * 1e-6);
     }},
    {"day_carbon_per_million_tokens", "kg", "carbon per million output tokens over the day",
     "CO2 equivalent, embodied of the devices that are paid for, operational of those that are on.",
     "as_time", Better::smaller,
     [](const MeanSecond& at) {
       return (at.paid.embodied_kg + at.run.operational_kg) / (at.day.tokens_per_s * 1e-6);
     }},
});

// Sessions of a service, and what their requests meet.
struct Met {
  const estimator::SessionLaw& sessions;
  const Estimate& estimate;

  double session_s() const {
    return sessions.length_s(estimate.time_to_first_token_s, estimate.time_per_output_token_s);
  }
};
using SessionRow = FigureRow<Met>;

constexpr auto session_rows = std::to_array<SessionRow>({
    {"session_time", "s", "time of a session",
     "A mean, from its first prompt to its last token: for each turn the time to the first token "
     "and that of the others, and between turns the time to think.",
     "", Better::smaller, [](const Met& at) { return at.session_s(); }},
    {"open_sessions", "1", "open sessions",
     "Sessions at a time, those that think among them: their rate times session_time.", "",
     Better::neither,
     [](const Met& at) { return at.estimate.request_rate / at.sessions.turns * at.session_s(); }},
});

}  // namespace

store::Schema session_columns() {
  return schema_of(session_rows);
}

void add_sessions(EstimateRow& row, const Estimate& estimate,
                  const estimator::SessionLaw& sessions) {
  for (const SessionRow& one : session_rows) {
    row.figures.push_back(one.getter({sessions, estimate}));
  }
}

store::Schema day_columns() {
  return schema_of(day_rows);
}

void add_day(EstimateRow& row, const Estimate& estimate, const JobFigures& job) {
  const estimator::DayMean& day = estimate.day;
  MeanSecond second = {day, no_price, no_price};
  if (job.ownership) {
    second.paid = step_price(*job.ownership, 1.0, day.devices_paid, day.power_w);
    second.run = step_price(*job.ownership, 1.0, day.devices_on, day.power_w);
  }
  for (const DayRow& one : day_rows) {
    row.figures.push_back(day.known() ? one.getter(second) : unknown);
  }
}

EstimateColumns serving_columns() {
  EstimateColumns columns = {
      time_column("time_per_output_token", "time per output token",
                  "Mean over the tokens of requests after their first. Charges and phases are "
                  "those of a mean iteration of a replica that decodes, scaled to it.",
                  "time"),
      estimator::inference_phase_names,
      schema_of(figure_rows),
      {least_known_column(),
       with_absent_none(labelled(
           "bound", "bound of the rate",
           "What keeps the rate from being higher: memory for more caches, a limit, iterations "
           "that last longer than requests take to arrive; arrivals: nothing, all that arrive are "
           "answered.",
           or_none(estimator::serving_bound_names.list())))},
      {"device_seconds_per_token", "time_per_output_token", "accelerators"},
      serving_statuses,
      "What became of the point. ok: the limits are met; does_not_fit: not even the weights fit, "
      "or no cache beside them: memory and devices are known alone; misses_limits: a single "
      "request takes too long, or more arrive than "
      "can be answered in time; the others have no estimate: filtered: removed by a filter; "
      "too_few_replicas: no two pools; pruned: with bounded counts, it fits and serves less "
      "than what is kept, if it keeps the limits at all; the rest: why the device cannot be built "
      "or "
      "used."};
  columns.bounds = Bounds::of_rate;
  // How many sequences there are, and what they hold, follows from the rate that is found.
  columns.bounded = bounded_of(figure_rows);
  std::replace(columns.bounded.begin(), columns.bounded.end(), Bounded::exact, Bounded::no);
  return columns;
}

double bounded_figure(const Estimate& least, const JobFigures& job, std::size_t figure) {
  return figure_rows[figure].getter(At::of(least, job, 0.0, 1.0, least.tokens_per_s));
}

Status status_of(const Estimate& estimate) {
  switch (estimate.verdict) {
    case estimator::ServingVerdict::meets_limits:
      return within_limit(Status::ok,
                          std::max(estimate.unkept_power_w, estimate.prefill_unkept_power_w));
    case estimator::ServingVerdict::misses_limits:
      return misses_limits;
    case estimator::ServingVerdict::too_few_replicas:
      return too_few_replicas;
    case estimator::ServingVerdict::does_not_fit:
      break;
  }
  return Status::does_not_fit;
}

double shortfall_of(const Estimate& estimate, const JobFigures& job) {
  switch (status_of(estimate)) {
    case Status::does_not_fit:
      return nearest_figure<figure_rows, row_with<figure_rows>("nearest:does_not_fit")>(estimate,
                                                                                        job);
    case misses_limits:
      return nearest_figure<figure_rows, row_with<figure_rows>("nearest:misses_limits")>(estimate,
                                                                                         job);
    default:
      return unknown;
  }
}

// Energy and price are those of one second; charges and phases of a mean iteration become those of
// a token.
void fill_row(EstimateRow& row, const Estimate& estimate, const JobFigures& job) {
  const double time_s = estimate.time_per_output_token_s;
  const double iteration_s = estimate.iteration.total_s();
  set_row<figure_rows>(
      row, status_of(estimate), At::of(estimate, job, time_s, 1.0, estimate.tokens_per_s),
      estimate.iteration, estimate.phase_s, iteration_s > 0.0 ? time_s / iteration_s : unknown);
  row.labels = {least_known_label(estimate), static_cast<std::uint8_t>(estimate.bound)};
}

}  // namespace scalesweep::study

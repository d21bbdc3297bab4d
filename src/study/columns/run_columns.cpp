// The columns of a whole run, which only some specs of training ask for.
#include "study/columns/estimate_columns.hpp"
#include "study/columns/shared_columns.hpp"

namespace scalesweep::study {
namespace {

using estimator::RunPart;

struct At {
  const estimator::RunEstimate& run;
  double utilization;  // of the step
  StepPrice price;
};
using Row = FigureRow<At>;

double as_reached(const At& at, double estimator::ReachedTimes::*times) {
  return at.run.reached.is_known() ? at.run.time_s() * at.run.reached.*times : unknown;
}

template <RunPart part>
double part_of(const At& at) {
  return at.run.times[part];
}

constexpr auto run_rows = std::to_array<Row>({
    {"time_to_train", "s", "time to train",
     "Of the whole run, with all that stops it. The columns run_steps to run_repairs sum to it.",
     "as_time whole_run adds_up", Better::smaller, [](const At& at) { return at.run.time_s(); },
     Bounded::yes},
    {"goodput", "1", "goodput", "Share of time_to_train in which steps are done that stay.", "",
     Better::larger, [](const At& at) { return at.run.goodput(); }},
    {"effective_utilization", "1", "effective model FLOP utilization",
     "model_flop_utilization times goodput.", "as_rate", Better::larger,
     [](const At& at) { return at.utilization * at.run.goodput(); }, Bounded::yes},
    {"run_device_hours", "h", "device hours of the run",
     "Of all devices, those that stand by among them.", "as_time adds_up", Better::smaller,
     [](const At& at) { return at.run.devices * at.run.time_s() / 3600.0; }, Bounded::yes},
    {"run_cost", "USD", "cost of the run",
     "Capital of all devices written off in time_to_train, and energy.", "as_time run_cost adds_up",
     Better::smaller, [](const At& at) { return at.price.cost_usd(); }, Bounded::yes},
    {"run_energy", "J", "energy of the run",
     "Of devices and networks: of steps, lost ones among them, and of idle devices for the rest.",
     "adds_up", Better::smaller, [](const At& at) { return at.run.energy_j; }, Bounded::yes},
    {"run_carbon", "kg", "carbon of the run",
     "CO2 equivalent, embodied and operational, of the whole run.", "as_time adds_up",
     Better::smaller, [](const At& at) { return at.price.carbon_kg(); }, Bounded::yes},
    {"run_steps", "s", "steps of the run", "Share of time_to_train: steps that stay.", "",
     Better::smaller, &part_of<RunPart::steps>, Bounded::yes},
    {"run_input", "s", "waiting for input of the run",
     "Share of time_to_train: where storage reads more slowly than devices train.", "",
     Better::smaller, &part_of<RunPart::input>},
    {"run_slow_devices", "s", "slow devices of the run",
     "Share of time_to_train: what steps take longer until a slow device is replaced.", "",
     Better::smaller, &part_of<RunPart::slow_devices>},
    {"run_checkpoints", "s", "checkpoints of the run",
     "Share of time_to_train: while checkpoints stop the job.", "", Better::smaller,
     &part_of<RunPart::checkpoints>},
    {"run_lost_work", "s", "lost work of the run",
     "Share of time_to_train: since the checkpoint that failures throw the job back to.", "",
     Better::smaller, &part_of<RunPart::lost_work>},
    {"run_restarts", "s", "restarts of the run",
     "Share of time_to_train: from failures until work goes on, and the first start.", "",
     Better::smaller, &part_of<RunPart::restarts>},
    {"run_repairs", "s", "repairs of the run",
     "Share of time_to_train: waiting for a node where no spare one is left, or going on without.",
     "", Better::smaller, &part_of<RunPart::repairs>},
    {"run_storage", "s", "time of the run set by storage",
     "Of time_to_train, what the rate of storage sets: steps and input as a whole where it is read "
     "more slowly than devices train, what checkpoints stop for it and what restarts read.",
     "adds_up", Better::smaller,
     [](const At& at) { return at.run.charges[estimator::Resource::storage]; }},
    {"reached_time", "s", "time to train as labs reached",
     "The middle of what published runs took that were estimated to take time_to_train. NaN where "
     "the entry of reliability does not know.",
     "", Better::smaller,
     [](const At& at) { return as_reached(at, &estimator::ReachedTimes::middle); }},
    {"reached_time_low", "s", "time to train as labs reached, at least",
     "Two of three published runs took at least this; never nearer to reached_time than the error "
     "bar of the step.",
     "", Better::smaller,
     [](const At& at) { return as_reached(at, &estimator::ReachedTimes::low); }},
    {"reached_time_high", "s", "time to train as labs reached, at most",
     "Two of three published runs took at most this; never nearer to reached_time than the error "
     "bar of the step.",
     "", Better::smaller,
     [](const At& at) { return as_reached(at, &estimator::ReachedTimes::high); }},
    {"reported_losses", "1", "losses that labs report",
     "Share of reached_time: batches that grow, evaluation and what people restart by hand. The "
     "rest of what it is over time_to_train is software and layouts of their year.",
     "", Better::smaller,
     [](const At& at) { return at.run.reached.is_known() ? at.run.reached.reported : unknown; }},
    {"run_failures", "1", "failures in the run", "That stop the job, in the mean.", "",
     Better::smaller, [](const At& at) { return at.run.failures(); }},
    {"time_between_failures", "s", "time between failures",
     "The mean of all its devices, hosts, links, switches and software; NaN where nothing fails.",
     "", Better::larger,
     [](const At&
            at) { return at.run.failures_per_s > 0.0 ? 1.0 / at.run.failures_per_s : unknown; }},
    {"restart_time", "s", "time of a restart",
     "From a failure until work goes on, without the work that was lost.", "", Better::smaller,
     [](const At& at) { return at.run.restart_s; }},
    {"checkpoint_size", "B", "size of a checkpoint",
     "Weights and optimizer states of the whole model, each once.", "", Better::smaller,
     [](const At& at) { return at.run.checkpoint.bytes; }},
    {"checkpoint_stop", "s", "time that a checkpoint stops the job",
     "Until host memory has it; with synchronous ones until storage has it.", "", Better::smaller,
     [](const At& at) { return at.run.checkpoint.stop_s; }},
    {"checkpoint_behind", "s", "time of a checkpoint beside the steps",
     "Until storage or a peer has it; no other one begins before.", "", Better::smaller,
     [](const At& at) { return at.run.checkpoint.behind_s; }},
    {"checkpoint_every", "s", "work between checkpoints",
     "As asked for, or that with which the run is shortest.", "", Better::neither,
     [](const At& at) { return at.run.interval_s; }},
});

}  // namespace

store::Schema run_columns() {
  return schema_of(run_rows);
}

std::vector<Bounded> bounded_run_columns() {
  return bounded_of(run_rows);
}

StepPrice price_of_run(const technology::Ownership& ownership, const estimator::RunEstimate& run) {
  return step_price(ownership, run.time_s(), run.devices, run.energy_j);
}

namespace {

At at_run(const estimator::RunEstimate& run, const estimator::TrainingEstimate& step,
          const JobFigures& job) {
  return {run, step.model_flop_utilization,
          job.ownership ? price_of_run(*job.ownership, run) : no_price};
}

}  // namespace

void add_run(EstimateRow& row, const estimator::RunEstimate& run,
             const estimator::TrainingEstimate& step, const JobFigures& job) {
  const At at = at_run(run, step, job);
  for (const Row& one : run_rows) {
    row.figures.push_back(one.getter(at));
  }
}

double bounded_run_figure(const estimator::RunEstimate& run,
                          const estimator::TrainingEstimate& step, const JobFigures& job,
                          std::size_t figure) {
  return run_rows[figure].getter(at_run(run, step, job));
}

}  // namespace scalesweep::study

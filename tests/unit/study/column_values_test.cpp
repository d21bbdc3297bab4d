// Every column of an estimate against a statement of its own: an estimate in which no two fields
// have the same value, and by name what each column says of it. A value in the wrong column is
// another number.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "study/columns/estimate_columns.hpp"
#include "study/columns/schema.hpp"
#include "study/kinds/workload_kind.hpp"

namespace scalesweep::study {
namespace {

using estimator::InferencePhase;
using estimator::Phase;
using estimator::Resource;

using Expected = std::map<std::string, double>;

// Different from call to call, with sums and quotients that differ as well.
class Values {
 public:
  double next() {
    value_ = 1.1 * value_ + 0.37;
    return value_;
  }
  void fill(auto& numbers) {
    for (double& number : numbers) {
      number = next();
    }
  }

 private:
  double value_ = 1.0;
};

estimator::EnergyUse energy_of(Values& values) {
  estimator::EnergyUse energy;
  for (double* part :
       {&energy.tensor_j, &energy.vector_j, &energy.dram_j, &energy.l2_j, &energy.scale_up_j,
        &energy.scale_out_j, &energy.static_j, &energy.idle_j, &energy.active_j}) {
    *part = values.next();
  }
  return energy;
}

double sum_of(const estimator::EnergyUse& e) {
  return e.tensor_j + e.vector_j + e.dram_j + e.l2_j + e.scale_up_j + e.scale_out_j + e.static_j +
         e.idle_j + e.active_j;
}

estimator::InferenceMemory memory_of(Values& values) {
  estimator::InferenceMemory memory;
  for (double* part :
       {&memory.weights_bytes, &memory.cache_bytes, &memory.activations_bytes, &memory.usable_bytes,
        &memory.largest_batch, &memory.largest_batch_per_replica, &memory.adapter_bytes,
        &memory.prefix_bytes}) {
    *part = values.next();
  }
  return memory;
}

JobFigures job_of(Values& values) {
  JobFigures job;
  technology::Ownership& own = job.ownership.emplace();
  for (double* figure :
       {&job.work_units, &job.accelerators, &job.memory_capacity_bytes, &job.tensor_peak_flop_per_s,
        &job.dram_bytes_per_s, &job.scale_up_bytes_per_s, &job.scale_out_bytes_per_s, &job.clock_hz,
        &own.embodied_kg_per_s, &own.energy_usd_per_j, &own.energy_kg_per_j, &own.server_power_w,
        &own.device.die_yield, &own.device.clustering}) {
    *figure = values.next();
  }
  job.shares = {0.31, 0.32, 0.33};
  for (Usd& price : own.prices) {
    price = Usd::si(values.next());
  }
  values.fill(own.rates_usd_per_s);
  values.fill(own.repricing_usd_per_s);
  own.device.wafer_price = Usd::si(values.next());
  own.device.defect_density = PerSquareMetre::si(values.next());
  own.repricing_usd_per_s.front() = own.energy_usd_per_j * own.server_power_w;  // seen in a sum
  return job;
}

// What `seconds` of the system cost and emit, from prices by hand.
struct Price {
  std::array<double, technology::capital_count> parts_usd{};
  std::array<double, technology::repricing_count> repricing_usd{};
  double written_off_usd = 0.0;
  double energy_usd, embodied_kg, operational_kg;

  Price(const JobFigures& job, double seconds, double energy_j) {
    const technology::Ownership& own = *job.ownership;
    const double bought_j = energy_j + own.server_power_w * seconds * job.accelerators;
    for (std::size_t part = 0; part < parts_usd.size(); ++part) {
      parts_usd.at(part) = own.rates_usd_per_s.at(part) * seconds * job.accelerators;
      written_off_usd += parts_usd.at(part);
    }
    for (std::size_t what = 0; what < repricing_usd.size(); ++what) {
      repricing_usd.at(what) = own.repricing_usd_per_s.at(what) * seconds * job.accelerators;
    }
    energy_usd = own.energy_usd_per_j * bought_j;
    embodied_kg = own.embodied_kg_per_s * seconds * job.accelerators;
    operational_kg = own.energy_kg_per_j * bought_j;
  }
};

// The parts of the cost of a million tokens.
void expect_parts(const Price& price, double tokens, Expected& expected) {
  for (std::size_t part = 0; part < technology::capital_count; ++part) {
    const std::string name = "cost_" + std::string(technology::capital_names[part]);
    expected[name] = price.parts_usd.at(part) / tokens * 1e6;
  }
  expected["cost_energy"] = price.energy_usd / tokens * 1e6;
  const double other_usd = price.repricing_usd[0] - price.parts_usd[0] + price.written_off_usd;
  expected["cost_by_other_margin"] = (other_usd + price.energy_usd) / tokens * 1e6;
  expected["cost_of_wafers"] = price.repricing_usd[1] / tokens * 1e6;
  expected["cost_of_lost_memory"] = price.repricing_usd[2] / tokens * 1e6;
}

// Of all kinds.
void expect_job(const JobFigures& job, Expected& expected) {
  expected.merge(Expected{
      {"memory_capacity", job.memory_capacity_bytes},
      {"tensor_peak", job.tensor_peak_flop_per_s},
      {"dram_bandwidth", job.dram_bytes_per_s},
      {"scale_up_bandwidth", job.scale_up_bytes_per_s},
      {"scale_out_bandwidth", job.scale_out_bytes_per_s},
      {"share_core_area", *job.shares.core_area},
      {"share_memory_edge", *job.shares.memory_edge},
      {"share_memory_power", *job.shares.memory_power},
      {"capital_cost", job.ownership->capital().si() * job.accelerators},
      {"price_of_wafer", job.ownership->device.wafer_price.si()},
      {"yield_of_dies", job.ownership->device.die_yield},
      {"density_of_defects", job.ownership->device.defect_density->si()},
      {"clustering_of_defects", job.ownership->device.clustering},
  });
}

void expect_charges(const estimator::Charges& charges, double scale, Expected& expected) {
  const auto add = [&](const char* name, Resource resource) {
    expected[name] = scale * charges.values.at(static_cast<std::size_t>(resource));
  };
  add("charge_tensor_compute", Resource::tensor_compute);
  add("charge_vector_compute", Resource::vector_compute);
  add("charge_dram", Resource::dram);
  add("charge_l2", Resource::l2);
  add("charge_shared_memory", Resource::shared_memory);
  add("charge_scale_up", Resource::scale_up);
  add("charge_scale_out", Resource::scale_out);
  add("charge_latency", Resource::latency);
  add("charge_host", Resource::host);
  add("charge_storage", Resource::storage);
}

void expect_phases(const auto& phase_s, double scale, Expected& expected) {
  const auto add = [&](const char* name, InferencePhase phase) {
    expected[name] = scale * phase_s.at(static_cast<std::size_t>(phase));
  };
  add("phase_prefill_linear", InferencePhase::prefill_linear);
  add("phase_prefill_attention", InferencePhase::prefill_attention);
  add("phase_prefill_other", InferencePhase::prefill_other);
  add("phase_prefill_communication", InferencePhase::prefill_communication);
  add("phase_prefill_encoder", InferencePhase::prefill_encoder);
  add("phase_decode_linear", InferencePhase::decode_linear);
  add("phase_decode_attention", InferencePhase::decode_attention);
  add("phase_decode_other", InferencePhase::decode_other);
  add("phase_decode_communication", InferencePhase::decode_communication);
  add("phase_pipeline", InferencePhase::pipeline);
  add("phase_host", InferencePhase::host);
  add("phase_draft", InferencePhase::draft);
}

void expect_memory(const estimator::InferenceMemory& memory, Expected& expected) {
  expected.merge(Expected{
      {"memory_total",
       memory.weights_bytes + memory.cache_bytes + memory.activations_bytes + memory.prefix_bytes},
      {"memory_weights", memory.weights_bytes},
      {"memory_cache", memory.cache_bytes},
      {"memory_activations", memory.activations_bytes},
      {"memory_usable", memory.usable_bytes},
      {"largest_batch", memory.largest_batch},
      {"largest_batch_per_replica", memory.largest_batch_per_replica},
      {"memory_adapters", memory.adapter_bytes},
      {"memory_prefixes", memory.prefix_bytes},
  });
}

// What devices hold, and what requests find there.
void fill_held(auto& estimate, Values& values) {
  estimate.memory = memory_of(values);
  values.fill(estimate.prefixes.found);
  estimate.prefixes.load_s = values.next();
  estimate.prefixes.recompute_s = values.next();
}
void expect_held(const auto& estimate, Expected& expected) {
  expect_memory(estimate.memory, expected);
  expected.merge(Expected{
      {"found_in_device", estimate.prefixes.found[0]},
      {"found_in_host", estimate.prefixes.found[1]},
      {"found_in_storage", estimate.prefixes.found[2]},
      {"prefix_load", estimate.prefixes.load_s},
      {"prefix_recompute", estimate.prefixes.recompute_s},
  });
}

// Each column of numbers behind the status has the value expected of its name, and no two values
// are alike.
template <typename Estimate>
void expect_columns(const WorkloadKind& kind, const Estimate& estimate, const JobFigures& job,
                    const Expected& expected) {
  const store::Schema schema = make_schema(kind.columns(), {});
  store::Table table(schema);
  EstimateRow row;
  fill_row(row, estimate, job);
  RowWriter(table, schema, 0).append_estimate(0, {}, row);
  ASSERT_TRUE(table.rectangular());
  std::set<double> seen;
  std::size_t columns = 0;
  for (std::size_t c = column_named(schema, "status") + 1; c < schema.size(); ++c) {
    if (!schema[c].labels.empty()) {
      continue;
    }
    const auto wanted = expected.find(schema[c].name);
    ASSERT_NE(wanted, expected.end()) << schema[c].name << " is not stated in this test";
    const double value = table.number(c, 0);
    EXPECT_NEAR(value / wanted->second, 1.0, 1e-6) << schema[c].name;
    const auto near = seen.lower_bound(value * (1.0 - 1e-5));
    EXPECT_FALSE(near != seen.end() && *near < value * (1.0 + 1e-5))
        << schema[c].name << " is like another column here: " << value;
    seen.insert(value);
    ++columns;
  }
  EXPECT_EQ(columns, expected.size()) << "this test states a column that is not there";
}

Expected expected_of(const estimator::TrainingEstimate& e, const JobFigures& job) {
  double time_s = 0.0;
  for (const double charge_s : e.step.values) {
    time_s += charge_s;
  }
  const double energy_j = sum_of(e.energy);
  const Price price(job, time_s, energy_j);
  Expected expected = {
      {"step_time", time_s},
      {"model_flop_utilization", e.model_flop_utilization},
      {"tokens_per_second", job.work_units / time_s},
      {"clock", job.clock_hz * e.clock_fraction},
      {"energy_per_step", energy_j},
      {"energy_per_token", energy_j / job.work_units},
      {"average_power", energy_j / time_s / job.accelerators},
      {"device_power", e.device_power_w},
      {"energy_tensor", e.energy.tensor_j},
      {"energy_vector", e.energy.vector_j},
      {"energy_dram", e.energy.dram_j},
      {"energy_l2", e.energy.l2_j},
      {"energy_scale_up", e.energy.scale_up_j},
      {"energy_scale_out", e.energy.scale_out_j},
      {"energy_static", e.energy.static_j},
      {"energy_idle", e.energy.idle_j},
      {"energy_active", e.energy.active_j},
      {"memory_total", e.memory.weights_bytes + e.memory.gradients_bytes +
                           e.memory.optimizer_bytes + e.memory.activations_bytes},
      {"memory_weights", e.memory.weights_bytes},
      {"memory_gradients", e.memory.gradients_bytes},
      {"memory_optimizer", e.memory.optimizer_bytes},
      {"memory_activations", e.memory.activations_bytes},
      {"memory_reserved", e.memory.reserved_bytes},
      {"cost_per_step", price.written_off_usd + price.energy_usd},
      {"cost_per_million_tokens",
       (price.written_off_usd + price.energy_usd) / job.work_units * 1e6},
      {"embodied_carbon_per_step", price.embodied_kg},
      {"operational_carbon_per_step", price.operational_kg},
      {"carbon_per_million_tokens",
       (price.embodied_kg + price.operational_kg) / job.work_units * 1e6},
      {"relative_uncertainty", e.relative_uncertainty},
  };
  expect_parts(price, job.work_units, expected);
  return expected;
}

void expect_phases(const std::array<double, estimator::phase_count>& phase_s, Expected& expected) {
  const auto phase = [&](const char* name, Phase one) {
    expected[name] = phase_s.at(static_cast<std::size_t>(one));
  };
  phase("phase_forward", Phase::forward);
  phase("phase_backward", Phase::backward);
  phase("phase_recompute", Phase::recompute);
  phase("phase_encoder", Phase::encoder);
  phase("phase_tensor_communication", Phase::tensor_communication);
  phase("phase_context_communication", Phase::context_communication);
  phase("phase_expert_communication", Phase::expert_communication);
  phase("phase_pipeline_communication", Phase::pipeline_communication);
  phase("phase_data_communication", Phase::data_communication);
  phase("phase_optimizer", Phase::optimizer);
  phase("phase_bubble", Phase::bubble);
  phase("phase_offload", Phase::offload);
  phase("phase_stragglers", Phase::stragglers);
  phase("phase_uneven_inputs", Phase::uneven_inputs);
}

TEST(ColumnValues, EveryColumnOfTrainingIsTheOneOfItsName) {
  Values values;
  estimator::TrainingEstimate e;
  values.fill(e.step.values);
  values.fill(e.phase_s);
  estimator::MemoryUse& memory = e.memory;
  for (double* part :
       {&memory.weights_bytes, &memory.gradients_bytes, &memory.optimizer_bytes,
        &memory.activations_bytes, &memory.reserved_bytes, &memory.states_bytes, &e.device_power_w,
        &e.clock_fraction, &e.model_flop_utilization, &e.relative_uncertainty}) {
    *part = values.next();
  }
  e.energy = energy_of(values);
  const JobFigures job = job_of(values);
  Expected expected = expected_of(e, job);
  expect_job(job, expected);
  expect_charges(e.step, 1.0, expected);
  expect_phases(e.phase_s, expected);
  expect_columns(training_kind(), e, job, expected);
}

TEST(ColumnValues, EveryColumnOfABatchIsTheOneOfItsName) {
  Values values;
  estimator::InferenceEstimate e;
  values.fill(e.latency.values);
  values.fill(e.first_token.values);
  values.fill(e.phase_s);
  e.latency.values.back() += 1e4;  // it lasts longer than its first token
  for (double* figure : {&e.output_tokens, &e.batch, &e.replicas, &e.tokens_per_s,
                         &e.device_power_w, &e.relative_uncertainty, &e.prefill_clock_fraction,
                         &e.decode_clock_fraction, &e.kept_in_l2}) {
    *figure = values.next();
  }
  fill_held(e, values);
  e.energy = energy_of(values);
  const JobFigures job = job_of(values);
  double time_s = 0.0;
  double first_s = 0.0;
  for (std::size_t i = 0; i < estimator::resource_count; ++i) {
    time_s += e.latency.values.at(i);
    first_s += e.first_token.values.at(i);
  }
  const double energy_j = sum_of(e.energy);
  const Price price(job, time_s, energy_j);
  Expected expected = {
      {"latency", time_s},
      {"time_to_first_token", first_s},
      {"time_per_output_token", (time_s - first_s) / (e.output_tokens - 1.0)},
      {"requests_in_flight", e.batch},
      {"requests_in_flight_per_replica", e.batch / e.replicas},
      {"tokens_per_second", e.tokens_per_s},
      {"tokens_per_second_per_device", e.tokens_per_s / job.accelerators},
      {"energy_per_batch", energy_j},
      {"prefill_clock", job.clock_hz * e.prefill_clock_fraction},
      {"decode_clock", job.clock_hz * e.decode_clock_fraction},
      {"kept_in_l2", e.kept_in_l2},
      {"energy_per_token", energy_j / job.work_units},
      {"average_power", energy_j / time_s / job.accelerators},
      {"device_power", e.device_power_w},
      {"cost_per_million_tokens",
       (price.written_off_usd + price.energy_usd) / job.work_units * 1e6},
      {"carbon_per_million_tokens",
       (price.embodied_kg + price.operational_kg) / job.work_units * 1e6},
      {"relative_uncertainty", e.relative_uncertainty},
  };
  expect_parts(price, job.work_units, expected);
  expect_job(job, expected);
  expect_held(e, expected);
  expect_charges(e.latency, 1.0, expected);
  expect_phases(e.phase_s, 1.0, expected);
  expect_columns(inference_kind(), e, job, expected);
}

// Each figure another one.
estimator::ServingEstimate service_of(Values& values) {
  estimator::ServingEstimate e;
  values.fill(e.iteration.values);
  values.fill(e.phase_s);
  for (double* figure :
       {&e.batch, &e.replicas, &e.request_rate, &e.tokens_per_s, &e.time_to_first_token_s,
        &e.waiting_s, &e.time_per_output_token_s, &e.miss, &e.prefill_replicas, &e.device_power_w,
        &e.relative_uncertainty, &e.first_token_uncertainty, &e.clock_fraction, &e.kept_in_l2}) {
    *figure = values.next();
  }
  values.fill(e.first_token_s);
  values.fill(e.output_token_s);
  e.prefill_strategy.tensor_parallel = 2;
  e.prefill_strategy.pipeline_parallel = 3;
  e.prefill_strategy.context_parallel = 5;
  e.prefill_strategy.data_parallel = 7;
  e.prefill_strategy.expert_parallel = 35;
  fill_held(e, values);
  e.energy = energy_of(values);
  return e;
}

TEST(ColumnValues, EveryColumnOfAServiceIsTheOneOfItsName) {
  Values values;
  const estimator::ServingEstimate e = service_of(values);
  const JobFigures job = job_of(values);
  double iteration_s = 0.0;
  for (const double charge_s : e.iteration.values) {
    iteration_s += charge_s;
  }
  const double scale = e.time_per_output_token_s / iteration_s;
  const double power_w = sum_of(e.energy);
  const Price price(job, 1.0, power_w);
  Expected expected = {
      {"time_per_output_token", e.time_per_output_token_s},
      {"request_rate", e.request_rate},
      {"requests_in_flight", e.batch},
      {"requests_in_flight_per_replica", e.batch / e.replicas},
      {"time_to_first_token", e.time_to_first_token_s},
      {"time_to_first_token_p50", e.first_token_s[0]},
      {"time_to_first_token_p90", e.first_token_s[1]},
      {"time_to_first_token_p99", e.first_token_s[2]},
      {"time_per_output_token_p50", e.output_token_s[0]},
      {"time_per_output_token_p90", e.output_token_s[1]},
      {"time_per_output_token_p99", e.output_token_s[2]},
      {"waiting", e.waiting_s},
      {"prefill_replicas", e.prefill_replicas},
      {"prefill_devices", 2 * 3 * 5 * 7},
      {"prefill_tensor_parallel", 2},
      {"prefill_pipeline_parallel", 3},
      {"prefill_expert_parallel", 35},
      {"devices", job.accelerators},
      {"tokens_per_second", e.tokens_per_s},
      {"tokens_per_second_per_device", e.tokens_per_s / job.accelerators},
      {"device_seconds_per_token", job.accelerators / e.tokens_per_s},
      {"seconds_per_request", 1.0 / e.request_rate},
      {"miss", e.miss},
      {"clock", job.clock_hz * e.clock_fraction},
      {"kept_in_l2", e.kept_in_l2},
      {"energy_per_token", power_w / e.tokens_per_s},
      {"average_power", power_w / job.accelerators},
      {"device_power", e.device_power_w},
      {"cost_per_million_tokens",
       (price.written_off_usd + price.energy_usd) / e.tokens_per_s * 1e6},
      {"carbon_per_million_tokens",
       (price.embodied_kg + price.operational_kg) / e.tokens_per_s * 1e6},
      {"relative_uncertainty", e.relative_uncertainty},
      {"first_token_uncertainty", e.first_token_uncertainty},
  };
  expect_parts(price, e.tokens_per_s, expected);
  expect_job(job, expected);
  expect_held(e, expected);
  expect_charges(e.iteration, scale, expected);
  expect_phases(e.phase_s, scale, expected);
  expect_columns(serving_kind(), e, job, expected);
}

// Devices of two pools, each with its own price; energy is bought once.
TEST(ColumnValues, PricesOfTwoPoolsAreThoseOfBoth) {
  Values values;
  JobFigures both = job_of(values);
  both.prefill_devices = 3.0;
  both.prefill_ownership = job_of(values).ownership;
  JobFigures other = both;
  other.ownership = both.prefill_ownership;
  other.accelerators = both.prefill_devices;
  const Price decode(both, 2.0, 7.0);
  const Price prefill(other, 2.0, 0.0);
  const StepPrice price = price_of(both, 2.0, 7.0);
  EXPECT_DOUBLE_EQ(price.written_off_usd(), decode.written_off_usd + prefill.written_off_usd);
  EXPECT_DOUBLE_EQ(price.energy_usd, decode.energy_usd + prefill.energy_usd);
  EXPECT_DOUBLE_EQ(price.carbon_kg(), decode.embodied_kg + decode.operational_kg +
                                          prefill.embodied_kg + prefill.operational_kg);
  EXPECT_EQ(both.devices(), both.accelerators + 3.0);
  both.prefill_ownership.reset();
  EXPECT_TRUE(std::isnan(price_of(both, 2.0, 7.0).cost_usd()));
}

TEST(ColumnValues, TheBoundOfAServiceIsTheOneOfItsName) {
  const std::map<std::string, estimator::ServingBound> bounds = {
      {"memory", estimator::ServingBound::memory},
      {"time_to_first_token", estimator::ServingBound::time_to_first_token},
      {"time_per_output_token", estimator::ServingBound::time_per_output_token},
      {"throughput", estimator::ServingBound::throughput},
      {"arrivals", estimator::ServingBound::arrivals}};
  const store::Schema labels = serving_columns().labels;
  ASSERT_EQ(labels.size(), 2U);
  ASSERT_EQ(labels[1].labels.size(), bounds.size() + 1);
  EXPECT_EQ(labels[1].labels.back(), "none");
  for (const auto& [name, bound] : bounds) {
    estimator::ServingEstimate estimate;
    estimate.bound = bound;
    EstimateRow row;
    fill_row(row, estimate, {});
    EXPECT_EQ(labels[1].labels.at(row.labels.at(1)), name);
  }
}

template <typename Estimate>
void expect_least_known(const store::Schema& labels) {
  for (const auto& [trait, name] :
       {std::pair{technology::Trait::offload, "offload to hosts"},
        std::pair{technology::Trait::expert_parallelism, "expert parallelism"}}) {
    Estimate estimate;
    estimate.least_known = static_cast<std::size_t>(trait);
    EstimateRow row;
    fill_row(row, estimate, {});
    EXPECT_EQ(labels.at(0).labels.at(row.labels.at(0)), name);
  }
  EstimateRow row;
  fill_row(row, Estimate{}, {});
  EXPECT_EQ(labels.at(0).labels.at(row.labels.at(0)), "none");
}

TEST(ColumnValues, WhatIsLeastKnownIsTheTraitOfItsName) {
  expect_least_known<estimator::TrainingEstimate>(training_columns().labels);
  expect_least_known<estimator::InferenceEstimate>(inference_columns().labels);
  expect_least_known<estimator::ServingEstimate>(serving_columns().labels);
}

TEST(ColumnValues, APercentileWithoutEndIsNotANumber) {
  estimator::ServingEstimate estimate;
  estimate.first_token_s.fill(std::numeric_limits<double>::infinity());
  EstimateRow row;
  fill_row(row, estimate, {});
  const store::Schema figures = serving_columns().figures;
  const std::size_t phases = serving_columns().phases.size();
  for (const char* name :
       {"time_to_first_token_p50", "time_to_first_token_p90", "time_to_first_token_p99"}) {
    EXPECT_TRUE(std::isnan(row.figures.at(phases + column_named(figures, name)))) << name;
  }
}

TEST(ColumnValues, EveryColumnOfTheDayIsTheOneOfItsName) {
  Values values;
  estimator::ServingEstimate e;
  e.day = {values.next(), values.next(), values.next(), values.next(), values.next()};
  const JobFigures job = job_of(values);
  ASSERT_TRUE(job.ownership.has_value());
  const StepPrice paid = step_price(*job.ownership, 1.0, e.day.devices_paid, e.day.power_w);
  const StepPrice on = step_price(*job.ownership, 1.0, e.day.devices_on, e.day.power_w);
  const std::map<std::string, double> expected = {
      {"day_tokens_per_second", e.day.tokens_per_s},
      {"day_utilisation", e.day.utilisation},
      {"day_devices", e.day.devices_on},
      {"day_energy_per_token", e.day.power_w / e.day.tokens_per_s},
      {"day_device_seconds_per_token", e.day.devices_paid / e.day.tokens_per_s},
      {"day_cost_per_million_tokens",
       (paid.written_off_usd() + on.energy_usd) / e.day.tokens_per_s * 1e6},
      {"day_carbon_per_million_tokens",
       (paid.embodied_kg + on.operational_kg) / e.day.tokens_per_s * 1e6},
  };
  const store::Schema schema = day_columns();
  EstimateRow row;
  add_day(row, e, job);
  ASSERT_EQ(row.figures.size(), schema.size());
  ASSERT_EQ(expected.size(), schema.size());
  for (std::size_t i = 0; i < schema.size(); ++i) {
    EXPECT_NEAR(row.figures[i] / expected.at(schema[i].name), 1.0, 1e-12) << schema[i].name;
  }
  EstimateRow unknown_day;
  add_day(unknown_day, {}, job);
  for (const double figure : unknown_day.figures) {
    EXPECT_TRUE(std::isnan(figure));
  }
}

TEST(ColumnValues, SessionsAreTurnsAndTimesToThink) {
  estimator::ServingEstimate e;
  e.request_rate = 6.0;
  e.time_to_first_token_s = 0.5;
  e.time_per_output_token_s = 0.01;
  const estimator::SessionLaw sessions = {.turns = 3.0, .output = 101.0, .think_s = 10.0};
  EstimateRow row;
  add_sessions(row, e, sessions);
  ASSERT_EQ(session_columns().size(), 2U);
  EXPECT_EQ(session_columns()[0].name, "session_time");
  EXPECT_DOUBLE_EQ(row.figures[0], 3.0 * (0.5 + 1.0) + 20.0);
  EXPECT_EQ(session_columns()[1].name, "open_sessions");
  EXPECT_DOUBLE_EQ(row.figures[1], 2.0 * row.figures[0]);
}

TEST(ColumnValues, AServiceThatDoesNotFitMissesNoLimit) {
  estimator::ServingEstimate estimate;
  estimate.verdict = estimator::ServingVerdict::does_not_fit;
  estimate.time_per_output_token_s = std::numeric_limits<double>::quiet_NaN();
  estimate.miss = 2.0;
  EstimateRow row;
  fill_row(row, estimate, {});
  const store::Schema figures = serving_columns().figures;
  const std::size_t phases = serving_columns().phases.size();
  EXPECT_TRUE(std::isnan(row.figures.at(phases + column_named(figures, "miss"))));
}

}  // namespace
}  // namespace scalesweep::study

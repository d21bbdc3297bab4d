#include "study/columns/schema.hpp"
#include "study/columns/estimate_columns.hpp"
#include "study/kinds/workload_kind.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "estimator/training/training.hpp"
#include "parallel/fields.hpp"
#include "study_fixture.hpp"

namespace scalesweep::study {
namespace {

TEST(Schema, NamesUnitsAndWordsAreThere) {
  const Study study = test::load_good(test::small_spec());
  const store::Schema& schema = study.description().schema;
  const std::regex name(R"(\w+)");
  std::set<std::string> names;
  for (const store::Column& column : schema) {
    EXPECT_TRUE(std::regex_match(column.name, name)) << column.name;
    EXPECT_TRUE(names.insert(column.name).second) << column.name << " stands twice";
    EXPECT_FALSE(column.long_name.empty()) << column.name;
    EXPECT_FALSE(column.description.empty()) << column.name;
    const bool is_named = !column.labels.empty() && !column.numbers;
    EXPECT_EQ(column.units.empty(), is_named) << column.name;
  }
  EXPECT_EQ(schema.front().name, "point_id");
  EXPECT_EQ(schema.front().type, store::ColumnType::i64);
}

TEST(Schema, HasTheColumnsThatReadersKnowByName) {
  const Study study = test::load_good(test::small_spec());
  const store::Schema& schema = study.description().schema;
  for (const char* name : {"status",
                           "step_time",
                           "charge_tensor_compute",
                           "phase_bubble",
                           "bottleneck",
                           "energy_per_token",
                           "memory_total",
                           "logic",
                           "zero",
                           "model_flop_utilization",
                           "accelerators",
                           "clock",
                           "device_power",
                           "energy_static",
                           "share_core_area",
                           "capital_cost",
                           "price_of_wafer",
                           "yield_of_dies",
                           "density_of_defects",
                           "clustering_of_defects",
                           "cost_per_million_tokens",
                           "carbon_per_million_tokens",
                           "memory_reserved",
                           "tensor_peak",
                           "dram_bandwidth",
                           "scale_up_bandwidth",
                           "scale_out_bandwidth",
                           "relative_uncertainty"}) {
    EXPECT_NO_THROW(static_cast<void>(column_named(schema, name))) << name;
  }
}

TEST(Schema, FieldsOfAStrategyHaveColumnsWhereAStudyAsksForThem) {
  const auto has = [](const parallel::StrategyRules& rules, const std::string& name) {
    const store::Schema schema = make_schema(training_columns(), {}, rules);
    return std::any_of(schema.begin(), schema.end(),
                       [&](const store::Column& column) { return column.name == name; });
  };
  parallel::StrategyRules rules;
  const std::size_t plain = make_schema(training_columns(), {}, rules).size();
  for (const parallel::Field& field : parallel::strategy_fields()) {
    EXPECT_EQ(has(rules, std::string(field.name)), field.plain && field.is_of(rules.kind))
        << field.name;
  }
  rules.context_parallel = rules.expert_parallel = parallel::Choices{};
  rules.experts_over_tensor = {true};
  rules.first_stage_layers = rules.last_stage_layers = {2};
  rules.encoder_stages = {1};
  rules.recompute_every = parallel::only(2);
  rules.shard_group = {8};
  rules.schedule = {parallel::Schedule::zero_bubble};
  rules.context_exchange = {parallel::ContextExchange::all_to_all};
  rules.rank_order = {parallel::RankOrder::tp_pp_cp_ep_dp};
  rules.offload_activations = rules.offload_optimizer = {true};
  EXPECT_EQ(make_schema(training_columns(), {}, rules).size(), plain + 13);
  rules.redundant_experts = rules.expert_devices = {32};
  rules.decode_context_parallel = parallel::only(8);
  for (const parallel::Field& field : parallel::strategy_fields()) {
    EXPECT_EQ(has(rules, std::string(field.name)), field.is_of(rules.kind)) << field.name;
  }
  rules.kind = parallel::WorkloadKind::serving;
  EXPECT_TRUE(has(rules, "redundant_experts"));
  EXPECT_TRUE(has(rules, "decode_context_parallel"));
  EXPECT_TRUE(has(rules, "expert_devices"));
}

// What a reader of the file needs to write a strategy as a label, and to compare two studies.
TEST(Schema, ColumnsOfAStrategySayWhatReadersNeed) {
  parallel::StrategyRules rules;
  rules.context_parallel = parallel::Choices{};
  rules.rank_order = {parallel::RankOrder::tp_pp_cp_ep_dp};
  const store::Schema schema = make_schema(training_columns(), {}, rules);
  using Texts = std::map<std::string, std::string>;
  const auto said_of = [&](const char* name) {
    return schema[column_named(schema, name)].attributes;
  };
  EXPECT_EQ(said_of("tensor_parallel"), (Texts{{"short_name", "TP"}}));
  EXPECT_EQ(said_of("data_parallel"), (Texts{{"short_name", "DP"}, {"follows", "accelerators"}}));
  EXPECT_EQ(said_of("micro_batches"), (Texts{{"follows", "accelerators, global_batch, batch"}}));
  EXPECT_EQ(said_of("micro_batch"), (Texts{{"short_name", "b"}}));
  EXPECT_EQ(said_of("recompute"), (Texts{{"short_name", "no-rc, sel-rc, full-rc"}}));
  EXPECT_EQ(said_of("zero"), (Texts{{"short_name", "Z0, Z1, Z2, Z3"}, {"default", "0"}}));
  EXPECT_EQ(said_of("sequence_parallel"), (Texts{{"short_name", "no-SP, SP"}, {"default", "off"}}));
  EXPECT_EQ(said_of("context_parallel"), (Texts{{"short_name", "CP"}, {"default", "1"}}));
  EXPECT_EQ(schema[column_named(schema, "tensor_parallel")].role, "strategy");
  EXPECT_EQ(said_of("rank_order")["default"], "tp-cp-ep-dp-pp");
  EXPECT_EQ(said_of("step_time").count("short_name"), 0u);
}

TEST(Schema, AMicroBatchThatIsOneAStageFollows) {
  const store::Schema schema = make_schema(inference_columns(), {}, parallel::batch_rules());
  EXPECT_EQ(schema[column_named(schema, "micro_batch")].attributes.at("follows"),
            "accelerators, batch");
}

TEST(Schema, AxisWithManyValuesGetsAWiderColumn) {
  space::Axis axis;
  axis.name = "power";
  for (int i = 0; i < 300; ++i) {
    axis.labels.push_back(std::to_string(i) + " W");
    axis.values.push_back(i);
  }
  EXPECT_EQ(make_schema(training_columns(), {axis})[1].type, store::ColumnType::i32);
  axis.labels.resize(256);
  EXPECT_EQ(make_schema(training_columns(), {axis})[1].type, store::ColumnType::u8);
}

TEST(Schema, StatusHasAWordForEachReason) {
  EXPECT_EQ(status_names().size(), status_count);
  EXPECT_EQ(status_names()[index_of(Status::does_not_fit)], "does_not_fit");
  EXPECT_EQ(status_names()[index_of(status_of(technology::DeriveProblem::die_exceeds_reticle))],
            "die_exceeds_reticle");
  EXPECT_EQ(status_names()[index_of(status_of(technology::DeriveProblem::power_below_leakage))],
            "power_below_leakage");
}

TEST(Rows, EveryColumnGetsAValuePerPoint) {
  const Study study = test::load_good(test::small_spec());
  const engine::RangeResult result = test::evaluate_all(study);
  const store::Schema& schema = study.description().schema;
  for (std::size_t column = 0; column < schema.size(); ++column) {
    ASSERT_NO_THROW(static_cast<void>(result.rows.number(column, result.rows.rows() - 1)));
  }
  EXPECT_EQ(static_cast<std::int64_t>(result.rows.rows()), study.space().size());
}

TEST(Rows, HoldWhatTheEstimateSays) {
  const Study study = test::load_good(test::small_spec());
  const store::Schema& schema = study.description().schema;
  const engine::RangeResult result = test::evaluate_all(study);
  const auto value = [&](const char* column, PointId id) {
    return result.rows.number(column_named(schema, column), static_cast<std::size_t>(id));
  };
  for (PointId id = 0; id < study.space().size(); id += 7) {
    const Point point = study.point_at(id);
    const estimator::TrainingEstimate plain = estimator::estimate_training(
        {work_of<estimator::TrainingJob>(point.job), *point.system.system, point.strategy});
    ASSERT_EQ(value("point_id", id), static_cast<double>(id));
    ASSERT_EQ(value("step_time", id), plain.step_time_s());
    ASSERT_EQ(value("charge_scale_out", id), plain.step[estimator::Resource::scale_out]);
    ASSERT_EQ(value("energy_per_token", id),
              static_cast<double>(static_cast<float>(plain.energy.total_j() / (2048.0 * 32.0))));
    ASSERT_EQ(value("memory_total", id),
              static_cast<double>(static_cast<float>(plain.memory.total_bytes())));
    ASSERT_EQ(
        value("memory_capacity", id),
        static_cast<double>(static_cast<float>(point.system.system->device.dram.capacity.si())));
    const technology::System& system = *point.system.system;
    const auto stored = [](double number) {
      return static_cast<double>(static_cast<float>(number));
    };
    ASSERT_EQ(
        value("tensor_peak", id),
        stored(system.device.tensor_peak[technology::index_of(technology::Precision::bf16)].si()));
    ASSERT_EQ(value("dram_bandwidth", id), stored(system.device.dram.bandwidth.si()));
    ASSERT_EQ(value("scale_up_bandwidth", id), stored(system.scale_up().bandwidth.si()));
    ASSERT_EQ(value("scale_out_bandwidth", id), stored(system.scale_out().bandwidth.si()));
    ASSERT_EQ(value("tensor_parallel", id), point.strategy.tensor_parallel);
    ASSERT_EQ(value("micro_batches", id), point.strategy.micro_batches);
    ASSERT_EQ(value("sequence_parallel", id), point.strategy.sequence_parallel ? 1.0 : 0.0);
    ASSERT_EQ(value("bottleneck", id), static_cast<double>(estimator::dominant(plain.step)));
  }
}

TEST(Rows, ChargesAndPhasesSumToTheStepTime) {
  const Study study = test::load_good(test::small_spec());
  const store::Schema& schema = study.description().schema;
  const engine::RangeResult result = test::evaluate_all(study);
  const std::size_t step = column_named(schema, "step_time");
  const std::size_t charge = column_named(schema, "charge_tensor_compute");
  const std::size_t phase = column_named(schema, "phase_forward");
  for (std::size_t row = 0; row < result.rows.rows(); ++row) {
    double charges = 0.0;
    double phases = 0.0;
    for (std::size_t i = 0; i < estimator::resource_count; ++i) {
      charges += result.rows.number(charge + i, row);
    }
    for (std::size_t i = 0; i < estimator::phase_count; ++i) {
      phases += result.rows.number(phase + i, row);
    }
    const double step_s = result.rows.number(step, row);
    ASSERT_NEAR(charges / step_s, 1.0, 1e-12);
    ASSERT_NEAR(phases / step_s, 1.0, 1e-5);  // floats
  }
}

TEST(Rows, EnergiesSumToThatOfTheStep) {
  const Study study = test::load_good(test::small_spec());
  const store::Schema& schema = study.description().schema;
  const engine::RangeResult result = test::evaluate_all(study);
  const std::size_t whole = column_named(schema, "energy_per_step");
  std::vector<std::size_t> parts;
  for (const char* part :
       {"tensor", "vector", "dram", "l2", "scale_up", "scale_out", "static", "idle", "active"}) {
    parts.push_back(column_named(schema, std::string("energy_") + part));
  }
  for (std::size_t row = 0; row < result.rows.rows(); ++row) {
    double sum_j = 0.0;
    for (const std::size_t part : parts) {
      sum_j += result.rows.number(part, row);
    }
    ASSERT_NEAR(sum_j / result.rows.number(whole, row), 1.0, 1e-5);  // floats
  }
}

// A table of one row, with an estimate and figures that no spec has to lead to.
store::Table one_row(const estimator::TrainingEstimate& estimate, const JobFigures& figures) {
  const store::Schema schema = make_schema(training_columns(), {});
  store::Table table(schema);
  RowWriter writer(table, schema, 0);
  EstimateRow row;
  fill_row(row, estimate, figures);
  writer.append_estimate(0, {}, row);
  writer.append_coordinates({}, 1);
  return table;
}

double of_one_row(const store::Table& table, const char* column) {
  return table.number(column_named(make_schema(training_columns(), {}), column), 0);
}

estimator::TrainingEstimate estimate_of_ten_seconds() {
  estimator::TrainingEstimate estimate;
  estimate.step.values[0] = 10.0;
  estimate.energy.tensor_j = 4000.0;
  estimate.energy.scale_out_j = 1000.0;
  estimate.device_power_w = 200.0;
  estimate.clock_fraction = 0.75;
  return estimate;
}

TEST(Rows, HoldTheFieldsThatAStudyAsksFor) {
  const Study study = test::load_good(
      test::small_spec("context_parallel = [1, 2]\nschedule = 'zero_bubble'\nzero = [0, 3]\n"
                       "shard_group = ['all', 2]\noffload_activations = true\n"));
  const store::Schema& schema = study.description().schema;
  const engine::RangeResult result = test::evaluate_all(study);
  std::set<double> contexts;
  std::set<double> groups;
  for (PointId id = 0; id < study.space().size(); ++id) {
    const Point point = study.point_at(id);
    for (const parallel::Field& field : parallel::strategy_fields()) {
      const std::string name(field.name);
      if (name == "expert_parallel" || name == "experts_over_tensor" ||
          name == "redundant_experts" || name == "encoder_stages" || name == "first_stage_layers" ||
          name == "last_stage_layers" || name == "recompute_every" || name == "rank_order" ||
          name == "context_exchange" || name == "offload_optimizer" || name == "table_sharding" ||
          name == "decode_context_parallel" || name == "expert_devices") {
        continue;  // not asked for
      }
      ASSERT_EQ(result.rows.number(column_named(schema, name), static_cast<std::size_t>(id)),
                field.value(point.strategy))
          << name;
    }
    contexts.insert(point.strategy.context_parallel);
    groups.insert(point.strategy.shard_group);
  }
  EXPECT_EQ(contexts, (std::set<double>{1, 2}));
  EXPECT_EQ(groups, (std::set<double>{0, 2}));
}

TEST(Rows, TellTheSettledClockAndBothPowers) {
  JobFigures figures;
  figures.work_units = 1000.0;
  figures.accelerators = 2.0;
  figures.clock_hz = 2e9;
  const store::Table table = one_row(estimate_of_ten_seconds(), figures);
  EXPECT_FLOAT_EQ(static_cast<float>(of_one_row(table, "clock")), 1.5e9F);
  EXPECT_EQ(of_one_row(table, "device_power"), 200.0);
  EXPECT_EQ(of_one_row(table, "average_power"), 250.0);  // networks are part of it
}

TEST(Rows, CostIsUnknownWhereTheCatalogDoesNotKnowIt) {
  JobFigures figures;
  figures.work_units = 1000.0;
  const store::Table table = one_row(estimate_of_ten_seconds(), figures);
  for (const char* column :
       {"capital_cost", "cost_per_step", "cost_per_million_tokens", "cost_silicon", "cost_energy",
        "embodied_carbon_per_step", "operational_carbon_per_step", "carbon_per_million_tokens",
        "share_core_area", "share_memory_edge", "share_memory_power"}) {
    EXPECT_TRUE(std::isnan(of_one_row(table, column))) << column;
  }
}

TEST(Rows, CostAndCarbonAreThoseOfTheStep) {
  JobFigures figures;
  figures.work_units = 2e6;
  figures.accelerators = 2.0;
  figures.shares.core_area = 0.5;
  figures.ownership.emplace();
  figures.ownership->price(technology::Capital::silicon) = Usd::si(30000.0);
  figures.ownership->rates_usd_per_s = {0.0005, 0.0002, 0.0001, 0.0001, 0.00005, 0.00005};
  figures.ownership->embodied_kg_per_s = 1e-6;
  figures.ownership->energy_usd_per_j = 1e-7;
  figures.ownership->energy_kg_per_j = 1e-6;
  figures.ownership->server_power_w = 250.0;
  const store::Table table = one_row(estimate_of_ten_seconds(), figures);
  const auto near = [&](const char* column, double expected) {
    EXPECT_NEAR(of_one_row(table, column) / expected, 1.0, 1e-6) << column;
  };
  // 20 device seconds; 5 kJ and as much for servers.
  near("capital_cost", 60000.0);
  near("cost_per_step", 0.02 + 0.001);
  near("cost_per_million_tokens", 0.0105);
  near("cost_silicon", 0.005);
  near("cost_facility", 0.0005);
  near("cost_energy", 0.0005);
  near("embodied_carbon_per_step", 2e-5);
  near("operational_carbon_per_step", 0.01);
  near("carbon_per_million_tokens", 0.5 * (0.01 + 2e-5));
  near("share_core_area", 0.5);
}

}  // namespace
}  // namespace scalesweep::study

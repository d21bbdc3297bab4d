#include "study/schema.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/contracts.hpp"
#include "parallel/fields.hpp"
#include "study/step_price.hpp"

namespace scalesweep::study {
namespace {

using store::Column;
using store::ColumnType;

constexpr std::size_t max_u8_labels = 256;

struct Described {
  const char* name;
  const char* units;
  const char* long_name;
  const char* description;
};

// Of parallel::strategy_fields, in the same order.
constexpr std::array<Described, 18> field_columns = {{
    {"tensor_parallel", "1", "tensor-parallel size", "Devices that share each layer's matrices."},
    {"pipeline_parallel", "1", "pipeline-parallel size", "Pipeline stages."},
    {"data_parallel", "1", "data-parallel size", "Replicas of the model."},
    {"chunks", "1", "model chunks per stage",
     "Chunks of layers a pipeline stage holds: 1 is the 1F1B schedule, more the interleaved one."},
    {"micro_batch", "1", "micro-batch size", "Sequences that go through the pipeline together."},
    {"micro_batches", "1", "micro-batches per step",
     "Micro-batches of one data-parallel replica in one step."},
    {"recompute", "", "activation recomputation",
     "What the backward pass computes again instead of keeping it."},
    {"zero", "", "ZeRO stage",
     "1: optimizer states are sharded over the data-parallel replicas; 2: gradients as well; 3: "
     "weights as well."},
    {"sequence_parallel", "", "sequence parallelism",
     "Norms and dropout are split along the sequence over the tensor-parallel group."},
    {"context_parallel", "1", "context-parallel size", "Devices that share each sequence."},
    {"expert_parallel", "1", "expert-parallel size",
     "Devices that the experts of a layer are spread over."},
    {"recompute_every", "1", "layers per recomputed one",
     "With full recomputation: one of so many layers is computed again."},
    {"shard_group", "1", "ranks of a shard group",
     "Ranks that ZeRO stage 3 shards weights over; 0: all replicas."},
    {"schedule", "", "pipeline schedule", "How the stages of a pipeline take turns."},
    {"context_exchange", "", "exchange between parts of a sequence",
     "ring: keys and values go around; all_to_all: heads are exchanged for tokens."},
    {"rank_order", "", "order of ranks",
     "Dimensions by which ranks are numbered, the innermost first; consecutive ranks share a "
     "scale-up domain."},
    {"offload_activations", "", "activation offload", "Saved activations wait in host memory."},
    {"offload_optimizer", "", "optimizer offload",
     "Optimizer states live, and are updated, in host memory."},
}};

constexpr std::array<Described, figure_count> figure_columns = {{
    {"model_flop_utilization", "1", "model FLOP utilization",
     "Model FLOP, recomputation not counted, over the peak of all devices in the step time."},
    {"tokens_per_second", "s-1", "training throughput", "Tokens trained on per second, whole job."},
    {"clock", "Hz", "clock",
     "Clock of the device; below its own where the step would exceed the thermal design power."},
    {"energy_per_step", "J", "energy per step", "Energy of all devices and networks in one step."},
    {"energy_per_token", "J", "energy per token", "Energy per step over tokens per step."},
    {"average_power", "W", "average power per device",
     "Energy per step over step time and devices: networks are part of it."},
    {"device_power", "W", "average power of a device",
     "What the thermal design power covers: of the networks only what the device itself burns."},
    {"energy_tensor", "J", "energy of matrix units",
     "Share of energy_per_step: matrix operations, registers and shared memory included."},
    {"energy_vector", "J", "energy of vector units",
     "Share of energy_per_step: other operations, registers and shared memory included."},
    {"energy_dram", "J", "energy of DRAM", "Share of energy_per_step: bytes to and from DRAM."},
    {"energy_l2", "J", "energy of L2", "Share of energy_per_step: bytes to and from L2."},
    {"energy_scale_up", "J", "energy of scale-up",
     "Share of energy_per_step: bytes inside the domain, all hops."},
    {"energy_scale_out", "J", "energy of scale-out",
     "Share of energy_per_step: bytes between domains, all hops."},
    {"energy_static", "J", "static energy",
     "Share of energy_per_step: leakage; 0 where the catalog knows idle power only."},
    {"energy_idle", "J", "idle energy",
     "Share of energy_per_step: what else devices burn whatever they do."},
    {"energy_active", "J", "active energy",
     "Share of energy_per_step: what devices burn beside that while a program keeps them busy, "
     "waits "
     "included: clock tree, instruction issue."},
    {"memory_total", "B", "memory used", "Bytes in use on the fullest device."},
    {"memory_weights", "B", "memory of weights", "Share of memory_total: parameters."},
    {"memory_gradients", "B", "memory of gradients", "Share of memory_total: gradients."},
    {"memory_optimizer", "B", "memory of optimizer", "Share of memory_total: optimizer states."},
    {"memory_activations", "B", "memory of activations",
     "Share of memory_total: activations kept for the backward pass."},
    {"memory_reserved", "B", "memory reserved",
     "What the allocator of the framework holds at the peak: memory_total and its slack. It "
     "decides "
     "what fits."},
    {"memory_capacity", "B", "memory capacity", "Bytes that one device has."},
    {"share_core_area", "1", "area share of cores",
     "Of the die area that interfaces leave: cores; L2 has the rest. NaN for a catalogued device."},
    {"share_memory_edge", "1", "edge share of memory",
     "Of the outer die edge: memory. NaN for a catalogued device."},
    {"share_memory_power", "1", "power share of memory",
     "Of the power: what memory takes. NaN for a catalogued device."},
    {"capital_cost", "USD", "capital cost",
     "Price of all devices with their networks and servers. NaN where the catalog lacks a part, "
     "here and in what follows."},
    {"cost_per_step", "USD", "cost per step",
     "Capital written off in the step time, and the energy of devices, networks and servers."},
    {"cost_per_million_tokens", "USD", "cost per million tokens",
     "Cost per step over millions of tokens per step."},
    {"embodied_carbon_per_step", "kg", "embodied carbon per step",
     "CO2 equivalent of making devices and servers, written off in the step time."},
    {"operational_carbon_per_step", "kg", "operational carbon per step",
     "CO2 equivalent of the energy of devices, networks and servers."},
    {"carbon_per_million_tokens", "kg", "carbon per million tokens",
     "Embodied and operational carbon per step over millions of tokens per step."},
    {"relative_uncertainty", "1", "relative uncertainty of the step time",
     "Two of three measured steps of this device, framework and scale lie within it; where none "
     "was "
     "measured, the largest of the others. NaN where the catalog has none."},
}};

Column labelled(std::string name, std::string long_name, std::string description,
                std::vector<std::string> labels) {
  Column column;
  column.name = std::move(name);
  column.type = labels.size() <= max_u8_labels ? ColumnType::u8 : ColumnType::i32;
  column.long_name = std::move(long_name);
  column.description = std::move(description);
  column.labels = std::move(labels);
  return column;
}

Column measured(const Described& d, ColumnType type) {
  return Column{d.name, type, d.units, d.long_name, d.description, {}};
}

template <std::size_t N>
std::vector<std::string> words(const std::array<std::string_view, N>& names) {
  return std::vector<std::string>(names.begin(), names.end());
}

std::string spaced(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

void append_axes(store::Schema& schema, const std::vector<space::Axis>& axes) {
  for (const space::Axis& axis : axes) {
    schema.push_back(labelled(
        axis.name, spaced(axis.name),
        fmt::format("Index into /axes/{}; the enum names its values.", axis.name), axis.labels));
  }
}

// The labels of a field that is no size, in the order of its values.
std::vector<std::string> labels_of(const parallel::Field& field) {
  switch (field.kind) {
    case parallel::FieldKind::word:
      return {field.words.begin(), field.words.end()};
    case parallel::FieldKind::stage:
      return {"0", "1", "2", "3"};
    case parallel::FieldKind::truth:
      return {"off", "on"};
    case parallel::FieldKind::size:
      break;
  }
  return {};
}

void append_strategy_columns(store::Schema& schema, const parallel::StrategyRules& rules) {
  for (const parallel::Field* field : parallel::fields_of(rules)) {
    const Described& described =
        field_columns[static_cast<std::size_t>(field - parallel::strategy_fields().data())];
    SCALESWEEP_EXPECT(field->name == described.name);
    schema.push_back(field->kind == parallel::FieldKind::size
                         ? measured(described, ColumnType::i32)
                         : labelled(described.name, described.long_name, described.description,
                                    labels_of(*field)));
  }
}

void append_estimate_columns(store::Schema& schema) {
  schema.push_back(Column{"step_time",
                          ColumnType::f64,
                          "s",
                          "step time",
                          "Time of one training step: forward, backward and update.",
                          {}});
  for (const std::string_view name : estimator::resource_names) {
    schema.push_back(Column{fmt::format("charge_{}", name),
                            ColumnType::f64,
                            "s",
                            fmt::format("time charged to {}", spaced(name)),
                            "Seconds of step_time set by the rate of this resource; over "
                            "step_time: the elasticity of step_time to it. The charges sum to "
                            "step_time.",
                            {}});
  }
  std::vector<std::string> bottlenecks = words(estimator::resource_names);
  bottlenecks.emplace_back("none");
  schema.push_back(labelled(
      "bottleneck", "bottleneck",
      "The resource with the largest charge; none where there is no estimate.", bottlenecks));
  for (const std::string_view name : estimator::phase_names) {
    schema.push_back(Column{fmt::format("phase_{}", name),
                            ColumnType::f32,
                            "s",
                            fmt::format("time in {}", spaced(name)),
                            "Seconds of step_time spent so. The phases sum to step_time.",
                            {}});
  }
  for (const Described& figure : figure_columns) {
    schema.push_back(measured(figure, ColumnType::f32));
  }
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// In the order of figure_columns.
std::array<double, figure_count> figures_of(const estimator::TrainingEstimate& estimate,
                                            const JobFigures& job) {
  const double time_s = estimate.step_time_s();
  const estimator::EnergyUse& energy = estimate.energy;
  const estimator::MemoryUse& memory = estimate.memory;
  const double energy_j = energy.total_j();
  const double million_tokens = job.tokens_per_step * 1e-6;
  const StepPrice price =
      job.ownership ? step_price(*job.ownership, time_s, job.accelerators, energy_j) : no_price;
  return {estimate.model_flop_utilization,
          job.tokens_per_step / time_s,
          job.clock_hz * estimate.clock_fraction,
          energy_j,
          energy_j / job.tokens_per_step,
          energy_j / time_s / job.accelerators,
          estimate.device_power_w,
          energy.tensor_j,
          energy.vector_j,
          energy.dram_j,
          energy.l2_j,
          energy.scale_up_j,
          energy.scale_out_j,
          energy.static_j,
          energy.idle_j,
          energy.active_j,
          memory.total_bytes(),
          memory.weights_bytes,
          memory.gradients_bytes,
          memory.optimizer_bytes,
          memory.activations_bytes,
          memory.reserved_bytes,
          job.memory_capacity_bytes,
          job.shares.core_area.value_or(nan),
          job.shares.memory_edge.value_or(nan),
          job.shares.memory_power.value_or(nan),
          price.capital_usd,
          price.cost_usd(),
          price.cost_usd() / million_tokens,
          price.embodied_kg,
          price.operational_kg,
          price.carbon_kg() / million_tokens,
          estimate.relative_uncertainty > 0.0 ? estimate.relative_uncertainty : nan};
}

}  // namespace

const std::vector<std::string>& status_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {"ok", "does_not_fit", "filtered", "unsupported_precision",
                                    "domain_exceeds_link"};
    for (const std::string_view problem : technology::derive_problem_names) {
      all.emplace_back(problem);
    }
    return all;
  }();
  return names;
}

store::Schema make_schema(const std::vector<space::Axis>& axes,
                          const parallel::StrategyRules& rules) {
  store::Schema schema;
  schema.push_back(Column{"point_id",
                          ColumnType::i64,
                          "1",
                          "point id",
                          "The configuration as an integer; the same in every run of this study.",
                          {}});
  append_axes(schema, axes);
  append_strategy_columns(schema, rules);
  schema.push_back(
      labelled("status", "status",
               "What became of the point. ok; does_not_fit: estimated, but the fullest "
               "device lacks memory; the others have no estimate: filtered: removed "
               "by a filter; the rest: why the device cannot be built or used.",
               status_names()));
  append_estimate_columns(schema);
  return schema;
}

std::vector<store::AxisValues> axis_values(const std::vector<space::Axis>& axes) {
  std::vector<store::AxisValues> values;
  for (const space::Axis& axis : axes) {
    values.push_back({axis.name, axis.units,
                      fmt::format("Values of the axis {}.", spaced(axis.name)), axis.labels,
                      axis.values});
  }
  return values;
}

std::size_t column_named(const store::Schema& schema, std::string_view name) {
  const auto found = std::find_if(schema.begin(), schema.end(),
                                  [&](const Column& column) { return column.name == name; });
  SCALESWEEP_EXPECT(found != schema.end());
  return static_cast<std::size_t>(found - schema.begin());
}

RowWriter::RowWriter(store::Table& table, const store::Schema& schema, std::size_t axis_count) {
  std::size_t column = 0;
  point_id_ = &table.values<std::int64_t>(column++);
  for (std::size_t a = 0; a < axis_count; ++a, ++column) {
    if (schema[column].type == ColumnType::u8) {
      axes_.emplace_back(&table.values<std::uint8_t>(column));
    } else {
      axes_.emplace_back(&table.values<std::int32_t>(column));
    }
  }
  for (Ints& size : sizes_) {
    size = &table.values<std::int32_t>(column++);
  }
  for (Bytes& choice : choices_) {
    choice = &table.values<std::uint8_t>(column++);
  }
  for (; schema[column].name != "status"; ++column) {
    const parallel::Field* field = parallel::find_field(schema[column].name);
    SCALESWEEP_EXPECT(field != nullptr);
    if (schema[column].type == ColumnType::u8) {
      extra_.push_back({field->value, &table.values<std::uint8_t>(column)});
    } else {
      extra_.push_back({field->value, &table.values<std::int32_t>(column)});
    }
  }
  status_ = &table.values<std::uint8_t>(column++);
  step_time_ = &table.values<double>(column++);
  for (Doubles& charge : charges_) {
    charge = &table.values<double>(column++);
  }
  bottleneck_ = &table.values<std::uint8_t>(column++);
  for (Floats& phase : phases_) {
    phase = &table.values<float>(column++);
  }
  for (Floats& figure : figures_) {
    figure = &table.values<float>(column++);
  }
  SCALESWEEP_ENSURE(column == table.columns());
}

void RowWriter::append_coordinates(const std::vector<std::int32_t>& axis_index, std::size_t rows) {
  SCALESWEEP_EXPECT(axis_index.size() == axes_.size());
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    std::visit(
        [&](auto* column) {
          using Value = typename std::remove_pointer_t<decltype(column)>::value_type;
          column->insert(column->end(), rows, static_cast<Value>(axis_index[a]));
        },
        axes_[a]);
  }
}

void RowWriter::append_strategy(PointId id, const parallel::Strategy& strategy, Status status) {
  point_id_->push_back(id);
  const std::array<std::int32_t, 6> sizes = {strategy.tensor_parallel, strategy.pipeline_parallel,
                                             strategy.data_parallel,   strategy.chunks,
                                             strategy.micro_batch,     strategy.micro_batches};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes_[i]->push_back(sizes[i]);
  }
  choices_[0]->push_back(static_cast<std::uint8_t>(strategy.recompute));
  choices_[1]->push_back(strategy.zero);
  choices_[2]->push_back(strategy.sequence_parallel ? 1 : 0);
  for (const ExtraColumn& extra : extra_) {
    const std::int32_t value = extra.value(strategy);
    std::visit(
        [&](auto* column) {
          using Value = typename std::remove_pointer_t<decltype(column)>::value_type;
          column->push_back(static_cast<Value>(value));
        },
        extra.column);
  }
  status_->push_back(static_cast<std::uint8_t>(status));
}

void RowWriter::append_estimate(PointId id, const parallel::Strategy& strategy,
                                const estimator::TrainingEstimate& estimate,
                                const JobFigures& job) {
  append_strategy(id, strategy, status_of(estimate));
  const double time_s = estimate.step_time_s();
  step_time_->push_back(time_s);
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    charges_[i]->push_back(estimate.step.time_s[i]);
  }
  bottleneck_->push_back(static_cast<std::uint8_t>(estimator::dominant(estimate.step)));
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    phases_[i]->push_back(static_cast<float>(estimate.phase_s[i]));
  }
  const std::array<double, figure_count> figures = figures_of(estimate, job);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    figures_[i]->push_back(static_cast<float>(figures[i]));
  }
}

void RowWriter::append_rejected(PointId id, const parallel::Strategy& strategy, Status status) {
  append_strategy(id, strategy, status);
  step_time_->push_back(nan);
  for (const Doubles charge : charges_) {
    charge->push_back(nan);
  }
  bottleneck_->push_back(static_cast<std::uint8_t>(estimator::resource_count));
  for (const Floats phase : phases_) {
    phase->push_back(static_cast<float>(nan));
  }
  for (const Floats figure : figures_) {
    figure->push_back(static_cast<float>(nan));
  }
}

}  // namespace scalesweep::study

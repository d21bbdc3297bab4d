#include "study/columns/schema.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "columns/roles.hpp"
#include "core/contracts.hpp"
#include "core/text.hpp"
#include "parallel/fields.hpp"
#include "study/columns/absent.hpp"

namespace scalesweep::study {
namespace {

using store::Column;
using store::ColumnType;

std::string spaced(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

void append_axes(store::Schema& schema, const std::vector<space::Axis>& axes) {
  for (const space::Axis& axis : axes) {
    const bool has_none = std::any_of(axis.values.begin(), axis.values.end(),
                                      [](double value) { return std::isinf(value); });
    schema.push_back(labelled(axis.name, spaced(axis.name),
                              fmt::format("One of the values in /axes/{}{}.", axis.name,
                                          has_none ? "; infinite: none" : ""),
                              axis.labels));
    schema.back().role = axis.name == "accelerators" ? "devices" : "";
  }
}

void append_strategy_columns(store::Schema& schema, const parallel::StrategyRules& rules) {
  for (const parallel::Field* field : parallel::fields_of(rules)) {
    Column column =
        labelled(std::string(field->name), std::string(field->long_name),
                 std::string(field->description), {field->words.begin(), field->words.end()});
    if (field->words.empty()) {
      column.type = ColumnType::i32;
      column.units = "1";
    }
    column.role = "strategy";
    column.attributes = parallel::column_attributes(*field, rules);
    schema.push_back(std::move(column));
  }
}

void append_estimate_columns(store::Schema& schema, EstimateColumns columns) {
  const std::string time = columns.time.name;
  schema.push_back(std::move(columns.time));
  for (const std::string_view name : estimator::resource_names) {
    schema.push_back(Column{fmt::format("charge_{}", name),
                            ColumnType::f64,
                            "s",
                            fmt::format("time charged to {}", spaced(name)),
                            fmt::format("Seconds of {0} set by the rate of this resource; over "
                                        "{0}: the elasticity of {0} to it, but where transfers "
                                        "run beside kernels, which charge what they are longer. "
                                        "The charges sum to {0}.",
                                        time),
                            {},
                            fmt::format("charge:{}", name),
                            "smaller"});
  }
  schema.push_back(
      with_absent_none(labelled("bottleneck", "bottleneck",
                                "The resource with the largest charge; none where there is no "
                                "estimate.",
                                or_none(estimator::resource_names.list()))));
  for (const std::string_view name : columns.phases) {
    schema.push_back(Column{fmt::format("phase_{}", name),
                            ColumnType::f32,
                            "s",
                            fmt::format("time in {}", spaced(name)),
                            fmt::format("Seconds of {0} spent so. The phases sum to {0}.", time),
                            {},
                            fmt::format("phase:{}", name),
                            "smaller"});
  }
  for (store::Schema* const part : {&columns.figures, &columns.labels}) {
    std::move(part->begin(), part->end(), std::back_inserter(schema));
  }
}

struct Described {
  const char* name;
  const char* units;
  const char* long_name;
  const char* description;
};

// Figures of one operator, in the order in which a row has them.
constexpr std::array<Described, operator_figure_count> operator_figures = {{
    {"time", "s", "time", "Seconds of one execution on one device."},
    {"flop", "1", "FLOP", "FLOP of one execution on one device."},
    {"bytes", "B", "bytes", "Bytes to and from DRAM of one execution on one device."},
    {"intensity", "1", "intensity", "FLOP over bytes."},
}};

void append_operator_columns(store::Schema& schema, const std::vector<OperatorName>& operators) {
  for (const OperatorName& one : operators) {
    const std::string what = fmt::format("{} of {}", one.phase, one.name);
    for (const Described& figure : operator_figures) {
      schema.push_back(
          Column{fmt::format("{}_{}", one.column, figure.name),
                 ColumnType::f32,
                 figure.units,
                 fmt::format("{}, {}", figure.long_name, what),
                 fmt::format("{} NaN where the model has no such operator.", figure.description),
                 {}});
    }
    schema.push_back(with_absent_none(
        labelled(fmt::format("{}_bound", one.column), fmt::format("bound, {}", what),
                 "The resource that most of the time is charged to. A product of few rows has "
                 "tensor_compute for the whole tile that the library multiplies for them.",
                 or_none(estimator::resource_names.list()))));
  }
}

constexpr auto no_bottleneck = static_cast<std::uint8_t>(estimator::resource_count);

}  // namespace

Column labelled(std::string name, std::string long_name, std::string description,
                std::vector<std::string> labels) {
  const ColumnType type = store::place_type(labels.size());
  return {std::move(name),  type, "", std::move(long_name), std::move(description),
          std::move(labels)};
}

std::vector<std::string> or_none(std::vector<std::string> names) {
  names.emplace_back("none");
  return names;
}

std::vector<std::string> status_names(std::span<const KindStatus> own,
                                      const std::vector<std::string>& of_spec) {
  std::vector<std::string> names = {"ok", "does_not_fit", "filtered", "unsupported_precision",
                                    "domain_exceeds_link"};
  for (const std::string_view problem : technology::derive_problem_names) {
    names.emplace_back(problem);
  }
  for (const KindStatus& status : own) {
    names.emplace_back(status.name);
  }
  names.insert(names.end(), of_spec.begin(), of_spec.end());
  return names;
}

store::Schema make_schema(EstimateColumns columns, const std::vector<space::Axis>& axes,
                          const parallel::StrategyRules& rules,
                          const std::vector<OperatorName>& operators) {
  store::Schema schema;
  schema.push_back(Column{"point_id",
                          ColumnType::i64,
                          "1",
                          "point id",
                          "The configuration as an integer; the same in every run of this study.",
                          {}});
  append_axes(schema, axes);
  append_strategy_columns(schema, rules);
  std::string description = columns.status_description;
  if (!columns.requirement_statuses.empty()) {
    description += fmt::format(
        " {}: estimated, and the first requirement of the spec that it "
        "misses.",
        join(columns.requirement_statuses, ", "));
  }
  std::vector<std::string> of_spec;
  if (columns.searched) {
    description +=
        fmt::format(" {}: [search] did not look at its device.", columns::not_searched_status);
    of_spec.emplace_back(columns::not_searched_status);
  }
  if (columns.leaves_some) {
    description += fmt::format(
        " {}: it fits, others that meet the requirements are better, and whether it "
        "meets them was not asked.",
        columns::pruned_status);
    of_spec.emplace_back(columns::pruned_status);
  }
  of_spec.insert(of_spec.end(), columns.requirement_statuses.begin(),
                 columns.requirement_statuses.end());
  schema.push_back(labelled("status", "status", std::move(description),
                            status_names(columns.statuses, of_spec)));
  append_estimate_columns(schema, std::move(columns));
  append_operator_columns(schema, operators);
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
    axes_.push_back(coordinate_column(table, schema, column));
  }
  for (; schema[column].name != "status"; ++column) {
    const parallel::Field* field = parallel::find_field(schema[column].name);
    SCALESWEEP_EXPECT(field != nullptr);
    fields_.push_back({field->value, coordinate_column(table, schema, column)});
  }
  status_ = &table.values<std::uint8_t>(column++);
  time_ = &table.values<double>(column++);
  for (Doubles& charge : charges_) {
    charge = &table.values<double>(column++);
  }
  bottleneck_ = &table.values<std::uint8_t>(column++);
  for (; column < table.columns(); ++column) {
    if (schema[column].type == ColumnType::f32) {
      figures_.push_back(&table.values<float>(column));
    } else {
      labels_.push_back({&table.values<std::uint8_t>(column),
                         static_cast<std::uint8_t>(schema[column].labels.size() - 1)});
    }
  }
}

RowWriter::Coordinates RowWriter::coordinate_column(store::Table& table,
                                                    const store::Schema& schema,
                                                    std::size_t column) {
  if (schema[column].type == ColumnType::u8) {
    return &table.values<std::uint8_t>(column);
  }
  return &table.values<std::int32_t>(column);
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
  for (const FieldColumn& field : fields_) {
    const std::int32_t value = field.value(strategy);
    std::visit(
        [&](auto* column) {
          using Value = typename std::remove_pointer_t<decltype(column)>::value_type;
          column->push_back(static_cast<Value>(value));
        },
        field.column);
  }
  status_->push_back(static_cast<std::uint8_t>(status));
}

void RowWriter::append_estimate(PointId id, const parallel::Strategy& strategy,
                                const EstimateRow& row) {
  SCALESWEEP_EXPECT(row.figures.size() == figures_.size() && row.labels.size() == labels_.size());
  append_strategy(id, strategy, row.status);
  const bool has_time = std::isfinite(row.time_s);
  time_->push_back(known_value(row.time_s));
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    charges_[i]->push_back(known_value(row.charges.values[i]));
  }
  bottleneck_->push_back(has_time ? static_cast<std::uint8_t>(estimator::dominant(row.charges))
                                  : no_bottleneck);
  for (std::size_t i = 0; i < figures_.size(); ++i) {
    figures_[i]->push_back(stored_figure(row.figures[i]));
  }
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    labels_[i].column->push_back(has_time ? row.labels[i] : labels_[i].none);
  }
}

void RowWriter::append_rejected(PointId id, const parallel::Strategy& strategy, Status status) {
  append_strategy(id, strategy, status);
  time_->push_back(unknown);
  for (const Doubles charge : charges_) {
    charge->push_back(unknown);
  }
  bottleneck_->push_back(no_bottleneck);
  for (const Floats figure : figures_) {
    figure->push_back(static_cast<float>(unknown));
  }
  for (const Label& label : labels_) {
    label.column->push_back(label.none);
  }
}

}  // namespace scalesweep::study

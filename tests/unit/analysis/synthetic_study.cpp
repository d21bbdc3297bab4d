#include "unit/analysis/synthetic_study.hpp"
#include "store/merge/finish.hpp"
#include "store/read/outcomes.hpp"
#include "store/segments/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "parallel/enumerate.hpp"
#include "parallel/fields.hpp"
#include "support/stored_texts.hpp"

namespace scalesweep::analysis::testing {
namespace {

using store::ColumnType;

const std::vector<std::string> status_names = {"ok", "does_not_fit", "filtered"};

std::string role_of(const std::string& name) {
  const std::map<std::string, std::string> roles = {
      {"step_time", "time rank"},
      {"relative_uncertainty", "uncertainty"},
      {"tensor_peak", "rate:tensor_compute axis:logic axis:device axis:scale_out"},
      {"dram_bandwidth", "rate:dram axis:device axis:memory axis:scale_out"}};
  const std::string charge = "charge_";
  const auto found = roles.find(name);
  return name.starts_with(charge) ? "charge:" + name.substr(charge.size())
         : found == roles.end()   ? ""
                                  : found->second;
}

store::Column number(const std::string& name, ColumnType type, const std::string& units) {
  const std::string words = name == "step_time" ? "step time" : name;
  return {name, type, units, words, "test column", {}, role_of(name)};
}

bool has_rates(const TestStudy& study) {
  return std::any_of(study.points.begin(), study.points.end(),
                     [](const TestPoint& point) { return point.tensor_peak > 0.0; });
}

bool has_batches(const TestStudy& study) {
  return std::any_of(study.points.begin(), study.points.end(),
                     [](const TestPoint& point) { return point.data_parallel > 0; });
}

bool has_chunks(const TestStudy& study) {
  return std::any_of(study.points.begin(), study.points.end(),
                     [](const TestPoint& point) { return point.chunks > 0; });
}

bool has_error_bars(const TestStudy& study) {
  return std::any_of(study.points.begin(), study.points.end(),
                     [](const TestPoint& point) { return point.error_bar > 0.0; });
}

bool says_least_known(const TestStudy& study) {
  return std::any_of(study.points.begin(), study.points.end(),
                     [](const TestPoint& point) { return point.unmeasured; });
}

store::Schema full_schema(const TestStudy& study) {
  store::Schema schema = {number("point_id", ColumnType::i64, "1")};
  for (const store::AxisValues& axis : study.axes) {
    schema.push_back({axis.name, ColumnType::u8, "", axis.name, "test axis", axis.labels});
  }
  const parallel::StrategyRules rules = study.kind == parallel::WorkloadKind::training
                                            ? parallel::StrategyRules{}
                                            : parallel::batch_rules();
  const auto add_field = [&](store::Column column) {
    column.role = "strategy";
    column.attributes = parallel::column_attributes(*parallel::find_field(column.name), rules);
    schema.push_back(std::move(column));
  };
  add_field(number("tensor_parallel", ColumnType::i32, "1"));
  add_field(number("pipeline_parallel", ColumnType::i32, "1"));
  if (has_batches(study)) {
    for (const std::string name : {"data_parallel", "micro_batch", "micro_batches"}) {
      add_field(number(name, ColumnType::i32, "1"));
    }
  }
  if (has_chunks(study)) {
    add_field(number("chunks", ColumnType::i32, "1"));
  }
  add_field(
      {"recompute", ColumnType::u8, "", "recompute", "choice", {"none", "selective", "full"}});
  schema.push_back({"status", ColumnType::u8, "", "status", "status", status_names});
  schema.push_back(number("step_time", ColumnType::f64, "s"));
  for (const std::string& resource : resource_names) {
    schema.push_back(number("charge_" + resource, ColumnType::f64, "s"));
  }
  schema.push_back(number("energy_per_step", ColumnType::f32, "J"));
  if (has_rates(study)) {
    schema.push_back(number("tensor_peak", ColumnType::f64, "s-1"));
    schema.push_back(number("dram_bandwidth", ColumnType::f64, "B s-1"));
  }
  if (has_error_bars(study)) {
    schema.push_back(number("relative_uncertainty", ColumnType::f32, "1"));
  }
  if (says_least_known(study)) {
    store::Column least = {"least_known", ColumnType::u8, "",
                           "least known", "test",         {"device not measured", "none"}};
    least.role = "least_known";
    schema.push_back(std::move(least));
  }
  return schema;
}

// All columns of one point as numbers, in the order of full_schema.
std::vector<double> row_of(const TestPoint& point, std::size_t id, const TestStudy& study) {
  std::vector<double> row = {static_cast<double>(id)};
  row.insert(row.end(), point.axes.begin(), point.axes.end());
  row.push_back(point.tensor_parallel);
  row.push_back(point.pipeline_parallel);
  if (has_batches(study)) {
    const std::array<std::int32_t, 3> batches = {point.data_parallel, point.micro_batch,
                                                 point.micro_batches};
    row.insert(row.end(), batches.begin(), batches.end());
  }
  if (has_chunks(study)) {
    row.push_back(point.chunks);
  }
  row.push_back(point.recompute);
  row.push_back(point.status);
  double step_time_s = 0.0;
  for (const double charge_s : point.charges_s) {
    step_time_s += charge_s;
  }
  const double nan = std::nan("");
  const bool has_estimate = point.status < 2;
  row.push_back(has_estimate ? step_time_s : nan);
  for (const double charge_s : point.charges_s) {
    row.push_back(has_estimate ? charge_s : nan);
  }
  row.push_back(has_estimate ? point.energy_j : nan);
  if (has_rates(study)) {
    row.insert(row.end(), {point.tensor_peak, point.dram_bandwidth});
  }
  if (has_error_bars(study)) {
    row.push_back(point.error_bar);
  }
  if (says_least_known(study)) {
    row.push_back(point.unmeasured ? 0.0 : 1.0);
  }
  return row;
}

void append(store::Table& table, std::size_t column, ColumnType type, double value) {
  switch (type) {
    case ColumnType::f64:
      table.values<double>(column).push_back(value);
      break;
    case ColumnType::f32:
      table.values<float>(column).push_back(static_cast<float>(value));
      break;
    case ColumnType::i64:
      table.values<std::int64_t>(column).push_back(static_cast<std::int64_t>(value));
      break;
    case ColumnType::i32:
      table.values<std::int32_t>(column).push_back(static_cast<std::int32_t>(value));
      break;
    case ColumnType::u8:
      table.values<std::uint8_t>(column).push_back(static_cast<std::uint8_t>(value));
      break;
  }
}

// Relative rates of the toy law, by generation.
constexpr std::array<double, 7> compute_rates = {1.0, 1.7, 2.8, 4.3, 6.5, 8.8, 11.5};
constexpr std::array<double, 4> memory_rates = {1.0, 1.6, 3.2, 6.0};
constexpr std::array<double, 3> network_rates = {1.0, 2.0, 4.0};

TestPoint toy_point(std::size_t node, std::size_t memory, std::size_t network, int tensor,
                    int recompute, int copy) {
  const double spread = 1.0 + 0.37 * copy;
  TestPoint point;
  point.tensor_parallel = tensor;
  point.pipeline_parallel = 64 / tensor;
  point.recompute = static_cast<std::uint8_t>(recompute);
  const double redo = recompute == 2 ? 1.33 : recompute == 1 ? 1.03 : 1.0;
  const double bubble = 1.0 + 0.02 * point.pipeline_parallel;
  point.charges_s = {38.0 * redo * bubble / compute_rates[node],
                     2.0 * bubble / compute_rates[node],
                     9.0 * redo * bubble / memory_rates[memory],
                     0.6 / std::sqrt(compute_rates[node]),
                     0.01,
                     0.35 * tensor,
                     (tensor > 8 ? 6.0 : 1.0) * 2.4 / network_rates[network],
                     0.25 * spread};
  for (double& charge_s : point.charges_s) {
    charge_s *= spread;
  }
  point.energy_j = 1.0e9 * spread * (0.4 + 2.0 / compute_rates[node]) * (1.0 + 0.01 * tensor) *
                   (1.0 + 0.08 * static_cast<double>(memory));
  point.status = recompute == 0 && tensor < 8 + static_cast<int>(4 - memory) ? 1 : 0;
  return point;
}

std::string usual_objectives(const store::Schema& schema) {
  std::vector<std::string> objectives;
  for (const std::string name : {"step_time", "accelerators", "energy_per_step"}) {
    if (std::any_of(schema.begin(), schema.end(),
                    [&](const store::Column& column) { return column.name == name; })) {
      objectives.push_back(name);
    }
  }
  return join(objectives, ", ");
}

}  // namespace

store::AxisValues names(const std::string& name, const std::vector<std::string>& labels) {
  store::AxisValues axis{name, "", "test axis", labels, {}};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    axis.values.push_back(static_cast<double>(i));
  }
  return axis;
}

store::AxisValues values(const std::string& name, const std::vector<double>& values,
                         const std::string& units) {
  store::AxisValues axis{name, units, "test axis", {}, values};
  for (const double value : values) {
    axis.labels.push_back(fmt::format("{:g}{}{}", value, units.empty() ? "" : " ", units));
  }
  return axis;
}

store::StudyDescription TestStudy::description() const {
  store::StudyDescription study;
  study.identity = "test-identity";
  study.identity_parts = {{"test", "1"}};
  study.points = static_cast<std::int64_t>(points.size()) + not_kept + worse_not_kept;
  study.chunk_rows = chunk_rows;
  study.axes = axes;
  study.count_names = status_names;
  study.outcomes.tables = outcome_tables;
  study.outcomes.nearest.resize(status_names.size());
  study.root_attributes = root_attributes;
  study.root_attributes["title"] = "A test study";
  if (!spec.empty()) {
    study.provenance["spec"] = spec;
  }
  for (store::Column column : full_schema(*this)) {
    if (std::find(drop_columns.begin(), drop_columns.end(), column.name) != drop_columns.end()) {
      continue;
    }
    if (const auto other = renamed.find(column.name); other != renamed.end()) {
      column.name = column.long_name = other->second;
    }
    if (std::find(adds_up.begin(), adds_up.end(), column.name) != adds_up.end()) {
      column.role += column.role.empty() ? "adds_up" : " adds_up";
    }
    if (!say_roles) {
      column.role = "";
      column.attributes.clear();
    }
    study.schema.push_back(column);
  }
  if (say_objectives) {
    study.root_attributes["objectives"] = test::as_stored(
        "objectives", objectives.empty() ? usual_objectives(study.schema) : objectives);
  }
  return study;
}

void TestStudy::write(const std::filesystem::path& file) const {
  const store::StudyDescription study = description();
  const store::Schema all = full_schema(*this);
  const auto name_in_file = [&](const std::string& name) {
    const auto other = renamed.find(name);
    return other == renamed.end() ? name : other->second;
  };
  store::Table table(study.schema);
  store::Counts counts(status_names.size(), 0);
  const store::OutcomeNumbers numbers(study);
  store::Outcomes outcomes;
  for (std::size_t id = 0; id < points.size(); ++id) {
    ++counts[points[id].status];
    for (std::size_t one = 0; one < outcome_tables.size(); ++one) {
      const std::int64_t first = numbers.first_cell(one, points[id].axes);
      store::add_outcomes(outcomes, {{first + points[id].status, 1, std::nan("")}});
    }
    if (only_feasible && points[id].status != 0) {
      continue;
    }
    const std::vector<double> row = row_of(points[id], id, *this);
    std::size_t column = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (column < study.schema.size() && study.schema[column].name == name_in_file(all[i].name)) {
        append(table, column, all[i].type, row[i]);
        ++column;
      }
    }
  }
  counts.back() += not_kept;
  counts.front() += worse_not_kept;
  store::prepare_output(file, study);
  store::write_segment(file, study, {0, study.points}, table, counts, store::Durability::synced,
                       outcomes);
  store::finish(file, study, std::nullopt);
}

TestStudy scaling_study(std::size_t memories, std::size_t networks, int copies) {
  const std::vector<std::string> memory_names = {"HBM2", "HBM2E", "HBM3", "HBM4"};
  const std::vector<std::string> network_names = {"HDRx8", "NDRx8", "XDRx8"};
  TestStudy study;
  study.axes = {
      names("model", {"gpt3-175b"}), values("accelerators", {1024}, ""),
      names("logic", {"N12", "N10", "N7", "N5", "N3", "N2", "N1"}),
      names("memory",
            {memory_names.begin(), memory_names.begin() + static_cast<std::ptrdiff_t>(memories)}),
      names("scale_out", {network_names.begin(),
                          network_names.begin() + static_cast<std::ptrdiff_t>(networks)})};
  for (std::size_t node = 0; node < compute_rates.size(); ++node) {
    for (std::size_t memory = 0; memory < memories; ++memory) {
      for (std::size_t network = 0; network < networks; ++network) {
        for (const int tensor : {1, 2, 4, 8, 16, 32}) {
          for (int recompute = 0; recompute < 3; ++recompute) {
            for (int copy = 0; copy < copies; ++copy) {
              TestPoint point = toy_point(node, memory, network, tensor, recompute, copy);
              point.axes = {0, 0, static_cast<std::int32_t>(node),
                            static_cast<std::int32_t>(memory), static_cast<std::int32_t>(network)};
              study.points.push_back(point);
            }
          }
        }
      }
    }
  }
  return study;
}

}  // namespace scalesweep::analysis::testing

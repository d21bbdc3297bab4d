#include "analysis/bottlenecks/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/selection/slice.hpp"
#include "analysis/words/words.hpp"

namespace scalesweep::analysis {
namespace {

// An HDF5 enum lives in a dataset's header, which holds 64 KiB.
constexpr std::size_t most_label_bytes = 32 * 1024;

std::vector<std::string> enum_labels(const std::vector<std::string>& labels) {
  std::size_t bytes = 0;
  for (const std::string& label : labels) {
    bytes += label.size() + 8;
  }
  return bytes <= most_label_bytes ? labels : std::vector<std::string>{};
}

store::Schema attribution_schema(const Resources& resources, std::string_view time) {
  store::Schema schema = {
      name_column("dominant_resource", "dominant resource",
                  fmt::format("resource with the largest share of the {}", time), resources.names),
      share_column("dominant_share", "share of the dominant resource",
                   fmt::format("elasticity of the {} to the dominant resource", time)),
      name_column("second_resource", "second resource",
                  fmt::format("resource with the second largest share of the {}", time),
                  resources.names),
      share_column("dominant_margin", "margin of the dominant resource",
                   "share of the dominant resource less the share of the second"),
      name_column("dominant_group", "bottleneck",
                  fmt::format("group of resources with the largest share of the {}", time),
                  resources.groups),
  };
  for (const std::string& group : resources.groups) {
    schema.push_back(share_column("group_share_" + group, "share of " + words(group),
                                  fmt::format("share of the {} due to {}", time, words(group))));
  }
  for (const std::string& name : resources.names) {
    schema.push_back(share_column("share_" + name, "share of " + words(name),
                                  fmt::format("elasticity of the {} to {}", time, words(name))));
  }
  return schema;
}

// Fills the columns of attribution_schema, which start at `first` in `table`.
void add_attribution(store::Table& table, std::size_t first, const Attribution& a) {
  std::size_t column = first;
  const auto add_name = [&](std::size_t index) {
    table.values<std::int32_t>(column++).push_back(static_cast<std::int32_t>(index));
  };
  const auto add_share = [&](double share) { table.values<double>(column++).push_back(share); };
  add_name(a.resource);
  add_share(a.shares[a.resource]);
  add_name(a.second);
  add_share(a.margin());
  add_name(a.group);
  for (const double share : a.group_shares) {
    add_share(share);
  }
  for (const double share : a.shares) {
    add_share(share);
  }
}

// Columns of the study in the order in which a result shows them: id, axes, everything else but the
// status (always feasible) and names that the attribution gives.
std::vector<std::string> study_columns(const StudyLayout& layout,
                                       const store::Schema& attribution) {
  std::set<std::string> taken = {std::string(point_id_column), std::string(status_column)};
  for (const store::Column& column : attribution) {
    taken.insert(column.name);
  }
  std::vector<std::string> names = {std::string(point_id_column)};
  const auto add = [&](const std::string& name) {
    if (taken.insert(name).second) {
      names.push_back(name);
    }
  };
  for (const store::AxisValues& axis : layout.axes) {
    if (layout.column(axis.name)) {
      add(axis.name);
    }
  }
  for (const store::Column& column : layout.schema) {
    add(column.name);
  }
  return names;
}

store::Schema labelled_schema(const StudyLayout& layout, const std::vector<std::string>& names) {
  store::Schema schema = schema_of(layout.schema, names);
  for (store::Column& column : schema) {
    const auto axis = layout.axis(column.name);
    if (axis) {
      column.long_name = words(column.name);
      column.labels =
          column.labels.empty() ? enum_labels(layout.axes[*axis].labels) : column.labels;
    }
  }
  return schema;
}

}  // namespace

store::Column axis_column(const StudyLayout& layout, std::size_t axis) {
  const store::AxisValues& values = layout.axes[axis];
  return name_column(values.name, words(values.name), values.description,
                     enum_labels(values.labels));
}

store::Column group_column(const StudyLayout& layout, const std::string& name) {
  if (const auto axis = layout.axis(name)) {
    return axis_column(layout, *axis);
  }
  store::Column column = layout.schema[layout.column(name).value()];
  column.type = column.labels.empty() ? store::ColumnType::i64 : store::ColumnType::i32;
  return column;
}

ResultTable point_table(const store::StudyReader& reader, const StudyLayout& layout,
                        const Resources& resources, const std::vector<std::int64_t>& rows) {
  const store::Schema attribution = attribution_schema(resources, layout.time.words);
  const std::vector<std::string> names = study_columns(layout, attribution);
  const store::Table study = gather(reader, layout, names, rows);
  const store::Schema study_schema = schema_of(layout.schema, names);
  ResultTable result;
  result.schema = labelled_schema(layout, names);
  result.schema.insert(result.schema.end(), attribution.begin(), attribution.end());
  result.table = store::Table(result.schema);
  for (std::size_t i = 0; i < names.size(); ++i) {
    copy_column(study, i, result.table, i, study_schema[i].type);
  }
  std::vector<std::vector<double>> charges;
  for (const std::string& charge : layout.charges) {
    charges.push_back(numbers(study, study_schema, charge));
  }
  std::vector<double> row_charges(charges.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < charges.size(); ++i) {
      row_charges[i] = charges[i][row];
    }
    add_attribution(result.table, names.size(), attribute(resources, row_charges));
  }
  return result;
}

ResultTable cloud_table(const store::StudyReader& reader, const StudyLayout& layout,
                        const std::vector<std::int64_t>& rows) {
  std::vector<std::string> names = {std::string(point_id_column)};
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  };
  for (const store::AxisValues& axis : layout.axes) {
    if (axis.labels.size() > 1) {
      add(axis.name);
    }
  }
  for (const std::string& objective : columns_of(layout.objectives)) {
    add(objective);
  }
  ResultTable result;
  result.description =
      "feasible points thinned for a picture: one per cell of a logarithmic grid over the "
      "objectives";
  result.schema = labelled_schema(layout, names);
  result.table = gather(reader, layout, names, rows);
  return result;
}

void add_axis_column(ResultTable& points, const store::Column& column,
                     const std::vector<std::int32_t>& values) {
  store::Schema schema = points.schema;
  schema.push_back(column);
  store::Table table(schema);
  for (std::size_t i = 0; i < points.schema.size(); ++i) {
    copy_column(points.table, i, table, i, points.schema[i].type);
  }
  table.values<std::int32_t>(points.schema.size()) = values;
  points.schema = schema;
  points.table = std::move(table);
}

std::vector<Attribution> attributions(const ResultTable& table, const Resources& resources) {
  std::vector<std::vector<double>> shares;
  for (const std::string& name : resources.names) {
    shares.push_back(numbers(table.table, table.schema, "share_" + name));
  }
  std::vector<Attribution> result;
  std::vector<double> row_shares(shares.size());
  for (std::size_t row = 0; row < table.table.rows(); ++row) {
    for (std::size_t i = 0; i < shares.size(); ++i) {
      row_shares[i] = shares[i][row];
    }
    result.push_back(attribute(resources, row_shares));
  }
  return result;
}

}  // namespace scalesweep::analysis

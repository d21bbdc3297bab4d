#include "analysis/selection/read_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/file/columns.hpp"
#include "analysis/selection/kept_points.hpp"
#include "analysis/selection/selected_values.hpp"
#include "analysis/words/words.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "space/stored_rules.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::analysis {
namespace {

bool is_integer(store::ColumnType type) {
  return type != store::ColumnType::f64 && type != store::ColumnType::f32;
}

void check_columns(const StudyLayout& layout) {
  for (const std::string& name : {std::string(point_id_column), std::string(status_column),
                                  layout.time.name, layout.time.better}) {
    if (!layout.column(name)) {
      refuse(fmt::format("the study has no column '{}', which analysis needs{}", name,
                         suggestion(name, names_of(layout.schema))));
    }
  }
  if (layout.resources.empty()) {
    refuse(
        fmt::format("the study has no column 'charge_<resource>' that says what the {} is due "
                    "to, which analysis needs",
                    layout.time.words));
  }
  for (const store::AxisValues& axis : layout.axes) {
    const auto column = layout.column(axis.name);
    if (axis.labels.size() > 1 && !column) {
      refuse(fmt::format("the study has an axis '{}' of {} values but no column of that name",
                         axis.name, axis.labels.size()));
    }
    if (column && !is_integer(layout.schema[*column].type)) {
      refuse(
          fmt::format("the column '{}' should hold indices into /axes/{} but is not of an "
                      "integer type",
                      axis.name, axis.name));
    }
  }
}

std::size_t named_axis(const StudyLayout& layout, const std::string& name) {
  if (const auto found = layout.axis(name)) {
    return *found;
  }
  if (layout.column(name)) {
    refuse(
        fmt::format("cannot read the study along '{}': it is a column but not an axis; the axes "
                    "are {}",
                    name, join(names_of(layout.axes), ", ")));
  }
  refuse(
      fmt::format("the study has no axis '{}'{}", name, suggestion(name, names_of(layout.axes))));
}

// Axes of whose values the best alone is known (KeptPoints::chose_best_of) come last, but for those
// that ask: along any other one there would be a point here and there. Where transitions were
// looked for, the axis is theirs.
std::size_t default_axis(const StudyLayout& layout, const KeptPoints& kept,
                         const std::string& of_transitions) {
  if (layout.axes.empty()) {
    refuse("the study has no axes to read it along");
  }
  if (const auto axis = layout.axis(of_transitions)) {
    return *axis;
  }
  std::vector<std::size_t> order;
  for (const std::string_view name : along_preference) {
    if (const auto found = layout.axis(std::string(name))) {
      order.push_back(*found);
    }
  }
  for (std::size_t i = 0; i < layout.axes.size(); ++i) {
    if (layout.axes[i].name != store::study_axis) {
      order.push_back(i);
    }
  }
  std::stable_partition(order.begin(), order.end(), [&](std::size_t axis) {
    const std::string& name = layout.axes[axis].name;
    return !kept.chose_best_of(name) || is_workload_axis(name);
  });
  for (const std::size_t least : {2u, 1u}) {
    for (const std::size_t axis : order) {
      if (layout.axes[axis].labels.size() >= least) {
        return axis;
      }
    }
  }
  refuse("no axis of the study has a value");
}

std::vector<std::size_t> wanted_axes(const StudyLayout& layout, const std::string& along,
                                     const KeptPoints& kept, const std::string& of_transitions) {
  if (along.empty()) {
    return {default_axis(layout, kept, of_transitions)};
  }
  std::vector<std::size_t> axes;
  for (const std::string& word : split(along, ',')) {
    const std::size_t axis = named_axis(layout, std::string(trim(word)));
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
      refuse(fmt::format("the axis '{}' is named twice", layout.axes[axis].name));
    }
    axes.push_back(axis);
  }
  return axes;
}

// An axis alone stands for those that vary together with it: along it they advance.
std::vector<std::size_t> with_those_together(const StudyLayout& layout,
                                             std::vector<std::size_t> along) {
  if (along.size() > 1) {
    return along;
  }
  const store::AxisValues& first = layout.axes[along.front()];
  for (const std::string& name : layout.group_of(first.name)) {
    const auto axis = layout.axis(name);
    if (axis && *axis != along.front() && layout.axes[*axis].labels.size() == first.labels.size()) {
      along.push_back(*axis);
    }
  }
  return along;
}

// Where no column is the time, or ranks points: as of training, whose is missed then.
TimeColumn time_of(const store::Schema& schema) {
  const store::Column* const time = column_with(schema, role::time);
  const store::Column* const rank = column_with(schema, role::rank);
  TimeColumn result = {"step_time", "step time", "step_time", "step time"};
  if (time != nullptr) {
    result.name = time->name;
    result.words = time->long_name;
  }
  if (rank != nullptr) {
    result.better = rank->name;
    result.better_words = rank->long_name;
  }
  return result;
}

void sort_columns(StudyLayout& layout) {
  layout.time = time_of(layout.schema);
  for (const store::Column& column : layout.schema) {
    if (const std::string resource = of_role(column, role::charge_of); !resource.empty()) {
      layout.resources.push_back(resource);
      layout.charges.push_back(column.name);
    }
    if (column.name == status_column) {
      layout.statuses = column.labels;
    }
  }
  layout.strategy = strategy_columns(layout.schema);
  if (layout.statuses.empty()) {
    layout.statuses = {"ok"};
  }
}

void sort_axes(StudyLayout& layout, const KeptPoints& kept) {
  for (std::size_t i = 0; i < layout.axes.size(); ++i) {
    if (layout.axes[i].labels.size() < 2) {
      continue;
    }
    const std::string& name = layout.axes[i].name;
    const bool searched =
        std::find(searched_axes.begin(), searched_axes.end(), name) != searched_axes.end();
    // Other axes say in what studies differ.
    const bool is_study = name == store::study_axis;
    const bool chosen = kept.chose_best_of(name) && !is_workload_axis(name);
    if (i != layout.along && !searched && !is_study && !chosen) {
      layout.panels.push_back(i);
    }
    if (is_workload_axis(layout.axes[i].name)) {
      layout.workloads.push_back(i);
    }
  }
}

std::vector<std::size_t> compared_fields(const StudyLayout& layout,
                                         const std::vector<FollowingField>& following) {
  std::vector<std::string> along;
  for (const std::size_t axis : layout.along_axes) {
    along.push_back(layout.axes[axis].name);
  }
  std::vector<std::size_t> fields;
  for (std::size_t i = 0; i < layout.strategy.size(); ++i) {
    if (!follows_from(following, layout.strategy[i], along)) {
      fields.push_back(i);
    }
  }
  return fields;
}

}  // namespace

StudyLayout read_layout(const store::StudyReader& reader, const LayoutOptions& options) {
  StudyLayout layout;
  layout.schema = reader.schema();
  layout.axes = reader.axes();
  layout.reading = options.reading;
  sort_columns(layout);
  check_columns(layout);
  if (!options.where.empty()) {
    keep_selected_values(layout, reader, options.where);
  }
  layout.together = space::groups_of_json(reader.root_attribute("together"));
  const KeptPoints kept(reader);
  const std::string of_transitions = transitions_axis_of(reader);
  layout.along_axes =
      with_those_together(layout, wanted_axes(layout, options.along, kept, of_transitions));
  layout.along = layout.along_axes.front();
  layout.leaves_values_out = layout.axes[layout.along].name == of_transitions;
  for (const std::size_t axis : layout.along_axes) {
    if (!layout.column(layout.axes[axis].name)) {
      refuse(fmt::format("the study has an axis '{}' but no column of that name",
                         layout.axes[axis].name));
    }
  }
  sort_axes(layout, kept);
  layout.compared = compared_fields(layout, following_fields_of(reader));
  layout.objectives = options.objectives.empty() ? default_objectives(reader) : options.objectives;
  check_objectives(layout, layout.objectives);
  check_directions(layout.schema, options.objectives);
  return layout;
}

}  // namespace scalesweep::analysis

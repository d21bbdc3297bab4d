#include "library/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::library {
namespace {

constexpr std::size_t most_named = 5;  // of what tells layouts apart

std::string description_of(const study::Study& study, const std::string& name) {
  const store::Schema& schema = study.description().schema;
  const auto column = std::find_if(schema.begin(), schema.end(),
                                   [&](const store::Column& each) { return each.name == name; });
  return column == schema.end() ? "" : column->description;
}

Parameter parameter_of(const space::Axis& axis, const study::Study& study) {
  Parameter parameter;
  parameter.name = axis.name;
  parameter.units = axis.units;
  parameter.description = description_of(study, axis.name);
  parameter.follows = axis.follows;
  parameter.choice = axis.follows.empty() ? Choice::axis : Choice::together;
  parameter.labels = axis.labels;
  if (axis.kind != space::AxisKind::name) {
    parameter.values = axis.values;
  }
  return parameter;
}

Parameter parameter_of(const parallel::Field& field, const std::set<std::int32_t>& values) {
  Parameter parameter;
  parameter.name = field.name;
  parameter.description = field.description;
  parameter.choice = field.is_tried ? Choice::layout : Choice::derived;
  parameter.field = &field;
  parameter.field_values.assign(values.begin(), values.end());
  for (const std::int32_t value : values) {
    parameter.labels.push_back(parallel::text_of(field, value));
  }
  const bool is_number =
      field.kind == parallel::FieldKind::size || field.kind == parallel::FieldKind::stage;
  if (is_number) {
    parameter.units = "1";
    parameter.values.assign(values.begin(), values.end());
  }
  return parameter;
}

std::int32_t place_of(const Parameter& parameter, const parallel::Strategy& strategy) {
  const auto& values = parameter.field_values;
  const auto found =
      std::lower_bound(values.begin(), values.end(), parameter.field->value(strategy));
  return static_cast<std::int32_t>(found - values.begin());
}

void check_choice(const Parameter& parameter, std::int32_t choice) {
  if (choice < -1 || choice >= static_cast<std::int32_t>(parameter.labels.size())) {
    throw Failure(ExitCode::usage, fmt::format("{} has {} values; there is no choice {}",
                                               parameter.name, parameter.labels.size(), choice));
  }
}

// Of each axis. Open ones have their only value, or that of the axis that they follow.
std::vector<std::int32_t> axis_index_of(std::span<const Parameter> axes,
                                        std::span<const std::int32_t> choices) {
  std::vector<std::int32_t> index;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    std::int32_t choice = choices[a];
    if (choice < 0 && axes[a].choice == Choice::together) {
      const auto leader = std::find_if(axes.begin(), axes.end(), [&](const Parameter& each) {
        return each.name == axes[a].follows;
      });
      choice = index[static_cast<std::size_t>(leader - axes.begin())];
    }
    if (choice < 0 && axes[a].labels.size() > 1) {
      throw Failure(ExitCode::usage, fmt::format("choose a value of {}: it is one of {}",
                                                 axes[a].name, join(axes[a].labels, ", ")));
    }
    index.push_back(std::max(choice, 0));
  }
  return index;
}

bool agrees(const parallel::Strategy& strategy, std::span<const Parameter> fields,
            std::span<const std::int32_t> choices) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (choices[f] >= 0 && place_of(fields[f], strategy) != choices[f]) {
      return false;
    }
  }
  return true;
}

std::string text_of_choices(std::span<const Parameter> parameters,
                            std::span<const std::int32_t> choices) {
  std::vector<std::string> texts;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (choices[p] >= 0 && parameters[p].labels.size() > 1) {
      texts.push_back(fmt::format("{} {}", parameters[p].name,
                                  parameters[p].labels[static_cast<std::size_t>(choices[p])]));
    }
  }
  return texts.empty() ? "these choices" : join(texts, ", ");
}

// What two layouts that both have the choices differ in, and was left open.
std::string open_fields(std::span<const Parameter> fields, const parallel::Strategy& one,
                        const parallel::Strategy& other) {
  std::vector<std::string> names;
  for (const Parameter& field : fields) {
    if (field.choice == Choice::layout && place_of(field, one) != place_of(field, other)) {
      names.push_back(field.name);
    }
  }
  names.resize(std::min(names.size(), most_named));
  return join(names, ", ");
}

}  // namespace

std::vector<Parameter> parameters_of(const study::Study& study) {
  std::vector<Parameter> parameters;
  for (const space::Axis& axis : study.space().axes()) {
    parameters.push_back(parameter_of(axis, study));
  }
  const auto tables = study.space().strategy_tables();
  for (const parallel::Field* field : parallel::fields_of(study.spec().strategy)) {
    std::set<std::int32_t> values;
    for (const auto& table : tables) {
      for (const parallel::Strategy& strategy : table) {
        values.insert(field->value(strategy));
      }
    }
    parameters.push_back(parameter_of(*field, values));
  }
  return parameters;
}

std::vector<std::int32_t> choices_of(const study::Study& study,
                                     std::span<const Parameter> parameters, PointId id) {
  const space::Run run = study.space().run_at(id);
  const parallel::Strategy& strategy =
      run.strategies[static_cast<std::size_t>(run.first_strategy + (id - run.ids.first))];
  std::vector<std::int32_t> choices = run.axis_index;
  for (const Parameter& field : parameters.subspan(run.axis_index.size())) {
    choices.push_back(place_of(field, strategy));
  }
  return choices;
}

PointId id_of(const study::Study& study, std::span<const Parameter> parameters,
              std::span<const std::int32_t> choices) {
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    check_choice(parameters[p], choices[p]);
  }
  const std::size_t axes = study.space().axes().size();
  const std::vector<std::int32_t> index =
      axis_index_of(parameters.first(axes), choices.first(axes));
  const std::optional<space::Run> run = study.space().run_of(index);
  const std::span<const Parameter> fields = parameters.subspan(axes);
  std::optional<std::size_t> found;
  for (std::size_t s = 0; run && s < run->strategies.size(); ++s) {
    if (!agrees(run->strategies[s], fields, choices.subspan(axes))) {
      continue;
    }
    if (found) {
      throw NoPoint(fmt::format("several layouts have {}; choose {} as well",
                                text_of_choices(parameters, choices),
                                open_fields(fields, run->strategies[*found], run->strategies[s])));
    }
    found = s;
  }
  if (!found) {
    throw NoPoint(fmt::format("no valid layout has {}", text_of_choices(parameters, choices)));
  }
  return run->ids.first + static_cast<std::int64_t>(*found) - run->first_strategy;
}

}  // namespace scalesweep::library

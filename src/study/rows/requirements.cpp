#include "study/rows/requirements.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "columns/roles.hpp"
#include "core/contracts.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::study {

namespace {

std::string status_of(const space::Requirement& requirement) {
  return fmt::format("{}{}", columns::missed_prefix, requirement.name);
}

}  // namespace

std::vector<std::string> requirement_statuses(const space::Spec& spec) {
  std::vector<std::string> names;
  for (const space::Requirement& requirement : spec.requirements) {
    names.push_back(status_of(requirement));
  }
  return names;
}

void check_requirements(const space::Spec& spec, const store::Schema& schema,
                        Diagnostics& diagnostics) {
  const std::vector<store::AxisValues> axes = axis_values(spec.axes);
  const std::vector<std::string>& statuses = schema[column_named(schema, "status")].labels;
  const auto others = statuses.end() - static_cast<std::ptrdiff_t>(spec.requirements.size());
  for (const space::Requirement& requirement : spec.requirements) {
    const space::Filter& condition = requirement.condition;
    const std::string status = status_of(requirement);
    if (std::find(statuses.begin(), others, status) != others) {
      diagnostics.error(condition.position,
                        fmt::format("'{}' cannot be the name of a requirement: {} is another "
                                    "status of this kind of workload",
                                    requirement.name, status));
    }
    for (const expression::Problem& problem :
         columns::condition_problems(condition.expression, schema, axes)) {
      SourcePosition position = condition.position;
      if (condition.first_column > 0) {
        position.column = condition.first_column + static_cast<int>(problem.offset);
      }
      diagnostics.error(position, "requirement: " + problem.message);
    }
  }
}

Requirements::Requirements(const space::Spec& spec, const store::Schema& schema) : schema_(schema) {
  const std::vector<store::AxisValues> axes = axis_values(spec.axes);
  for (const space::Requirement& requirement : spec.requirements) {
    conditions_.emplace_back(requirement.condition.expression, schema, axes);
  }
  status_column_ = column_named(schema, "status");
  first_status_ = schema[status_column_].labels.size() - conditions_.size();
}

void Requirements::judge(store::Table& rows, StatusTally& tally) const {
  SCALESWEEP_EXPECT(rows.rectangular());
  constexpr auto ok = static_cast<std::uint8_t>(Status::ok);
  std::vector<std::uint8_t> holds;
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    conditions_[i].select(rows, schema_, holds);
    std::vector<std::uint8_t>& status = rows.values<std::uint8_t>(status_column_);
    const std::size_t missed = first_status_ + i;
    for (std::size_t row = 0; row < holds.size(); ++row) {
      if (status[row] == ok && holds[row] == 0) {
        status[row] = static_cast<std::uint8_t>(missed);
        --tally.counts[index_of(Status::ok)];
        ++tally.counts[missed];
      }
    }
  }
}

std::vector<bool> Requirements::each_met(const store::Table& rows) const {
  std::vector<bool> met;
  std::vector<std::uint8_t> holds;
  for (const columns::Condition& condition : conditions_) {
    condition.select(rows, schema_, holds);
    met.push_back(holds.at(0) != 0);
  }
  return met;
}

std::vector<std::size_t> Requirements::met(const store::Table& rows) const {
  std::vector<std::size_t> places;
  const std::vector<std::uint8_t>& status = rows.values<std::uint8_t>(status_column_);
  for (std::size_t row = 0; row < status.size(); ++row) {
    if (status[row] == static_cast<std::uint8_t>(Status::ok)) {
      places.push_back(row);
    }
  }
  return places;
}

}  // namespace scalesweep::study

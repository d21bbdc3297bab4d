#include "store/read/outcomes.hpp"

#include <algorithm>
#include <cmath>

#include "core/contracts.hpp"
#include "core/failure.hpp"

namespace scalesweep::store {
namespace {

bool is_before(const OutcomeCell& a, const OutcomeCell& b) {
  return a.cell < b.cell;
}

// Ascending cells, of which some are there several times.
void add_equal_cells(Outcomes& cells) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (cells[i].cell == cells[last].cell) {
      cells[last].points += cells[i].points;
      // The one that is a number, where the other is none.
      cells[last].nearest = std::fmin(cells[last].nearest, cells[i].nearest);
    } else {
      cells[++last] = cells[i];
    }
  }
  cells.resize(cells.empty() ? 0 : last + 1);
}

// By status, whether of the column that says how near a point came the larger is the better.
std::vector<bool> larger_is_nearer(const StudyDescription& study) {
  std::vector<bool> larger(study.count_names.size(), false);
  for (std::size_t status = 0; status < study.outcomes.nearest.size(); ++status) {
    larger[status] =
        std::any_of(study.schema.begin(), study.schema.end(), [&](const Column& column) {
          return column.name == study.outcomes.nearest[status] && column.better == "larger";
        });
  }
  return larger;
}

std::size_t place_of_axis(const StudyDescription& study, const std::string& name) {
  const AxisValues* const axis = find_axis(study.axes, name);
  SCALESWEEP_EXPECT(axis != nullptr);
  return static_cast<std::size_t>(axis - study.axes.data());
}

}  // namespace

OutcomeNumbers::OutcomeNumbers(const StudyDescription& study)
    : statuses_(static_cast<std::int64_t>(study.count_names.size())) {
  for (const OutcomeTable& described : study.outcomes.tables) {
    Table table;
    table.first_group = groups_;
    for (const std::string& name : described.axes) {
      table.axes.push_back(place_of_axis(study, name));
      table.sizes.push_back(static_cast<std::int64_t>(value_count(study.axes[table.axes.back()])));
      table.groups *= table.sizes.back();
    }
    groups_ += table.groups;
    tables_.push_back(std::move(table));
  }
}

std::int64_t OutcomeNumbers::first_cell(std::size_t table,
                                        std::span<const std::int32_t> axis_index) const {
  const Table& own = tables_[table];
  std::int64_t group = 0;
  for (std::size_t i = 0; i < own.axes.size(); ++i) {
    group = group * own.sizes[i] + axis_index[own.axes[i]];
  }
  return (own.first_group + group) * statuses_;
}

OutcomeNumbers::Place OutcomeNumbers::place(std::int64_t cell) const {
  SCALESWEEP_EXPECT(cell >= 0 && cell < cells());
  const std::int64_t number = cell / statuses_;
  Place place;
  place.status = cell % statuses_;
  while (place.table + 1 < tables_.size() && tables_[place.table + 1].first_group <= number) {
    ++place.table;
  }
  const Table& table = tables_[place.table];
  std::int64_t group = number - table.first_group;
  place.values.resize(table.sizes.size());
  for (std::size_t i = table.sizes.size(); i-- > 0;) {
    place.values[i] = group % table.sizes[i];
    group /= table.sizes[i];
  }
  return place;
}

void add_outcomes(Outcomes& into, const Outcomes& more) {
  const auto middle = static_cast<std::ptrdiff_t>(into.size());
  into.insert(into.end(), more.begin(), more.end());
  std::inplace_merge(into.begin(), into.begin() + middle, into.end(), is_before);
  add_equal_cells(into);
}

std::optional<Outcomes> sum_of_outcomes(const std::vector<Segment>& parts) {
  Outcomes all;
  for (const Segment& part : parts) {
    if (!part.outcomes) {
      return std::nullopt;
    }
    all.insert(all.end(), part.outcomes->begin(), part.outcomes->end());
  }
  std::sort(all.begin(), all.end(), is_before);
  add_equal_cells(all);
  return all;
}

bool are_outcomes_of(const StudyDescription& study, const Outcomes& outcomes) {
  const std::int64_t cells = OutcomeNumbers(study).cells();
  std::int64_t next = 0;
  return std::all_of(outcomes.begin(), outcomes.end(), [&](const OutcomeCell& one) {
    const bool fits = one.cell >= next && one.cell < cells && one.points > 0;
    next = one.cell + 1;
    return fits;
  });
}

std::vector<StoredOutcomes> by_table(const StudyDescription& study, const Outcomes& outcomes) {
  const OutcomeNumbers numbers(study);
  const std::vector<bool> larger = larger_is_nearer(study);
  std::vector<StoredOutcomes> tables;
  for (const OutcomeTable& table : study.outcomes.tables) {
    tables.push_back({table, {}});
  }
  for (const OutcomeCell& one : outcomes) {
    const OutcomeNumbers::Place place = numbers.place(one.cell);
    const bool negated = larger[static_cast<std::size_t>(place.status)];
    tables[place.table].rows.push_back(
        {place.values, place.status, one.points, negated ? 0.0 - one.nearest : one.nearest});
  }
  return tables;
}

Outcomes outcomes_of(const StudyDescription& study, const std::vector<StoredOutcomes>& tables) {
  const OutcomeNumbers numbers(study);
  const std::vector<bool> larger = larger_is_nearer(study);
  Outcomes outcomes;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    std::vector<std::size_t> axes;
    for (const std::string& name : tables[t].table.axes) {
      axes.push_back(place_of_axis(study, name));
    }
    for (const OutcomeRow& row : tables[t].rows) {
      if (row.status < 0 || row.status >= numbers.statuses()) {
        refuse("what is counted by groups is damaged; compute the study again");
      }
      std::vector<std::int32_t> index(study.axes.size(), 0);
      for (std::size_t i = 0; i < axes.size(); ++i) {
        index[axes[i]] = static_cast<std::int32_t>(row.values[i]);
      }
      const bool negated = larger[static_cast<std::size_t>(row.status)];
      outcomes.push_back({numbers.first_cell(t, index) + row.status, row.points,
                          negated ? 0.0 - row.nearest : row.nearest});
    }
  }
  std::sort(outcomes.begin(), outcomes.end(), is_before);
  if (!are_outcomes_of(study, outcomes)) {
    refuse("what is counted by groups is damaged; compute the study again");
  }
  return outcomes;
}

}  // namespace scalesweep::store

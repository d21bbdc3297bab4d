#include "analysis/selection/counted_outcomes.hpp"

#include <algorithm>
#include <limits>

#include "analysis/file/columns.hpp"

namespace scalesweep::analysis {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::optional<std::size_t> place_in(const store::OutcomeTable& table, const std::string& axis) {
  const auto found = std::find(table.axes.begin(), table.axes.end(), axis);
  return found == table.axes.end()
             ? std::nullopt
             : std::optional<std::size_t>(static_cast<std::size_t>(found - table.axes.begin()));
}

// Whether the table tells the values of these columns apart. An axis of one value needs no place.
bool tells(const store::StudyReader& reader, const store::OutcomeTable& table,
           const std::vector<std::string>& columns) {
  return std::all_of(columns.begin(), columns.end(), [&](const std::string& name) {
    const store::AxisValues* const axis = find_axis(reader.axes(), name);
    return axis != nullptr && (store::value_count(*axis) <= 1 || place_in(table, name));
  });
}

// The table with the fewest rows that tells all of them apart.
const store::StoredOutcomes* smallest(const store::StudyReader& reader,
                                      const std::vector<store::StoredOutcomes>& tables,
                                      const std::vector<std::string>& columns) {
  const store::StoredOutcomes* best = nullptr;
  for (const store::StoredOutcomes& stored : tables) {
    if (tells(reader, stored.table, columns) &&
        (best == nullptr || stored.rows.size() < best->rows.size())) {
      best = &stored;
    }
  }
  return best;
}

std::int64_t value_of(const store::StoredOutcomes& stored, const store::OutcomeRow& row,
                      const std::string& axis) {
  const auto place = place_in(stored.table, axis);
  return place ? row.values[*place] : 0;
}

// By row, whether the condition holds.
std::vector<std::uint8_t> selected(const store::StoredOutcomes& stored,
                                   const std::optional<Condition>& condition,
                                   const store::Schema& schema) {
  std::vector<std::uint8_t> holds(stored.rows.size(), 1);
  if (!condition) {
    return holds;
  }
  const store::Schema own = schema_of(schema, condition->columns());
  store::Table table(own);
  for (std::size_t column = 0; column < own.size(); ++column) {
    visit_column(table, column, own[column].type, [&](auto& cells) {
      using Cell = typename std::decay_t<decltype(cells)>::value_type;
      for (const store::OutcomeRow& row : stored.rows) {
        cells.push_back(static_cast<Cell>(value_of(stored, row, own[column].name)));
      }
    });
  }
  condition->select(table, own, holds);
  return holds;
}

}  // namespace

std::optional<OutcomesByGroup> counted_outcomes(const store::StudyReader& reader,
                                                const StudyLayout& layout,
                                                const std::vector<std::string>& per,
                                                const std::string& where) {
  std::optional<Condition> condition;
  std::vector<std::string> columns = per;
  if (!where.empty()) {
    condition.emplace(where, reader.schema(), reader.axes());
    columns.insert(columns.end(), condition->columns().begin(), condition->columns().end());
  }
  const std::vector<store::StoredOutcomes> tables = reader.outcomes();
  const store::StoredOutcomes* const stored = smallest(reader, tables, columns);
  if (stored == nullptr) {
    return std::nullopt;
  }
  const std::vector<std::uint8_t> holds = selected(*stored, condition, reader.schema());
  OutcomesByGroup groups;
  for (std::size_t i = 0; i < stored->rows.size(); ++i) {
    const store::OutcomeRow& row = stored->rows[i];
    const auto status = static_cast<std::size_t>(row.status);
    std::vector<std::int64_t> key;
    for (const std::string& name : per) {
      key.push_back(layout.number_of(*layout.axis(name), value_of(*stored, row, name)));
    }
    const bool is_left_out = std::find(key.begin(), key.end(), -1) != key.end();
    if (holds[i] == 0 || is_left_out || status >= layout.statuses.size()) {
      continue;
    }
    OutcomesOfGroup& group = groups[key];
    group.points.resize(layout.statuses.size(), 0);
    group.nearest.resize(layout.statuses.size(), unknown);
    group.points[status] += row.points;
    double& nearest = group.nearest[status];
    const store::Column* const tells_of =
        column_with(layout.schema, role::nearest_of, layout.statuses[status]);
    if (tells_of != nullptr) {
      nearest = better_of(*tells_of, nearest, row.nearest);
    }
  }
  return groups;
}

}  // namespace scalesweep::analysis

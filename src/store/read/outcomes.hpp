// How many points ended in which status, group by group (of a value of an axis, of what is asked),
// kept as rows or not, and how near the nearest of them came to being feasible. Counts of parts add
// up to those of the whole, and the least of their distances is that of the whole: exact in any
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/read/study_file.hpp"

namespace scalesweep::store {

// The numbers of cells: table by table, group by group with the last axis fastest, a cell for each
// status.
class OutcomeNumbers {
 public:
  // Its outcome tables, which name axes of its own, and its statuses.
  explicit OutcomeNumbers(const StudyDescription& study);

  std::int64_t cells() const { return groups_ * statuses_; }
  std::int64_t statuses() const { return statuses_; }
  std::size_t tables() const { return tables_.size(); }
  // Of the group of a table that has the values of these indices, one for each axis of the study;
  // that of its first status.
  std::int64_t first_cell(std::size_t table, std::span<const std::int32_t> axis_index) const;

  struct Place {
    std::size_t table = 0;
    std::vector<std::int64_t> values;  // of the axes of the table, their indices
    std::int64_t status = 0;
  };
  Place place(std::int64_t cell) const;

 private:
  struct Table {
    std::vector<std::size_t> axes;  // into those of the study
    std::vector<std::int64_t> sizes;
    std::int64_t first_group = 0;
    std::int64_t groups = 1;
  };

  std::vector<Table> tables_;
  std::int64_t groups_ = 0;
  std::int64_t statuses_ = 0;
};

// Points of a group that ended in one status.
struct OutcomeRow {
  std::vector<std::int64_t> values;  // of the axes of the table, their indices
  std::int64_t status = 0;           // into StudyDescription::count_names
  std::int64_t points = 0;
  double nearest = 0.0;  // the best value itself, NaN where no column says
};

struct StoredOutcomes {
  OutcomeTable table;
  std::vector<OutcomeRow> rows;  // ascending in values, then status; those with points
};

void add_outcomes(Outcomes& into, const Outcomes& more);
// Nothing where one of the parts has none.
std::optional<Outcomes> sum_of_outcomes(const std::vector<Segment>& parts);

// Whether these can be of a study that counts so: ascending, and each with points.
bool are_outcomes_of(const StudyDescription& study, const Outcomes& outcomes);

// In the order of the study's tables.
std::vector<StoredOutcomes> by_table(const StudyDescription& study, const Outcomes& outcomes);

// What by_table was made of. Throws Failure(bad_input) where the groups are none of the study's.
Outcomes outcomes_of(const StudyDescription& study, const std::vector<StoredOutcomes>& tables);

}  // namespace scalesweep::store

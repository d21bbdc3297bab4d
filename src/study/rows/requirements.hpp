// The [[require]] conditions of a study: what an estimate must meet beside fitting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "columns/condition.hpp"
#include "core/diagnostic.hpp"
#include "space/read/spec.hpp"
#include "store/read/study_file.hpp"
#include "store/read/table.hpp"
#include "study/columns/outcome_counts.hpp"

namespace scalesweep::study {

// The statuses of points that miss them, in their order: "misses_" and their names.
std::vector<std::string> requirement_statuses(const space::Spec& spec);

// Reports, at the character where it stands, what names no column, compares what cannot be compared
// or is no condition.
void check_requirements(const space::Spec& spec, const store::Schema& schema,
                        Diagnostics& diagnostics);

class Requirements {
 public:
  Requirements() = default;
  // Of a spec without such problems. `schema` has its statuses.
  Requirements(const space::Spec& spec, const store::Schema& schema);

  bool empty() const { return conditions_.empty(); }

  // A row that is ok and misses one gets the status of the first that it misses, and is counted
  // there in place of ok. `rows` are whole, their coordinates, too.
  void judge(store::Table& rows, StatusTally& tally) const;
  // Whether the first row meets each.
  std::vector<bool> each_met(const store::Table& rows) const;
  // Places of those that are ok.
  std::vector<std::size_t> met(const store::Table& rows) const;

 private:
  std::vector<columns::Condition> conditions_;
  store::Schema schema_;
  std::size_t status_column_ = 0;
  std::size_t first_status_ = 0;  // of the first condition
};

}  // namespace scalesweep::study

// How the estimates of feasible points are distributed: exact counts over the whole study, whatever
// rows its policy keeps.
#pragma once

#include <cstddef>
#include <vector>

#include "reduce/histogram.hpp"
#include "store/read/study_file.hpp"
#include "store/read/table.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::study {

class Distributions {
 public:
  // Of nothing.
  Distributions() = default;
  // Of the time, the energy and the cost of a token and the memory in use, as far as the schema has
  // them; their bins stand behind the counts by status.
  explicit Distributions(const store::Schema& schema);

  // What describes them in a study file, in the order of their bins.
  std::vector<store::Histogram> describe() const;

  // Counts the rows from `first_row` on that are ok. `statuses`: how many counts stand before.
  void add(const store::Table& rows, std::size_t first_row, std::size_t statuses,
           store::Counts& counts) const;
  // The same of one that is ok, before it is a row.
  void add(const EstimateRow& row, std::size_t statuses, store::Counts& counts) const;

 private:
  struct Quantity {
    std::size_t column = 0;
    std::size_t figure = 0;  // of an EstimateRow; of all but the time, which comes first
    reduce::OctaveBins bins;
    store::Column described;
  };

  std::vector<Quantity> quantities_;
  std::size_t status_column_ = 0;
};

}  // namespace scalesweep::study

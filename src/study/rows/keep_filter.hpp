// Rows of which a policy keeps the best or the frontier: of most estimates it is known at once that
// another one is better, and no row is written.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "store/read/study_file.hpp"
#include "study/columns/distributions.hpp"
#include "study/columns/schema.hpp"
#include "study/search/search.hpp"

namespace scalesweep::study {

// Of the points of one run.
class KeepFilter {
 public:
  // `statuses`: how many of the counts stand before those of the distributions.
  KeepFilter(const RunSearch& search, const Distributions& distributions, std::size_t statuses,
             store::Counts& counts);

  // Counts the estimate of a point that is ok, and says whether its row can be kept.
  bool take(const EstimateRow& row);

 private:
  RunSearch search_;
  const Distributions& distributions_;
  std::size_t statuses_;
  store::Counts& counts_;
  std::vector<double> values_;
};

}  // namespace scalesweep::study

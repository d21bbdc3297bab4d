#include "analysis/diff/result.hpp"

namespace scalesweep::analysis {

bool StudyDiff::same_results() const {
  return matched == rows_from && matched == rows_to && equal == matched && axes.empty() &&
         columns_lost.empty() && columns_gained.empty();
}

}  // namespace scalesweep::analysis

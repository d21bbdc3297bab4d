// What columns need to know of a job and its system beside the estimate.
#pragma once

#include "study/columns/column_row.hpp"
#include "study/kinds/workload_kind.hpp"
#include "study/resolve/system.hpp"

namespace scalesweep::study {

JobFigures figures_of(const Job& job, const SystemChoice& choice, double accelerators);

}  // namespace scalesweep::study

#include "study/columns/estimate_columns.hpp"

namespace scalesweep::study {

EstimateColumns estimate_columns(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::inference:
      return inference_columns();
    case WorkloadKind::serving:
      return serving_columns();
    case WorkloadKind::training:
      break;
  }
  return training_columns();
}

}  // namespace scalesweep::study

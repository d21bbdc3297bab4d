// How a software stack runs a model: properties of neither the device nor the model.
#pragma once

#include <string>

namespace scalesweep::workload {

struct Framework {
  std::string name;
  // Reductions of the backward pass run beside the weight-gradient products.
  bool hides_tensor_communication = true;
  // Gradients are reduced bucket by bucket behind the last backward pass.
  bool hides_data_communication = true;
  // Time the host needs to issue one operator of workload/layer.hpp; a pass over a layer cannot be
  // shorter than its operators times this. 0 where launches are captured in graphs.
  double issue_interval_s = 0.0;
};

}  // namespace scalesweep::workload

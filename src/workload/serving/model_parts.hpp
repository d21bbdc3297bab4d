// Which linear layers a model has, of those that may have formats of their own.
#pragma once

#include "workload/serving/linear_formats.hpp"

namespace scalesweep::workload {

struct Experts;

// Of a model with these experts; MLPs are those of layers without any.
bool has_part(const Experts& experts, LinearPart part);

}  // namespace scalesweep::workload

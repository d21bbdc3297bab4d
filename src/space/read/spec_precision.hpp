// precision = ["bf16", { name = "fp8-lean", linear = "fp8", moments = "bf16" }] of [workload].
#pragma once

#include <vector>

#include "config/document.hpp"
#include "space/read/spec_types.hpp"
#include "space/read/workload_form.hpp"

namespace scalesweep::space {

// The keys of a table that name the format of a class of tensors.
std::vector<std::string> precision_classes(const WorkloadForm& form = training_form());

// The names of the axis `precision`, whatever form its values have; nothing after a mistake.
std::optional<Axis> read_precision_axis(const config::ValueCursor& value, const WorkloadForm& form);

// What its tables say, checked for form; the formats are names that only others know.
std::vector<PrecisionTable> read_precision_tables(const config::TableCursor& workload,
                                                  const WorkloadForm& form);

}  // namespace scalesweep::space

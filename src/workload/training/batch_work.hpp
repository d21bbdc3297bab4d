// What is done with a batch by models that are both trained and run as a whole.
#pragma once

#include <cstdint>

#include "core/enum_names.hpp"

namespace scalesweep::workload {

enum class BatchWork : std::uint8_t { training, inference };
inline constexpr auto batch_work_names = enum_names<BatchWork>("training", "inference");

}  // namespace scalesweep::workload

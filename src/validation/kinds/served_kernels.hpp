// Kernels of a layer as inference libraries run them together: the routed experts of one device,
// and latent attention. Their rows hold slices of a layer, and its operators are those of services.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "estimator/parts/cost.hpp"
#include "validation/cases/row_reader.hpp"
#include "validation/systems.hpp"

namespace scalesweep::validation {

struct ServedKernels;  // what a row says of them
enum class LatentPhase : std::uint8_t { prefill, decode };

// With the mistakes reported, where there are any. `operands` become the format that the cell
// `recipe` names. `attention`: of which phase; nothing: experts.
std::shared_ptr<const ServedKernels> read_served_kernels(RowReader& row,
                                                         technology::Precision& operands,
                                                         std::optional<LatentPhase> attention);

// On one device, by the kernels of the stack that the row names, or of this library.
estimator::Cost served_cost(const ServedKernels& kernels, const std::string& device,
                            const std::string& library, Systems& systems);

}  // namespace scalesweep::validation

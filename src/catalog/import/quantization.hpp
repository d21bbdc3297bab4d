// In how many bits the weights of a checkpoint are published, as its config.json says in
// quantization_config, or NVIDIA's hf_quant_config.json beside it. Internal to the layer.
#pragma once

#include <optional>
#include <string>

#include "catalog/import/json_config.hpp"

namespace scalesweep::catalog {

// As the key `precision` of a model has it: "fp8", "w4a16", ...; "" of 16 bits. Formats that the
// catalog lacks stand for the nearest one, and modules that stay in 16 bits are taken like the
// others: both are told as warnings. A method that nothing is known of is an error.
std::string published_precision(const JsonConfig& config, const std::optional<JsonConfig>& beside);

}  // namespace scalesweep::catalog

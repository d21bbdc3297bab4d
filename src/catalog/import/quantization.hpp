// In how many bits the weights of a checkpoint are published, as its config.json says in
// quantization_config, or NVIDIA's hf_quant_config.json beside it. Internal to the layer.
#pragma once

#include <optional>
#include <string>

#include "catalog/import/json_config.hpp"
#include "catalog/import/kept_modules.hpp"
#include "technology/precision.hpp"

namespace scalesweep::catalog {

struct PublishedFormats {
  std::string precision;  // as the key of a model has it: "fp8", "w4a16", ...; "" of 16 bits
  technology::CheckpointFormats checkpoint;  // what of the layers is wider
};

// Of a model whose layers are known already. Names of modules that are not understood, and layers
// that differ from most of their kind, are told as warnings. A method that nothing is known of is
// an error.
PublishedFormats published_formats(const JsonConfig& config,
                                   const std::optional<JsonConfig>& beside,
                                   const PartLayers& layers);

}  // namespace scalesweep::catalog

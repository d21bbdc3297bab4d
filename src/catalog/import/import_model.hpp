// The config.json that Hugging Face publishes with a model, as an entry of the catalog.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/import/layer_pattern.hpp"
#include "core/diagnostic.hpp"
#include "technology/precision.hpp"
#include "workload/model.hpp"

namespace scalesweep::catalog {

struct ImportedModel {
  workload::TransformerModel model;
  std::string family;     // whose traits the entry starts from
  std::string citation;   // of its values
  LayerPattern pattern;   // of the layers with a window, where the model has some
  std::string precision;  // that its weights are published in; "": 16 bits
  technology::CheckpointFormats checkpoint;  // what of the linear layers is wider
};

// The file that NVIDIA puts beside a config.json.
inline constexpr std::string_view quantization_file = "hf_quant_config.json";

// A file of JSON, as it was read.
struct JsonFile {
  std::string name;
  std::string text;
};

// Values of `model_type` that can be read.
std::vector<std::string> importable_models();

// `name` is that of the entry; where empty the one that the config gives, else its model_type.
// Every mistake goes to `diagnostics`, and then nothing comes back; so do warnings, of formats that
// the catalog lacks. `quantization` is the file of that name beside the config, where there is one.
std::optional<ImportedModel> import_model(const std::string& file, const std::string& text,
                                          const std::string& name, Diagnostics& diagnostics,
                                          const std::optional<JsonFile>& quantization = {});

// A whole catalog file with that one entry: what its family does not say is written out.
std::string catalog_text(const ImportedModel& imported);

}  // namespace scalesweep::catalog

// Layers with a state in a config.json: their widths by the names of each family, and which layers
// they are. Internal to the layer.
#pragma once

#include "catalog/import/json_config.hpp"
#include "catalog/import/layer_pattern.hpp"
#include "workload/model.hpp"

namespace scalesweep::catalog {

// All but the number of such layers.
void read_gated_delta_net(const JsonConfig& config, workload::TransformerModel& model);
void read_lightning(const JsonConfig& config, workload::TransformerModel& model);
void read_mamba(const JsonConfig& config, workload::TransformerModel& model);

// The same, where mixers and MLPs are layers of their own: the model has as many layers as mixers,
// those without an MLP behind them counted.
void read_mamba2(const JsonConfig& config, workload::TransformerModel& model);

// Which layers have a state, as the config says in one of four ways; sets how many. What is wrong
// is reported.
LayerPattern read_linear_layers(const JsonConfig& config, workload::TransformerModel& model);

}  // namespace scalesweep::catalog

// What memory of engines has in common: layers of several kinds, and graphs.
#include "deploy/memory/engines.hpp"

#include <algorithm>

#include "workload/inference_layer.hpp"

namespace scalesweep::deploy {
namespace {

constexpr double graph_bytes_of_layer = 0.33e6;  // and size

}  // namespace

double graph_bytes(const ServingRun& run, std::size_t sizes) {
  const double layers = static_cast<double>(run.job.model.layers) / run.strategy.pipeline_parallel;
  return graph_bytes_of_layer * layers * static_cast<double>(sizes);
}

CacheLayers cache_layers(const ServingRun& run) {
  const workload::TransformerModel& model = run.job.model;
  CacheLayers layers;
  layers.local = model.local.on() ? model.local.layers : 0;
  layers.linear = model.linear.on() ? model.linear.layers : 0;
  layers.whole = model.layers - layers.local - layers.linear;
  layers.window = model.local.window;
  layers.token_bytes = workload::cache_elements(model, run.strategy.tensor_parallel) *
                       technology::element_bytes(run.job.precision.cache);
  if (layers.linear > 0) {
    layers.state_bytes =
        workload::state_bytes(model, run.strategy.tensor_parallel,
                              technology::element_bytes(run.job.precision.activations));
  }
  return layers;
}

}  // namespace scalesweep::deploy

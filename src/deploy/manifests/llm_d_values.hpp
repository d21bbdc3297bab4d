// Values of the Helm chart of llm-d for servers of vLLM, in one pool or two.
//
// Read at 3051935e of llm-d-incubation/llm-d-modelservice (chart v0.4.12): values.yaml,
// values.schema.json, templates/_helpers.tpl, examples/values-pd.yaml; and in guides of llm-d/llm-d
// pd-disaggregation/ms-pd/values_amd.yaml at 51caa3d2 and wide-ep-lws/modelserver/gpu at 034b87dc.
#pragma once

#include <span>
#include <string>

#include "deploy/manifests/pool_command.hpp"

namespace scalesweep::deploy {

// Whether the chart has what runs on such devices.
bool has_llm_d_values(std::span<const PoolCommand> pools, const Engine& engine);

std::string llm_d_values(std::span<const PoolCommand> pools, const Engine& engine);

}  // namespace scalesweep::deploy

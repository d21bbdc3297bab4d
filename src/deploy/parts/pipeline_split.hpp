// How layers that do not divide are dealt out to the stages of a pipeline, in the words of those
// who have to be told.
#pragma once

#include <string>

#include "parallel/strategy.hpp"

namespace scalesweep::workload {
struct TransformerModel;
}

namespace scalesweep::deploy {

// Whether the parts of the pipeline hold different numbers of layers, and neither the first nor the
// last stage has a number of its own.
bool is_uneven(const workload::TransformerModel& model, const parallel::Strategy& strategy);

// Whether the parts are even where the embedding and the head count as a layer each.
bool is_even_with_edges(const workload::TransformerModel& model,
                        const parallel::Strategy& strategy);

// Layers of each stage, of pipelines without chunks: "31,30".
std::string layers_text(const workload::TransformerModel& model,
                        const parallel::Strategy& strategy);

// Megatron-Core's layout of all parts in the order of the model: E the embedding, t a layer, m a
// prediction module, L the loss: "Et*15|t*16|t*16|t*14L".
std::string layout_text(const workload::TransformerModel& model,
                        const parallel::Strategy& strategy);

}  // namespace scalesweep::deploy

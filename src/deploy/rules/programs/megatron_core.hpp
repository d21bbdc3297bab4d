// Conditions of Megatron-Core that both who start it refuse: Megatron-LM and Megatron-Bridge.
// Each says of which layouts, as those of a Rule do.
#pragma once

#include <string>

#include "deploy/rules/rule.hpp"

namespace scalesweep::deploy {

// transformer_config.py: heads, and groups of queries that share keys and values. Latent attention
// has no groups.
std::string uneven_heads(const Subject& subject);
std::string uneven_query_groups(const Subject& subject);
std::string uneven_or_thin_query_groups(
    const Subject& subject);  // tensor_parallel may be a multiple

// moe_layer.py and transformer_config.py: experts by ranks; a forward pass of training with experts
// and tensor parallelism; biases of experts that are cut.
std::string uneven_experts(const Subject& subject);
std::string experts_of_whole_sequences(const Subject& subject);
std::string biases_of_cut_experts(const Subject& subject);

// Transformer Engine: heads of a rank that go to context-parallel ranks, of queries and of keys.
std::string heads_exchanged_unevenly(const Subject& subject);

// transformer_config.py: layers of chunks where the first or the last stage has its own number.
std::string uneven_chunks(const Subject& subject);

// transformer_config.py and model_parallel_config.py: activations are offloaded or computed again.
std::string offloads_and_recomputes(const Subject& subject);

// optimizer: what --use-precision-aware-optimizer does needs the distributed one; of a single
// replica that is switched on as well.
std::string narrow_moments_of_whole_states(const Subject& subject);

// parallel_state.py: replicas of experts by copies of the sharded optimizer.
std::string uneven_expert_shards(const Subject& subject);

}  // namespace scalesweep::deploy

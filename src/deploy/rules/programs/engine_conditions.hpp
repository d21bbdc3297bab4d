// Conditions on layouts that several engines state alike.
#pragma once

#include <string>
#include <string_view>

#include "deploy/rules/rule.hpp"

namespace scalesweep::deploy {

// Of operands in fp8 with a scale for each block of 128 x 128 weights, parts of matrices that are
// no whole blocks: of experts where tensor parallelism cuts them (`cut`: the layouts that do), and
// of whole ones; of the MLP of layers without experts, and of shared experts where no rank has them
// whole; of queries, and of keys and values, whose heads a rank has whole.
std::string expert_blocks(const Subject& subject, std::string_view cut);
std::string mlp_blocks(const Subject& subject);
std::string head_blocks(const Subject& subject);

// Experts with their copies, and without any, that ranks do not hold in equal parts.
std::string uneven_copies(const Subject& subject);
std::string undivided_experts(const Subject& subject);

// Decode context parallelism of models without latent attention, and where it does not divide the
// query heads of a key-value head.
std::string shared_caches_of_heads(const Subject& subject);
std::string shared_queries(const Subject& subject);

// Everything where linear layers or experts multiply a format.
std::string multiplied_in(const Subject& subject, technology::Precision format);

}  // namespace scalesweep::deploy

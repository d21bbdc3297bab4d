// LeaderWorkerSets (leaderworkerset.x-k8s.io/v1), their services, and the router of pools.
//
// Read at 060ab4da of kubernetes-sigs/lws: config/crd/bases, api/leaderworkerset/v1,
// docs/examples/vllm and docs/examples/sglang.
#pragma once

#include <span>
#include <string>

#include "deploy/manifests/pool_command.hpp"

namespace scalesweep::deploy {

// Why none of them is written: "" where they can be.
std::string leader_worker_set_problem(std::span<const PoolCommand> pools, const Engine& engine);

std::string leader_worker_sets(std::span<const PoolCommand> pools, const Engine& engine);

}  // namespace scalesweep::deploy

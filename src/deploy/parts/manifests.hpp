// Files for who starts programs on many servers: Slurm, Kubernetes with LeaderWorkerSet, Dynamo.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "deploy/options.hpp"

namespace scalesweep::deploy {

// The servers of a pool and what each of them runs.
struct PoolCommand {
  std::string name;     // "decode", "prefill", or the engine's
  std::string command;  // of one server
  Hosts hosts;          // of one server
  std::int64_t servers = 1;
  bool is_prefill = false;
};

// What an engine is called by others.
struct EngineNames {
  std::string_view engine;
  std::string_view image;
  std::string_view device_resource;  // "nvidia.com/gpu"
};

// A job of Slurm that starts `command`, which holds "$HEAD", once on every server.
std::string slurm_training(const std::string& command, const Hosts& hosts);

// A job of Slurm with one step for each server of each pool.
std::string slurm_serving(std::span<const PoolCommand> pools, std::string_view engine);

// A LeaderWorkerSet for each pool (leaderworkerset.x-k8s.io/v1; from memory, unverified).
std::string leader_worker_sets(std::span<const PoolCommand> pools, const EngineNames& names);

// A DynamoGraphDeployment (nvidia.com/v1alpha1; from memory, unverified).
std::string dynamo_graph(std::span<const PoolCommand> pools, const EngineNames& names);

}  // namespace scalesweep::deploy

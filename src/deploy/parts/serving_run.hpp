// What the options of an engine that serves are made of.
#pragma once

#include <algorithm>
#include <cstdint>

#include "deploy/options.hpp"
#include "deploy/parts/hosts.hpp"
#include "estimator/inference/job.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::deploy {

// Which part of a service a server is of.
enum class Pool : std::uint8_t { all, decode, prefill };

// A server of the pool that sends or takes the caches of this one.
struct OtherPool {
  std::int64_t ranks = 0;  // of a stage; 0: there is none
  std::int64_t replicas = 1;
};

// What is said of a server: replicas of a service that share experts, or one.
struct ServingRun {
  const estimator::InferenceJob& job;
  const technology::System& system;
  const parallel::Strategy& strategy;  // of all servers of the pool
  Pool pool = Pool::all;
  Hosts hosts = {};                // of one server
  std::int64_t servers = 1;        // that are alike
  std::int64_t replicas = 1;       // of one server, which share experts
  std::int64_t sequences = 1;      // at a time, of a replica
  std::int64_t chunk = 0;          // prompt tokens of an iteration and replica; 0: whole prompts
  std::int64_t prompt = 0;         // the longest
  std::int64_t longest = 0;        // prompt and output
  double memory_share = 0.0;       // of the option of the engine
  double token_bytes = 0.0;        // that a device holds of a token in the cache
  bool follows_prompts = false;    // prompts come in while others decode
  bool waits_for_prompts = false;  // they go in iterations of their own
  OtherPool other = {};
  std::string_view version = "";  // of the program

  bool since(std::string_view first) const { return !is_older(version, first); }
  std::int64_t ranks() const { return replicas * strategy.tensor_parallel; }  // of a stage
  // That an iteration takes at most.
  std::int64_t tokens() const { return std::max(chunk > 0 ? chunk : prompt, sequences); }
};

}  // namespace scalesweep::deploy

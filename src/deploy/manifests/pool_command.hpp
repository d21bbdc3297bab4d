// What a server of a pool runs, and what whoever starts it has to know of it.
//
// Commands of engines hold variables, which manifests set: MODEL, and DRAFT_MODEL where there is
// one; PORT where they listen (8000 without it); and of a server of several nodes NODE_RANK and
// HEAD_ADDRESS, host and port of the first one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deploy/deployment.hpp"
#include "deploy/parts/hosts.hpp"
#include "deploy/parts/vendors.hpp"

namespace scalesweep::deploy {

enum class EngineKind : std::uint8_t { vllm, sglang, tensorrt_llm };

// An engine as it is run on a device.
struct Engine {
  EngineKind kind = EngineKind::vllm;
  std::string_view version;  // of its options
  std::string_view device;   // name in the catalog

  Vendor vendor() const { return vendor_of(device); }
};

struct PoolCommand {
  std::string name;           // "decode", "prefill", or the engine's
  std::string program;        // "vllm serve \"$MODEL\""
  std::vector<Flag> flags;    // of one server
  std::vector<Flag> dynamo;   // the same of the version of the engine that Dynamo has
  File config;                // that a flag names; "" where none does
  Hosts hosts;                // of one server
  std::int64_t servers = 1;   // that are alike
  std::int64_t replicas = 1;  // of one server, which share experts
  std::int64_t tensor_parallel = 1;
  double weights_bytes = 0.0;  // of one server
  bool is_prefill = false;
};

// Two pools: of prompts, and of all else.
inline bool are_apart(std::span<const PoolCommand> pools) {
  return pools.size() > 1;
}

}  // namespace scalesweep::deploy

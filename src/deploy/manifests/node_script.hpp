// What each node of a server runs: the command of the engine, reached from other nodes, and joined
// to the other nodes of the server.
#pragma once

#include <string>
#include <string_view>

#include "deploy/manifests/pool_command.hpp"

namespace scalesweep::deploy {

// Where nodes are numbered, and the first one is found.
struct NodeNames {
  std::string_view rank;
  std::string_view head;
};
// A task of Slurm for each node.
inline constexpr NodeNames slurm_nodes = {"$SLURM_PROCID", "$HEAD"};
// api/leaderworkerset/v1/leaderworkerset_types.go:67-75 of kubernetes-sigs/lws at 060ab4da.
inline constexpr NodeNames set_nodes = {"$LWS_WORKER_INDEX", "$LWS_LEADER_ADDRESS"};

// The command with the address where requests come in, at PORT: others than the node itself reach
// it. What engines listen to by themselves: 127.0.0.1:30000 SGLang (server_args.py at 65d3b47f),
// localhost TensorRT-LLM (commands/serve.py at 5978a465).
std::string addressed_command(const PoolCommand& pool, const Engine& engine);

// Lines of a shell, which every node of the server runs.
std::string node_script(const PoolCommand& pool, const Engine& engine, const NodeNames& nodes);

// The same where every node of a server of vLLM serves requests, and the router balances them: the
// nodes have replicas of their own (guides/wide-ep-lws of llm-d/llm-d at 034b87dc).
std::string hybrid_script(PoolCommand pool, const Engine& engine, const NodeNames& nodes);

// Of a pool of vLLM: the variables of the handshake of its NixlConnector, which each engine needs
// of its own (docs/features/nixl_connector_usage.md of vLLM at 017e9f44).
inline constexpr std::string_view side_channel_host = "VLLM_NIXL_SIDE_CHANNEL_HOST";
inline constexpr std::string_view side_channel_port = "VLLM_NIXL_SIDE_CHANNEL_PORT";

// SGLang's prefill servers are asked there (python/sglang/srt/server_args.py:799 at 65d3b47f).
inline constexpr int bootstrap_port = 8998;
// Servers of requests, and the router before them.
inline constexpr int server_port = 8000;
inline constexpr int router_port = 8080;

bool has_flag(const std::vector<Flag>& flags, std::string_view name);

}  // namespace scalesweep::deploy

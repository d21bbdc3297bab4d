#include "deploy/manifests/node_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "deploy/parts/documents.hpp"

namespace scalesweep::deploy {
namespace {

// The value of an option, whether it stands there or not.
void put(std::vector<Flag>& flags, std::string_view name, const std::string& value) {
  const auto found = std::find_if(flags.begin(), flags.end(),
                                  [name](const Flag& flag) { return flag.name == name; });
  if (found == flags.end()) {
    flags.push_back({std::string(name), value, "servers", "", false});
  } else {
    found->value = value;
  }
}

std::vector<Flag> addressed(const PoolCommand& pool, const Engine& engine) {
  std::vector<Flag> flags = pool.flags;
  put(flags, "--host", "0.0.0.0");
  put(flags, "--port", fmt::format("${{PORT:-{}}}", server_port));
  if (engine.kind == EngineKind::sglang && pool.is_prefill) {
    put(flags, "--disaggregation-bootstrap-port",
        fmt::format("${{BOOTSTRAP_PORT:-{}}}", bootstrap_port));
  }
  return flags;
}

// How servers of vLLM on several nodes are joined, in one way or another.
constexpr auto of_nodes = std::to_array<std::string_view>({
    "--nnodes",
    "--node-rank",
    "--master-addr",
    "--master-port",
    "--headless",
    "--distributed-executor-backend",
    "--data-parallel-backend",
});

bool is_joined_by_ray(const PoolCommand& pool) {
  return std::any_of(pool.flags.begin(), pool.flags.end(),
                     [](const Flag& flag) { return flag.value == "ray"; });
}

// The engine places its ranks on the nodes that are there when it starts, so the first one waits
// for all, as examples/ray_serving/multi-node-serving.sh of vLLM at ab7521d7 does.
std::string ray_script(const PoolCommand& pool, const std::string& command,
                       const NodeNames& nodes) {
  return fmt::format(
      R"(if [ "{0}" = 0 ]; then
  ray start --head --port=6379
  alive='import ray; ray.init(address="auto"); print(sum(n["Alive"] for n in ray.nodes()))'
  nodes=0
  for _ in $(seq 120); do
    nodes=$(python3 -c "$alive" | tail -n 1)
    [ "$nodes" = {2} ] && break
    sleep 5
  done
  [ "$nodes" = {2} ] || {{ echo "$nodes of {2} nodes came" >&2; exit 1; }}
{3}else
  for _ in $(seq 120); do
    ray start --address="{1}:6379" --block && break
    sleep 5
  done
fi
)",
      nodes.rank, nodes.head, pool.hosts.nodes, command);
}

// Only the first node of vLLM serves requests: the others are headless
// (docs/deployment/frameworks/lws.md at 017e9f44; vllm/entrypoints/openai/cli_args.py).
std::string headless(std::string command) {
  if (command.find("headless") != std::string::npos) {
    return command;
  }
  command.insert(command.rfind('\n'), " \\\n  \"$@\"");
  return "set --\n[ \"$NODE_RANK\" = 0 ] || set -- --headless\n" + command;
}

}  // namespace

bool has_flag(const std::vector<Flag>& flags, std::string_view name) {
  return std::any_of(flags.begin(), flags.end(),
                     [name](const Flag& flag) { return flag.name == name; });
}

std::string addressed_command(const PoolCommand& pool, const Engine& engine) {
  return command_line(pool.program, addressed(pool, engine));
}

std::string hybrid_script(PoolCommand pool, const Engine& engine, const NodeNames& nodes) {
  const std::int64_t local = pool.replicas / pool.hosts.nodes;
  std::erase_if(pool.flags, [](const Flag& flag) {
    return std::find(of_nodes.begin(), of_nodes.end(), flag.name) != of_nodes.end();
  });
  put(pool.flags, "--data-parallel-hybrid-lb", "");
  put(pool.flags, "--data-parallel-size-local", fmt::format("{}", local));
  put(pool.flags, "--data-parallel-address", std::string(nodes.head));
  put(pool.flags, "--data-parallel-rpc-port", "5555");
  put(pool.flags, "--data-parallel-start-rank", "$START_RANK");
  return fmt::format("export START_RANK=$(({} * {}))\n", local, nodes.rank) +
         addressed_command(pool, engine);
}

std::string node_script(const PoolCommand& pool, const Engine& engine, const NodeNames& nodes) {
  const std::string command = addressed_command(pool, engine);
  if (pool.hosts.nodes == 1 || engine.kind == EngineKind::tensorrt_llm) {
    return command;
  }
  if (engine.kind == EngineKind::vllm && is_joined_by_ray(pool)) {
    return ray_script(pool, command, nodes);
  }
  const bool is_vllm = engine.kind == EngineKind::vllm;
  return fmt::format("export NODE_RANK={} HEAD_ADDRESS={}:20000\n", nodes.rank, nodes.head) +
         (is_vllm ? headless(command) : command);
}

}  // namespace scalesweep::deploy

#include "deploy/manifests/slurm_serving.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/documents/shell.hpp"
#include "deploy/manifests/node_script.hpp"

namespace scalesweep::deploy {
namespace {

// Nodes that all servers of the pool take.
std::int64_t nodes_of(const PoolCommand& pool) {
  const std::int64_t together = groups_in_server(pool.hosts);
  return pool.hosts.nodes * ((pool.servers + together - 1) / together);
}

// Several engines on a node, each with devices and ports of its own.
bool share_nodes(const PoolCommand& pool) {
  return pool.servers > 1 && groups_in_server(pool.hosts) > 1;
}

// Of those, what one has to give.
std::int64_t devices_of_node(const PoolCommand& pool) {
  return pool.hosts.per_node * std::min(pool.servers, groups_in_server(pool.hosts));
}

// Processors are no devices of a node: it is given whole.
std::string devices_option(std::int64_t devices, const Engine& engine) {
  return engine.vendor() == Vendor::intel_cpu ? "" : fmt::format(" --gpus-per-node={}", devices);
}

// An array of the shell: "HOST:PORT" of each server of the pool.
std::string array_of(const PoolCommand& pool) {
  std::string name = pool.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// TensorRT-LLM has a task for each device, which its launcher joins by MPI; the others have one for
// each node, and start their processes themselves.
std::int64_t tasks_on_node(const PoolCommand& pool, const Engine& engine) {
  return engine.kind == EngineKind::tensorrt_llm ? pool.hosts.per_node : 1;
}

PoolCommand launched(PoolCommand pool, const Engine& engine) {
  if (engine.kind == EngineKind::tensorrt_llm) {
    pool.program = "trtllm-llmapi-launch " + pool.program;
  }
  return pool;
}

// An address, not a name: the engine listens there. A port for each rank of data parallelism.
std::string side_channel(const PoolCommand& pool, const Engine& engine, bool apart) {
  if (engine.kind != EngineKind::vllm || !apart) {
    return "";
  }
  std::string text = fmt::format("export {}=$(hostname -I | cut -d ' ' -f 1)\n", side_channel_host);
  if (!has_flag(pool.flags, side_channel_port)) {
    text += fmt::format("export {}=$((5600 + {} * ${{SERVER:-0}}))\n", side_channel_port,
                        pool.replicas);
  }
  return text;
}

std::string shared_steps(const PoolCommand& pool, const Engine& engine) {
  const std::int64_t together = groups_in_server(pool.hosts);
  const std::int64_t tasks = tasks_on_node(pool, engine);
  const std::string mpi = engine.kind == EngineKind::tensorrt_llm ? " --mpi=pmix" : "";
  return fmt::format(
      R"slurm(for server in $(seq 0 {0}); do
  node="${{hosts[first + server / {1}]}}"
  {2}+=("$node:$(({3} + server % {1}))")
  SERVER=$((server % {1})) PORT=$(({3} + server % {1})) BOOTSTRAP_PORT=$(({4} + server % {1})) \
    srun{5} --nodes=1 --ntasks={6} --exact --mem=0 --cpus-per-task=$((SLURM_CPUS_ON_NODE / {7})) \
   {8} --nodelist="$node" bash {9}.sh &
done
first=$((first + {10}))
)slurm",
      pool.servers - 1, together, array_of(pool), server_port, bootstrap_port, mpi, tasks,
      together * tasks, devices_option(pool.hosts.per_node, engine), pool.name, nodes_of(pool));
}

std::string whole_steps(const PoolCommand& pool, const Engine& engine) {
  const std::int64_t tasks = tasks_on_node(pool, engine);
  const std::string mpi = engine.kind == EngineKind::tensorrt_llm ? " --mpi=pmix" : "";
  return fmt::format(
      R"slurm(for _ in $(seq {0}); do
  nodes=("${{hosts[@]:first:{1}}}")
  first=$((first + {1}))
  {2}+=("${{nodes[0]}}:{3}")
  HEAD=${{nodes[0]}} srun{4} --nodes={1} --ntasks={5} --ntasks-per-node={6}{7} \
    --nodelist="$(IFS=,; echo "${{nodes[*]}}")" bash {8}.sh &
done
)slurm",
      pool.servers, pool.hosts.nodes, array_of(pool), server_port, mpi, pool.hosts.nodes * tasks,
      tasks, devices_option(pool.hosts.per_node, engine), pool.name);
}

std::string pool_steps(const PoolCommand& pool, const Engine& engine, bool apart) {
  const std::string script =
      side_channel(pool, engine, apart) + node_script(launched(pool, engine), engine, slurm_nodes);
  return fmt::format("\n# {}: {} server{} of {} node{} with {} device{}\n", pool.name, pool.servers,
                     pool.servers == 1 ? "" : "s", pool.hosts.nodes,
                     pool.hosts.nodes == 1 ? "" : "s", pool.hosts.per_node,
                     pool.hosts.per_node == 1 ? "" : "s") +
         here_document(pool.name + ".sh", script) + array_of(pool) + "=()\n" +
         (share_nodes(pool) ? shared_steps(pool, engine) : whole_steps(pool, engine));
}

constexpr std::string_view on_first =
    "srun --overlap --nodes=1 --ntasks=1 --nodelist=\"${hosts[0]}\"";

// Waits for its servers itself, for an hour.
std::string sglang_router() {
  return fmt::format(
      R"slurm(
# Requests come in at http://${{hosts[0]}}:{0}
route=()
for server in "${{prefill[@]}}"; do
  route+=(--prefill "http://$server" $((${{server##*:}} - {1} + {2})))
done
for server in "${{decode[@]}}"; do
  route+=(--decode "http://$server")
done
{3} \
  python3 -m sglang_router.launch_router --pd-disaggregation "${{route[@]}}" \
  --host 0.0.0.0 --port {0} --worker-startup-timeout-secs 3600 &
)slurm",
      router_port, server_port, bootstrap_port, on_first);
}

// Before servers that are alike.
std::string sglang_balancer(const PoolCommand& pool) {
  return fmt::format(
      R"slurm(
# Requests come in at http://${{hosts[0]}}:{0}
{1} \
  python3 -m sglang_router.launch_router --worker-urls "${{{2}[@]/#/http://}}" \
  --host 0.0.0.0 --port {0} --worker-startup-timeout-secs 3600 &
)slurm",
      router_port, on_first, array_of(pool));
}

std::string tensorrt_llm_router() {
  return fmt::format(
      R"slurm(
# Requests come in at http://${{hosts[0]}}:{0}
{{
  echo "hostname: 0.0.0.0"
  echo "port: {0}"
  echo "context_servers:"
  echo "  num_instances: ${{#prefill[@]}}"
  echo "  urls:"
  printf '    - "%s"\n' "${{prefill[@]}}"
  echo "generation_servers:"
  echo "  num_instances: ${{#decode[@]}}"
  echo "  urls:"
  printf '    - "%s"\n' "${{decode[@]}}"
}} > disaggregated.yaml
{1} --mpi=pmix \
  trtllm-serve disaggregated -c disaggregated.yaml -t 3600 -r 3600 &
)slurm",
      router_port, on_first);
}

// vLLM has no router: a proxy stands with its tests.
std::string vllm_proxy() {
  return fmt::format(
      R"slurm(
# Requests come in at http://${{hosts[0]}}:{0}, where VLLM_SOURCE is a checkout of vLLM
if [ -n "${{VLLM_SOURCE:-}}" ]; then
  {1} \
    python3 "$VLLM_SOURCE/tests/v1/kv_connector/nixl_integration/toy_proxy_server.py" \
    --host 0.0.0.0 --port {0} \
    --prefiller-hosts "${{prefill[@]%:*}}" --prefiller-ports "${{prefill[@]##*:}}" \
    --decoder-hosts "${{decode[@]%:*}}" --decoder-ports "${{decode[@]##*:}}" &
fi
)slurm",
      router_port, on_first);
}

std::string router(std::span<const PoolCommand> pools, EngineKind engine) {
  if (!are_apart(pools)) {
    const bool has_one = engine == EngineKind::sglang && pools.front().servers > 1;
    return has_one ? sglang_balancer(pools.front()) : "";
  }
  switch (engine) {
    case EngineKind::vllm:
      return vllm_proxy();
    case EngineKind::sglang:
      return sglang_router();
    case EngineKind::tensorrt_llm:
      return tensorrt_llm_router();
  }
  return "";
}

// That the commands name, whose values come from outside.
std::string asked_variables(std::span<const PoolCommand> pools, const Engine& engine) {
  std::string text;
  for (const auto* const name : {"MODEL", "DRAFT_MODEL"}) {
    const bool is_named = std::any_of(pools.begin(), pools.end(), [&](const PoolCommand& pool) {
      const std::string command = addressed_command(pool, engine);
      return command.find(fmt::format("${}", name)) != std::string::npos ||
             command.find(fmt::format("${{{}", name)) != std::string::npos;
    });
    if (is_named) {
      text += fmt::format(": \"${{{0}:?}}\"\nexport {0}\n", name);
    }
  }
  return text;
}

}  // namespace

std::string here_document(const std::string& name, const std::string& text) {
  std::string end = "END";
  while (("\n" + text).find("\n" + end + "\n") != std::string::npos) {
    end += "_";
  }
  return fmt::format("cat > {} <<'{}'\n{}{}\n", shell_word(name), end, text, end);
}

std::string slurm_serving(std::span<const PoolCommand> pools, const Engine& engine) {
  std::int64_t nodes = 0;
  std::int64_t devices = 1;
  for (const PoolCommand& pool : pools) {
    nodes += nodes_of(pool);
    devices = std::max(devices, devices_of_node(pool));
  }
  const std::string is_given = devices_option(devices, engine);
  std::string text = fmt::format(
      R"slurm(#!/bin/bash
#SBATCH --nodes={}
{}#SBATCH --exclusive
{}mapfile -t hosts < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
first=0
)slurm",
      nodes, is_given.empty() ? "" : "#SBATCH" + is_given + "\n", asked_variables(pools, engine));
  for (const PoolCommand& pool : pools) {
    text += pool_steps(pool, engine, are_apart(pools));
  }
  return text + router(pools, engine.kind) + "wait\n";
}

}  // namespace scalesweep::deploy

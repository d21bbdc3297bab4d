#include "deploy/parts/manifests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace scalesweep::deploy {
namespace {

std::string indented(const std::string& text, std::size_t columns) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    result += line.empty() ? "\n" : std::string(columns, ' ') + line + "\n";
  }
  return result;
}

// What each node of a server of several runs: the first one starts the engine, and where a Ray
// cluster joins them the others only that.
std::string on_each_node(const PoolCommand& pool, std::string_view engine) {
  if (pool.hosts.nodes == 1) {
    return pool.command;
  }
  if (engine == "vllm") {
    return fmt::format(
        "if [ \"$SLURM_PROCID\" = 0 ]; then\n"
        "ray start --head --port=6379\n{}else\n"
        "ray start --address=\"$HEAD:6379\" --block\nfi\n",
        pool.command);
  }
  return "export NODE_RANK=$SLURM_PROCID HEAD_ADDRESS=$HEAD:20000\n" + pool.command;
}

// Nodes that all servers of the pool take.
std::int64_t nodes_of(const PoolCommand& pool) {
  const std::int64_t together = groups_in_server(pool.hosts);
  return pool.hosts.nodes * ((pool.servers + together - 1) / together);
}

// Of those, what one has to give.
std::int64_t devices_of_node(const PoolCommand& pool) {
  return pool.hosts.per_node * std::min(pool.servers, groups_in_server(pool.hosts));
}

// Several engines on a node, each with devices and a port of its own.
std::string slurm_shared(const PoolCommand& pool) {
  return fmt::format(
      R"slurm(
# {0}: {1} server(s), {2} of them on a node, with {3} device(s) each
cat > {0}.sh <<'END'
{4}END
for server in $(seq 0 {5}); do
  PORT=$((8000 + server % {2})) srun --nodes=1 --ntasks=1 --exact --gpus-per-node={3} \
    --nodelist="${{hosts[first + server / {2}]}}" bash {0}.sh &
done
first=$((first + {6}))
)slurm",
      pool.name, pool.servers, groups_in_server(pool.hosts), pool.hosts.per_node, pool.command,
      pool.servers - 1, nodes_of(pool));
}

std::string slurm_pool(const PoolCommand& pool, std::string_view engine) {
  if (pool.servers > 1 && groups_in_server(pool.hosts) > 1) {
    return slurm_shared(pool);
  }
  return fmt::format(
      R"slurm(
# {0}: {1} server(s), {2} node(s) with {3} devices each
cat > {0}.sh <<'END'
{4}END
for server in $(seq {1}); do
  nodes=("${{hosts[@]:first:{2}}}")
  first=$((first + {2}))
  HEAD=${{nodes[0]}} srun --nodes={2} --ntasks-per-node=1 --gpus-per-node={3} \
    --nodelist="$(IFS=,; echo "${{nodes[*]}}")" bash {0}.sh &
done
)slurm",
      pool.name, pool.servers, pool.hosts.nodes, pool.hosts.per_node, on_each_node(pool, engine));
}

std::string pod(const std::string& role, const std::string& command, const PoolCommand& pool,
                const EngineNames& names) {
  return fmt::format(
      R"(      metadata:
        labels:
          role: {}
      spec:
        containers:
          - name: {}
            image: {}
            envFrom:
              - configMapRef:
                  name: model
            command: ["bash", "-c"]
            args:
              - |
{}            ports:
              - containerPort: 8000
            resources:
              limits:
                {}: "{}"
            volumeMounts:
              - mountPath: /dev/shm
                name: shm
        volumes:
          - name: shm
            emptyDir:
              medium: Memory
)",
      role, names.engine, names.image, indented(command, 16), names.device_resource,
      pool.hosts.per_node);
}

constexpr std::string_view ray_script =
    "/vllm-workspace/examples/online_serving/multi-node-serving.sh";

std::string leader_command(const PoolCommand& pool, const EngineNames& names) {
  if (pool.hosts.nodes == 1) {
    return pool.command;
  }
  if (names.engine == "vllm") {
    return fmt::format("bash {} leader --ray_cluster_size=$LWS_GROUP_SIZE\n{}", ray_script,
                       pool.command);
  }
  return "export NODE_RANK=$LWS_WORKER_INDEX HEAD_ADDRESS=$LWS_LEADER_ADDRESS:20000\n" +
         pool.command;
}

std::string worker_command(const PoolCommand& pool, const EngineNames& names) {
  return names.engine == "vllm"
             ? fmt::format("bash {} worker --ray_address=$LWS_LEADER_ADDRESS\n", ray_script)
             : leader_command(pool, names);
}

std::string leader_worker_set(const PoolCommand& pool, const EngineNames& names) {
  std::string text = fmt::format(
      R"(apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: {}
spec:
  replicas: {}
  leaderWorkerTemplate:
    size: {}
    restartPolicy: RecreateGroupOnPodRestart
    leaderTemplate:
)",
      pool.name, pool.servers, pool.hosts.nodes);
  text += pod(pool.name, leader_command(pool, names), pool, names);
  text += "    workerTemplate:\n";
  const bool alone = pool.hosts.nodes == 1;
  return text +
         pod(pool.name + "-worker", alone ? "true\n" : worker_command(pool, names), pool, names);
}

}  // namespace

std::string slurm_training(const std::string& command, const Hosts& hosts) {
  return fmt::format(
      R"(#!/bin/bash
#SBATCH --nodes={0}
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node={1}
#SBATCH --exclusive
export HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export CUDA_DEVICE_MAX_CONNECTIONS=1
srun {2})",
      hosts.nodes, hosts.per_node, command);
}

std::string slurm_serving(std::span<const PoolCommand> pools, std::string_view engine) {
  std::int64_t nodes = 0;
  std::int64_t devices = 1;
  for (const PoolCommand& pool : pools) {
    nodes += nodes_of(pool);
    devices = std::max(devices, devices_of_node(pool));
  }
  std::string text = fmt::format(
      R"(#!/bin/bash
#SBATCH --nodes={}
#SBATCH --gpus-per-node={}
#SBATCH --exclusive
hosts=($(scontrol show hostnames "$SLURM_JOB_NODELIST"))
first=0
)",
      nodes, devices);
  for (const PoolCommand& pool : pools) {
    text += slurm_pool(pool, engine);
  }
  return text + "wait\n";
}

std::string leader_worker_sets(std::span<const PoolCommand> pools, const EngineNames& names) {
  std::string text;
  for (const PoolCommand& pool : pools) {
    text += (text.empty() ? "" : "---\n") + leader_worker_set(pool, names);
  }
  return text;
}

std::string dynamo_graph(std::span<const PoolCommand> pools, const EngineNames& names) {
  const std::string image = fmt::format("nvcr.io/nvidia/ai-dynamo/{}-runtime:0.5.0", names.engine);
  std::string text = fmt::format(
      R"(apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: {0}-pools
spec:
  services:
    Frontend:
      dynamoNamespace: {0}-pools
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: {1}
)",
      names.engine, image);
  for (const PoolCommand& pool : pools) {
    const std::string nodes =
        pool.hosts.nodes == 1
            ? ""
            : fmt::format("      multinode:\n        nodeCount: {}\n", pool.hosts.nodes);
    text += fmt::format(
        R"(    {0}:
      dynamoNamespace: {1}-pools
      componentType: worker
      subComponentType: {0}
      replicas: {2}
{3}      resources:
        limits:
          gpu: "{4}"
      extraPodSpec:
        mainContainer:
          image: {5}
          envFrom:
            - configMapRef:
                name: model
          command: ["bash", "-c"]
          args:
            - |
{6})",
        pool.name, names.engine, pool.servers, nodes, pool.hosts.per_node, image,
        indented(pool.command, 14));
  }
  return text;
}

}  // namespace scalesweep::deploy

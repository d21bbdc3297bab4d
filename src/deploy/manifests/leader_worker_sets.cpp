#include "deploy/manifests/leader_worker_sets.hpp"

#include <fmt/format.h>

#include "deploy/manifests/container_image.hpp"
#include "deploy/manifests/node_script.hpp"
#include "deploy/manifests/yaml_lines.hpp"

namespace scalesweep::deploy {
namespace {

std::string variables(const Engine& engine, bool apart) {
  if (engine.kind != EngineKind::vllm || !apart) {
    return "";
  }
  return fmt::format(
      R"(            env:
              - name: {}
                valueFrom:
                  fieldRef:
                    fieldPath: status.podIP
)",
      side_channel_host);
}

// The leader alone serves requests.
std::string served() {
  return fmt::format(
      R"(            ports:
              - name: http
                containerPort: {0}
            readinessProbe:
              tcpSocket:
                port: {0}
              initialDelaySeconds: 15
              periodSeconds: 10
)",
      server_port);
}

std::string pod(const PoolCommand& pool, const Engine& engine, bool apart, bool is_leader) {
  std::string text = fmt::format(
      R"(      metadata:
        labels:
          role: {}
      spec:
        containers:
          - name: engine
            image: {}
            envFrom:
              - configMapRef:
                  name: model
)",
      is_leader ? "leader" : "worker", container_image(engine));
  text += variables(engine, apart);
  text +=
      fmt::format("            command: [\"bash\", \"-c\"]\n            args:\n              - {}",
                  yaml_block(node_script(pool, engine, set_nodes), 16));
  text += is_leader ? served() : "";
  return text + fmt::format(
                    R"(            resources:
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
                    device_resource(engine.vendor()), pool.hosts.per_node);
}

// Where there is no template of the leader, that of workers is the leader's, too.
std::string leader_worker_set(const PoolCommand& pool, const Engine& engine, bool apart) {
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
)",
      pool.name, pool.servers, pool.hosts.nodes);
  const bool alone = pool.hosts.nodes == 1;
  if (!alone) {
    text += "    leaderTemplate:\n" + pod(pool, engine, apart, true);
  }
  return text + "    workerTemplate:\n" + pod(pool, engine, apart, alone);
}

// The set has a headless service of its own name.
std::string service(const PoolCommand& pool) {
  return fmt::format(
      R"(---
apiVersion: v1
kind: Service
metadata:
  name: {0}-leader
spec:
  selector:
    leaderworkerset.sigs.k8s.io/name: {0}
    role: leader
  ports:
    - name: http
      port: {1}
      targetPort: {1}
)",
      pool.name, server_port);
}

// Leaders are SET-INDEX.SET (leaderworkerset_types.go:256-260).
std::string router_arguments(std::span<const PoolCommand> pools) {
  std::string text;
  for (const PoolCommand& pool : pools) {
    for (std::int64_t server = 0; server < pool.servers; ++server) {
      text += fmt::format("            - {}\n            - \"http://{}-{}.{}:{}\"\n",
                          pool.is_prefill ? "--prefill" : "--decode", pool.name, server, pool.name,
                          server_port);
      text += pool.is_prefill ? fmt::format("            - \"{}\"\n", bootstrap_port) : "";
    }
  }
  return text;
}

// docs/advanced_features/sgl_model_gateway.md and docker/Dockerfile:653 of SGLang at 65d3b47f.
std::string router(std::span<const PoolCommand> pools, const Engine& engine) {
  return fmt::format(
      R"(---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: router
spec:
  replicas: 1
  selector:
    matchLabels:
      app: router
  template:
    metadata:
      labels:
        app: router
    spec:
      containers:
        - name: router
          image: {0}
          command: ["python3", "-m", "sglang_router.launch_router"]
          args:
            - --pd-disaggregation
{1}            - --host
            - "0.0.0.0"
            - --port
            - "{2}"
            - --worker-startup-timeout-secs
            - "3600"
          ports:
            - name: http
              containerPort: {2}
---
apiVersion: v1
kind: Service
metadata:
  name: router
spec:
  selector:
    app: router
  ports:
    - name: http
      port: {2}
      targetPort: {2}
)",
      container_image(engine), router_arguments(pools), router_port);
}

}  // namespace

std::string leader_worker_set_problem(std::span<const PoolCommand> /*pools*/,
                                      const Engine& engine) {
  if (engine.kind == EngineKind::tensorrt_llm) {
    return "dynamo.yaml is for TensorRT-LLM";
  }
  if (device_resource(engine.vendor()).empty() || container_image(engine).empty()) {
    return fmt::format("no image with this version of the engine for {} was read",
                       name_of(engine.vendor()));
  }
  return "";
}

std::string leader_worker_sets(std::span<const PoolCommand> pools, const Engine& engine) {
  std::string text;
  for (const PoolCommand& pool : pools) {
    text += (text.empty() ? "" : "---\n") + leader_worker_set(pool, engine, are_apart(pools)) +
            service(pool);
  }
  const bool is_routed = are_apart(pools) && engine.kind == EngineKind::sglang;
  return is_routed ? text + router(pools, engine) : text;
}

}  // namespace scalesweep::deploy

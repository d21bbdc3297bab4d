#include "deploy/manifests/llm_d_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "deploy/manifests/container_image.hpp"
#include "deploy/manifests/node_script.hpp"
#include "deploy/manifests/yaml_lines.hpp"

namespace scalesweep::deploy {
namespace {

// Where the sidecar of decode servers finds the engine.
constexpr int behind_sidecar = 8200;

// accelerator.type; "" of others.
std::string_view accelerator(Vendor vendor) {
  switch (vendor) {
    case Vendor::nvidia:
      return "nvidia";
    case Vendor::amd:
      return "amd";
    case Vendor::google:
      return "google";
    case Vendor::intel:
    case Vendor::amazon:
    case Vendor::intel_cpu:
    case Vendor::cerebras:
      break;
  }
  return "";
}

// For the checkpoint and what is written beside it.
std::int64_t checkpoint_gib(std::span<const PoolCommand> pools) {
  double bytes = 0.0;
  for (const PoolCommand& pool : pools) {
    bytes = std::max(bytes, pool.weights_bytes);
  }
  return static_cast<std::int64_t>(std::ceil(1.25 * bytes / (1 << 30))) + 1;
}

std::string head(std::span<const PoolCommand> pools, const Engine& engine) {
  const bool several = std::any_of(pools.begin(), pools.end(),
                                   [](const PoolCommand& pool) { return pool.hosts.nodes > 1; });
  return fmt::format(
      R"(multinode: {}
modelArtifacts:
  size: {}Gi
accelerator:
  type: {}
routing:
  servicePort: {}
  proxy:
    enabled: {}
    image: ghcr.io/llm-d/llm-d-routing-sidecar:v0.6.0
    connector: nixlv2
    secure: false
    targetPort: {}
)",
      several, checkpoint_gib(pools), accelerator(engine.vendor()), server_port, are_apart(pools),
      behind_sidecar);
}

std::string variables(int port, bool apart) {
  std::string text = fmt::format(
      R"(      env:
        - name: MODEL
          value: "{{{{ .Values.modelArtifacts.name }}}}"
        - name: PORT
          value: "{}"
)",
      port);
  if (apart) {
    text += fmt::format(
        R"(        - name: {}
          valueFrom:
            fieldRef:
              fieldPath: status.podIP
)",
        side_channel_host);
  }
  return text;
}

// The pods of a set are alike to the router: where replicas do not span nodes, each of them serves
// requests. Else those that do not are not ready.
std::string script(const PoolCommand& pool, const Engine& engine) {
  const bool has_replicas = pool.hosts.nodes > 1 && pool.replicas % pool.hosts.nodes == 0;
  return has_replicas ? hybrid_script(pool, engine, set_nodes)
                      : node_script(pool, engine, set_nodes);
}

// The chart's own command knows no more than tensor and data parallelism: a custom one has all. The
// counts size the set and what a pod asks for.
std::string servers(const PoolCommand& pool, const Engine& engine, bool apart) {
  const int port = apart && !pool.is_prefill ? behind_sidecar : server_port;
  std::string text = fmt::format(
      R"({0}:
  create: true
  replicas: {1}
  parallelism:
    tensor: {2}
    data: {3}
    dataLocal: {4}
    workers: {5}
  containers:
    - name: vllm
      image: {6}
      modelCommand: custom
      command: ["bash", "-c"]
      args:
        - {7}{8}      ports:
        - name: http
          containerPort: {9}
          protocol: TCP
      extraConfig:
        readinessProbe:
          tcpSocket:
            port: {9}
          periodSeconds: 10
      mountModelVolume: true
)",
      pool.is_prefill ? "prefill" : "decode", pool.servers, pool.tensor_parallel, pool.replicas,
      std::max<std::int64_t>(1, pool.replicas / pool.hosts.nodes), pool.hosts.nodes,
      container_image(engine), yaml_block(script(pool, engine), 10), variables(port, apart), port);
  const std::string_view resource = device_resource(engine.vendor());
  return text + fmt::format(
                    R"(      resources:
        limits:
          {0}: "{1}"
        requests:
          {0}: "{1}"
      volumeMounts:
        - name: shm
          mountPath: /dev/shm
  volumes:
    - name: shm
      emptyDir:
        medium: Memory
)",
                    resource, pool.hosts.per_node);
}

}  // namespace

bool has_llm_d_values(std::span<const PoolCommand> pools, const Engine& engine) {
  // Caches go from TPU to TPU by a connector of their own (ms-pd/values_tpu.yaml at 123158de).
  const bool is_known = engine.vendor() != Vendor::google || !are_apart(pools);
  return engine.kind == EngineKind::vllm && is_known && !accelerator(engine.vendor()).empty() &&
         !container_image(engine).empty();
}

std::string llm_d_values(std::span<const PoolCommand> pools, const Engine& engine) {
  std::string text = head(pools, engine);
  for (const PoolCommand& pool : pools) {
    text += servers(pool, engine, are_apart(pools));
  }
  return are_apart(pools) ? text : text + "prefill:\n  create: false\n";
}

}  // namespace scalesweep::deploy

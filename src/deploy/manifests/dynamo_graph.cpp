#include "deploy/manifests/dynamo_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/documents/escapes.hpp"
#include "deploy/manifests/yaml_lines.hpp"

namespace scalesweep::deploy {
namespace {

struct Backend {
  EngineKind engine;
  std::string_view name;  // of its module and of backendFramework
  std::string_view image;
  std::string_view version;  // of the engine in it: docs/reference/support-matrix.md at 3890a4d9
  std::string_view model;    // option
};
constexpr auto backends = std::to_array<Backend>({
    {EngineKind::vllm, "vllm", "vllm-runtime", "0.16.0", "--model"},
    {EngineKind::sglang, "sglang", "sglang-runtime", "0.5.9", "--model-path"},
    {EngineKind::tensorrt_llm, "trtllm", "tensorrtllm-runtime", "1.3.0rc5.post1", "--model"},
});

const Backend& backend_of(EngineKind engine) {
  return *std::find_if(backends.begin(), backends.end(),
                       [engine](const Backend& one) { return one.engine == engine; });
}

// What the operator adds of several nodes (backend_vllm.go, backend_sglang.go), and what belongs to
// servers of requests, of which the Frontend is one.
constexpr auto left_out = std::to_array<std::string_view>({
    "--host",
    "--port",
    "--nnodes",
    "--node-rank",
    "--dist-init-addr",
    "--master-addr",
    "--master-port",
    "--headless",
    "--distributed-executor-backend",
    "--data-parallel-backend",
    "--data-parallel-address",
    "--data-parallel-rpc-port",
    "--data-parallel-size-local",
    "--data-parallel-start-rank",
    "--data-parallel-hybrid-lb",
    "--api-server-count",
    "--backend",
    "--model",
    "--model-path",
    "--disaggregation-mode",
    "--disaggregation-transfer-backend",
    "--disaggregation-bootstrap-port",
});

// Of trtllm-serve, and of dynamo.trtllm (components/src/dynamo/trtllm/backend_args.py).
struct Renamed {
  std::string_view serve;
  std::string_view dynamo;
};
constexpr auto renamed = std::to_array<Renamed>({
    {"--tp_size", "--tensor-parallel-size"},
    {"--pp_size", "--pipeline-parallel-size"},
    {"--ep_size", "--expert-parallel-size"},
    {"--max_batch_size", "--max-batch-size"},
    {"--max_num_tokens", "--max-num-tokens"},
    {"--max_seq_len", "--max-seq-len"},
    {"--kv_cache_free_gpu_memory_fraction", "--free-gpu-memory-fraction"},
});

constexpr std::string_view config_folder = "/config";

std::string argument(std::string_view text) {
  return fmt::format("            - {}\n", yaml_text(container_argument(text)));
}

// The file that a flag names stands in a ConfigMap, and is mounted.
bool names_file(const Flag& flag, const PoolCommand& pool) {
  return !pool.config.name.empty() && flag.value == pool.config.name;
}

// What a shell would put together is not for containers without one: ports that servers on one node
// share, and addresses, which Dynamo finds itself (components/src/dynamo/vllm/args.py:238 and
// sglang/args.py:234).
bool is_left_out(const Flag& flag) {
  const bool needs_shell =
      flag.value.find("${") != std::string::npos || flag.value.find("$((") != std::string::npos;
  return needs_shell || std::find(left_out.begin(), left_out.end(), flag.name) != left_out.end();
}

std::string arguments(const PoolCommand& pool, const Engine& engine, bool apart) {
  const Backend& backend = backend_of(engine.kind);
  std::string text = argument(backend.model) + argument("$MODEL") +
                     argument("--served-model-name") + argument("$MODEL");
  if (apart) {
    text += argument("--disaggregation-mode") + argument(pool.is_prefill ? "prefill" : "decode");
  }
  if (apart && engine.kind == EngineKind::sglang) {
    text += argument("--disaggregation-transfer-backend") + argument("nixl") + argument("--host") +
            argument("0.0.0.0");
  }
  for (const Flag& flag : pool.dynamo) {
    if (!flag.file.empty() || flag.is_variable || is_left_out(flag)) {
      continue;
    }
    const auto* const known = std::find_if(
        renamed.begin(), renamed.end(), [&](const Renamed& one) { return one.serve == flag.name; });
    if (names_file(flag, pool)) {
      text += argument("--extra-engine-args") +
              argument(fmt::format("{}/{}", config_folder, pool.config.name));
      continue;
    }
    text += argument(known != renamed.end() ? known->dynamo : flag.name);
    text += flag.value.empty() ? "" : argument(flag.value);
  }
  return text;
}

std::string variables(const PoolCommand& pool) {
  std::string text;
  for (const Flag& flag : pool.dynamo) {
    if (flag.is_variable && !is_left_out(flag)) {
      text += fmt::format("            - name: {}\n              value: {}\n", flag.name,
                          yaml_text(container_argument(flag.value)));
    }
  }
  return text.empty() ? "" : "          env:\n" + text;
}

std::string config_name(const PoolCommand& pool) {
  return pool.name + "-config";
}

std::string config_map(const PoolCommand& pool) {
  if (pool.config.name.empty()) {
    return "";
  }
  return fmt::format("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\ndata:\n  {}: {}---\n",
                     config_name(pool), yaml_text(pool.config.name),
                     yaml_block(pool.config.content, 4));
}

std::string image_of(const Engine& engine) {
  return fmt::format("nvcr.io/nvidia/ai-dynamo/{}:{}", backend_of(engine.kind).image,
                     dynamo_version);
}

std::string worker(const PoolCommand& pool, const Engine& engine, bool apart) {
  std::string text = fmt::format("    {}:\n      componentType: worker\n", pool.name);
  if (apart) {
    text += fmt::format("      subComponentType: {}\n", pool.is_prefill ? "prefill" : "decode");
  }
  text += fmt::format("      replicas: {}\n", pool.servers);
  if (pool.hosts.nodes > 1) {
    text += fmt::format("      multinode:\n        nodeCount: {}\n", pool.hosts.nodes);
  }
  text +=
      fmt::format("      resources:\n        limits:\n          gpu: \"{}\"\n      extraPodSpec:\n",
                  pool.hosts.per_node);
  if (!pool.config.name.empty()) {
    text += fmt::format(
        "        volumes:\n          - name: config\n            configMap:\n"
        "              name: {}\n",
        config_name(pool));
  }
  text += fmt::format(
      R"(        mainContainer:
          image: {}
          envFrom:
            - configMapRef:
                name: model
)",
      image_of(engine));
  text += variables(pool);
  if (!pool.config.name.empty()) {
    text += fmt::format(
        "          volumeMounts:\n            - name: config\n              mountPath: {}\n",
        config_folder);
  }
  // The operator adds options behind a command that is Python itself.
  text += fmt::format(
      "          command:\n            - python3\n            - -m\n            - dynamo.{}\n"
      "          args:\n",
      backend_of(engine.kind).name);
  return text + arguments(pool, engine, apart);
}

}  // namespace

std::string_view version_in_dynamo(EngineKind engine) {
  return backend_of(engine).version;
}

std::string dynamo_graph(std::span<const PoolCommand> pools, const Engine& engine) {
  const Backend& backend = backend_of(engine.kind);
  std::string text;
  for (const PoolCommand& pool : pools) {
    text += config_map(pool);
  }
  text += fmt::format(
      R"(apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: {0}
spec:
  backendFramework: {0}
)",
      backend.name);
  // mpirun of containers that run as root (examples/backends/trtllm/deploy/disagg-multinode.yaml).
  if (engine.kind == EngineKind::tensorrt_llm) {
    text +=
        "  envs:\n    - name: OMPI_ALLOW_RUN_AS_ROOT\n      value: \"1\"\n"
        "    - name: OMPI_ALLOW_RUN_AS_ROOT_CONFIRM\n      value: \"1\"\n";
  }
  text += fmt::format(
      R"(  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: {}
          command:
            - python3
            - -m
            - dynamo.frontend
          args:
            - --http-port
            - "8000"
)",
      image_of(engine));
  for (const PoolCommand& pool : pools) {
    text += worker(pool, engine, are_apart(pools));
  }
  return text;
}

}  // namespace scalesweep::deploy

// What starts engines on many servers, as the programs that read it have it. The lines that are
// cited are of the sources at the commits that stand with them.
#include <gmock/gmock.h>

#include "deploy/manifests/container_image.hpp"
#include "deploy/manifests/dynamo_graph.hpp"
#include "deploy/manifests/leader_worker_sets.hpp"
#include "deploy/manifests/llm_d_values.hpp"
#include "deploy/manifests/node_script.hpp"
#include "deploy/manifests/slurm_serving.hpp"
#include "deploy/manifests/yaml_lines.hpp"
#include "deployed.hpp"

namespace scalesweep::test {
namespace {

using deploy::Deployment;
using deploy::Engine;
using deploy::EngineKind;
using deploy::Flag;
using deploy::PoolCommand;
using ::testing::HasSubstr;
using ::testing::Not;

const Engine vllm = {EngineKind::vllm, "0.22", "h100-sxm"};
const Engine sglang = {EngineKind::sglang, "0.5.6.post2", "h100-sxm"};
const Engine trtllm = {EngineKind::tensorrt_llm, "1.3.0rc3", "h100-sxm"};

PoolCommand pool(const std::string& name, const std::string& program, std::vector<Flag> flags,
                 std::int64_t nodes = 1) {
  PoolCommand made;
  made.name = name;
  made.program = program;
  made.flags = flags;
  made.dynamo = std::move(flags);
  made.hosts.devices = nodes * 8;
  made.hosts.per_node = 8;
  made.hosts.nodes = nodes;
  made.hosts.places = 8;
  made.tensor_parallel = made.hosts.devices;
  made.is_prefill = name == "prefill";
  return made;
}

PoolCommand served_by_vllm(const std::string& name, std::int64_t nodes = 1) {
  return pool(name, "vllm serve \"$MODEL\"",
              {{"--tensor-parallel-size", std::to_string(8 * nodes), "", "", false},
               {"--kv-transfer-config", R"({"kv_connector": "NixlConnector"})", "", "", false}},
              nodes);
}

std::vector<PoolCommand> pools_of_vllm() {
  return {served_by_vllm("decode"), served_by_vllm("prefill")};
}

PoolCommand served_by_sglang(const std::string& name, std::int64_t nodes = 1) {
  PoolCommand made = pool(name, "python -m sglang.launch_server",
                          {{"--model-path", "$MODEL", "", "", false},
                           {"--nnodes", "2", "", "", false},
                           {"--node-rank", "$NODE_RANK", "", "", false},
                           {"--dist-init-addr", "$HEAD_ADDRESS", "", "", false},
                           {"--disaggregation-mode", name, "", "", false}},
                          nodes);
  return made;
}

PoolCommand served_by_trtllm(const std::string& name, std::int64_t nodes = 1) {
  PoolCommand made = pool(name, "trtllm-serve \"$MODEL\"",
                          {{"--backend", "pytorch", "", "", false},
                           {"--tp_size", "16", "", "", false},
                           {"--kv_cache_free_gpu_memory_fraction", "0.9", "", "", false},
                           {"--extra_llm_api_options", "serve.yaml", "", "", false}},
                          nodes);
  made.config = {"serve.yaml", "enable_attention_dp: false\n"};
  return made;
}

std::size_t place(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part << " in\n" << text;
  return at;
}

// vLLM places its ranks on the nodes that Ray has at that moment: it is started when all came
// (examples/ray_serving/multi-node-serving.sh at ab7521d7, subcommand leader).
TEST(Manifests, EnginesOfRayWaitForAllNodes) {
  PoolCommand two = served_by_vllm("vllm", 2);
  two.flags.push_back({"--distributed-executor-backend", "ray", "", "", false});
  const std::string script = node_script(two, vllm, deploy::slurm_nodes);
  const std::size_t waits = place(script, "[ \"$nodes\" = 2 ] && break");
  EXPECT_LT(place(script, "ray start --head --port=6379"), waits);
  EXPECT_LT(waits, place(script, "vllm serve"));
  EXPECT_THAT(script, HasSubstr("of 2 nodes came\" >&2; exit 1"));
  EXPECT_THAT(script, HasSubstr("ray start --address=\"$HEAD:6379\" --block && break"));
  EXPECT_THAT(script, Not(HasSubstr("headless")));
}

// docs/deployment/frameworks/lws.md of vLLM at 017e9f44: all but the first node are headless.
TEST(Manifests, NodesOfVllmBehindTheFirstAreHeadless) {
  const std::string script = node_script(served_by_vllm("vllm", 2), vllm, deploy::set_nodes);
  EXPECT_THAT(script, HasSubstr("export NODE_RANK=$LWS_WORKER_INDEX "
                                "HEAD_ADDRESS=$LWS_LEADER_ADDRESS:20000\n"));
  EXPECT_THAT(script, HasSubstr("[ \"$NODE_RANK\" = 0 ] || set -- --headless\n"));
  EXPECT_TRUE(script.ends_with(" \\\n  \"$@\"\n")) << script;
  const std::string one = node_script(served_by_vllm("vllm"), vllm, deploy::slurm_nodes);
  EXPECT_THAT(one, Not(HasSubstr("headless")));
}

// --dist-init-addr has a port (python/sglang/srt/server_args.py at 65d3b47f).
TEST(Manifests, NodesOfSglangKnowTheirRankAndTheFirst) {
  const std::string script =
      node_script(served_by_sglang("decode", 2), sglang, deploy::slurm_nodes);
  EXPECT_THAT(script, HasSubstr("export NODE_RANK=$SLURM_PROCID HEAD_ADDRESS=$HEAD:20000\n"));
}

// SGLang listens to 127.0.0.1:30000 by itself (server_args.py at 65d3b47f), trtllm-serve to
// localhost (commands/serve.py:408 at 5978a465): neither is what a manifest declares.
TEST(Manifests, ServersAreReachedWhereTheManifestSays) {
  for (const auto& [made, engine] :
       {std::pair(served_by_vllm("vllm"), vllm), std::pair(served_by_sglang("sglang"), sglang),
        std::pair(served_by_trtllm("tensorrt-llm"), trtllm)}) {
    const std::string command = addressed_command(made, engine);
    EXPECT_THAT(command, HasSubstr("--host 0.0.0.0"));
    EXPECT_THAT(command, HasSubstr("--port \"${PORT:-8000}\""));
  }
  PoolCommand own = served_by_vllm("vllm");
  own.flags.push_back({"--port", "8000", "", "", false});  // behind a sidecar it is another one
  EXPECT_THAT(addressed_command(own, vllm), HasSubstr("--port \"${PORT:-8000}\""));
  const std::vector<PoolCommand> one = {served_by_sglang("sglang")};
  const std::string sets = leader_worker_sets(one, sglang);
  EXPECT_THAT(sets, HasSubstr("containerPort: 8000\n"));
  EXPECT_THAT(sets, HasSubstr("targetPort: 8000\n"));
}

// The handshake listens to localhost:5600 by itself (vllm/envs.py:198 at ab7521d7); a rank of data
// parallelism takes the port of its index beside (nixl/base_scheduler.py:71 at 017e9f44).
TEST(Manifests, EnginesOfVllmFindEachOthersCaches) {
  std::vector<PoolCommand> pools = pools_of_vllm();
  pools[1].hosts.per_node = 2;
  pools[1].hosts.devices = 2;
  pools[1].servers = 4;
  pools[1].replicas = 2;
  const std::string slurm = slurm_serving(pools, vllm);
  EXPECT_THAT(slurm,
              HasSubstr("export VLLM_NIXL_SIDE_CHANNEL_HOST=$(hostname -I | cut -d ' ' -f 1)\n"
                        "export VLLM_NIXL_SIDE_CHANNEL_PORT=$((5600 + 2 * ${SERVER:-0}))\n"));
  EXPECT_THAT(slurm, HasSubstr("SERVER=$((server % 4)) PORT=$((8000 + server % 4))"));
  EXPECT_THAT(leader_worker_sets(pools, vllm),
              HasSubstr("- name: VLLM_NIXL_SIDE_CHANNEL_HOST\n"
                        "                valueFrom:\n                  fieldRef:\n"
                        "                    fieldPath: status.podIP\n"));
  EXPECT_THAT(slurm, HasSubstr("nixl_integration/toy_proxy_server.py"));
  EXPECT_THAT(slurm, HasSubstr("--prefiller-hosts \"${prefill[@]%:*}\" --prefiller-ports"));
  EXPECT_THAT(slurm_serving(std::span(pools).first(1), vllm), Not(HasSubstr("NIXL")));
}

// Steps share no memory and have one CPU a task where they do not ask (srun.1:803, 1194, 1835 of
// SchedMD/slurm at 284c3b95).
TEST(Manifests, StepsOnOneNodeShareItsMemoryAndProcessors) {
  std::vector<PoolCommand> one = {served_by_vllm("vllm")};
  one[0].hosts.per_node = 2;
  one[0].hosts.devices = 2;
  one[0].servers = 6;
  const std::string slurm = slurm_serving(one, vllm);
  EXPECT_THAT(slurm, HasSubstr("#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n"));
  EXPECT_THAT(slurm, HasSubstr("--exact --mem=0 --cpus-per-task=$((SLURM_CPUS_ON_NODE / 4))"));
}

// examples/disaggregated/slurm/simple_example/launch.slurm at 5978a465: a task for each device.
TEST(Manifests, TensorrtLlmIsStartedByItsLauncher) {
  const std::vector<PoolCommand> one = {served_by_trtllm("tensorrt-llm", 2)};
  const std::string slurm = slurm_serving(one, trtllm);
  EXPECT_THAT(slurm, HasSubstr("trtllm-llmapi-launch trtllm-serve \"$MODEL\""));
  EXPECT_THAT(slurm, HasSubstr("srun --mpi=pmix --nodes=2 --ntasks=16 --ntasks-per-node=8"));
}

// tensorrt_llm/llmapi/disagg_utils.py:120-210 at 5978a465: num_instances are as many as urls, which
// are HOST:PORT; -t: how long it waits for them (commands/serve.py).
TEST(Manifests, PoolsOfTensorrtLlmHaveARouter) {
  const std::vector<PoolCommand> pools = {served_by_trtllm("decode"), served_by_trtllm("prefill")};
  const std::string slurm = slurm_serving(pools, trtllm);
  EXPECT_THAT(slurm,
              HasSubstr("echo \"context_servers:\"\n  echo \"  num_instances: ${#prefill[@]}\"\n"
                        "  echo \"  urls:\"\n  printf '    - \"%s\"\\n' \"${prefill[@]}\""));
  EXPECT_THAT(slurm,
              HasSubstr("echo \"generation_servers:\"\n  echo \"  num_instances: ${#decode"));
  EXPECT_THAT(slurm, HasSubstr("trtllm-serve disaggregated -c disaggregated.yaml -t 3600"));
}

// docs/advanced_features/sgl_model_gateway.md:248 and server_args.py:799 at 65d3b47f.
TEST(Manifests, PoolsOfSglangHaveARouter) {
  const std::vector<PoolCommand> pools = {served_by_sglang("decode"), served_by_sglang("prefill")};
  const std::string slurm = slurm_serving(pools, sglang);
  EXPECT_THAT(slurm, HasSubstr("--disaggregation-bootstrap-port \"${BOOTSTRAP_PORT:-8998}\"\n"));
  EXPECT_THAT(slurm,
              HasSubstr("route+=(--prefill \"http://$server\" $((${server##*:} - 8000 + 8998)))"));
  EXPECT_THAT(slurm, HasSubstr("python3 -m sglang_router.launch_router --pd-disaggregation"));
  const std::string sets = leader_worker_sets(pools, sglang);
  EXPECT_THAT(sets, HasSubstr("command: [\"python3\", \"-m\", \"sglang_router.launch_router\"]"));
  // api/leaderworkerset/v1/leaderworkerset_types.go:256-260 of kubernetes-sigs/lws at 060ab4da.
  EXPECT_THAT(sets, HasSubstr("- --prefill\n            - \"http://prefill-0.prefill:8000\"\n"
                              "            - \"8998\"\n"));
  EXPECT_THAT(sets, HasSubstr("- --decode\n            - \"http://decode-0.decode:8000\"\n"));
}

// --worker-urls: docs/advanced_features/sgl_model_gateway.md of SGLang at 65d3b47f.
TEST(Manifests, ServersOfSglangThatAreAlikeHaveOneAddress) {
  std::vector<PoolCommand> one = {served_by_sglang("sglang")};
  EXPECT_THAT(slurm_serving(one, sglang), Not(HasSubstr("sglang_router")));
  one[0].servers = 3;
  EXPECT_THAT(slurm_serving(one, sglang),
              HasSubstr("launch_router --worker-urls \"${sglang[@]/#/http://}\""));
  EXPECT_THAT(slurm_serving(std::vector{served_by_vllm("vllm")}, vllm), Not(HasSubstr("router")));
}

TEST(Manifests, ProcessorsAreNoDevicesOfNodes) {
  const std::vector<PoolCommand> one = {served_by_vllm("vllm", 2)};
  const std::string slurm = slurm_serving(one, {EngineKind::vllm, "0.22", "xeon-6980p"});
  EXPECT_THAT(slurm, Not(HasSubstr("gpus")));
  EXPECT_THAT(slurm, HasSubstr("#SBATCH --nodes=2\n#SBATCH --exclusive\n"));
  EXPECT_THAT(slurm_serving(one, vllm), HasSubstr("#SBATCH --gpus-per-node=8\n"));
}

// Only these register with the Frontend (examples/backends/*/deploy/*.yaml of ai-dynamo/dynamo at
// 5534a9df); --disaggregation-mode: components/src/dynamo/*/backend_args.py.
TEST(Manifests, WorkersOfDynamoRegister) {
  const std::string of_vllm = dynamo_graph(pools_of_vllm(), vllm);
  EXPECT_THAT(of_vllm, HasSubstr("- dynamo.vllm\n          args:\n            - \"--model\"\n"
                                 "            - \"$(MODEL)\"\n"));
  EXPECT_THAT(of_vllm, HasSubstr("\"--disaggregation-mode\"\n            - \"prefill\"\n"));
  EXPECT_THAT(of_vllm, HasSubstr("backendFramework: vllm\n"));
  EXPECT_THAT(of_vllm, HasSubstr("\"{\\\"kv_connector\\\": \\\"NixlConnector\\\"}\"\n"));
  EXPECT_THAT(of_vllm, Not(HasSubstr("vllm serve")));
  // AsyncEngineArgs alone add options there (components/src/dynamo/vllm/args.py:94): no address.
  EXPECT_THAT(of_vllm, Not(HasSubstr("--host")));
  const std::vector<PoolCommand> one = {served_by_trtllm("tensorrt-llm")};
  const std::string of_trtllm = dynamo_graph(one, trtllm);
  EXPECT_THAT(of_trtllm, HasSubstr("- dynamo.trtllm\n"));
  EXPECT_THAT(of_trtllm, HasSubstr("\"--tensor-parallel-size\"\n            - \"16\"\n"));
  EXPECT_THAT(of_trtllm, HasSubstr("\"--free-gpu-memory-fraction\"\n            - \"0.9\"\n"));
  EXPECT_THAT(of_trtllm,
              HasSubstr("\"--extra-engine-args\"\n            - \"/config/serve.yaml\"\n"));
  EXPECT_THAT(of_trtllm, HasSubstr("  \"serve.yaml\": |\n    enable_attention_dp: false\n"));
  EXPECT_THAT(of_trtllm, Not(HasSubstr("--backend")));
  EXPECT_THAT(of_trtllm, HasSubstr("/tensorrtllm-runtime:1.0.1\n"));
}

// Containers have no shell, and Dynamo finds addresses itself
// (components/src/dynamo/vllm/args.py:238, sglang/args.py:234 at 5534a9df).
TEST(Manifests, ContainersOfDynamoHaveNoShell) {
  PoolCommand made = served_by_vllm("decode");
  made.dynamo.push_back({"VLLM_NIXL_SIDE_CHANNEL_PORT", "$((5600 + 1))", "", "", true});
  made.dynamo.push_back({"--speculative-config.model", "$DRAFT_MODEL", "", "", false});
  made.dynamo.push_back({"VLLM_PP_LAYER_PARTITION", "31,30", "", "", true});
  made.dynamo.push_back(
      {"--disaggregation-bootstrap-port", "${BOOTSTRAP_PORT:-8998}", "", "", false});
  const std::vector<PoolCommand> one = {made};
  const std::string graph = dynamo_graph(one, vllm);
  EXPECT_THAT(graph, Not(HasSubstr("SIDE_CHANNEL")));
  EXPECT_THAT(graph, Not(HasSubstr("bootstrap-port")));
  EXPECT_THAT(graph,
              HasSubstr("\"--speculative-config.model\"\n            - \"$(DRAFT_MODEL)\"\n"));
  EXPECT_THAT(graph,
              HasSubstr("- name: VLLM_PP_LAYER_PARTITION\n              value: \"31,30\"\n"));
}

// The operator adds them (deploy/operator/internal/dynamo/backend_sglang.go, getMultinodeFlags, and
// backend_vllm.go at 5534a9df), behind a command that begins with python.
TEST(Manifests, OptionsOfNodesAreTheOperatorsOfDynamo) {
  const std::vector<PoolCommand> pools = {served_by_sglang("decode", 2),
                                          served_by_sglang("prefill", 2)};
  const std::string graph = dynamo_graph(pools, sglang);
  EXPECT_THAT(graph, Not(HasSubstr("--nnodes")));
  EXPECT_THAT(graph, Not(HasSubstr("NODE_RANK")));
  EXPECT_THAT(graph, Not(HasSubstr("--dist-init-addr")));
  EXPECT_THAT(graph, HasSubstr("multinode:\n        nodeCount: 2\n"));
  EXPECT_THAT(graph, HasSubstr("command:\n            - python3\n"));
  EXPECT_THAT(graph, HasSubstr("\"--disaggregation-transfer-backend\"\n            - \"nixl\"\n"));
}

// .buildkite/scripts/annotate-rocm-release.sh at ab7521d7, release-docker-amd.yml of SGLang at
// a4a3d823, docs/examples/vllm/TPU/lws.yaml of kubernetes-sigs/lws at 060ab4da.
TEST(Manifests, ImagesAreOfTheVersionAndTheVendor) {
  const auto image = [](EngineKind engine, std::string_view version, std::string_view device) {
    return deploy::container_image({engine, version, device});
  };
  EXPECT_EQ(image(EngineKind::vllm, "0.22", "h100-sxm"), "vllm/vllm-openai:v0.22.0");
  EXPECT_EQ(image(EngineKind::vllm, "0.22", "mi300x"), "vllm/vllm-openai-rocm:v0.22.0");
  EXPECT_EQ(image(EngineKind::vllm, "0.11", "mi300x"), "");
  EXPECT_EQ(image(EngineKind::vllm, "main-2026-08-17", "b200"), "vllm/vllm-openai:nightly");
  EXPECT_EQ(image(EngineKind::vllm, "main-2026-08-17", "tpu-v6e"), "vllm/vllm-tpu:nightly");
  EXPECT_EQ(image(EngineKind::sglang, "0.5.3", "mi355x"), "lmsysorg/sglang:v0.5.3-rocm700-mi35x");
  EXPECT_EQ(image(EngineKind::sglang, "0.5.3", "mi300x"), "lmsysorg/sglang:v0.5.3-rocm700-mi30x");
  EXPECT_EQ(image(EngineKind::sglang, "main-2026-06-08", "mi300x"), "");
  EXPECT_EQ(image(EngineKind::tensorrt_llm, "1.3.0rc3", "h100-sxm"),
            "nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc3");
  const std::vector<PoolCommand> one = {served_by_vllm("vllm")};
  const std::string sets = leader_worker_sets(one, {EngineKind::vllm, "0.22", "tpu-v6e"});
  EXPECT_THAT(sets, HasSubstr("image: vllm/vllm-tpu:latest\n"));
  EXPECT_THAT(sets, HasSubstr("google.com/tpu: \"8\"\n"));
}

// charts/llm-d-modelservice/templates/_helpers.tpl at 3051935e: the engine of decode servers
// listens behind a sidecar (vllmPort), values of env are templates, and explicit devices are kept.
TEST(Manifests, ValuesOfLlmD) {
  std::vector<PoolCommand> pools = {served_by_vllm("decode", 2), served_by_vllm("prefill")};
  pools[0].replicas = 16;
  pools[0].tensor_parallel = 1;
  pools[0].weights_bytes = 1e9;
  const std::string values = llm_d_values(pools, vllm);
  EXPECT_THAT(values, HasSubstr("multinode: true\n"));
  EXPECT_THAT(values, HasSubstr("    tensor: 1\n    data: 16\n    dataLocal: 8\n    workers: 2\n"));
  // The pods of wide experts all serve requests
  // (guides/wide-ep-lws/modelserver/gpu/vllm-deepseek-v4/ base/decode.yaml of llm-d/llm-d at
  // 034b87dc).
  EXPECT_THAT(values, HasSubstr("export START_RANK=$((8 * $LWS_WORKER_INDEX))\n"));
  EXPECT_THAT(values, HasSubstr("--data-parallel-hybrid-lb \\\n"));
  EXPECT_THAT(values, HasSubstr("--data-parallel-address \"$LWS_LEADER_ADDRESS\""));
  EXPECT_THAT(values, Not(HasSubstr("headless")));
  EXPECT_THAT(values, HasSubstr("          tcpSocket:\n            port: 8200\n"));
  EXPECT_THAT(values, HasSubstr("        - name: PORT\n          value: \"8200\"\n"));
  EXPECT_THAT(values, HasSubstr("        - name: PORT\n          value: \"8000\"\n"));
  EXPECT_THAT(values, HasSubstr("value: \"{{ .Values.modelArtifacts.name }}\"\n"));
  EXPECT_THAT(values, HasSubstr("  size: 3Gi\n"));
  EXPECT_THAT(llm_d_values(std::span(pools).first(1), vllm),
              HasSubstr("prefill:\n  create: false\n"));
  EXPECT_FALSE(has_llm_d_values(pools, sglang));
  EXPECT_FALSE(has_llm_d_values(pools, {EngineKind::vllm, "0.22", "tpu-v6e"}));
}

TEST(Manifests, TextsStayWhatTheyAre) {
  EXPECT_EQ(deploy::here_document("a b.sh", "one\nEND\n"),
            "cat > 'a b.sh' <<'END_'\none\nEND\nEND_\n");
  EXPECT_EQ(deploy::container_argument("$MODEL"), "$(MODEL)");
  EXPECT_EQ(deploy::container_argument("$(touch x)"), "$$(touch x)");
  EXPECT_EQ(deploy::container_argument("{\"a\": \"$DRAFT_MODEL\"}"), "{\"a\": \"$(DRAFT_MODEL)\"}");
  EXPECT_EQ(deploy::yaml_block("a\nb\n", 2), "|\n  a\n  b\n");
  EXPECT_EQ(deploy::yaml_block(" a\n", 2), "\" a\\n\"\n");
  EXPECT_EQ(deploy::yaml_block("a\u2028b\n", 2).front(), '"');
}

TEST(Manifests, ImagesOfBranchesAreNewerThanTheirOptions) {
  const std::string spec = serving_spec("llama-3-70b",
                                        "prompt = 1000\noutput = 500\nframework = \"vllm\"\n"
                                        "time_per_output_token = \"90 ms\"",
                                        16, "tensor_parallel = 8");
  const std::string said = "images of a main branch are its newest ones";
  EXPECT_THAT(all_of(deployed(spec, "vllm").notes), HasSubstr(said));
  EXPECT_THAT(all_of(deployed(spec, "vllm@0.22").notes), Not(HasSubstr(said)));
}

// What was not read is not written, and it is said.
TEST(Manifests, NoFileForDevicesWithoutAnImage) {
  std::string spec = serving_spec("llama-3-70b",
                                  "prompt = 1000\noutput = 500\nframework = \"vllm\"\n"
                                  "time_per_output_token = \"90 ms\"",
                                  16, "tensor_parallel = 8");
  spec.replace(spec.find("h100-sxm"), 8, "gaudi3");
  const Deployment made = deployed(spec, "vllm");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(file(made, "kubernetes.yaml"), "(absent)");
  EXPECT_EQ(file(made, "dynamo.yaml"), "(absent)");
  EXPECT_THAT(all_of(made.notes), HasSubstr("kubernetes.yaml is not written: no image with this "
                                            "version of the engine for Gaudi of Intel was read"));
  EXPECT_THAT(file(made, "serve.sbatch"), HasSubstr("vllm serve"));
}

}  // namespace
}  // namespace scalesweep::test

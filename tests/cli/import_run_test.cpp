// scalesweep import: specs and entries of what other programs are configured by. The samples are
// made after the formats as known, not taken from anywhere.
#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

class ImportRun : public CliTest {
 protected:
  // What is imported stands in a folder, with the entries where a catalog can take them.
  Said imported(const std::string& name, const std::string& text,
                const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"import", write(name, text), "-o", path("job")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return scalesweep(arguments);
  }
  std::string spec() const { return content(path("job/spec.toml")); }
  std::string entries() const { return content(path("job/nodes/imported.toml")); }
  void expect_valid() const {
    const Said said = scalesweep({"check", path("job/spec.toml")});
    EXPECT_EQ(said.code, 0) << said.err << spec();
  }
};

const std::string point_head =
    "schema = 1\ntitle = \"One point\"\n[workload]\nkind = \"training\"\nmodel = \"llama-3-8b\"\n"
    "sequence = 4096\nglobal_batch = 64\n";
const std::string point_system = "[system]\naccelerators = 16\ndevice = \"h100-sxm\"\n[strategy]\n";

struct RoundTrip {
  std::string strategy;
  std::vector<std::string> lines;  // that the imported spec has
};

// What 'launch' writes for a point is read as the same strategy.
TEST_F(ImportRun, CommandsOfMegatronGoAndComeBack) {
  const std::vector<RoundTrip> trips = {
      {"tensor_parallel = 2\npipeline_parallel = 1\nchunks = 1\nmicro_batch = 1\nrecompute = "
       "\"full\"\nsequence_parallel = true\nzero = 1\n",
       {"tensor_parallel = 2", "pipeline_parallel = 1", "chunks = 1", "micro_batch = 1",
        "recompute = \"full\"", "sequence_parallel = true", "zero = 1"}},
      {"tensor_parallel = 4\npipeline_parallel = 4\nchunks = 2\nmicro_batch = 2\nrecompute = "
       "\"selective\"\nsequence_parallel = false\nzero = 0\n",
       {"tensor_parallel = 4", "pipeline_parallel = 4", "chunks = 2", "micro_batch = 2",
        "recompute = \"selective\"", "sequence_parallel = false", "zero = 0"}},
      {"tensor_parallel = 2\npipeline_parallel = 2\nchunks = 1\nmicro_batch = 1\nrecompute = "
       "\"none\"\nsequence_parallel = true\nzero = 1\ncontext_parallel = 2\n",
       {"tensor_parallel = 2", "pipeline_parallel = 2", "context_parallel = 2",
        "recompute = \"none\"", "context_exchange = \"ring\""}}};
  int number = 0;
  for (const RoundTrip& trip : trips) {
    const std::string point = write(
        "point.toml", point_head + "framework = \"megatron-lm\"\n" + point_system + trip.strategy);
    const Said launched = scalesweep({"launch", point, "--point", "0", "--for", "megatron-lm"});
    ASSERT_EQ(launched.code, 0) << launched.err;
    const std::string job = path("job" + std::to_string(++number));
    const Said said =
        scalesweep({"import", write("launch.sh", launched.out), "--device", "h100", "-o", job});
    ASSERT_EQ(said.code, 0) << said.err;
    const std::string spec = content(job + "/spec.toml");
    for (const std::string& line : trip.lines) {
      EXPECT_TRUE(contains(spec, "\n" + line + "\n")) << line << "\n" << spec;
    }
    for (const char* line :
         {"model = \"llama-3-8b\"", "sequence = 4096", "global_batch = 64", "accelerators = 16",
          "device = \"h100-sxm\"", "precision = \"bf16\""}) {
      EXPECT_TRUE(contains(spec, std::string("\n") + line + "\n")) << line << "\n" << spec;
    }
    const Said checked = scalesweep({"check", job + "/spec.toml"});
    EXPECT_EQ(checked.code, 0) << checked.err;
    // And the point of it is the same step.
    const Said both =
        scalesweep({"explain", job + "/spec.toml", "--point", "0", "--against", point + ":0"});
    EXPECT_EQ(both.code, 0) << both.err;
  }
}

TEST_F(ImportRun, EveryOptionThatIsNotReadIsNamed) {
  const Said said = imported(
      "run.sh",
      "#!/bin/bash\n# --num-layers 7 is a comment\nARGS=(\n  --num-layers 32 --hidden-size 4096\n"
      "  --num-attention-heads 32 --group-query-attention --num-query-groups 8\n"
      "  --ffn-hidden-size 14336 --swiglu --disable-bias-linear\n"
      "  --untie-embeddings-and-output-weights --position-embedding-type rope\n"
      "  --attention-dropout 0.0 --hidden-dropout 0.0\n)\n"
      "torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py ${ARGS[@]} \\\n"
      "  --seq-length 8192 --global-batch-size=128 --micro-batch-size 1 --bf16 \\\n"
      "  --tensor-model-parallel-size 4 --lr 3e-4 --overlap-grad-reduce\n",
      {"--device", "h100"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.err, "not carried over: run.sh: --lr = 3e-4\n")) << said.err;
  EXPECT_TRUE(contains(said.err,
                       "run.sh: --overlap-grad-reduce (hides_data_communication is said "
                       "by the entry of the framework)"))
      << said.err;
  EXPECT_TRUE(contains(said.err, "its format is from memory, unverified; 2 keys are not carried"))
      << said.err;
  EXPECT_TRUE(contains(spec(), "# not carried over: run.sh: --lr = 3e-4\n")) << spec();
  EXPECT_TRUE(contains(spec(), "accelerators = 16\n")) << spec();
  expect_valid();
}

TEST_F(ImportRun, ShardingAmongOneReplicaIsLeftOut) {
  const Said said =
      imported("run.sh",
               "torchrun --nproc_per_node 8 x.py --num-layers 80 --hidden-size 8192 "
               "--num-attention-heads 64 --group-query-attention --num-query-groups 8 "
               "--ffn-hidden-size 28672 --swiglu --disable-bias-linear --seq-length "
               "4096 --global-batch-size 8 --tensor-model-parallel-size 8 "
               "--use-distributed-optimizer --bf16\n",
               {"--device", "h100", "--model", "llama-3-70b"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.err, "note: zero = 1 is left out: there is one replica")) << said.err;
  EXPECT_TRUE(contains(spec(), "zero = 0\n")) << spec();
  expect_valid();
}

TEST_F(ImportRun, AShapeThatTheCatalogLacksIsAnEntry) {
  const std::string command =
      "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 20 --hidden-size 2560 "
      "--num-attention-heads 20 --seq-length 2048 --global-batch-size 64 --micro-batch-size 1 "
      "--fp16\n";
  const Said unknown = imported("run.sh", command, {"--device", "a100"});
  EXPECT_EQ(unknown.code, 65);
  EXPECT_TRUE(contains(unknown.err, "its vocabulary is not said; give --vocab NUMBER"))
      << unknown.err;
  const Said said =
      imported("run.sh", command, {"--device", "a100", "--vocab", "50304", "--name", "mine"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(entries(), "[model.mine]\n")) << entries();
  EXPECT_TRUE(contains(entries(), "vocab = 50304\n")) << entries();
  expect_valid();
}

TEST_F(ImportRun, AJobOfTorchtitanGoesAndComesBack) {
  const std::string point =
      write("point.toml", point_head + "framework = \"torchtitan\"\n" + point_system +
                              "tensor_parallel = 2\npipeline_parallel = 1\nchunks = 1\n"
                              "micro_batch = 2\nrecompute = \"full\"\nsequence_parallel = true\n"
                              "zero = 3\n");
  const Said launched =
      scalesweep({"launch", point, "--point", "0", "--for", "torchtitan@0.2", "-o", path("made")});
  ASSERT_EQ(launched.code, 0) << launched.err;
  const Said said = imported("train.toml", content(path("made/train.toml")),
                             {"--device", "h100", "--model", "llama-3-8b"});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* line :
       {"tensor_parallel = 2", "pipeline_parallel = 1", "micro_batch = 2", "recompute = \"full\"",
        "sequence_parallel = true", "zero = 3", "accelerators = 16", "global_batch = 64"}) {
    EXPECT_TRUE(contains(spec(), std::string("\n") + line + "\n")) << line << "\n" << spec();
  }
  expect_valid();
}

TEST_F(ImportRun, AJobOfTorchtitanNamesItsModel) {
  const std::string job =
      "[job]\ndescription = \"mine\"\n[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\n"
      "local_batch_size = 1\nseq_len = 8192\n[parallelism]\ndata_parallel_shard_degree = -1\n"
      "tensor_parallel_degree = 1\n[activation_checkpoint]\nmode = \"selective\"\n"
      "selective_ac_option = \"op\"\n";
  const Said said = imported("llama3_8b.toml", job, {"--device", "h100", "--devices", "8"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(spec(), "model = \"llama-3-8b\"\n")) << spec();
  EXPECT_TRUE(contains(spec(), "global_batch = 8\n")) << spec();
  EXPECT_TRUE(contains(spec(), "recompute = \"selective\"\n")) << spec();
  EXPECT_TRUE(contains(said.err, "not carried over: llama3_8b.toml: job.description = mine"))
      << said.err;
  expect_valid();
}

const std::string calculon_model =
    R"({"name": "mine", "seq_size": 2048, "hidden": 12288, "feedforward": 49152,
        "attn_heads": 96, "attn_size": 128, "num_blocks": 96})";
const std::string calculon_run =
    R"({"num_procs": 128, "tensor_par": 8, "pipeline_par": 8, "data_par": 2, "tensor_par_net": 0,
        "batch_size": 64, "microbatch_size": 1, "datatype": "float16", "fused_activation": true,
        "activation_recompute": "attn_only", "pipeline_interleaving": 2,
        "optimizer_sharding": true, "tensor_par_comm_type": "rs_ag", "tensor_par_overlap": "none",
        "data_par_overlap": false, "weight_offload": false, "training": true})";
const std::string calculon_system =
    R"({"matrix": {"float16": {"tflops": 312}}, "vector": {"float16": {"tflops": 78}},
        "mem1": {"GiB": 80, "GBps": 2039}, "networks": [
        {"bandwidth": 300, "efficiency": 0.65, "size": 8, "latency": 0.00001},
        {"bandwidth": 25, "efficiency": 0.9, "size": 65536, "latency": 0.00002}]})";

TEST_F(ImportRun, FilesOfCalculonBelongTogether) {
  const Said said =
      imported("model.json", calculon_model, {write("run.json", calculon_run), "--device", "a100"});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* line :
       {"tensor_parallel = 8", "pipeline_parallel = 8", "chunks = 2", "zero = 1",
        "recompute = \"selective\"", "sequence_parallel = true", "framework = \"no-overlap\"",
        "precision = \"fp16\"", "accelerators = 128", "model = \"gpt3-175b\""}) {
    EXPECT_TRUE(contains(spec(), std::string("\n") + line + "\n")) << line << "\n" << spec();
  }
  EXPECT_TRUE(contains(said.err, "not carried over: run.json: weight_offload = false")) << said.err;
  expect_valid();
}

TEST_F(ImportRun, ASystemOfCalculonIsLikeADevice) {
  const Said alone = imported("system.json", calculon_system);
  EXPECT_EQ(alone.code, 64);
  EXPECT_TRUE(contains(alone.err,
                       "a hardware file does not say all that a device here has; give "
                       "--like NAME"))
      << alone.err;
  const Said said =
      imported("system.json", calculon_system, {"--like", "a100", "--name", "theirs"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(entries(),
                       "[device.theirs]\ndomain = 8\nkind = \"unverified\"\nlike = "
                       "\"a100-sxm-80gb\"\n"))
      << entries();
  EXPECT_TRUE(contains(entries(), "fp16 = \"312 TFLOP/s\"\n")) << entries();
  EXPECT_TRUE(contains(entries(), "bandwidth = \"2.039 TB/s\"\n")) << entries();
  EXPECT_TRUE(contains(entries(), "[scale_up.theirs-link]\nbandwidth = \"300 GB/s\"\n"))
      << entries();
  EXPECT_TRUE(contains(said.err, "system.json: networks[1].bandwidth = 25")) << said.err;
  EXPECT_FALSE(std::filesystem::exists(path("job/spec.toml")));
}

const std::string llm_compass = R"({"name": "their A100", "device_count": 4,
    "interconnect": {"link": {"name": "NVLink3", "bandwidth_per_direction_byte": 25e9,
      "latency_second": 8.92e-6, "flit_size_byte": 16}, "link_count_per_device": 12,
      "topology": "FC"},
    "device": {"frequency_Hz": 1410e6, "compute_chiplet_count": 1, "compute_chiplet": {
      "core_count": 108, "core": {"sublane_count": 4, "systolic_array": {"array_width": 16,
      "array_height": 16, "data_type": "fp16", "mac_per_cycle": 1},
      "vector_unit": {"vector_width": 32, "fp32_count": 16}, "SRAM_KB": 192}},
      "memory_protocol": "HBM2e", "io": {"global_buffer_MB": 40,
      "global_buffer_bandwidth_per_cycle_byte": 5120, "memory_channel_active_count": 5,
      "pin_count_per_channel": 1024, "bandwidth_per_pin_bit": 3.2e9},
      "memory": {"total_capacity_GB": 80}}})";

TEST_F(ImportRun, HardwareOfLlmCompass) {
  const Said said = imported("ga100.json", llm_compass, {"--like", "a100"});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* line :
       {"[device.their-A100]", "cores = 108", "clock = \"1.41 GHz\"", "fp16 = \"311.869 TFLOP/s\"",
        "vector_peak = \"19.4918 TFLOP/s\"", "bandwidth = \"2.048 TB/s\"", "capacity = \"80 GB\"",
        "bandwidth = \"7.2192 TB/s\"", "capacity = \"192 KiB\"", "bandwidth = \"300 GB/s\"",
        "latency = \"8.92 us\"", "domain = 4"}) {
    EXPECT_TRUE(contains(entries(), std::string(line) + "\n")) << line << "\n" << entries();
  }
  EXPECT_TRUE(contains(said.err, "ga100.json: interconnect.topology = FC")) << said.err;
}

TEST_F(ImportRun, WhatAFileCallsAFormatIsAKeyInQuotes) {
  std::string odd = llm_compass;
  odd.replace(odd.find("fp16"), 4, "fp16 = 1\\n[x");
  const Said said = imported("ga100.json", odd, {"--like", "a100"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(entries(), "\"fp16 = 1\\n[x\" = \"311.869 TFLOP/s\"\n")) << entries();
}

TEST_F(ImportRun, HardwareOfRapidLlm) {
  const Said said = imported("a100.yaml",
                             "sw_param:\n  kernel_launch_overhead: 9e-6\n"
                             "tech_param:\n  core:\n    operating_frequency: 1.41e9\n"
                             "    num_bundles: 108\n    num_mcu_per_bundle: 4\n"
                             "    nominal_flop_rate_per_mcu: 512\n    util: 0.9\n"
                             "  DRAM:\n    size: 80 GB\n    bandwidth: 1986 GB\n"
                             "  SRAM-L2:\n    size: 40 MB\n    bandwidth: 7050 GB\n"
                             "network:\n  dimensions:\n    - id: dim0\n      size: 8\n"
                             "      topology:\n        type: FC-Ring2D\n        bandwidth: 300 GB\n"
                             "        latency: 5e-6\n",
                             {"--like", "a100", "--name", "rapid"});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* line : {"bf16 = \"311.869 TFLOP/s\"", "bandwidth = \"1.986 TB/s\"",
                           "capacity = \"40 MB\"", "latency = \"5 us\""}) {
    EXPECT_TRUE(contains(entries(), std::string(line) + "\n")) << line << "\n" << entries();
  }
  EXPECT_TRUE(contains(said.err, "a100.yaml: sw_param.kernel_launch_overhead = 9e-6")) << said.err;
  EXPECT_TRUE(contains(said.err, "a100.yaml: tech_param.core.util = 0.9")) << said.err;
}

TEST_F(ImportRun, ACaseOfAiConfigurator) {
  const Said said = imported(
      "case.sh",
      "aiconfigurator cli default --model-path Qwen/Qwen3-32B --total-gpus 32 --system h200_sxm "
      "--isl 4000 --osl 500 --ttft 600 --tpot 50 --save_dir out\n");
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* line :
       {"kind = \"serving\"", "model = \"qwen3-32b\"", "device = \"h200-sxm\"", "accelerators = 32",
        "prompt = 4000", "output = 500", "time_to_first_token = \"600 ms\"",
        "time_per_output_token = \"50 ms\"", "framework = \"tensorrt-llm\""}) {
    EXPECT_TRUE(contains(spec(), std::string("\n") + line + "\n")) << line << "\n" << spec();
  }
  EXPECT_TRUE(contains(said.err, "case.sh: --save_dir = out")) << said.err;
  expect_valid();
}

TEST_F(ImportRun, RefusesWhatItCannotRead) {
  const auto refused = [this](const std::string& name, const std::string& text,
                              const std::vector<std::string>& more, int code,
                              const std::string& message) {
    const Said said = imported(name, text, more);
    EXPECT_EQ(said.code, code) << said.err;
    EXPECT_TRUE(contains(said.err, message)) << said.err;
    EXPECT_FALSE(std::filesystem::exists(path("job")));
  };
  const std::string command =
      "torchrun --nproc_per_node 8 x.py --num-layers 32 --hidden-size 4096 --num-attention-heads "
      "32 --seq-length 4096 --global-batch-size 8";
  refused("x.txt", "hello", {}, 65, "of which program it is cannot be told; say --from");
  refused("x.txt", "hello", {"--from", "deepspeed"}, 64, "--from: 'deepspeed' is none of");
  refused("x.sh", "--num-layers many", {"--device", "h100"}, 65,
          "x.sh: --num-layers is 'many'; it must be a number");
  refused("x.sh", "--num-layers 0.5", {"--device", "h100"}, 65,
          "x.sh: --num-layers is '0.5'; it must be a whole number, 1 or more");
  refused("x.sh", "--num-layers 4", {"--device", "h100"}, 65,
          "--num-layers, --hidden-size and --num-attention-heads are needed");
  refused("x.sh", command + " --moe-layer-freq some --num-experts 8", {"--device", "h100"}, 65,
          "--moe-layer-freq is 'some'");
  refused("x.sh", command, {"--vocab", "1000"}, 64, "give --device NAME, an entry of the catalog");
  refused("x.sh", command, {"--device", "h101"}, 64, "--device: the catalog has no device 'h101'");
  refused("x.json", "{\"tensor_par\": 8", {}, 65, "x.json:1:17: not JSON from here on");
  refused("x.json", "[8]", {"--from", "calculon"}, 65, "x.json: no object of JSON");
  refused("x.json", calculon_run, {"--device", "a100"}, 65, "an execution without its application");
  refused("x.toml", "[training]\nseq_len = ", {"--device", "h100"}, 65, "x.toml:2:");
  refused("x.yaml", "tech_param:\n  core: [", {"--like", "a100"}, 65, "no YAML");
  refused("x.yaml", "tech_param:\n  core:\n    num_bundles: 4\n", {"--like", "a100"}, 65,
          "tech_param.core.operating_frequency is missing");
  const Said two = scalesweep({"import", write("a.sh", command), write("b.sh", command)});
  EXPECT_EQ(two.code, 64);
  EXPECT_TRUE(contains(two.err, "only those of Calculon belong together")) << two.err;
  const Said none = scalesweep({"import", path("none.sh")});
  EXPECT_EQ(none.code, 66);
}

TEST_F(ImportRun, OverwritesNothing) {
  std::filesystem::create_directory(path("job"));
  write("job/spec.toml", "mine");
  const Said said = imported(
      "case.sh",
      "aiconfigurator cli --model llama-3-8b --total_gpus 8 --system h100_sxm --isl 100 --osl 100");
  EXPECT_EQ(said.code, 73);
  EXPECT_TRUE(contains(said.err, "exists, and import overwrites nothing; name a new folder"))
      << said.err;
  EXPECT_EQ(spec(), "mine");
}

}  // namespace
}  // namespace scalesweep::test

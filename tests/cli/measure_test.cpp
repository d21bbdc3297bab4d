// scalesweep measure: the list of what to measure, and logs as case files. The logs are made after
// the formats of the programs that write them, not taken from anywhere.
#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

class Measure : public CliTest {
 protected:
  Said read(const std::string& name, const std::string& log,
            const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"measure", "--device", "h100", "--read",
                                          write(name, log)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return scalesweep(arguments);
  }
  // Whether 'validate' takes what was read and predicts every row of it.
  void expect_predicted(const std::string& cases, int rows) const {
    const Said said = scalesweep({"validate", write("cases.csv", cases), "--json"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(contains(said.out, "\"cases\": " + std::to_string(rows))) << said.out;
  }
};

TEST_F(Measure, ListsRowsThatValidateReads) {
  const std::string out = path("shapes.csv");
  const Said said = scalesweep({"measure", "--device", "h100", "-o", out});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.err, "rows to measure on h100-sxm: fill in time_s")) << said.err;
  const std::string text = content(out);
  EXPECT_TRUE(text.starts_with("case,source,device,gpus,op,m,k,n,")) << text.substr(0, 80);
  for (const char* row :
       {"matmul-h100-sxm-bf16-1x4096x6144,", "matmul-h100-sxm-fp8-1x4096x6144,",
        ",attention_prefill,", ",attention_decode,", ",pointwise,", "all_to_all-h100-sxm-8-"}) {
    EXPECT_TRUE(contains(text, row)) << row;
  }
  const Said valid = scalesweep({"validate", out, "--predictions", path("predicted.csv")});
  EXPECT_EQ(valid.code, 0) << valid.err;
}

TEST_F(Measure, ListsExpertsAndLatentAttentionOfModelsThatHaveThem) {
  const std::string out = path("experts.csv");
  const Said said = scalesweep({"measure", "--device", "h100", "--models", "deepseek-v3",
                                "--precisions", "bf16,fp8", "-o", out});
  EXPECT_EQ(said.code, 0) << said.err;
  const std::string text = content(out);
  for (const char* row : {"experts-h100-sxm-fp8-t128-h7168-f2048-e256-k8-ep8-tp1,",
                          "experts-h100-sxm-bf16-t1-h7168-f2048-e256-k8-ep1-tp8,",
                          "latent_prefill-h100-sxm-bf16-b1-s2048-h128-r512-64,",
                          "latent_decode-h100-sxm-bf16-b64-s1024-h16-r512-64,"}) {
    EXPECT_TRUE(contains(text, row)) << row;
  }
  EXPECT_FALSE(contains(text, "attention_decode"));
  const Said valid = scalesweep({"validate", out, "--predictions", path("predicted.csv")});
  EXPECT_EQ(valid.code, 0) << valid.err;
}

TEST_F(Measure, RefusesWhatItCannotList) {
  const auto refused = [](const std::vector<std::string>& arguments, int code,
                          const std::string& message) {
    const Said said = scalesweep(arguments);
    EXPECT_EQ(said.code, code);
    EXPECT_TRUE(contains(said.err, message)) << said.err;
  };
  refused({"measure"}, 64, "say which device: --device NAME");
  refused({"measure", "--device", "h100-sxmm"}, 64,
          "--device: the catalog has no device 'h100-sxmm'; did you mean 'h100-sxm'?");
  refused({"measure", "--device", "h100", "--models", "llama-9"}, 64,
          "--models: the catalog has no model 'llama-9'");
  refused({"measure", "--device", "h100", "--precisions", "fp3"}, 64,
          "--precisions: 'fp3' is none of fp64, fp32,");
  refused({"measure", "--device", "h100", "--precisions", "fp4"}, 64,
          "--precisions: the catalog has no fp4 rate for h100-sxm");
  const std::string taken = write("taken.csv", "mine");
  refused({"measure", "--device", "h100", "-o", taken}, 73,
          taken + " exists, and measure overwrites nothing; name a new file");
  EXPECT_EQ(content(taken), "mine");
  refused({"measure", "--device", "h100", "-o", path("none/x.csv")}, 73,
          "cannot create " + path("none/x.csv") + ": there is no folder");
}

const std::string nccl_head =
    "# nThread 1 nGpus 2 minBytes 1048576 maxBytes 4194304 step: 2(factor) warmup iters: 5\n"
    "#\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid   4711 on   node01 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n"
    "#  Rank  1 Group  0 Pid   4711 on   node01 device  1 [0000:43:00] NVIDIA H100 80GB HBM3\n"
    "#\n"
    "#                                                              out-of-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time "
    "  algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us) "
    " (GB/s)  (GB/s)       \n";
const std::string nccl_rows =
    "     1048576        262144     float     sum      -1    35.10   29.87   29.87      0    34.90 "
    "  30.05   30.05      0\n"
    "     2097152        524288     float     sum      -1    48.20   43.51   43.51      0    47.80 "
    "  43.87   43.87    N/A\n"
    "     4194304       1048576     float     sum      -1    63.00   66.58   66.58      4    62.00 "
    "  67.65   67.65      0\n"
    "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 46.65\n";

TEST_F(Measure, ReadsCollectivesOfNcclTests) {
  const Said said = read("all_reduce_perf.log", nccl_head + nccl_rows);
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.err, "all_reduce_perf.log: nccl-tests or rccl-tests, 2 rows"))
      << said.err;
  EXPECT_TRUE(contains(said.err, "1 lines with wrong results are left out")) << said.err;
  EXPECT_TRUE(contains(said.out, "h100-sxm,2,all_reduce,1048576,fp32,3.51e-05\n")) << said.out;
  expect_predicted(said.out, 2);
}

TEST_F(Measure, LinesShorterThanTheirHeaderAreNoMeasurements) {
  const Said said = read("all_reduce_perf.log",
                         "# Collective test starting: all_reduce_perf\n"
                         "#  Rank  0\n#  Rank  1\n# size time type busbw\n  1048576 35.10\n"
                         "  1048576 35.10 float\n");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.err, "1 rows")) << said.err;
  EXPECT_TRUE(contains(said.out, ",all_reduce,1048576,fp32,3.51e-05\n")) << said.out;
}

TEST_F(Measure, ACollectiveMayBeNamedByTheLog) {
  const Said said =
      read("run.log", "# Collective test starting: alltoall_perf\n" + nccl_head + nccl_rows);
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, ",all_to_all,")) << said.out;
  const Said unknown = read("run2.log", nccl_head + nccl_rows);
  EXPECT_EQ(unknown.code, 65);
  EXPECT_TRUE(
      contains(unknown.err, "which collective it is of cannot be told; name the file after"))
      << unknown.err;
  const Said alone =
      read("all_gather_perf.log", nccl_head.substr(nccl_head.find("#       size")) + nccl_rows);
  EXPECT_EQ(alone.code, 65);
  EXPECT_TRUE(contains(alone.err, "how many ranks it has cannot be told")) << alone.err;
}

TEST_F(Measure, ReadsStatesOfNvbench) {
  const Said said = read("gemm.json", R"({"meta": {}, "devices": [], "benchmarks": [
    {"name": "gemm_bench", "states": [
      {"axis_values": [{"name": "M", "type": "int64", "value": "128"},
                       {"name": "N", "type": "int64", "value": "4096"},
                       {"name": "K", "type": "int64", "value": "8192"},
                       {"name": "T", "type": "type", "value": "__nv_bfloat16"},
                       {"name": "Stages", "type": "int64", "value": "3"}],
       "summaries": [{"tag": "nv/cold/time/gpu/mean",
                      "data": [{"name": "value", "type": "float64", "value": "4.25e-05"}]}]},
      {"axis_values": [], "is_skipped": true, "summaries": []}]},
    {"name": "sort_keys", "states": [
      {"axis_values": [], "summaries": [{"tag": "nv/cold/time/gpu/mean",
                      "data": [{"name": "value", "value": "1e-3"}]}]}]}]})");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, ",matmul,128,8192,4096,bf16,4.25e-05\n")) << said.out;
  EXPECT_TRUE(contains(said.err, "benchmark sort_keys: its name tells no kernel of case files"))
      << said.err;
  EXPECT_TRUE(contains(said.err, "benchmark gemm_bench: states without nv/cold/time/gpu/mean"))
      << said.err;
  EXPECT_TRUE(contains(said.err, "stand in the case alone: Stages")) << said.err;
  expect_predicted(said.out, 1);
}

TEST_F(Measure, ReadsExpertsAndLatentAttentionOfNvbench) {
  const Said said = read("moe.json", R"({"benchmarks": [
    {"name": "fused_moe_gemm", "states": [
      {"axis_values": [{"name": "Tokens", "value": "64"}, {"name": "Hidden", "value": "7168"},
                       {"name": "Expert_ffn", "value": "2048"}, {"name": "Experts", "value": "256"},
                       {"name": "Experts_per_token", "value": "8"}, {"name": "ep", "value": "8"},
                       {"name": "T", "value": "__nv_fp8_e4m3"}],
       "summaries": [{"tag": "nv/cold/time/gpu/mean",
                      "data": [{"name": "value", "value": "2.1e-04"}]}]}]},
    {"name": "mla_decode", "states": [
      {"axis_values": [{"name": "Batch", "value": "64"}, {"name": "Seq", "value": "4096"},
                       {"name": "Heads", "value": "128"}, {"name": "kv_rank", "value": "512"},
                       {"name": "rope_dim", "value": "64"}, {"name": "T", "value": "bf16"}],
       "summaries": [{"tag": "nv/cold/time/gpu/mean",
                      "data": [{"name": "value", "value": "1.3e-04"}]}]}]}]})");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, ",experts,")) << said.out;
  EXPECT_TRUE(contains(said.out, ",latent_decode,")) << said.out;
  EXPECT_FALSE(contains(said.err, "stand in the case alone")) << said.err;
  expect_predicted(said.out, 2);
}

TEST_F(Measure, ReadsTheCsvOfNvbench) {
  const Said said = read("copy.csv",
                         "Benchmark,Device,Device Name,Bytes,Skipped,Samples,CPU Time (sec),Noise "
                         "(%),GPU Time (sec),Noise (%)\n"
                         "stream_copy,0,NVIDIA H100,268435456,No,512,1e-4,1.0,9.5e-05,0.3\n"
                         "stream_copy,0,NVIDIA H100,536870912,Yes,,,,,\n");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, ",pointwise,268435456,,9.5e-05\n")) << said.out;
  EXPECT_TRUE(contains(said.err, "1 rows do not tell the precision")) << said.err;
  expect_predicted(said.out, 1);
}

TEST_F(Measure, ReadsKernelsOfATrace) {
  const Said said = read("trace.json", R"({"schemaVersion": 1, "traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 9, "args":
      {"External id": 5, "Input Dims": [[512, 4096], [4096, 14336]],
       "Input type": ["c10::BFloat16", "c10::BFloat16"]}},
    {"ph": "X", "cat": "kernel", "name": "nvjet_tst_128x256", "ts": 2, "dur": 80.5,
     "args": {"External id": 5}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::_flash_attention_forward", "ts": 3, "args":
      {"External id": 6, "Input Dims": [[2, 1024, 32, 128], [2, 1024, 8, 128], [2, 1024, 8, 128]],
       "Input type": ["c10::BFloat16", "c10::BFloat16"],
       "Concrete Inputs": ["", "", "", "", "", "1024", "1024", "0.", "False", "False"]}},
    {"ph": "X", "cat": "kernel", "name": "flash_fwd_kernel", "ts": 4, "dur": 60.0,
     "args": {"External id": 6}},
    {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "ts": 5,
     "dur": 100.0, "args": {"Collective name": "allreduce", "In msg nelems": 1000000,
     "Out msg nelems": 1000000, "Group size": 8, "dtype": "BFloat16"}},
    {"ph": "X", "cat": "kernel", "name": "elementwise_kernel", "dur": 7.0, "args": {}}]})");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, ",matmul,512,4096,14336,")) << said.out;
  EXPECT_TRUE(contains(said.out, ",bf16,8.05e-05\n")) << said.out;
  EXPECT_TRUE(contains(said.out, ",attention_prefill,,,,2,1024,32,8,128,false,")) << said.out;
  EXPECT_TRUE(contains(said.out, ",8,all_reduce,,,,,,,,,,2000000,bf16,0.0001\n")) << said.out;
  EXPECT_TRUE(contains(said.err, "0.007 ms of elementwise_kernel: no row of case files"))
      << said.err;
  expect_predicted(said.out, 3);
}

// Whatever stands around the events, and in whichever order those are.
TEST_F(Measure, ReadsATraceEventByEvent) {
  const std::string op =
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": [[{"name": 7}]], "args":
      {"External id": 5, "Stack": {"External id": 6, "Input Dims": [[1, 1], [1, 1]]},
       "Input Dims": [[512, 4096], [4096, 14336]], "Input type": ["c10::BFloat16"]}})";
  const std::string kernel =
      R"({"ph": "X", "cat": "kernel", "name": "nvjet", "dur": 40.5, "args": {"External id": 5}})";
  const std::string other = R"({"ph": "i", "cat": 7, "args": 5}, [1], null)";
  const std::string around =
      R"({"deviceProperties": [{"name": "H100", "traceEvents": [{"ph": 5}]}], "traceEvents": [)";
  for (const std::string& text :
       {around + kernel + "," + other + "," + op + "," + kernel + R"(], "traceName": "a.json"})",
        "[" + kernel + "," + op + "," + other + "," + kernel + R"(, "traceEvents"])"}) {
    const Said said = read("events.json", text);
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(contains(said.out, ",matmul,512,4096,14336,")) << said.out;
    EXPECT_TRUE(contains(said.out, ",bf16,8.1e-05\n")) << said.out;
  }
  const std::string deep = std::string(120, '[') + std::string(120, ']');
  EXPECT_TRUE(contains(read("deep.json", around + deep + "]}").err,
                       "not as PyTorch writes traces: more than 100 lists and objects"));
  EXPECT_TRUE(contains(read("cut.json", around + kernel).err,
                       "not as PyTorch writes traces: not JSON from here on"));
  EXPECT_TRUE(
      contains(read("huge.json", around + R"({"dur": 1e999}]})").err, "a number too large"));
  EXPECT_TRUE(contains(read("none.json", R"({"a": {"traceEvents": []}})").err,
                       "not as PyTorch writes traces: it has no traceEvents"));
}

TEST_F(Measure, ATraceWithoutShapesTellsNamesAlone) {
  const Said said = read("trace.json", R"({"traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "args": {"External id": 5}},
    {"ph": "X", "cat": "kernel", "name": "nvjet", "dur": 80.5, "args": {"External id": 5}}]})");
  EXPECT_EQ(said.code, 65);
  EXPECT_TRUE(contains(said.err, "profile with record_shapes=True")) << said.err;
  EXPECT_TRUE(contains(said.err, "nothing was read that case files have")) << said.err;
  const Said empty = read("cpu.json", R"({"traceEvents": []})");
  EXPECT_EQ(empty.code, 65);
  EXPECT_TRUE(contains(empty.err, "a trace without kernels of a device")) << empty.err;
}

const std::string arguments_of_megatron =
    "------------------------ arguments ------------------------\n"
    "  bf16 ............................................ True\n"
    "  context_parallel_size ........................... 1\n"
    "  disable_bias_linear ............................. True\n"
    "  ffn_hidden_size ................................. 14336\n"
    "  fp8 ............................................. None\n"
    "  global_batch_size ............................... 64\n"
    "  group_query_attention ........................... True\n"
    "  hidden_dropout .................................. 0.0\n"
    "  attention_dropout ............................... 0.0\n"
    "  hidden_size ..................................... 4096\n"
    "  lr .............................................. 0.0003\n"
    "  micro_batch_size ................................ 1\n"
    "  num_attention_heads ............................. 32\n"
    "  num_layers ...................................... 32\n"
    "  num_query_groups ................................ 8\n"
    "  padded_vocab_size ............................... 128256\n"
    "  pipeline_model_parallel_size .................... 1\n"
    "  position_embedding_type ......................... rope\n"
    "  recompute_granularity ........................... full\n"
    "  seq_length ...................................... 4096\n"
    "  sequence_parallel ............................... True\n"
    "  swiglu .......................................... True\n"
    "  tensor_model_parallel_size ...................... 2\n"
    "  untie_embeddings_and_output_weights ............. True\n"
    "  use_distributed_optimizer ....................... True\n"
    "  world_size ...................................... 8\n"
    "-------------------- end of arguments ---------------------\n";

std::string iteration(int number, double time_ms) {
  return " [2026-01-01 10:00:00] iteration " + std::to_string(number) +
         "/ 100 | consumed samples: 64 | elapsed time per iteration (ms): " +
         std::to_string(time_ms) + " | learning rate: 3.0E-04 | global batch size: 64 |\n";
}

TEST_F(Measure, ReadsTheStepOfATrainingLog) {
  const Said said =
      read("train.log", arguments_of_megatron + iteration(1, 9000.0) + iteration(2, 6010.0) +
                            iteration(3, 6000.0) + iteration(4, 6020.0));
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.err, "train.log: a training log of Megatron-LM, 1 rows")) << said.err;
  EXPECT_TRUE(contains(said.err, "4 iterations, the median of 3 is the step")) << said.err;
  EXPECT_TRUE(contains(said.err, "1 arguments say nothing that case files have")) << said.err;
  EXPECT_TRUE(contains(said.out, ",6.01,")) << said.out;
  expect_predicted(said.out, 1);
}

TEST_F(Measure, ATrainingLogHasToSayWhatRan) {
  const Said none = read("train.log", iteration(1, 9000.0));
  EXPECT_EQ(none.code, 65);
  EXPECT_TRUE(contains(none.err, "iterations without the arguments that Megatron-LM logs"))
      << none.err;
  std::string no_vocab = arguments_of_megatron;
  no_vocab.erase(no_vocab.find("  padded_vocab_size"), 58);
  const Said vocab = read("train.log", no_vocab + iteration(1, 9000.0));
  EXPECT_EQ(vocab.code, 65);
  EXPECT_TRUE(contains(vocab.err, "the vocabulary is not said; give --vocab NUMBER")) << vocab.err;
}

TEST_F(Measure, LogsOfNothingKnownAreRefused) {
  const Said said = read("x.log", "hello\n");
  EXPECT_EQ(said.code, 65);
  EXPECT_TRUE(contains(said.err, "a log of none of these: nccl-tests or rccl-tests, nvbench"))
      << said.err;
  const Said missing = scalesweep({"measure", "--device", "h100", "--read", path("none.log")});
  EXPECT_EQ(missing.code, 66);
  const Said mixed = scalesweep({"measure", "--device", "h100", "--read",
                                 write("all_reduce.log", nccl_head + nccl_rows),
                                 write("train.log", arguments_of_megatron + iteration(1, 9.0))});
  EXPECT_EQ(mixed.code, 65);
  EXPECT_TRUE(contains(mixed.err, "which are files of their own; read them one after the other"))
      << mixed.err;
}

// What 'calibrate' refuses before it starts; tests/calibration has the rest.
TEST_F(Measure, CalibrateRefusesNames) {
  const std::string cases = write("c.csv", "case,device,op,time_s\n");
  const auto refused = [](const std::vector<std::string>& arguments, int code,
                          const std::string& message) {
    const Said said = scalesweep(arguments);
    EXPECT_EQ(said.code, code);
    EXPECT_TRUE(contains(said.err, message)) << said.err;
  };
  refused({"calibrate", cases}, 64, "say which device: --device NAME");
  refused({"calibrate", "--device", "mine", cases}, 64,
          "--device: the catalog has no device 'mine'");
  refused({"calibrate", "--device", "mine", cases}, 64, "--like PARENT makes it a new one");
  refused({"calibrate", "--device", "h100", "--like", "a100", cases}, 64,
          "'h100' is in the catalog, and --like makes a new device");
  refused({"calibrate", "--device", "my one", "--like", "h100", cases}, 64,
          "'my one' cannot name an entry");
  refused({"calibrate", "--device", "mine", "--like", "h101", cases}, 64,
          "--like: the catalog has no device 'h101'");
  refused({"calibrate", "--device", "h100", "--whole", cases}, 64, "--whole belongs to --like");
  refused({"calibrate", "--device", "h100", path("none.csv")}, 66, path("none.csv"));
  refused({"calibrate", "--device", "h100", cases, "-o", cases}, 73,
          "exists, and calibrate overwrites nothing; name a new file");
  refused({"calibrate", "--device", "h100", cases, "-o", path("none/x.toml")}, 73,
          "there is no folder");
}

}  // namespace
}  // namespace scalesweep::test

// What Megatron-LM, Megatron-Bridge and Megatron-DeepSpeed refuse, and what their commands need.
// Expectations are those of the programs' sources at the commits that comments name.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <numeric>

#include "deploy/rules/program_rules.hpp"
#include "deploy/rules/unrunnable.hpp"
#include "deployed.hpp"
#include "space/filter.hpp"
#include "support/shipped_catalog.hpp"
#include "workload/model.hpp"

namespace scalesweep::test {
namespace {

using deploy::Deployment;
using technology::Precision;
using ::testing::HasSubstr;
using ::testing::Not;

std::string one_point(const std::string& model, int devices, const std::string& strategy,
                      const std::string& workload = "", const std::string& device = "h100-sxm") {
  std::string spec = training_spec(model, "sequence = 4096\nglobal_batch = 256\n" + workload,
                                   devices, "micro_batch = 1\n" + strategy);
  const std::string given = "device = \"h100-sxm\"";
  return spec.replace(spec.find(given), given.size(), "device = \"" + device + "\"");
}

std::string layout(int tensor, int pipeline, int zero, const std::string& more = "") {
  return fmt::format(
      "tensor_parallel = {}\npipeline_parallel = {}\nzero = {}\nchunks = 1\n"
      "sequence_parallel = {}\n{}{}",
      tensor, pipeline, zero, tensor > 1 ? "true" : "false",
      more.find("recompute") == std::string::npos ? "recompute = \"full\"\n" : "", more);
}

std::string problems(const std::string& spec, std::string_view target) {
  return all_of(deployed(spec, target).problems);
}

constexpr const char* queues = "CUDA_DEVICE_MAX_CONNECTIONS";

// arguments.py:1453 of d98e8a64: 1 with tensor or context parallelism before generation 10.
TEST(MegatronEnvironment, OneQueueBeforeBlackwell) {
  const Deployment one = deployed(one_point("llama-3-8b", 8, layout(2, 1, 1)), "megatron-lm");
  ASSERT_TRUE(one.can_run()) << all_of(one.problems);
  EXPECT_EQ(flag(one, queues), "1");
  EXPECT_THAT(one.command, ::testing::StartsWith("CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun "));
  const auto of = [](const std::string& strategy, const std::string& device) {
    return flag(deployed(one_point("llama-3-8b", 8, strategy, "", device), "megatron-lm"), queues);
  };
  EXPECT_EQ(of(layout(1, 1, 1, "context_parallel = 2\n"), "h100-sxm"), "1");
  EXPECT_EQ(of(layout(1, 2, 1), "h100-sxm"), "(absent)");
  EXPECT_EQ(of(layout(2, 1, 1), "b200-sxm"), "(absent)");
  EXPECT_EQ(of(layout(2, 1, 1), "mi300x"), "1");  // gfx942 is generation 9
}

// arguments.py:778 of 5cb6dbb3: "or ... and" asks it of tensor parallelism on every device.
TEST(MegatronEnvironment, OldOnesAskItOfTensorParallelismOnBlackwell) {
  const auto of = [](const std::string& strategy) {
    return flag(
        deployed(one_point("llama-3-8b", 8, strategy, "", "b200-sxm"), "megatron-lm@core_r0.12.0"),
        queues);
  };
  EXPECT_EQ(of(layout(2, 1, 1)), "1");
  EXPECT_EQ(of(layout(1, 1, 1, "context_parallel = 2\n")), "(absent)");
}

// srun starts a program, so that what stands before it is exported.
TEST(MegatronEnvironment, SlurmExportsTheVariables) {
  const Deployment cut = deployed(one_point("llama-3-8b", 16, layout(2, 1, 1)), "megatron-lm");
  EXPECT_THAT(file(cut, "train.sbatch"),
              HasSubstr("\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\nsrun torchrun "));
  for (const char* target : {"torchtitan", "deepspeed", "megatron-lm", "megatron-bridge"}) {
    const Deployment whole = deployed(one_point("llama-3-8b", 16, layout(1, 1, 3)), target);
    ASSERT_TRUE(whole.can_run()) << target << all_of(whole.problems);
    EXPECT_THAT(file(whole, "train.sbatch"), Not(HasSubstr("CUDA_DEVICE_MAX_CONNECTIONS")))
        << target;
  }
}

// Megatron-DeepSpeed, arguments.py:402 of 4efb479d: sequence parallelism alone asks for it.
TEST(MegatronEnvironment, DeepSpeedAsksForItWithSequenceParallelism) {
  const auto of = [](const std::string& more) {
    return flag(deployed(one_point("llama-3-8b", 16,
                                   "tensor_parallel = 2\npipeline_parallel = 1\n"
                                   "zero = 1\nchunks = 1\nrecompute = \"full\"\n" +
                                       more),
                         "deepspeed"),
                queues);
  };
  EXPECT_EQ(of("sequence_parallel = true"), "1");
  EXPECT_EQ(of("sequence_parallel = false"), "(absent)");
}

// arguments.py:564 to 578 of 5cb6dbb3, 1118 to 1170 of d98e8a64.
TEST(MegatronFsdp, HasItsCompanions) {
  const std::string spec = one_point("llama-3-8b", 16, layout(2, 1, 3));
  const Deployment old = deployed(spec, "megatron-lm@core_r0.12.0");
  ASSERT_TRUE(old.can_run()) << all_of(old.problems);
  EXPECT_EQ(flag(old, "--use-custom-fsdp"), "");
  EXPECT_EQ(flag(old, "--no-gradient-accumulation-fusion"), "");
  EXPECT_EQ(flag(old, "--ckpt-format"), "(absent)");
  EXPECT_EQ(flag(old, queues), "(absent)");
  for (const char* version : {"core_v0.15.0", "core_v0.19.0", "main"}) {
    const Deployment made = deployed(spec, std::string("megatron-lm@") + version);
    EXPECT_EQ(flag(made, "--use-megatron-fsdp"), "") << version;
    EXPECT_EQ(flag(made, "--ckpt-format"), "fsdp_dtensor") << version;
    EXPECT_EQ(flag(made, "--no-gradient-accumulation-fusion"), "(absent)") << version;
    EXPECT_EQ(flag(made, queues), "(absent)") << version;
  }
  // config.py:1096 of Megatron-Bridge 51885cf1
  const Deployment bridge = deployed(spec, "megatron-bridge");
  EXPECT_EQ(flag(bridge, "checkpoint.ckpt_format="), "fsdp_dtensor");
  EXPECT_EQ(flag(bridge, queues), "(absent)");
}

// mcore_fsdp_adapter.py:343 of 5be96267: instances of the optimizer are what is replicated.
TEST(MegatronFsdp, ShardsOverSomeOfTheReplicas) {
  const std::string spec = one_point("llama-3-8b", 64, layout(2, 1, 3, "shard_group = 8\n"));
  const Deployment made = deployed(spec, "megatron-lm");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "--num-distributed-optimizer-instances"), "4");
  EXPECT_EQ(flag(deployed(spec, "megatron-bridge"), "ddp.num_distributed_optimizer_instances="),
            "4");
  EXPECT_THAT(problems(spec, "megatron-lm@core_r0.12.0"), HasSubstr("some of the replicas"));
}

// language_module.py:55 of 5cb6dbb3: flash switches the others off, and FlashAttention 2 takes no
// heads of two widths. transformer_config.py:930: nor is their rotation fused in 0.12.
TEST(MegatronLm, LatentAttentionIsLeftToTransformerEngine) {
  const std::string spec =
      one_point("deepseek-v3", 1024,
                layout(2, 16, 1, "uneven_stages = true\nexpert_parallel = 32\n"), "", "h200-sxm");
  EXPECT_EQ(flag(deployed(spec, "megatron-lm"), "--attention-backend"), "auto");
  EXPECT_EQ(flag(deployed(spec, "megatron-lm"), "--no-rope-fusion"), "(absent)");
  EXPECT_EQ(flag(deployed(one_point("llama-3-8b", 8, layout(2, 1, 1)), "megatron-lm"),
                 "--attention-backend"),
            "flash");
}

// What changes the cost and has no option is said: add_argument calls of arguments.py and fields of
// TransformerConfig at d98e8a64 were looked through.
TEST(MegatronLm, SaysWhatOfAModelHasNoOption) {
  const auto notes = [](const std::string& model) {
    return all_of(
        deployed(one_point(model, 64, layout(1, 1, 1), "", "b200-sxm"), "megatron-lm").notes);
  };
  EXPECT_THAT(notes("qwen2-vl-7b"), HasSubstr("the encoder of qwen2-vl-7b"));
  EXPECT_THAT(notes("llama-3-8b"), Not(HasSubstr("has no option")));
}

// arguments.py:862 and 723 of 5cb6dbb3, 877 and 1041 of 0d7e02bd; 1380 of d98e8a64 asks no bf16.
TEST(MegatronLm, ExpertsOfOldVersionsAreInBf16) {
  const std::string spec = one_point("mixtral-8x7b", 64, layout(1, 2, 1, "expert_parallel = 8\n"),
                                     "precision = \"fp16\"\n");
  for (const char* version : {"core_r0.12.0", "core_v0.15.0"}) {
    EXPECT_THAT(problems(spec, std::string("megatron-lm@") + version),
                HasSubstr("experts whose activations are not in bf16"));
  }
  EXPECT_EQ(problems(spec, "megatron-lm"), "");
}

// moe_layer.py:636 of d98e8a64, 130 of 5cb6dbb3: with one expert-parallel rank as well.
TEST(MegatronLm, ExpertsAndTensorParallelismAskForSequenceParallelism) {
  const std::string strategy =
      "tensor_parallel = 2\npipeline_parallel = 2\nzero = 1\nchunks = 1\nrecompute = \"full\"\n"
      "sequence_parallel = false\n";
  for (const char* target : {"megatron-lm", "megatron-bridge"}) {
    EXPECT_THAT(problems(one_point("mixtral-8x7b", 64, strategy), target),
                HasSubstr("no sequence parallelism"));
  }
}

// arguments.py:2689 of 5cb6dbb3 (fp32, fp16, fp8), 3290 of 0d7e02bd.
TEST(MegatronLm, MomentsInBf16) {
  const std::string half = "precision = { name = \"half\", moments = \"bf16\" }\n";
  const std::string spec = one_point("llama-3-8b", 16, layout(2, 1, 1), half);
  EXPECT_THAT(problems(spec, "megatron-lm@core_r0.12.0"), HasSubstr("moments in bf16"));
  EXPECT_EQ(flag(deployed(spec, "megatron-lm@core_v0.15.0"), "--exp-avg-dtype"), "bf16");
  // optimizer/__init__.py:1057 of d98e8a64
  EXPECT_THAT(problems(one_point("llama-3-8b", 16, layout(2, 1, 0), half), "megatron-lm"),
              HasSubstr("without the distributed optimizer"));
  EXPECT_EQ(flag(deployed(spec, "megatron-bridge"), "optimizer.exp_avg_dtype="), "torch.bfloat16");
}

// arguments.py:1885 of d98e8a64 with optimizer/__init__.py:1057; of one replica all is distributed.
TEST(MegatronLm, OptimizerOnTheHostIsTheDistributedOne) {
  const std::string more = "offload_optimizer = true\n";
  EXPECT_THAT(problems(one_point("llama-3-8b", 16, layout(2, 1, 0, more)), "megatron-lm"),
              HasSubstr("the optimizer on the host"));
  const Deployment alone =
      deployed(one_point("llama-3-8b", 8, layout(8, 1, 0, more)), "megatron-lm");
  ASSERT_TRUE(alone.can_run()) << all_of(alone.problems);
  EXPECT_EQ(flag(alone, "--use-distributed-optimizer"), "");
}

// arguments.py:1067 of 5cb6dbb3; 1353 of 0d7e02bd.
TEST(MegatronLm, FormatsThatOlderVersionsLack) {
  const std::string block = "precision = { name = \"b\", linear = \"fp8\", recipe = \"block\" }\n";
  const std::string spec = one_point("llama-3-8b", 16, layout(2, 1, 1), block);
  EXPECT_THAT(problems(spec, "megatron-lm@core_r0.12.0"), HasSubstr("scales of blocks"));
  EXPECT_EQ(flag(deployed(spec, "megatron-lm@core_v0.15.0"), "--fp8-recipe"), "blockwise");
  const std::string four =
      one_point("llama-3-8b", 16, layout(2, 1, 1), "precision = \"fp4\"\n", "b200-sxm");
  EXPECT_THAT(problems(four, "megatron-lm@core_r0.12.0"), HasSubstr("fp4"));
  EXPECT_EQ(flag(deployed(four, "megatron-lm@core_v0.15.0"), "--fp4-format"), "e2m1");
}

// arguments.py:500 of 5cb6dbb3 divides the layers; the layout came with c550cf6c (0.13.0).
TEST(MegatronLm, LayoutsThatDealOutLayersCameLater) {
  const std::string spec =
      one_point("llama-3-405b", 512, layout(8, 8, 1, "uneven_stages = true\n"));
  EXPECT_EQ(flag(deployed(spec, "megatron-lm"), "--pipeline-model-parallel-layout"),
            "(absent)");  // 126 + 2 layers
  const std::string listed =
      one_point("deepseek-v3", 1024,
                layout(1, 16, 1, "uneven_stages = true\nexpert_parallel = 32\n"), "", "h200-sxm");
  EXPECT_THAT(problems(listed, "megatron-lm@core_r0.12.0"), HasSubstr("came in 0.13"));
}

// transformer_config.py:679 of 5cb6dbb3, 1896 of d98e8a64; no option before 3bec9aa9 (0.16.0).
TEST(MegatronLm, ActivationsInHostMemory) {
  const std::string more = "offload_activations = true\nrecompute = ";
  const std::string both = one_point("llama-3-8b", 64, layout(2, 1, 1, more + "\"full\"\n"));
  const std::string kept = one_point("llama-3-8b", 64, layout(2, 1, 1, more + "\"none\"\n"));
  EXPECT_THAT(problems(both, "megatron-lm"), HasSubstr("together with recomputation"));
  EXPECT_THAT(problems(both, "megatron-bridge"), HasSubstr("together with recomputation"));
  EXPECT_EQ(flag(deployed(kept, "megatron-lm"), "--cpu-offloading-num-layers"), "31");
  EXPECT_THAT(problems(kept, "megatron-lm@core_v0.15.0"), HasSubstr("came in 0.16"));
}

// arguments.py:601 of 5cb6dbb3: bf16 gradients are asked for, fp32 ones of fp16 are, too (DDP takes
// accumulate_allreduce_grads_in_fp32, which is off). mixed_precision.py:138 of 51885cf1 overwrites
// what ddp says.
TEST(MegatronLm, GradientsAreAccumulatedAsThePointSays) {
  const auto of = [](const std::string& precision, std::string_view target) {
    return deployed(one_point("llama-3-8b", 16, layout(2, 1, 1), "precision = " + precision + "\n"),
                    target);
  };
  const std::string narrow = "{ name = \"g\", gradients = \"bf16\" }";
  EXPECT_EQ(flag(of(narrow, "megatron-lm"), "--grad-reduce-in-bf16"), "");
  EXPECT_EQ(flag(of("\"fp16\"", "megatron-lm"), "--accumulate-allreduce-grads-in-fp32"), "");
  EXPECT_EQ(flag(of("\"bf16\"", "megatron-lm"), "--accumulate-allreduce-grads-in-fp32"),
            "(absent)");
  const Deployment bridge = of(narrow, "megatron-bridge");
  EXPECT_EQ(flag(bridge, "ddp.grad_reduce_in_fp32="), "(absent)");
  EXPECT_THAT(all_of(bridge.notes), HasSubstr("accumulates and sends gradients in fp32, not in "
                                              "bf16"));
}

// data/config of 51885cf1 has seq_length alone; config.py:1006: comm_overlap is None by default.
TEST(MegatronBridge, KeysOfItsVersions) {
  const std::string spec = one_point("llama-3-8b", 16, layout(2, 1, 1));
  EXPECT_EQ(flag(deployed(spec, "megatron-bridge"), "dataset.seq_length="), "4096");
  EXPECT_EQ(flag(deployed(spec, "megatron-bridge"), "dataset.sequence_length="), "(absent)");
  EXPECT_EQ(flag(deployed(spec, "megatron-bridge@0.2.0"), "dataset.sequence_length="), "4096");
  EXPECT_THAT(deployed(spec, "megatron-bridge").command, Not(HasSubstr("comm_overlap.")));
}

// Megatron-DeepSpeed 4efb479d, arguments.py:615 (every second layer), 623, 633, 647, 930; layers
// of MoE in transformer.py:1073 drop tokens unless told.
TEST(DeepSpeed, HasItsOwnOptionsOfTheModel) {
  const Deployment made = deployed(one_point("llama-3-8b", 16, layout(2, 1, 1)), "deepspeed");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "--num-key-value-heads"), "8");
  EXPECT_EQ(flag(made, "--use-rotary-position-embeddings"), "");
  EXPECT_EQ(flag(made, "--normalization"), "rmsnorm");
  EXPECT_EQ(flag(made, "--use-flash-attn-v2"), "");
  EXPECT_EQ(flag(made, "--position-embedding-type"), "(absent)");
  const Deployment experts = deployed(
      one_point("mixtral-8x7b", 64, layout(1, 2, 1, "expert_parallel = 8\n")), "deepspeed");
  ASSERT_TRUE(experts.can_run()) << all_of(experts.problems);
  EXPECT_EQ(flag(experts, "--expert-interval"), "1");
  EXPECT_EQ(flag(experts, "--create-moe-param-group"), "");
  EXPECT_EQ(flag(experts, "--disable-moe-token-dropping"), "");
}

TEST(DeepSpeed, RefusesWhatItsSourcesDo) {
  const auto of = [](const std::string& model, int devices, const std::string& strategy,
                     const std::string& workload = "") {
    return problems(one_point(model, devices, strategy, workload), "deepspeed");
  };
  // no option in megatron/arguments.py
  EXPECT_THAT(of("deepseek-v3", 1024,
                 layout(1, 16, 1,
                        "uneven_stages = true\n"
                        "expert_parallel = 32\n")),
              HasSubstr("latent attention"));
  // megatron/core/parallel_state.py:146
  EXPECT_THAT(of("llama-3-8b", 32,
                 layout(2, 1, 1,
                        "context_parallel = 4\ncontext_exchange = "
                        "\"all_to_all\"\n")),
              HasSubstr("its sequence parallelism"));
  // megatron/arguments.py:81
  EXPECT_THAT(of("llama-3-70b", 128, layout(8, 4, 1, "schedule = \"zero_bubble\"\n")),
              HasSubstr("zero-bubble"));
  // deepspeed/runtime/engine.py:1846 of cf443004
  EXPECT_THAT(of("mixtral-8x7b", 64, layout(1, 1, 3, "expert_parallel = 8\n")),
              HasSubstr("experts with ZeRO stage 3"));
  // deepspeed/runtime/zero/config.py:164
  EXPECT_THAT(of("llama-3-8b", 64, layout(2, 1, 0, "offload_optimizer = true\n")),
              HasSubstr("on the host without ZeRO"));
}

// deepspeed/runtime/engine.py:1418 of e4f6da96 takes bf16 with fp32 gradients, 1977 of cf443004
// takes no mix.
TEST(DeepSpeed, MixedGradientsWithoutZeroAreOfOldVersions) {
  const std::string spec = one_point("llama-3-8b", 16, layout(2, 1, 0));
  EXPECT_EQ(problems(spec, "deepspeed@0.17.6"), "");
  EXPECT_THAT(problems(spec, "deepspeed@0.19.5"), HasSubstr("another format"));
  EXPECT_THAT(problems(one_point("llama-3-8b", 16, layout(2, 1, 0), "precision = \"fp16\"\n"),
                       "deepspeed@0.17.6"),
              HasSubstr("another format"));
}

// zero/config.py:309 of cf443004: hpZ keeps a second copy of weights; mics.py:385: MiCS shards all
// states, and refuses weights that deepspeed.zero.Init (pretrain_gpt.py:49) has cut.
TEST(DeepSpeed, ShardsOverSomeOfTheReplicasByMics) {
  const Deployment made =
      deployed(one_point("llama-3-8b", 64, layout(1, 1, 3, "shard_group = 8\n")), "deepspeed");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "zero_optimization.mics_shard_size"), "8");
  EXPECT_EQ(flag(made, "zero_optimization.stage"), "3");
  EXPECT_EQ(flag(made, "--zero-stage"), "2");
  EXPECT_EQ(flag(made, "zero_optimization.zero_hpz_partition_size"), "(absent)");
}

// megatron/optimizer/__init__.py:83 of 4efb479d: DeepSpeedCPUAdam, which engine.py:2000 asks for.
TEST(DeepSpeed, OptimizerOnTheHostIsThatOfTheHost) {
  const Deployment made = deployed(
      one_point("llama-3-8b", 64, layout(2, 1, 1, "offload_optimizer = true\n")), "deepspeed");
  EXPECT_EQ(flag(made, "--cpu-optimizer"), "");
}

// Conditions of a model, parsed once for all layouts.
class Refused {
 public:
  Refused(std::string_view version, const deploy::Subject& subject) {
    for (const deploy::Refusal& one :
         deploy::rule_refusals(deploy::megatron_rules(), version, subject)) {
      conditions_.emplace_back(std::vector<space::Filter>{{one.layouts, {}}},
                               std::vector<space::Axis>{});
    }
  }

  bool holds(const parallel::Strategy& strategy) {
    return std::any_of(conditions_.begin(), conditions_.end(),
                       [&](space::FilterSet& one) { return one.passes({}, strategy); });
  }

 private:
  std::vector<space::FilterSet> conditions_;
};

// Of a plain layout in bf16, what validate_args, TransformerConfig, the MoE layer and Transformer
// Engine ask: in the words of their sources.
bool starts(const workload::TransformerModel& m, const parallel::Strategy& s, bool old) {
  const std::int64_t tp = s.tensor_parallel;
  const std::int64_t cp = s.context_parallel;
  const std::int64_t groups = m.latent.on() ? m.heads : m.kv_heads;
  if (m.heads % tp != 0) {  // transformer_config.py:559 of 5cb6dbb3
    return false;
  }
  if (old ? groups % tp != 0 : groups % tp != 0 && tp % groups != 0) {  // 574, 1462 of d98e8a64
    return false;
  }
  if (m.experts.on()) {
    if (m.experts.count % s.expert_parallel != 0) {  // arguments.py:862
      return false;
    }
    if (tp > 1 && !s.sequence_parallel) {  // moe_layer.py:130
      return false;
    }
    if (m.biases && (old || (tp > 1 && !s.experts_over_tensor))) {  // 946; 2612 of d98e8a64
      return false;
    }
  }
  if (cp > 1 && s.context_exchange == parallel::ContextExchange::all_to_all) {
    const std::int64_t kept = std::max<std::int64_t>(1, groups / tp);  // context_parallel.py:4246
    if (m.heads / tp % cp != 0 || kept % cp != 0) {
      return false;
    }
  }
  if (old && m.prediction_layers > 0 && cp > 1) {  // arguments.py:973
    return false;
  }
  // arguments.py:500 of 5cb6dbb3, with account_for_embedding and account_for_loss or without
  const std::int64_t parts = std::int64_t{s.pipeline_parallel} * s.chunks;
  return !old || m.layers % parts == 0 || (m.layers + 2) % parts == 0;
}

TEST(MegatronRules, RefuseOfGeneratedLayoutsWhatTheSourcesDo) {
  const catalog::Catalog& catalog = shipped_catalog();
  int refused = 0;
  int all = 0;
  for (const char* name : {"llama-3-8b", "llama-3-405b", "qwen2.5-7b", "qwen3-30b-a3b",
                           "mixtral-8x7b", "deepseek-v3", "gpt-6.7b", "gpt-oss-120b"}) {
    const workload::TransformerModel& model = catalog.model(name);
    const deploy::Subject subject = {model, catalog.device("h100-sxm")};
    Refused by_old("core_r0.12.0", subject);
    Refused by_new("main-2026-08-22", subject);
    for (const int code : [] {
           std::vector<int> codes(4 * 3 * 2 * 4 * 4 * 3 * 2 * 2);
           std::iota(codes.begin(), codes.end(), 0);
           return codes;
         }()) {
      int rest = code;
      const auto next = [&rest](std::initializer_list<int> values) {
        const int value = values.begin()[rest % static_cast<int>(values.size())];
        rest /= static_cast<int>(values.size());
        return value;
      };
      parallel::Strategy s;
      s.tensor_parallel = next({1, 4, 7, 16});
      s.context_parallel = next({1, 2, 8});
      s.context_exchange = static_cast<parallel::ContextExchange>(next({0, 1}));
      s.expert_parallel = next({1, 8, 48, 64});
      s.pipeline_parallel = next({1, 4, 6, 16});
      s.chunks = next({1, 2, 5});
      s.sequence_parallel = next({0, 1}) == 1;
      s.experts_over_tensor = next({0, 1}) == 1;
      s.data_parallel = 64;
      s.zero = 1;
      for (const char* version : {"core_r0.12.0", "main-2026-08-22"}) {
        const bool is_old = version[0] == 'c';
        ++all;
        const bool starts_there = starts(model, s, is_old);
        refused += starts_there ? 0 : 1;
        ASSERT_EQ((is_old ? by_old : by_new).holds(s), !starts_there)
            << name << " " << version << " TP" << s.tensor_parallel << " CP" << s.context_parallel
            << " EP" << s.expert_parallel << " PP" << s.pipeline_parallel << " v" << s.chunks;
      }
    }
  }
  EXPECT_GT(refused, all / 10);
  EXPECT_LT(refused, all);
}

}  // namespace
}  // namespace scalesweep::test

// What torchtitan and nanotron state of themselves, asked of launches: conditions that are written
// here again from their sources, which each names, not from the tables of rules.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "deployed.hpp"

namespace scalesweep::test {
namespace {

using deploy::Deployment;
using ::testing::HasSubstr;
using ::testing::Not;

int number(const Deployment& made, const std::string& name, int otherwise) {
  const std::string text = flag(made, name);
  return text == "(absent)" ? otherwise : std::stoi(text);
}

struct Degrees {
  int replicate, shard, cp, tp, pp, ep, etp;
};

Degrees degrees(const Deployment& made) {
  const auto of = [&](const std::string& name) { return number(made, "parallelism." + name, 1); };
  return {of("data_parallel_replicate_degree"), of("data_parallel_shard_degree"),
          of("context_parallel_degree"),        of("tensor_parallel_degree"),
          of("pipeline_parallel_degree"),       of("expert_parallel_degree"),
          of("expert_tensor_parallel_degree")};
}

bool is_main(const Deployment& made) {
  return made.version.starts_with("main");
}

// torchtitan/distributed/parallel_dims.py:51-64 of 29624e37; :63-64 and :137-160 of 73a0e697, where
// a mesh of all ranks has as many as its dimensions multiply to; :182-192 of b5bcd76c.
void expect_meshes(const Deployment& made, int world) {
  const Degrees d = degrees(made);
  EXPECT_EQ(d.replicate * d.shard * d.cp * d.tp * d.pp, world) << made.version;
  if (d.ep == 1) {
    return;
  }
  if (is_main(made)) {
    EXPECT_EQ(d.shard * d.cp * d.tp % d.ep, 0) << made.version;
    return;
  }
  EXPECT_TRUE(d.etp == d.tp || d.etp == 1) << made.version;
  if (made.version == "0.2.0") {
    const int borrowed = d.cp * (d.etp == d.tp ? 1 : d.tp);
    EXPECT_EQ(d.ep % borrowed, 0);
    EXPECT_EQ(d.shard * borrowed % d.ep, 0);
  } else {
    const int shards = d.shard * d.cp * d.tp / (d.etp * d.ep);
    EXPECT_EQ(d.pp * d.replicate * shards * d.ep * d.etp, world) << made.version;
  }
}

// torchtitan/models/llama3/infra/parallelize.py:117 and :139-141 of 29624e37, :148-151 of 73a0e697:
// FSDP where weights are sharded, else DDP over all ranks.
void expect_replicas(const Deployment& made) {
  const Degrees d = degrees(made);
  if (!is_main(made) && d.shard == 1 && d.cp == 1 && d.replicate > 1) {
    EXPECT_EQ(d.tp * d.pp, 1) << made.version;
  }
}

// How many parts torchtitan makes of a model: pipeline_llm, :66-120 of
// torchtitan/distributed/pipeline_parallel.py of 29624e37, :205-264 of b5bcd76c.
void expect_parts(const Deployment& made, int layers, int chunks) {
  const Degrees d = degrees(made);
  if (d.pp == 1) {
    return;
  }
  const std::string listed = flag(made, "parallelism.module_fqns_per_model_part");
  if (listed != "(absent)") {
    EXPECT_EQ(std::count(listed.begin(), listed.end(), '[') - 1, d.pp * chunks) << listed;
    return;
  }
  const int first = number(made, "parallelism.pipeline_parallel_first_stage_less_layers", 1);
  const int last = number(made, "parallelism.pipeline_parallel_last_stage_less_layers", 1);
  const int of_stage = number(made, "parallelism.pipeline_parallel_layers_per_stage", 0);
  const bool looped = flag(made, "parallelism.pipeline_parallel_schedule") == "Interleaved1F1B";
  const int parts =
      of_stage > 0 ? (layers + first + last + of_stage - 1) / of_stage : d.pp * (looped ? 2 : 1);
  EXPECT_EQ(parts, d.pp * chunks) << made.version;
  EXPECT_EQ(looped, parts / d.pp >= 2) << made.version;
  // All parts alike, as estimated: generate_llm_fqn_per_model_part, :276-330 of 29624e37.
  EXPECT_EQ((layers + first + last) % parts, 0) << made.version;
  EXPECT_EQ(first + last, 0) << made.version;
}

struct Model {
  std::string name;
  int layers, kv_heads;
  bool has_latent, has_experts;
};
struct Layout {
  int tp, pp, cp, ep, zero;
  std::string group = "\"all\"";
};

int expect_conditions(const Model& model, const Layout& layout) {
  constexpr int world = 1024;
  const int chunks = layout.pp == 4 && model.layers % 8 == 0 ? 2 : 1;
  // What no study has: groups and experts are of the replicas.
  const int replicas = world / (layout.tp * layout.pp);
  const bool has_group = layout.group == "\"all\"" || (replicas > 32 && replicas % 32 == 0);
  const bool has_experts =
      layout.ep == 1 || (layout.ep % layout.tp == 0 && replicas % (layout.ep / layout.tp) == 0);
  if (!has_group || !has_experts) {
    return 0;
  }
  const study::Study study = load_good(training_spec(
      model.name, "sequence = 8192\nglobal_batch = 1024", world,
      fmt::format("micro_batch = 1\nrecompute = \"full\"\nuneven_stages = true\n"
                  "tensor_parallel = {}\npipeline_parallel = {}\ncontext_parallel = {}\n"
                  "expert_parallel = {}\nzero = {}\nshard_group = {}\nchunks = {}\n"
                  "sequence_parallel = {}\nexperts_over_tensor = {}",
                  layout.tp, layout.pp, layout.cp, layout.ep, layout.zero, layout.group, chunks,
                  layout.tp > 1, layout.ep > 1 && layout.tp > 1)));
  if (study.space().size() != 1) {
    return 0;
  }
  int printed = 0;
  for (const char* version : {"0.2.0", "0.2.1", "0.2.2", "main"}) {
    const Deployment made =
        deploy::deploy(study, study.point_at(0), std::string("torchtitan@") + version);
    if (!made.can_run()) {
      continue;
    }
    ++printed;
    SCOPED_TRACE(model.name);
    expect_meshes(made, world);
    expect_replicas(made);
    expect_parts(made, model.layers, chunks);
    // A part of a head has no view: models/llama3/model/model.py:230 of 29624e37;
    // models/common/decoder.py:195 of b5bcd76c.
    EXPECT_EQ(model.has_latent ? 0 : model.kv_heads % layout.tp, 0);
  }
  return printed;
}

TEST(Torchtitan, LaunchesKeepItsOwnConditions) {
  const std::vector<Model> models = {{"llama-3-70b", 80, 8, false, false},
                                     {"qwen3-30b-a3b", 48, 4, false, true},
                                     {"deepseek-v3", 61, 0, true, true}};
  int printed = 0;
  for (const Model& model : models) {
    for (const int tp : {1, 2, 16}) {
      for (const int pp : {1, 4}) {
        for (const int cp : {1, 8}) {
          for (const int ep : {1, 4, 64}) {
            if (ep > 1 && !model.has_experts) {
              continue;
            }
            printed += expect_conditions(model, {tp, pp, cp, ep, 0});
            printed += expect_conditions(model, {tp, pp, cp, ep, 3});
            printed += expect_conditions(model, {tp, pp, cp, ep, 3, "32"});
          }
        }
      }
    }
  }
  EXPECT_GT(printed, 60);
}

std::string titan(const std::string& model, const std::string& strategy,
                  const std::string& workload = "", int devices = 64) {
  const std::string batch = devices > 256 ? "1024" : "256";
  return training_spec(model, "sequence = 8192\nglobal_batch = " + batch + "\n" + workload, devices,
                       "micro_batch = 1\nrecompute = \"full\"\n" + strategy);
}

std::string refusal(const std::string& spec, const std::string& target) {
  return all_of(deployed(spec, target).problems);
}

const std::string stages =
    "tensor_parallel = 2\nsequence_parallel = true\npipeline_parallel = 4\nzero = 3\n";

// 80 layers over 4 stages of 2 chunks: embedding and head are no layers of their own.
TEST(Torchtitan, ChunksHoldAsManyLayersAsEstimated) {
  for (const char* version : {"torchtitan@0.2.0", "torchtitan"}) {
    const Deployment made = deployed(titan("llama-3-70b", stages + "chunks = 2"), version);
    ASSERT_TRUE(made.can_run()) << all_of(made.problems);
    EXPECT_EQ(flag(made, "parallelism.pipeline_parallel_layers_per_stage"), "10");
    EXPECT_EQ(flag(made, "parallelism.pipeline_parallel_first_stage_less_layers"), "0");
    EXPECT_EQ(flag(made, "parallelism.pipeline_parallel_last_stage_less_layers"), "0");
  }
}

// Modules are called output to 0.2.2 (models/llama3/model/model.py of 29624e37), and lm_head now
// (distributed/pipeline_parallel.py:387 of b5bcd76c).
TEST(Torchtitan, UnevenPartsAreNamed) {
  const std::string spec =
      titan("llama-3-70b", stages + "chunks = 1\nfirst_stage_layers = 19\nlast_stage_layers = 19");
  const Deployment old = deployed(spec, "torchtitan@0.2.2");
  ASSERT_TRUE(old.can_run()) << all_of(old.problems);
  EXPECT_THAT(file(old, "train.toml"), HasSubstr("\"norm\",\n        \"output\"\n"));
  const Deployment now = deployed(spec, "torchtitan");
  ASSERT_TRUE(now.can_run()) << all_of(now.problems);
  EXPECT_THAT(file(now, "train.py"), HasSubstr("\"layers.79\",\"norm\",\"lm_head\"]]\n"));
}

// torchtitan/models/*/__init__.py of each version.
TEST(Torchtitan, ModelsAreThoseThatItHas) {
  const std::string alone =
      "tensor_parallel = 1\nsequence_parallel = false\npipeline_parallel = 1\nzero = 3\nchunks = 1";
  const auto runs = [&](const std::string& model, const std::string& version) {
    return refusal(titan(model, alone, "", 1024), "torchtitan@" + version);
  };
  EXPECT_EQ(runs("qwen3-8b", "0.2.0"), "");
  EXPECT_THAT(runs("mixtral-8x7b", "0.2.0"), HasSubstr("a model that it has no flavor of"));
  EXPECT_THAT(runs("qwen2.5-7b", "main"), HasSubstr("a model that it has no flavor of"));
  EXPECT_THAT(runs("gpt-oss-20b", "0.2.1"), HasSubstr("a model that it has no flavor of"));
  EXPECT_EQ(runs("gpt-oss-20b", "0.2.2"), "");
  EXPECT_EQ(runs("llama-4-scout", "0.2.2"), "");
  EXPECT_THAT(runs("llama-4-scout", "main"), HasSubstr("a model that it has no flavor of"));
  const Deployment made = deployed(titan("llama-3-70b", alone), "torchtitan@0.2.0");
  EXPECT_EQ(flag(made, "--model.name"), "llama3");
  EXPECT_EQ(flag(made, "--model.flavor"), "70B");
}

// torchtitan/config/manager.py:50-60 and config/README.md of b5bcd76c: a module and a function.
TEST(Torchtitan, IsAFunctionInPythonSince2026) {
  const Deployment made =
      deployed(titan("llama-3-70b", stages + "chunks = 1", "precision = \"fp8\"\n"), "torchtitan");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_THAT(made.command, HasSubstr("-m torchtitan.train --module train --config train"));
  const std::string python = file(made, "train.py");
  EXPECT_THAT(python, HasSubstr("from torchtitan.models.llama3.config_registry import llama3_70b"));
  EXPECT_THAT(python, HasSubstr("    config.model_spec = model_registry(\"70B\", "
                                "converters=[Float8LinearConverter.Config("));
  EXPECT_THAT(python, HasSubstr("    config.activation_checkpoint = FullAC.Config()\n"));
  // torchtitan/trainer.py:171-176: graphs of CUDA and pipelines exclude each other.
  EXPECT_THAT(python, HasSubstr("    config.training.disable_cuda_graphs = True\n"));
  // config/configs.py:38-58: tokens, where samples were counted before.
  EXPECT_THAT(python, HasSubstr("    config.training.num_tokens_per_train_step = 2097152\n"));
  EXPECT_THAT(python, HasSubstr("\n    return config\n"));
  // components/quantization/float8.py:58: rowwise alone.
  EXPECT_THAT(all_of(made.notes), HasSubstr("fp8 is scaled by row"));
}

TEST(Torchtitan, RefusesWhatItsVersionsRefuse) {
  const std::string dense = "pipeline_parallel = 1\nchunks = 1\n";
  const std::string no_zero = dense + "tensor_parallel = 4\nsequence_parallel = true\nzero = 0";
  EXPECT_THAT(refusal(titan("llama-3-8b", no_zero), "torchtitan@0.2.2"),
              HasSubstr("(DDP) beside another parallelism"));
  EXPECT_EQ(refusal(titan("llama-3-8b", no_zero), "torchtitan"), "");
  const std::string no_split = dense + "tensor_parallel = 4\nsequence_parallel = false\nzero = 3";
  EXPECT_THAT(refusal(titan("llama-3-8b", no_split), "torchtitan@0.2.2"),
              HasSubstr("tensor parallelism without sequence parallelism"));
  const Deployment whole = deployed(titan("llama-3-8b", no_split), "torchtitan");
  EXPECT_EQ(flag(whole, "parallelism.enable_sequence_parallel"), "false");
  const std::string wide = dense + "tensor_parallel = 16\nsequence_parallel = true\nzero = 3";
  EXPECT_THAT(refusal(titan("llama-3-70b", wide), "torchtitan"),
              HasSubstr("keys and values whose heads tensor_parallel does not divide"));
  const std::string experts =
      "tensor_parallel = 1\nsequence_parallel = false\nzero = 3\nexpert_parallel = 64\n"
      "shard_group = 32\nchunks = 1\npipeline_parallel = 1";
  for (const char* version : {"torchtitan@0.2.0", "torchtitan@0.2.1", "torchtitan"}) {
    EXPECT_THAT(refusal(titan("qwen3-30b-a3b", experts, "", 256), version),
                HasSubstr("does not divide the shards of weights"))
        << version;
  }
  EXPECT_THAT(refusal(titan("qwen3-32b", stages + "chunks = 1"), "torchtitan@0.2.0"),
              HasSubstr("no pipelining function"));
  EXPECT_EQ(refusal(titan("qwen3-32b", stages + "chunks = 1"), "torchtitan"), "");
}

// The only choice of mixed_precision_reduce: torchtitan/config/job_config.py:239 of 29624e37.
TEST(Torchtitan, GradientsAreReducedInFloat32) {
  const Deployment made = deployed(
      titan("llama-3-8b",
            "tensor_parallel = 1\nsequence_parallel = false\npipeline_parallel = 1\nzero = 3\n"
            "chunks = 1",
            "precision = { name = \"g\", gradients = \"bf16\" }\n"),
      "torchtitan@0.2.0");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "training.mixed_precision_reduce"), "float32");
  EXPECT_THAT(all_of(made.notes), HasSubstr("gradients are reduced in float32"));
}

// ScheduleInterleavedZeroBubble of torch/distributed/pipelining/schedules.py of PyTorch (00722e64)
// is ZB1P and takes no compiled modules.
TEST(Torchtitan, ZeroBubbleIsNotCompiled) {
  const Deployment made = deployed(
      titan("llama-3-70b", stages + "chunks = 1\nschedule = \"zero_bubble\""), "torchtitan@0.2.0");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "parallelism.pipeline_parallel_schedule"), "InterleavedZeroBubble");
  EXPECT_EQ(flag(made, "compile.enable"), "false");
}

const std::string plain_nanotron = "pipeline_parallel = 1\nzero = 1\nchunks = 1\n";

// src/nanotron/parallel/context.py:26-28 and :62-70 of 2411b022: TP x CP x DP x PP are all ranks,
// of which EP as many are reshaped.
TEST(Nanotron, HasNoExpertParallelism) {
  const std::string spec =
      training_spec("mixtral-8x7b", "sequence = 4096\nglobal_batch = 256", 64,
                    plain_nanotron +
                        "micro_batch = 1\nrecompute = \"full\"\ntensor_parallel = 2\n"
                        "sequence_parallel = true\nexpert_parallel = 8");
  EXPECT_THAT(refusal(spec, "nanotron"), HasSubstr("has no option for expert parallelism"));
}

// src/nanotron/models/llama.py:352 and config/config.py:543 of 2411b022.
TEST(Nanotron, TensorParallelismDividesHeadsOfKeys) {
  const auto wide = [](int tp) {
    return titan("llama-3-70b", plain_nanotron + fmt::format("tensor_parallel = {}\n"
                                                             "sequence_parallel = true",
                                                             tp));
  };
  EXPECT_THAT(refusal(wide(16), "nanotron"),
              HasSubstr("keys and values whose heads tensor_parallel does not divide"));
  EXPECT_EQ(refusal(wide(8), "nanotron"), "");
}

// trainer.py:1053 of 2411b022; parallelism_config.py of 4799d247 has neither key.
TEST(Nanotron, RefusesWhatItsVersionsRefuse) {
  const std::string long_one = titan(
      "llama-3-8b",
      plain_nanotron + "tensor_parallel = 1\nsequence_parallel = false\ncontext_parallel = 2");
  EXPECT_THAT(refusal(long_one, "nanotron"), HasSubstr("not loaded from a checkpoint"));
  EXPECT_THAT(refusal(long_one, "nanotron@0.5"), HasSubstr("context_parallel_size"));
  const std::string full =
      titan("llama-3-8b", plain_nanotron + "tensor_parallel = 1\nsequence_parallel = false");
  EXPECT_THAT(refusal(full, "nanotron@0.5"), HasSubstr("recompute_layer"));
  EXPECT_EQ(refusal(full, "nanotron"), "");
  EXPECT_THAT(
      refusal(titan("deepseek-v3",
                    plain_nanotron + "tensor_parallel = 1\nsequence_parallel = false", "", 1024),
              "nanotron"),
      HasSubstr("neither Llama nor Qwen2"));
}

// Fields without a default of the classes in src/nanotron/config/config.py:273-460 of 2411b022, and
// data_stages, which trainer.py:256 goes through.
TEST(Nanotron, FilesHoldWhatItRequires) {
  const Deployment made = deployed(
      titan("llama-3-8b", plain_nanotron + "tensor_parallel = 1\nsequence_parallel = false"),
      "nanotron");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  const std::string yaml = file(made, "train.yaml");
  for (const char* key :
       {"project:", "std:", "is_llama_config: true", "adam_beta1:", "adam_beta2:", "adam_eps:",
        "torch_adam_is_fused:", "zero_stage:", "weight_decay:", "clip_grad:", "learning_rate:",
        "lr_warmup_style: linear", "train_steps:", "checkpoints_path:", "checkpoint_interval:",
        "data_stages:", "start_training_step: 1", "log_level: info"}) {
    EXPECT_THAT(yaml, HasSubstr(key));
  }
  EXPECT_THAT(yaml, HasSubstr("adam_eps: 1.0e-08\n"));  // as its own examples write it
  EXPECT_THAT(yaml, Not(HasSubstr("expert_parallel_size")));
  const Deployment experts =
      deployed(training_spec("mixtral-8x7b", "sequence = 4096\nglobal_batch = 256", 256,
                             "pipeline_parallel = 4\nzero = 1\nchunks = 1\nmicro_batch = 1\n"
                             "recompute = \"full\"\ntensor_parallel = 8\nsequence_parallel = true"),
               "nanotron");
  ASSERT_TRUE(experts.can_run()) << all_of(experts.problems);
  EXPECT_THAT(file(experts, "train.yaml"), HasSubstr("is_qwen2_config: true"));
  EXPECT_EQ(flag(experts, "model.model_config.moe_config.num_experts"), "8");
}

std::string on(const std::string& device, const std::string& spec) {
  std::string made = spec;
  return made.replace(made.find("h100-sxm"), 8, device);
}

// src/maxtext/utils/max_utils.py:479-482 and src/maxtext/configs/types.py:3458-3492 of e591f30c:
// axes inside a slice multiply to its devices, those between slices to their number, and devices
// times per_device_batch_size times gradient_accumulation_steps are a step.
void expect_axes(const Deployment& made, int devices, int slice, int batch) {
  int inside = 1;
  int between = 1;
  for (const deploy::Flag& one : made.flags) {
    if (one.name.ends_with("_parallelism=")) {
      (one.name.starts_with("ici_") ? inside : between) *= std::stoi(one.value);
    }
  }
  EXPECT_EQ(inside, slice) << made.command;
  EXPECT_EQ(between, devices / slice) << made.command;
  EXPECT_EQ(static_cast<int>(devices * std::stod(flag(made, "per_device_batch_size="))) *
                number(made, "gradient_accumulation_steps=", 1),
            batch)
      << made.command;
}

const std::string plain = "pipeline_parallel = 1\nchunks = 1\n";

TEST(MaxText, AxesMultiplyToDevicesAndBatches) {
  for (const int tp : {1, 4}) {
    for (const int cp : {1, 2}) {
      for (const char* group : {"\"all\"", "16"}) {
        const std::string spec =
            titan("llama-3-8b",
                  plain + fmt::format("tensor_parallel = {}\nsequence_parallel = {}\nzero = 3\n"
                                      "context_parallel = {}\nshard_group = {}",
                                      tp, tp > 1, cp, group),
                  "", 128);
        const Deployment tpus = deployed(on("tpu-v5p", spec), "maxtext");
        ASSERT_TRUE(tpus.can_run()) << all_of(tpus.problems);
        expect_axes(tpus, 128, 128, 256);
        EXPECT_EQ(flag(tpus, "hardware="), "tpu");
        const Deployment gpus = deployed(spec, "maxtext");
        ASSERT_TRUE(gpus.can_run()) << all_of(gpus.problems);
        expect_axes(gpus, 128, 8, 256);
      }
    }
  }
}

TEST(MaxText, IsStartedOnceOnAHostWithKeysBehindAFile) {
  const Deployment made = deployed(
      on("tpu-v5p", titan("llama-3-8b", plain + "tensor_parallel = 1\nsequence_parallel = false\n"
                                                "zero = 1\noffload_optimizer = true")),
      "maxtext");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_THAT(made.command, HasSubstr("python3 -m maxtext.trainers.pre_train.train "
                                      "src/maxtext/configs/base.yml \\\n  run_name="));
  EXPECT_THAT(made.command, Not(HasSubstr("torchrun")));
  EXPECT_EQ(flag(made, "model_name="), "llama3-8b");
  EXPECT_EQ(flag(made, "shard_optimizer_over_data="), "true");  // types.py:1206
  EXPECT_EQ(flag(made, "optimizer_memory_host_offload="), "true");
  EXPECT_EQ(flag(made, "remat_policy="), "full");
  EXPECT_THAT(all_of(made.notes), HasSubstr("started once on each of "));
}

// src/maxtext/configs/base.yml: axes of `embed` and of activation_batch; types.py:4032-4049, :4073.
TEST(MaxText, RefusesWhatItsConfigurationRefuses) {
  const std::string cut = plain + "tensor_parallel = 1\nsequence_parallel = false\n";
  const auto context = [&](const std::string& more) {
    return titan("llama-3-8b", cut + "context_parallel = 4\n" + more);
  };
  EXPECT_THAT(refusal(context("zero = 1"), "maxtext"), HasSubstr("share no dense weights"));
  const std::string heads = "zero = 3\ncontext_exchange = \"all_to_all\"";
  EXPECT_THAT(refusal(context(heads), "maxtext"), HasSubstr("an exchange of heads on GPUs"));
  EXPECT_EQ(refusal(on("tpu-v5p", context(heads)), "maxtext"), "");
  EXPECT_THAT(refusal(titan("qwen2.5-72b", cut + "zero = 3"), "maxtext"),
              HasSubstr("a model that none of its configurations is of"));
  EXPECT_THAT(refusal(on("mi300x", titan("llama-3-8b", cut + "zero = 3")), "maxtext"),
              HasSubstr("maxtext does not run on mi300x"));
}

}  // namespace
}  // namespace scalesweep::test

// A command of Megatron-LM, or the arguments that its logs begin with.
#include <fmt/format.h>

#include "core/failure.hpp"
#include "deploy/import/import_run.hpp"
#include "deploy/import/written_options.hpp"
#include "deploy/target.hpp"
#include "workload/model.hpp"

namespace scalesweep::deploy {
namespace {

using workload::TransformerModel;

// A size of a model by what the table of options says of it: "model: layers".
struct Size {
  std::string_view why;
  std::int64_t& (*of)(TransformerModel&);
};
constexpr auto sizes = std::to_array<Size>({
    {"model: layers", [](TransformerModel& m) -> auto& { return m.layers;
}  // namespace
}  // namespace scalesweep::deploy
, {"model: hidden", [](TransformerModel& m) -> auto& {return m.hidden;
}
}
, {"model: ffn", [](TransformerModel& m) -> auto& {return m.ffn;
}
}
, {"model: heads", [](TransformerModel& m) -> auto& {return m.heads;
}
}
, {"model: head_dim", [](TransformerModel& m) -> auto& {return m.head_dim;
}
}
, {"model: latent.query_rank", [](TransformerModel& m) -> auto& {return m.latent.query_rank;
}
}
, {"model: latent.kv_rank", [](TransformerModel& m) -> auto& {return m.latent.kv_rank;
}
}
, {"model: latent.nope_dim", [](TransformerModel& m) -> auto& {return m.latent.nope_dim;
}
}
, {"model: latent.rope_dim", [](TransformerModel& m) -> auto& {return m.latent.rope_dim;
}
}
, {"model: latent.value_dim", [](TransformerModel& m) -> auto& {return m.latent.value_dim;
}
}
, {"model: prediction_layers", [](TransformerModel& m) -> auto& {return m.prediction_layers;
}
}
, {"model: experts.count", [](TransformerModel& m) -> auto& {return m.experts.count;
}
}
, {"model: experts.top_k", [](TransformerModel& m) -> auto& {return m.experts.top_k;
}
}
, {"model: experts.ffn", [](TransformerModel& m) -> auto& {return m.experts.ffn;
}
}
, {"model: experts.shared_ffn", [](TransformerModel& m) -> auto& {return m.experts.shared_ffn;
}
}
, {"model: experts.groups", [](TransformerModel& m) -> auto& {return m.experts.groups;
}
}
, {"model: experts.node_limit", [](TransformerModel& m) -> auto& {return m.experts.node_limit;
}
}
,
});

void read_sizes(GivenKeys& keys, TransformerModel& model) {
  for (const TrainingOption& option : megatron_lm().options) {
    for (const Size& size : sizes) {
      if (size.why == option.why && keys.has(option.name)) {
        size.of(model) = *keys.integer(option.name);
      }
    }
  }
}

void read_attention(GivenKeys& keys, TransformerModel& model) {
  model.kv_heads = model.heads;
  const bool grouped = keys.truth("--group-query-attention");
  if (const auto groups = keys.integer("--num-query-groups"); groups && grouped) {
    model.kv_heads = *groups;
  }
  model.qkv_biases = keys.truth("--add-qkv-bias");
  keys.truth("--multi-latent-attention");
  if (model.head_dim == 0 && model.heads > 0) {
    model.head_dim = model.hidden / model.heads;
  }
}

void read_form(GivenKeys& keys, TransformerModel& model) {
  model.gated_ffn = keys.truth("--swiglu");
  model.biases = !keys.truth("--disable-bias-linear");
  keys.text("--normalization");  // follows from the biases here
  model.tied_embeddings = !keys.truth("--untie-embeddings-and-output-weights");
  const std::string positions = keys.text("--position-embedding-type").value_or("learned_absolute");
  model.learned_positions =
      positions == "learned_absolute" && !keys.truth("--use-rotary-position-embeddings");
  const double attention = keys.number("--attention-dropout").value_or(0.1);
  const double hidden = keys.number("--hidden-dropout").value_or(0.1);
  model.dropout = attention > 0.0 || hidden > 0.0;
  model.max_positions = keys.integer("--max-position-embeddings").value_or(0);
  const auto padded = keys.integer("--padded-vocab-size");
  model.vocab = padded ? *padded : keys.integer("--vocab-size").value_or(0);
}

void read_experts(GivenKeys& keys, TransformerModel& model) {
  if (!model.experts.on()) {
    return;
  }
  model.experts.ffn = model.experts.ffn == 0 ? model.ffn : model.experts.ffn;
  model.experts.top_k = std::max<std::int64_t>(model.experts.top_k, 1);
  keys.truth("--moe-grouped-gemm");
  keys.text("--moe-token-dispatcher-type");
  const std::string pattern = keys.text("--moe-layer-freq").value_or("1");
  int dense = 0;
  int rest = 0;
  if (std::sscanf(pattern.c_str(), "([0]*%d+[1]*%d)", &dense, &rest) == 2) {
    model.experts.dense_layers = dense;
  } else if (std::sscanf(pattern.c_str(), "%d", &rest) == 1 && rest >= 1) {
    model.experts.every = rest;
  } else {
    refuse(fmt::format("{}: --moe-layer-freq is '{}'; a number, or ([0]*N+[1]*M), can be read",
                       keys.file(), pattern));
  }
}

void read_sharding(GivenKeys& keys, Imported& imported) {
  const bool optimizer = keys.truth("--use-distributed-optimizer");
  const bool sharded = keys.truth("--use-custom-fsdp") || keys.truth("--use-megatron-fsdp");
  const std::string how = keys.text("--data-parallel-sharding-strategy").value_or("no_shard");
  const bool all = sharded && how == "optim_grads_params";
  imported.strategy["zero"] = all                               ? "3"
                              : sharded && how == "optim_grads" ? "2"
                              : optimizer || how == "optim"     ? "1"
                                                                : "0";
}

void read_recomputation(GivenKeys& keys, Imported& imported, std::int64_t layers,
                        std::int64_t parts) {
  std::string what = keys.text("--recompute-granularity").value_or("none");
  if (keys.truth("--recompute-activations")) {
    what = "selective";
  }
  imported.strategy["recompute"] = toml_text(what);
  const std::string method = keys.text("--recompute-method").value_or("uniform");
  const auto some = keys.integer("--recompute-num-layers");
  if (what == "full" && method == "block" && some) {
    // Of the layers of a part so many; the field says every n-th of them.
    const std::int64_t own = std::max<std::int64_t>(1, (layers + parts - 1) / parts);
    imported.strategy["recompute_every"] = std::to_string(std::max<std::int64_t>(1, own / *some));
  }
}

void read_pipeline(GivenKeys& keys, Imported& imported, std::int64_t layers) {
  const std::int64_t stages = keys.integer("--pipeline-model-parallel-size").value_or(1);
  imported.strategy["pipeline_parallel"] = std::to_string(stages);
  std::int64_t chunks = keys.integer("--num-virtual-stages-per-pipeline-rank").value_or(1);
  if (const auto of_chunk = keys.integer("--num-layers-per-virtual-pipeline-stage")) {
    chunks = std::max<std::int64_t>(1, layers / (stages * *of_chunk));
  }
  if (const auto virtual_size = keys.integer("--virtual-pipeline-model-parallel-size")) {
    chunks = *virtual_size;  // of logs
  }
  const bool edges = keys.truth("--account-for-embedding-in-pipeline-split") &&
                     keys.truth("--account-for-loss-in-pipeline-split");
  if (edges || keys.text("--pipeline-model-parallel-layout")) {
    imported.strategy["uneven_stages"] = "true";
  }
  imported.strategy["chunks"] = std::to_string(chunks);
  read_recomputation(keys, imported, layers, stages * chunks);
}

void read_groups(GivenKeys& keys, Imported& imported) {
  const std::int64_t tensor = keys.integer("--tensor-model-parallel-size").value_or(1);
  imported.strategy["tensor_parallel"] = std::to_string(tensor);
  if (const auto of_experts = keys.integer("--expert-tensor-parallel-size");
      of_experts && tensor > 1) {
    imported.strategy["experts_over_tensor"] = *of_experts == 1 ? "true" : "false";
  }
  if (const auto exchange = keys.text("--cp-comm-type"); exchange && *exchange != "None") {
    imported.strategy["context_exchange"] = *exchange == "p2p" ? "\"ring\"" : "\"all_to_all\"";
  }
  if (keys.truth("--use-tp-pp-dp-mapping")) {
    imported.strategy["rank_order"] = "\"tp-cp-ep-pp-dp\"";
  }
  if (keys.integer("--cpu-offloading-num-layers")) {
    imported.strategy["offload_activations"] = "true";
  }
  imported.strategy["sequence_parallel"] =
      keys.truth("--sequence-parallel") && tensor > 1 ? "true" : "false";
}

void read_numbers(GivenKeys& keys, Imported& imported) {
  const bool bf16 = keys.truth("--bf16");
  const bool fp16 = keys.truth("--fp16");
  const std::string wide = bf16 ? "bf16" : fp16 ? "fp16" : "fp32";
  const auto narrow = keys.text("--fp8-format").has_value() || keys.text("--fp8").has_value();
  const std::string recipe = keys.text("--fp8-recipe").value_or("");
  if (!narrow) {
    imported.workload["precision"] = toml_text(wide);
  } else if (recipe == "mxfp8") {
    imported.workload["precision"] = toml_text("mxfp8");
  } else {
    const std::string own = recipe == "delayed"      ? "delayed"
                            : recipe == "blockwise"  ? "block"
                            : recipe == "tensorwise" ? "current"
                                                     : "";
    imported.workload["precision"] =
        own.empty()
            ? toml_text("fp8")
            : fmt::format("{{ name = \"fp8-{}\", linear = \"fp8\", recipe = \"{}\" }}", own, own);
  }
  const std::string backend = keys.text("--attention-backend").value_or("auto");
  keys.truth("--use-flash-attn");
  imported.workload["attention"] = toml_text(backend == "unfused" ? "unfused" : "flash");
}

std::int64_t count_of(GivenKeys& keys, std::initializer_list<std::string_view> names) {
  std::int64_t count = 0;
  for (const std::string_view name : names) {
    if (const auto found = keys.text(name); found && count == 0) {
      const std::int64_t given = std::atoll(found->c_str());  // "$NODES" is 0: not said
      count = std::max<std::int64_t>(given, 0);
    }
  }
  return count;
}

// Of torchrun, or as a log has it.
std::int64_t devices_of(GivenKeys& keys) {
  const std::int64_t world = count_of(keys, {"--world-size"});
  const std::int64_t nodes = count_of(keys, {"--nnodes"});
  const std::int64_t per_node = count_of(keys, {"--nproc_per_node", "--nproc-per-node"});
  keys.truth("--standalone");
  return world > 0 ? world : std::max<std::int64_t>(nodes, 1) * per_node;
}

}  // namespace

TransformerModel megatron_model_of(GivenKeys& keys) {
  TransformerModel model;
  read_sizes(keys, model);
  if (model.hidden == 0 || model.layers == 0 || model.heads == 0) {
    refuse(
        fmt::format("{}: no model: --num-layers, --hidden-size and --num-attention-heads are "
                    "needed",
                    keys.file()));
  }
  model.ffn = model.ffn == 0 ? 4 * model.hidden : model.ffn;
  read_attention(keys, model);
  read_form(keys, model);
  read_experts(keys, model);
  return model;
}

void read_megatron_layout(GivenKeys& keys, Imported& imported) {
  imported.workload["kind"] = toml_text("training");
  imported.strategy = plain_strategy();
  const std::int64_t layers = std::atoll(keys.text("--num-layers").value_or("1").c_str());
  read_groups(keys, imported);
  read_pipeline(keys, imported, layers);
  read_sharding(keys, imported);
  read_numbers(keys, imported);
  read_written_options(keys, megatron_lm().options, imported);
  if (!keys.has("--num-experts")) {
    imported.strategy.erase("expert_parallel");
    imported.strategy.erase("experts_over_tensor");
  } else {
    imported.strategy.try_emplace("expert_parallel", "1");
  }
  for (const char* required : {"sequence", "global_batch"}) {
    if (!imported.workload.contains(required)) {
      refuse(fmt::format("{}: no {}: --seq-length and --global-batch-size are needed", keys.file(),
                         required));
    }
  }
}

Imported import_megatron(GivenKeys& keys, const catalog::Catalog& catalog,
                         const ImportQuestion& question) {
  Imported imported;
  imported.origin = "a command of Megatron-LM";
  imported.workload["framework"] = toml_text("megatron-lm");
  const TransformerModel model = megatron_model_of(keys);
  read_megatron_layout(keys, imported);
  set_model(imported, model, catalog, question);
  set_system(imported, devices_of(keys), question);
  name_framework_options(keys, megatron_lm().options, imported);
  leave_out(imported, keys);
  return imported;
}

}  // namespace scalesweep::deploy

// A job of torchtitan: its TOML file.
#include <fmt/format.h>

#include "core/failure.hpp"
#include "deploy/import/import_run.hpp"
#include "deploy/import/written_options.hpp"
#include "deploy/target.hpp"
#include "workload/model.hpp"

namespace scalesweep::deploy {
namespace {

// Degrees may be -1: as many as are left.
std::int64_t degree(GivenKeys& keys, std::string_view name, std::int64_t otherwise) {
  const auto value = keys.number(name);
  return value ? static_cast<std::int64_t>(*value) : otherwise;
}

void read_recomputation(GivenKeys& keys, Imported& imported) {
  const std::string mode = keys.text("activation_checkpoint.mode").value_or("selective");
  const std::string option = keys.text("activation_checkpoint.selective_ac_option").value_or("2");
  const std::int64_t every = std::atoll(option.c_str());  // 0 of "op"
  if (mode == "selective" && every > 0) {
    imported.strategy["recompute"] = toml_text("full");
    imported.strategy["recompute_every"] = std::to_string(every);
  } else {
    imported.strategy["recompute"] = toml_text(mode);
  }
}

void read_numbers(GivenKeys& keys, Imported& imported) {
  const std::string wide =
      keys.text("training.mixed_precision_param").value_or("bfloat16") == "float32" ? "fp32"
                                                                                    : "bf16";
  const std::string converters = keys.text("model.converters").value_or("");
  const bool rows =
      keys.text("quantize.linear.float8.recipe_name").value_or("tensorwise").starts_with("row");
  keys.text("quantize.linear.mx.recipe_name");
  if (converters.find("float8") != std::string::npos) {
    const std::string recipe = rows ? "row" : "current";
    imported.workload["precision"] =
        fmt::format("{{ name = \"fp8-{}\", linear = \"fp8\", recipe = \"{}\" }}", recipe, recipe);
  } else {
    imported.workload["precision"] =
        toml_text(converters.find(".mx") != std::string::npos ? "mxfp8" : wide);
  }
}

// Sharding: of FSDP as a whole, of its parts with copies, or none. Degrees of what is not said are
// as many as the devices leave.
void read_data_parallelism(GivenKeys& keys, Imported& imported, std::int64_t left,
                           std::int64_t context) {
  const std::int64_t copies = degree(keys, "parallelism.data_parallel_replicate_degree", 1);
  std::int64_t shards = degree(keys, "parallelism.data_parallel_shard_degree", -1);
  shards = shards < 1 ? std::max<std::int64_t>(1, left / copies) : shards;
  const std::string reshard =
      keys.text("parallelism.fsdp_reshard_after_forward").value_or("default");
  const bool pipelined = imported.strategy["pipeline_parallel"] != "1";
  const bool keeps = reshard == "never" || (reshard == "default" && pipelined);
  imported.strategy["zero"] = shards * context == 1 ? "0" : keeps ? "2" : "3";
  if (copies > 1 && shards > 1) {
    imported.strategy["shard_group"] = std::to_string(shards * context);
  }
}

void read_batches(GivenKeys& keys, Imported& imported, std::int64_t replicas) {
  const std::int64_t local = keys.integer("training.local_batch_size").value_or(1);
  const auto part = keys.integer("parallelism.pipeline_parallel_microbatch_size");
  const bool pipelined = imported.strategy["pipeline_parallel"] != "1";
  imported.strategy["micro_batch"] = std::to_string(pipelined ? part.value_or(1) : local);
  imported.workload.try_emplace("global_batch", std::to_string(local * replicas));
}

std::string model_of(GivenKeys& keys, const catalog::Catalog& catalog,
                     const ImportQuestion& question) {
  const std::string name = keys.text("model.name").value_or("");
  const std::string flavor = keys.text("model.flavor").value_or("");
  if (!question.model.empty()) {
    return question.model;
  }
  for (const std::string& word : {name + "-" + flavor, flavor}) {
    for (const std::string& found : catalog.meant(catalog::Section::models, word)) {
      return found;
    }
  }
  refuse(
      fmt::format("{}: the catalog has no model for name '{}' and flavor '{}'; give --model NAME",
                  keys.file(), name, flavor));
}

}  // namespace

Imported import_torchtitan(GivenKeys& keys, const catalog::Catalog& catalog,
                           const ImportQuestion& question) {
  Imported imported;
  imported.origin = "a job of torchtitan";
  imported.workload = {{"kind", toml_text("training")},
                       {"framework", toml_text("torchtitan")},
                       {"model", toml_text(model_of(keys, catalog, question))}};
  imported.strategy = plain_strategy();
  const auto size = [&keys](std::string_view name) {
    return std::max<std::int64_t>(degree(keys, name, 1), 1);
  };
  const std::int64_t tensor = size("parallelism.tensor_parallel_degree");
  const std::int64_t stages = size("parallelism.pipeline_parallel_degree");
  const std::int64_t context = size("parallelism.context_parallel_degree");
  imported.strategy["tensor_parallel"] = std::to_string(tensor);
  imported.strategy["pipeline_parallel"] = std::to_string(stages);
  imported.strategy["context_parallel"] = std::to_string(context);
  const bool is_asked = question.devices > 0;
  const std::int64_t copies = size("parallelism.data_parallel_replicate_degree");
  const std::int64_t shards = degree(keys, "parallelism.data_parallel_shard_degree", -1);
  const std::int64_t said = shards > 0 ? tensor * stages * context * copies * shards : 0;
  set_system(imported, said, question);
  const std::int64_t devices = is_asked ? question.devices : said;
  const std::int64_t replicas = std::max<std::int64_t>(1, devices / (tensor * stages * context));
  read_data_parallelism(keys, imported, replicas, context);
  const auto of_part = keys.integer("parallelism.pipeline_parallel_layers_per_stage");
  keys.text("parallelism.pipeline_parallel_schedule");
  if (of_part && catalog.has(catalog::Section::models, question.model)) {
    const std::int64_t layers = catalog.model(question.model).layers;
    imported.strategy["chunks"] =
        std::to_string(std::max<std::int64_t>(1, layers / (stages * *of_part)));
  } else if (of_part) {
    const std::string name = imported.workload["model"];
    const std::int64_t layers = catalog.model(name.substr(1, name.size() - 2)).layers;
    imported.strategy["chunks"] =
        std::to_string(std::max<std::int64_t>(1, layers / (stages * *of_part)));
  }
  // torchtitan splits norms along the sequence wherever it splits matrices.
  imported.strategy["sequence_parallel"] = tensor > 1 ? "true" : "false";
  if (const auto experts = keys.integer("parallelism.expert_parallel_degree");
      experts && *experts > 1) {
    imported.strategy["expert_parallel"] = std::to_string(*experts);
  }
  read_recomputation(keys, imported);
  read_numbers(keys, imported);
  read_written_options(keys, torchtitan().options, imported);
  read_batches(keys, imported, replicas);
  if (!imported.workload.contains("sequence")) {
    refuse(fmt::format("{}: no training.seq_len", keys.file()));
  }
  name_framework_options(keys, torchtitan().options, imported);
  leave_out(imported, keys);
  return imported;
}

}  // namespace scalesweep::deploy

// Calculon: an application, an execution of it and a system, a JSON file each.
#include <fmt/format.h>

#include "core/failure.hpp"
#include "deploy/import/device_entry.hpp"
#include "deploy/import/import_run.hpp"
#include "deploy/import/written_options.hpp"
#include "workload/model.hpp"

namespace scalesweep::deploy {
namespace {

GivenKeys* file_with(std::vector<GivenKeys>& files, std::string_view key) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [key](const GivenKeys& keys) { return keys.has(key); });
  return found == files.end() ? nullptr : &*found;
}

std::int64_t needed(GivenKeys& keys, std::string_view name) {
  const auto value = keys.integer(name);
  if (!value) {
    refuse(fmt::format("{}: {} is missing", keys.file(), name));
  }
  return *value;
}

workload::TransformerModel model_of(GivenKeys& keys) {
  workload::TransformerModel model;
  model.name = keys.text("name").value_or("imported");
  model.hidden = needed(keys, "hidden");
  model.layers = needed(keys, "num_blocks");
  model.heads = needed(keys, "attn_heads");
  model.kv_heads = model.heads;
  model.head_dim = keys.integer("attn_size").value_or(model.hidden / model.heads);
  model.ffn = keys.integer("feedforward").value_or(4 * model.hidden);
  model.tied_embeddings = true;  // of the GPT that it models
  model.max_positions = needed(keys, "seq_size");
  return model;
}

void read_layout(GivenKeys& keys, Imported& imported) {
  imported.strategy = plain_strategy();
  imported.strategy["tensor_parallel"] = std::to_string(needed(keys, "tensor_par"));
  imported.strategy["pipeline_parallel"] = std::to_string(needed(keys, "pipeline_par"));
  imported.strategy["chunks"] = std::to_string(keys.integer("pipeline_interleaving").value_or(1));
  imported.strategy["micro_batch"] = std::to_string(needed(keys, "microbatch_size"));
  keys.integer("data_par");  // follows from the number of devices
  imported.strategy["zero"] = keys.truth("optimizer_sharding") ? "1" : "0";
  const std::string recompute = keys.text("activation_recompute").value_or("none");
  imported.strategy["recompute"] = toml_text(recompute == "attn_only" ? "selective" : recompute);
  // Reduced and gathered instead of reduced alone: norms are split along the sequence.
  const std::string sums = keys.text("tensor_par_comm_type").value_or("ar");
  const bool shards = sums != "ar" && imported.strategy["tensor_parallel"] != "1";
  imported.strategy["sequence_parallel"] = shards ? "true" : "false";
  if (keys.truth("activations_offload")) {
    imported.strategy["offload_activations"] = "true";
  }
  if (keys.truth("optimizer_offload")) {
    imported.strategy["offload_optimizer"] = "true";
  }
}

// The software is what hides and fuses as the execution says, as near as the catalog has it.
void read_software(GivenKeys& keys, Imported& imported) {
  const std::string tensor = keys.text("tensor_par_overlap").value_or("none");
  const bool data = keys.truth("data_par_overlap");
  const bool all = tensor != "none" && data;
  imported.workload["framework"] = toml_text(all ? "overlapped" : "no-overlap");
  imported.notes.push_back(
      fmt::format("framework {}, of tensor_par_overlap = {} and data_par_overlap = {}",
                  all ? "overlapped" : "no-overlap", tensor, data));
  const std::string type = keys.text("datatype").value_or("float16");
  imported.workload["precision"] = toml_text(type == "bfloat16"  ? "bf16"
                                             : type == "float32" ? "fp32"
                                             : type == "float8"  ? "fp8"
                                                                 : "fp16");
  imported.workload["attention"] = toml_text("unfused");
  imported.notes.emplace_back("attention is unfused, as Calculon has it");
}

void read_system(GivenKeys& keys, Imported& imported, const catalog::Catalog& catalog,
                 const ImportQuestion& question) {
  DeviceEntry entry;
  entry.name = "imported";
  for (const auto& [theirs, ours] : {std::pair("float16", "fp16"),
                                     {"bfloat16", "bf16"},
                                     {"float32", "fp32"},
                                     {"float8", "fp8"}}) {
    const std::string matrix = fmt::format("matrix.{}.", theirs);
    const auto tera = keys.number(matrix + "tflops");
    const auto giga = keys.number(matrix + "gflops");
    if (tera || giga) {
      entry.tensor_peak[ours] = quantity(tera ? *tera * 1e12 : *giga * 1e9, "FLOP/s");
    }
  }
  if (const auto capacity = keys.number("mem1.GiB")) {
    entry.dram["capacity"] = fmt::format("\"{:g} GiB\"", *capacity);
  }
  if (const auto rate = keys.number("mem1.GBps")) {
    entry.dram["bandwidth"] = quantity(*rate * 1e9, "B/s");
  }
  if (const auto rate = keys.number("networks[0].bandwidth")) {
    entry.link["bandwidth"] = quantity(*rate * 1e9, "B/s");
    if (const auto share = keys.number("networks[0].efficiency")) {
      entry.link["sustained"] = fmt::format("{:g}", *share);
    }
    if (const auto latency = keys.number("networks[0].latency")) {
      entry.link["latency"] = fmt::format("\"{:g} us\"", 1e6 * *latency);
    }
  }
  if (const auto size = keys.integer("networks[0].size")) {
    entry.device["domain"] = std::to_string(*size);
  }
  add_device(imported, entry, catalog, question);
}

}  // namespace

Imported import_calculon(std::vector<GivenKeys>& files, const catalog::Catalog& catalog,
                         const ImportQuestion& question) {
  Imported imported;
  imported.origin = "files of Calculon";
  GivenKeys* const system = file_with(files, "mem1.GBps");
  GivenKeys* const execution = file_with(files, "tensor_par");
  GivenKeys* const application = file_with(files, "num_blocks");
  if (system != nullptr && (question.device.empty() || !question.like.empty())) {
    read_system(*system, imported, catalog, question);
  }
  if (execution != nullptr) {
    if (application == nullptr) {
      refuse(
          fmt::format("{}: an execution without its application; give the file with num_blocks "
                      "as well",
                      execution->file()));
    }
    if (const auto training = execution->text("training"); training && *training == "false") {
      refuse(fmt::format("{}: training is false; only executions that train are read",
                         execution->file()));
    }
    imported.workload = {{"kind", toml_text("training")},
                         {"global_batch", std::to_string(needed(*execution, "batch_size"))},
                         {"sequence", std::to_string(needed(*application, "seq_size"))}};
    read_layout(*execution, imported);
    read_software(*execution, imported);
    set_model(imported, model_of(*application), catalog, question);
    set_system(imported, needed(*execution, "num_procs"), question);
  } else if (system == nullptr) {
    refuse(fmt::format("{}: neither an execution (tensor_par) nor a system (mem1.GBps) of Calculon",
                       files.front().file()));
  }
  for (const GivenKeys& keys : files) {
    leave_out(imported, keys);
  }
  return imported;
}

}  // namespace scalesweep::deploy

#include "cli/measure/training_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/failure.hpp"
#include "core/text.hpp"
#include "deploy/import/import_run.hpp"
#include "workload/model.hpp"

namespace scalesweep::cli {
namespace {

using deploy::GivenKeys;
using deploy::Imported;
using validation::CaseCells;

constexpr std::string_view time_mark = "elapsed time per iteration (ms):";
constexpr std::size_t first_iterations = 1;  // that load and compile beside their work

// Columns of case files that have another name than the key of a spec; the others have the same.
struct Column {
  std::string_view column;
  std::string_view key;
};
constexpr std::array strategy_columns = {Column{"tp", "tensor_parallel"},
                                         Column{"pp", "pipeline_parallel"},
                                         Column{"virtual_pp", "chunks"},
                                         Column{"cp", "context_parallel"},
                                         Column{"ep", "expert_parallel"},
                                         Column{"micro_batch", "micro_batch"},
                                         Column{"zero", "zero"},
                                         Column{"recompute", "recompute"},
                                         Column{"recompute_every", "recompute_every"},
                                         Column{"sequence_parallel", "sequence_parallel"},
                                         Column{"first_stage_layers", "first_stage_layers"},
                                         Column{"last_stage_layers", "last_stage_layers"}};

std::vector<double> times_of(const std::string& text) {
  std::vector<double> times;
  for (std::size_t at = text.find(time_mark); at != std::string::npos;
       at = text.find(time_mark, at + 1)) {
    times.push_back(1e-3 * std::strtod(text.c_str() + at + time_mark.size(), nullptr));
  }
  return times;
}

double median_of(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

std::string without_quotes(const std::string& literal) {
  return literal.starts_with('"') ? literal.substr(1, literal.size() - 2) : literal;
}

void set_shape(CaseCells& row, const workload::TransformerModel& model) {
  row["hidden"] = std::to_string(model.hidden);
  row["layers"] = std::to_string(model.layers);
  row["heads"] = std::to_string(model.heads);
  row["kv_heads"] = std::to_string(model.kv_heads);
  row["head_dim"] = std::to_string(model.head_dim);
  row["ffn"] = std::to_string(model.ffn);
  row["vocab"] = std::to_string(model.vocab);
  row["gated_ffn"] = model.gated_ffn ? "true" : "false";
  row["tied_embeddings"] = model.tied_embeddings ? "true" : "false";
  if (model.experts.on()) {
    row["experts"] = std::to_string(model.experts.count);
    row["experts_per_token"] = std::to_string(model.experts.top_k);
    row["expert_ffn"] = std::to_string(model.experts.ffn);
    row["shared_expert_ffn"] = std::to_string(model.experts.shared_ffn);
    row["dense_layers"] = std::to_string(model.experts.dense_layers);
    row["expert_every"] = std::to_string(model.experts.every);
  }
}

void set_layout(CaseCells& row, const Imported& imported) {
  for (const auto& [column, key] : strategy_columns) {
    if (const auto found = imported.strategy.find(key); found != imported.strategy.end()) {
      row[std::string(column)] = without_quotes(found->second);
    }
  }
  row["seq"] = imported.workload.at("sequence");
  row["global_batch"] = imported.workload.at("global_batch");
  row["flash_attention"] = imported.workload.at("attention") == "\"flash\"" ? "true" : "false";
  const std::string& precision = imported.workload.at("precision");
  if (precision.starts_with('{')) {
    const std::size_t at = precision.find("recipe = \"") + 10;
    row["precision"] = "fp8";
    row["recipe"] = precision.substr(at, precision.find('"', at) - at);
  } else {
    row["precision"] = without_quotes(precision);
  }
}

}  // namespace

validation::LogRows read_training_log(const validation::Log& log, std::int64_t vocab) {
  GivenKeys keys = deploy::keys_of_argument_log(log.file, log.text);
  if (keys.empty()) {
    refuse(
        fmt::format("{}: iterations without the arguments that Megatron-LM logs before them; "
                    "what ran cannot be told",
                    log.file));
  }
  std::vector<double> times = times_of(log.text);
  const std::size_t skipped = times.size() > 2 * first_iterations ? first_iterations : 0;
  times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(skipped));
  workload::TransformerModel model = deploy::megatron_model_of(keys);
  model.vocab = model.vocab == 0 ? vocab : model.vocab;
  if (model.vocab == 0) {
    refuse(fmt::format("{}: the vocabulary is not said; give --vocab NUMBER", log.file));
  }
  const auto world = keys.integer("--world-size");
  if (!world) {
    refuse(fmt::format("{}: no world_size among the arguments", log.file));
  }
  Imported imported;
  deploy::read_megatron_layout(keys, imported);
  CaseCells row = {{"gpus", std::to_string(*world)},
                   {"framework", "megatron-lm"},
                   {"step_time_s", validation::seconds_cell(median_of(times))}};
  set_shape(row, model);
  set_layout(row, imported);
  row["case"] = fmt::format("{}-{}-h{}-l{}-tp{}-pp{}", log.device, *world, row["hidden"],
                            row["layers"], row["tp"], row["pp"]);
  validation::LogRows rows;
  rows.notes.push_back(fmt::format("{} iterations, the median of {} is the step",
                                   times.size() + skipped, times.size()));
  rows.notes.push_back(
      fmt::format("{} arguments say nothing that case files have", keys.unread().size()));
  rows.notes.insert(rows.notes.end(), imported.left_out.begin(), imported.left_out.end());
  rows.rows.push_back(std::move(row));
  return rows;
}

}  // namespace scalesweep::cli

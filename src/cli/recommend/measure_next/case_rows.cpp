#include "cli/recommend/measure_next/case_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "deploy/deploy.hpp"
#include "study/sample.hpp"

namespace scalesweep::cli {
namespace {

using validation::CaseCells;

// What is not said is 1, 0, or none.
void set_unless(CaseCells& row, const char* column, std::int64_t value, std::int64_t usual) {
  if (value != usual) {
    row[column] = std::to_string(value);
  }
}

void set_layout(CaseCells& row, const parallel::Strategy& s) {
  row["tp"] = std::to_string(s.tensor_parallel);
  row["pp"] = std::to_string(s.pipeline_parallel);
  row["dp"] = std::to_string(s.data_parallel);
  set_unless(row, "ep", s.expert_parallel, 1);
  set_unless(row, "dcp", s.decode_context_parallel, 1);
  set_unless(row, "redundant_experts", s.redundant_experts, 0);
  set_unless(row, "expert_devices", s.expert_devices, 0);
}

void set_training(CaseCells& row, const parallel::Strategy& s) {
  row["workload"] = "training";
  row["micro_batch"] = std::to_string(s.micro_batch);
  row["zero"] = std::to_string(s.zero);
  row["sequence_parallel"] = s.sequence_parallel ? "true" : "false";
  row["recompute"] = std::string(parallel::name_of(s.recompute));
  set_unless(row, "cp", s.context_parallel, 1);
  set_unless(row, "virtual_pp", s.chunks, 1);
  set_unless(row, "first_stage_layers", s.first_stage_layers, 0);
  set_unless(row, "last_stage_layers", s.last_stage_layers, 0);
  set_unless(row, "recompute_every", s.recompute_every, 1);
  set_unless(row, "shard_group", s.shard_group, 0);
  if (s.schedule != parallel::Schedule::one_forward_one_backward) {
    row["schedule"] = std::string(parallel::name_of(s.schedule));
  }
  row["step_time_s"] = "";
}

void set_serving(CaseCells& row, double open_requests) {
  row["workload"] = "inference";
  row["concurrency"] = fmt::format("{:.0f}", std::max(1.0, std::round(open_requests)));
  row["metric"] = "tokens_per_s";
  row["value"] = "";
}

// Axes of specs by the columns of case files.
constexpr std::array<std::pair<std::string_view, const char*>, 8> columns = {
    {{"model", "model"},
     {"device", "device"},
     {"precision", "precision"},
     {"sequence", "seq"},
     {"global_batch", "global_batch"},
     {"prompt", "prompt_tokens"},
     {"output", "output_tokens"},
     {"prefill_chunk", "prefill_chunk"}}};

bool trains(const study::Study& study) {
  return &study.kind() == &study::training_kind();
}

}  // namespace

CaseCells case_row(const study::Study& study, const study::Point& point, double open_requests) {
  CaseCells row;
  for (const study::CoordinateText& text : study::coordinates(study, point)) {
    const auto* const known = std::find_if(columns.begin(), columns.end(), [&](const auto& column) {
      return column.first == text.name;
    });
    if (known != columns.end()) {
      row[known->second] = text.label;
    }
  }
  row["case"] = fmt::format("{}-{}-{}", row["model"], row["device"], point.id);
  row["framework"] = deploy::framework_of(study, point);
  row["gpus"] = fmt::format("{:.0f}", point.accelerators);
  set_layout(row, point.strategy);
  if (trains(study)) {
    set_training(row, point.strategy);
  } else {
    set_serving(row, open_requests);
  }
  return row;
}

technology::Uncertainty uncertainty_of(const study::Study& study, const study::Point& point) {
  return study.catalog().uncertainty(
      device_of(point)->name, deploy::framework_of(study, point),
      trains(study) ? catalog::MeasuredWork::training : catalog::MeasuredWork::inference);
}

}  // namespace scalesweep::cli

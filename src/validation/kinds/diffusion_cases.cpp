#include "validation/kinds/diffusion_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "validation/cases/case_figures.hpp"
#include "validation/kinds/named_stack.hpp"

namespace scalesweep::validation {
namespace {

using technology::Precision;

constexpr NeededStack diffusion_stack = {"diffusers", &workload::Framework::diffuses,
                                         "runs diffusion models", "diffusion"};

void read_job(RowReader& row, const CaseDefaults& defaults, estimator::DiffusionJob& job) {
  const std::string name = row.entry("diffusion_model", catalog::Section::diffusion_models);
  if (!name.empty()) {
    job.model = defaults.catalog.diffusion_model(name);
  }
  job.model.steps = row.integer("steps", job.model.steps);
  job.picture.width = row.integer("width", std::nullopt);
  job.picture.height = row.integer("height", std::nullopt);
  job.picture.frames = row.integer("frames", 1);
  job.batch = row.integer("batch", std::nullopt);
  job.operands = row.precision("precision", Precision::bf16);
  if (job.picture.frames > 1 && !name.empty() && !job.model.makes_video()) {
    row.error("frames", fmt::format("{} makes images: 1 frame", name));
  }
  job.framework = read_stack(row, defaults, diffusion_stack);
}

// Devices that share the tokens of a picture where nothing is said: all that are left.
void read_layout(RowReader& row, DiffusionCase& c) {
  const std::int64_t tensor = row.integer("tensor_parallel", 1);
  const std::int64_t context =
      row.integer("context_parallel", std::max<std::int64_t>(1, c.gpus / tensor));
  const std::int64_t passes = c.job.passes();
  c.strategy.tensor_parallel = static_cast<std::int32_t>(tensor);
  c.strategy.context_parallel = static_cast<std::int32_t>(context);
  c.strategy.context_exchange = static_cast<parallel::ContextExchange>(
      row.choice("context_exchange", parallel::context_exchange_names));
  if (!row.good()) {
    return;
  }
  if (c.gpus % (tensor * context) != 0) {
    row.error(row.has("context_parallel") ? "context_parallel" : "tensor_parallel",
              fmt::format("tensor_parallel ({}) times context_parallel ({}) does not divide gpus "
                          "({})",
                          tensor, context, c.gpus));
    return;
  }
  const std::int64_t replicas = c.gpus / (tensor * context);
  if (passes % replicas != 0) {
    row.error("gpus", fmt::format("{} pictures with {} passes each are not shared evenly by {} "
                                  "replicas, gpus over tensor_parallel and context_parallel",
                                  c.job.batch, c.job.model.passes, replicas));
  }
  c.strategy.data_parallel = static_cast<std::int32_t>(replicas);
}

}  // namespace

std::optional<DiffusionCase> read_diffusion_case(RowReader& row, const CaseDefaults& defaults) {
  DiffusionCase c;
  const std::string device = row.entry("device", catalog::Section::devices);
  if (!device.empty()) {
    c.system = defaults.systems.of(device);
    read_power_limit(row, c.system.device);
  }
  c.gpus = row.integer("gpus", std::nullopt);
  read_job(row, defaults, c.job);
  read_layout(row, c);
  c.batch_s = row.number("time_s");
  return row.good() ? std::optional(c) : std::nullopt;
}

}  // namespace scalesweep::validation

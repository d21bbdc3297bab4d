#include "validation/kinds/diffusion_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "estimator/diffusion/diffusion.hpp"
#include "validation/kinds/named_stack.hpp"
#include "workload/framework.hpp"

namespace scalesweep::validation {
namespace {

constexpr NeededStack diffusion_stack = {"diffusers", &workload::Framework::diffuses,
                                         "runs diffusion models", "diffusion"};

void read_job(RowReader& row, const CaseDefaults& defaults, DiffusionCase& c) {
  estimator::DiffusionJob& job = c.job;
  row.read_keys(job, {"diffusion_model"});
  job.model.steps = row.integer("steps", job.model.steps);
  row.read_keys(job, {"width", "height", "frames", "batch", "precision"});
  if (job.image.frames > 1 && !job.model.name.empty() && !job.model.makes_video()) {
    row.error("frames", fmt::format("{} makes images: 1 frame", job.model.name));
  }
  const workload::Framework framework = read_stack(row, defaults, diffusion_stack);
  c.framework = framework.name;
  defaults.catalog.use_libraries(c.system.device.name, framework.name, c.system.device);
  job.stack = framework.diffusion;
}

constexpr std::array<std::string_view, 4> zero_words = {"0", "1", "2", "3"};
constexpr std::array<std::string_view, 2> recompute_words = {"none", "full"};

void read_training(RowReader& row, const CaseDefaults& defaults, estimator::DiffusionJob& job) {
  row.read_keys(job, {"work"});
  if (!job.trains()) {
    return;
  }
  row.read_keys(job, {"states", "weight_average", "latents"});
  job.training.optimizer = defaults.catalog.optimizer();
}

// Micro-batches of a replica, and what is recomputed and sharded.
void read_steps(RowReader& row, DiffusionCase& c) {
  const std::int64_t own = c.job.batch / c.strategy.data_parallel;
  const std::int64_t micro_batch = row.integer("micro_batch", own);
  if (own % micro_batch != 0) {
    row.error("micro_batch",
              fmt::format("{} does not divide the {} images of a replica", micro_batch, own));
    return;
  }
  c.strategy.micro_batch = static_cast<std::int32_t>(micro_batch);
  c.strategy.micro_batches = static_cast<std::int32_t>(own / micro_batch);
  c.strategy.recompute = row.choice("recompute", recompute_words) == 1 ? parallel::Recompute::full
                                                                       : parallel::Recompute::none;
  c.strategy.zero = static_cast<std::uint8_t>(row.choice("zero", zero_words));
}

// Devices that share the tokens of an image where nothing is said: all that are left, but those of
// training have images of their own.
void read_layout(RowReader& row, DiffusionCase& c) {
  const std::int64_t tensor = row.integer("tensor_parallel", 1);
  const std::int64_t context = row.integer(
      "context_parallel", c.job.trains() ? 1 : std::max<std::int64_t>(1, c.gpus / tensor));
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
    row.error("gpus", fmt::format("{} images with {} passes each are not shared evenly by {} "
                                  "replicas, gpus over tensor_parallel and context_parallel",
                                  c.job.batch, c.job.trains() ? 1 : c.job.model.passes, replicas));
    return;
  }
  c.strategy.data_parallel = static_cast<std::int32_t>(replicas);
  if (c.job.trains()) {
    read_steps(row, c);
  }
}

}  // namespace

std::optional<DiffusionCase> read_diffusion_case(RowReader& row, const CaseDefaults& defaults) {
  DiffusionCase c;
  read_system(row, defaults, c);
  read_job(row, defaults, c);
  read_training(row, defaults, c.job);
  read_layout(row, c);
  c.batch_s = row.number("time_s");
  return row.good() ? std::optional(c) : std::nullopt;
}

namespace {

// "1024x1024", of videos with the frames behind.
std::string image_name(const workload::ImageSize& image) {
  const std::string sides = fmt::format("{}x{}", image.width, image.height);
  return image.frames > 1 ? fmt::format("{}x{}", sides, image.frames) : sides;
}

void predict_diffusion(const DiffusionCase& c, CaseRow& r) {
  set_labels(r, c);
  r.op = c.job.trains() ? workload::batch_work_names[c.job.work] : "";
  r.shape = c.job.model.name;
  r.lengths = image_name(c.job.image);
  r.tokens = static_cast<double>(c.job.batch);
  r.measured = c.batch_s;
  const estimator::DiffusionEstimate estimate =
      estimator::estimate_diffusion(c.job, c.system, c.strategy);
  Prediction& p = r.predicted;
  p.value = estimate.batch_time_s();
  set_batch_prediction(p, estimate, estimate.memory.states_bytes());
}

void read_and_predict_diffusion(RowReader& row, CaseMemo& memo, CaseRow& r) {
  r.measured_memory = read_measured_memory(row);
  read_and_predict<read_diffusion_case, predict_diffusion>(row, memo, r);
}

}  // namespace

const CaseKind& diffusion_cases() {
  static constexpr CaseKind kind = {"diffusion", "time_s", "diffusion_model", diffusion_columns,
                                    read_and_predict_diffusion};
  return kind;
}

}  // namespace scalesweep::validation

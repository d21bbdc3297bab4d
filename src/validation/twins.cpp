#include "validation/twins.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/text.hpp"
#include "estimator/inference/inference.hpp"
#include "estimator/training/training.hpp"
#include "technology/derive/derive.hpp"
#include "workload/framework.hpp"

namespace scalesweep::validation {
namespace {

using technology::Precision;

constexpr TwinWork llama_step(std::string_view name, Precision precision) {
  return {.name = name,
          .phase = TwinPhase::step,
          .model = "llama-3-70b",
          .framework = "overlapped",
          .precision = precision,
          .batch = 256,
          .tokens = 8192,
          .output = 0,
          .tensor_parallel = 8,
          .pipeline_parallel = 4,
          .data_parallel = 16,
          .micro_batches = 16};
}

constexpr TwinWork llama_served(std::string_view name, TwinPhase phase, std::int64_t batch,
                                std::int64_t prompt, std::int64_t output) {
  return {.name = name,
          .phase = phase,
          .model = "llama-3-70b",
          .framework = "tensorrt-llm",
          .precision = Precision::bf16,
          .batch = batch,
          .tokens = prompt,
          .output = output,
          .tensor_parallel = 8,
          .pipeline_parallel = 1,
          .data_parallel = 1,
          .micro_batches = 1};
}

constexpr std::array<TwinWork, 4> works = {
    llama_step("train bf16", Precision::bf16), llama_step("train fp8", Precision::fp8),
    llama_served("prefill", TwinPhase::prefill, 1, 8192, 1),
    llama_served("decode", TwinPhase::decode, 32, 1024, 256)};

TwinSide step(const catalog::Catalog& catalog, const TwinWork& work,
              const technology::System& system) {
  const estimator::TrainingJob job = {.model = catalog.model(work.model),
                                      .sequence = work.tokens,
                                      .global_batch = work.batch,
                                      .precision = estimator::mixed_precision(work.precision),
                                      .stack = catalog.framework(work.framework).training};
  parallel::Strategy strategy;
  strategy.tensor_parallel = work.tensor_parallel;
  strategy.sequence_parallel = true;
  strategy.pipeline_parallel = work.pipeline_parallel;
  strategy.data_parallel = work.data_parallel;
  strategy.micro_batches = work.micro_batches;
  strategy.zero = 1;
  const estimator::TrainingEstimate estimate =
      estimator::estimate_training({job, system, strategy});
  return {estimate.step, estimate.device_power_w};
}

TwinSide served(const catalog::Catalog& catalog, const TwinWork& work,
                const technology::System& system) {
  estimator::InferenceJob job;
  job.model = catalog.model(work.model);
  job.prompt = work.tokens;
  job.output = work.output;
  job.batch = work.batch;
  job.stack = catalog.framework(work.framework).serving;
  parallel::Strategy strategy;
  strategy.tensor_parallel = work.tensor_parallel;
  strategy.micro_batch = static_cast<std::int32_t>(work.batch);
  const estimator::InferenceEstimate estimate =
      estimator::estimate_inference(job, system, strategy);
  return {work.phase == TwinPhase::prefill ? estimate.first_token
                                           : estimate.latency - estimate.first_token,
          estimate.device_power_w};
}

bool multiplies(const technology::Device& device, Precision precision) {
  return device.tensor_peak[technology::index_of(precision)].si() > 0.0;
}

double moved(const TwinRow& row, estimator::Resource resource) {
  return std::fabs(row.share(row.derived, resource) - row.share(row.catalogued, resource));
}

}  // namespace

std::span<const TwinWork> twin_works() {
  return works;
}

TwinSide work_on(const technology::System& system, const TwinWork& work,
                 const catalog::Catalog& catalog) {
  return work.phase == TwinPhase::step ? step(catalog, work, system)
                                       : served(catalog, work, system);
}

estimator::Resource TwinRow::most_moved() const {
  auto most = static_cast<estimator::Resource>(0);
  for (std::size_t r = 1; r < estimator::resource_count; ++r) {
    const auto resource = static_cast<estimator::Resource>(r);
    most = moved(*this, resource) > moved(*this, most) ? resource : most;
  }
  return most;
}

double TwinRow::share_difference() const {
  return moved(*this, most_moved());
}

Twin twin_of(const catalog::Catalog& catalog, const std::string& device,
             const std::string& architecture) {
  Twin twin;
  twin.device = device;
  twin.architecture = architecture;
  const auto given = catalog.published_budget(device, architecture);
  if (!given) {
    const std::vector<std::string> lacking = catalog.missing_facts(device, architecture);
    twin.none = lacking.empty()
                    ? "the catalog does not have its node, its memory or its 16-bit peak"
                    : "its entry lacks " + join(lacking, ", ");
    return twin;
  }
  const catalog::DerivedResult made = catalog.derived_system(*given);
  twin.derivation = made.derivation;
  if (!made.system) {
    twin.none = technology::to_string(*made.derivation.infeasible);
    return twin;
  }
  twin.flop_per_clock = given->budget.flop_per_clock.value_or(0.0);
  const technology::System real = catalog.catalogued_system(catalog.usual_system(device));
  for (const TwinWork& work : works) {
    if (multiplies(real.device, work.precision) &&
        multiplies(made.system->device, work.precision)) {
      twin.rows.push_back(
          {&work, work_on(*made.system, work, catalog), work_on(real, work, catalog)});
    }
  }
  return twin;
}

}  // namespace scalesweep::validation

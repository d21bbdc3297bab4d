// Devices derived from the budgets of real ones against the catalogued entries of these, in whole
// training steps and in serving: what peaks do not say. Prints the table that nodes/README.md
// shows.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "catalog/catalog.hpp"
#include "estimator/inference/inference.hpp"
#include "estimator/training/training.hpp"
#include "support/shipped_catalog.hpp"

namespace scalesweep::validation {
namespace {

using estimator::Charges;
using technology::Precision;

struct Twin {
  const char* architecture;
  const char* device;
  double time_error;  // at most
};

// What a device does in one kind of work.
struct Outcome {
  Charges time;
  double power_w = 0.0;
};

class DerivedTwin : public testing::TestWithParam<Twin> {
 protected:
  static const catalog::Catalog& shipped() { return test::shipped_catalog(); }

  static technology::System catalogued() {
    return shipped().catalogued_system(shipped().usual_system(GetParam().device));
  }
  static technology::System derived() {
    const catalog::DerivedSystem given =
        shipped().published_budget(GetParam().device, GetParam().architecture).value();
    return shipped().derived_system(given).system.value();
  }
};

// Llama-3 70B on 512 devices, 8192 tokens, 256 sequences a step.
Outcome training(const technology::System& system, Precision precision) {
  const catalog::Catalog& shipped = test::shipped_catalog();
  const estimator::TrainingJob job = {.model = shipped.model("llama-3-70b"),
                                      .sequence = 8192,
                                      .global_batch = 256,
                                      .precision = estimator::mixed_precision(precision),
                                      .framework = shipped.framework("overlapped")};
  parallel::Strategy strategy;
  strategy.tensor_parallel = 8;
  strategy.sequence_parallel = true;
  strategy.pipeline_parallel = 4;
  strategy.data_parallel = 16;
  strategy.micro_batches = 16;
  strategy.zero = 1;
  const auto estimate = estimator::estimate_training({job, system, strategy});
  return {estimate.step, estimate.device_power_w};
}

// The same model on 8 devices: one prompt of 8192 tokens, or 32 sequences that grow from 1024 by
// 256 tokens.
Outcome serving(const technology::System& system, bool prefill) {
  const catalog::Catalog& shipped = test::shipped_catalog();
  const estimator::InferenceJob job = {.model = shipped.model("llama-3-70b"),
                                       .prompt = prefill ? 8192 : 1024,
                                       .output = prefill ? 1 : 256,
                                       .batch = prefill ? 1 : 32,
                                       .precision = {},
                                       .framework = shipped.framework("tensorrt-llm")};
  parallel::Strategy strategy;
  strategy.tensor_parallel = 8;
  strategy.micro_batch = prefill ? 1 : 32;
  const auto estimate = estimator::estimate_inference(job, system, strategy);
  return {prefill ? estimate.first_token : estimate.latency - estimate.first_token,
          estimate.device_power_w};
}

void compare(const Twin& twin, const std::string& work, const Outcome& derived,
             const Outcome& real) {
  double share = 0.0;  // the largest difference
  for (std::size_t r = 0; r < estimator::resource_count; ++r) {
    share = std::max(share, std::fabs(derived.time.values[r] / derived.time.total_s() -
                                      real.time.values[r] / real.time.total_s()));
  }
  const double error = derived.time.total_s() / real.time.total_s() - 1.0;
  fmt::print(
      "{:<16} {:<14} {:8.4g} s {:8.4g} s {:+5.1f} %   shares {:4.1f} points   {:4.0f} W {:4.0f} "
      "W\n",
      twin.device, work, derived.time.total_s(), real.time.total_s(), 100.0 * error, 100.0 * share,
      derived.power_w, real.power_w);
  EXPECT_LT(std::fabs(error), twin.time_error) << work;
  EXPECT_LT(share, 0.10) << work;
  EXPECT_NEAR(derived.power_w / real.power_w, 1.0, 0.12) << work;
}

TEST_P(DerivedTwin, DoesTheWorkOfTheRealOne) {
  const technology::System made = derived();
  const technology::System real = catalogued();
  compare(GetParam(), "train bf16", training(made, Precision::bf16),
          training(real, Precision::bf16));
  if (real.device.tensor_peak[technology::index_of(Precision::fp8)].si() > 0.0) {
    compare(GetParam(), "train fp8", training(made, Precision::fp8),
            training(real, Precision::fp8));
  }
  compare(GetParam(), "prefill", serving(made, true), serving(real, true));
  compare(GetParam(), "decode", serving(made, false), serving(real, false));
}

INSTANTIATE_TEST_SUITE_P(Shipped, DerivedTwin,
                         testing::Values(Twin{"tensor-core-gpu", "a100-sxm-80gb", 0.12},
                                         Twin{"hopper", "h100-sxm", 0.12},
                                         Twin{"hopper", "h200-sxm", 0.12},
                                         Twin{"blackwell", "b200-sxm", 0.12},
                                         Twin{"blackwell", "gb200", 0.12},
                                         Twin{"systolic-array", "tpu-v4", 0.20}),
                         [](const auto& test) {
                           std::string name = test.param.device;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace scalesweep::validation

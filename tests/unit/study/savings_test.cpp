// What faster resources save of points.
#include "study/savings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "study_fixture.hpp"

namespace scalesweep::study {
namespace {

using ::testing::IsEmpty;

// Steps of 16 devices at a power limit, "" for the device's own, of a framework.
std::string step_spec(const std::string& device, const std::string& power_limit) {
  return R"(schema = 1
title = "steps"
[workload]
kind = "training"
model = "llama-3-8b"
sequence = 4096
global_batch = 64
framework = "megatron-bridge"
precision = "bf16"
[system]
accelerators = 16
device = ")" +
         device + "\"\n" + (power_limit.empty() ? "" : "power_limit = \"" + power_limit + "\"\n") +
         R"([strategy]
tensor_parallel = 4
pipeline_parallel = 1
micro_batch = 1
recompute = "none"
zero = 1
sequence_parallel = true
[objectives]
minimize = ["step_time"]
)";
}

std::map<std::string, Saving> savings_at(const Study& study, PointId id) {
  std::map<std::string, Saving> savings;
  for (const Saving& one : SavingsOfPoints(study).of(id)) {
    savings[one.resource] = one;
  }
  return savings;
}

TEST(Savings, AreWhatEstimatesWithFasterResourcesSay) {
  const Study study = test::load_quickly(step_spec("h100-sxm", ""));
  const std::map<std::string, Saving> savings = savings_at(study, 0);

  ASSERT_EQ(savings.count("tensor_compute"), 1U);
  double all = 0.0;
  for (const auto& [resource, saving] : savings) {
    EXPECT_GE(saving.without_limit, saving.ten_percent - 1e-9) << resource;
    EXPECT_LT(saving.without_limit, 1.0) << resource;
    all += saving.ten_percent;
  }
  // Ten percent more of everything saves 1 - 1 / 1.1 to first order, less what the clock loses.
  EXPECT_LT(all, 1.0 - 1.0 / 1.1 + 0.005);
  EXPECT_GT(all, 0.02);
  EXPECT_GT(savings.at("tensor_compute").without_limit, 0.1);
}

// A faster part draws more power: the clock falls, and less is saved.
TEST(Savings, HeedThePowerLimit) {
  const double free =
      savings_at(test::load_quickly(step_spec("h100-sxm", "")), 0).at("tensor_compute").ten_percent;
  const double limited = savings_at(test::load_quickly(step_spec("h100-sxm", "400 W")), 0)
                             .at("tensor_compute")
                             .ten_percent;
  EXPECT_LT(limited, 0.8 * free);
}

TEST(Savings, OfPointsWithoutAnEstimateAreNotKnown) {
  EXPECT_THAT(savings_at(test::load_quickly(step_spec("mi355x", "240 W")), 0), IsEmpty());
}

}  // namespace
}  // namespace scalesweep::study

// Power limits that no clock keeps, or that no device can be set to: a status in every kind of
// work.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "unit/study/study_fixture.hpp"

namespace scalesweep::study {
namespace {

constexpr Status below_rest = status_of(technology::DeriveProblem::power_below_rest);

struct Work {
  const char* name;
  const char* workload;
  const char* strategy;
  // Points at 240 W that keep it on the average of a batch, of which devices wait most.
  int keep = 0;
};

constexpr const char* of_training = R"([strategy]
tensor_parallel = 4
pipeline_parallel = 1
micro_batch = 1
recompute = "none"
zero = 1
sequence_parallel = true
)";
constexpr const char* of_requests = "[strategy]\ntensor_parallel = 4\npipeline_parallel = 1\n";

constexpr std::array<Work, 7> works = {{
    {"training", R"(kind = "training"
model = "llama-3-8b"
sequence = 4096
global_batch = 64
framework = "megatron-bridge"
)",
     of_training},
    {"inference", R"(kind = "inference"
model = "llama-3-8b"
prompt = 1000
output = 100
batch = 64
)",
     of_requests},
    {"serving", R"(kind = "serving"
model = "llama-3-8b"
prompt = 1000
output = 100
)",
     of_requests},
    {"two pools of replicas", R"(kind = "serving"
model = "llama-3-8b"
prompt = 1000
output = 100
batching = "disaggregated"
)",
     of_requests},
    {"reinforcement learning", R"(kind = "reinforcement_learning"
model = "llama-3-8b"
prompts = 64
samples = 4
prompt = 512
output = 1024
)",
     "[strategy]\ntensor_parallel = 4\npipeline_parallel = 1\nmicro_batch = 1\nzero = 3\n"
     "recompute = \"full\"\nsequence_parallel = true\n"},
    {"diffusion", R"(kind = "diffusion"
diffusion_model = "flux-1-dev"
batch = 16
width = 1024
height = 1024
)",
     ""},
    {"recommendation", R"(kind = "recommendation"
recommender = "dlrm-dcnv2"
batch = 65536
)",
     "", 1},
}};

std::string spec_of(const Work& work, const std::string& device, const std::string& limit,
                    const std::string& more = "") {
  return "schema = 1\ntitle = \"limits\"\n[workload]\n" + std::string(work.workload) +
         "[system]\naccelerators = 16\ndevice = \"" + device + "\"\npower_limit = " + limit + "\n" +
         work.strategy + more;
}

std::int64_t count_of(const engine::RangeResult& result, Status status) {
  return result.counts[index_of(status)];
}

// Of no kind of work is anything left that runs at a clock that nobody could set.
TEST(PowerLimits, ThatNoClockKeepsAreAStatusOfEveryKindOfWork) {
  for (const Work& work : works) {
    const engine::RangeResult broken =
        test::evaluate_all(test::load_quickly(spec_of(work, "mi355x", "\"240 W\"")));
    EXPECT_GT(count_of(broken, below_rest), 0) << work.name;
    EXPECT_EQ(count_of(broken, Status::ok), work.keep) << work.name;
    const engine::RangeResult kept =
        test::evaluate_all(test::load_quickly(spec_of(work, "mi355x", "\"700 W\"")));
    EXPECT_EQ(count_of(kept, below_rest), 0) << work.name;
    EXPECT_GT(count_of(kept, Status::ok), 0) << work.name;
  }
}

TEST(PowerLimits, OfDevicesThatCannotBeSetSoLowAreAStatus) {
  for (const Work& work : works) {
    const Study study = test::load_quickly(spec_of(work, "h100-sxm", "[\"199 W\", \"200 W\"]"));
    const Point refused = study.point_at(0);
    EXPECT_EQ(refused.system.status, below_rest) << work.name;
    EXPECT_EQ(refused.system.reason,
              "h100-sxm cannot be set to a power limit below 200 W; its limit is 199 W");
    const Point allowed = study.point_at(study.space().size() - 1);
    EXPECT_EQ(allowed.system.status, Status::ok) << work.name;
  }
}

// What bounds leave out is counted as what is estimated.
TEST(PowerLimits, AreKnownOfPointsThatAreNotEstimated) {
  for (const Work& work : {works[0], works[1]}) {
    const std::string objective = work.name == std::string("training") ? "step_time" : "latency";
    const std::string minimize = "[objectives]\nminimize = [\"" + objective + "\"]\n";
    const std::string limits = "[\"240 W\", \"250 W\", \"260 W\", \"280 W\", \"300 W\", \"400 W\"]";
    Work open = work;
    open.strategy = "";
    const Study all = test::load_quickly(spec_of(open, "mi355x", limits, minimize));
    const Study best = test::load_quickly(spec_of(
        open, "mi355x", limits,
        "[keep]\npolicy = \"best\"\nper = [\"power_limit\"]\ncounts = \"bounded\"\n" + minimize));
    const engine::RangeResult of_all = test::evaluate_all(all);
    const engine::RangeResult of_best = test::evaluate_all(best);
    for (std::size_t status = 0; status < status_count; ++status) {
      EXPECT_EQ(of_best.counts[status], of_all.counts[status]) << work.name << ' ' << status;
    }
    EXPECT_GT(count_of(of_all, below_rest), 0) << work.name;
    EXPECT_GT(count_of(of_all, Status::ok), 0) << work.name;
    const std::size_t status = column_named(best.description().schema, "status");
    for (std::size_t row = 0; row < of_best.rows.rows(); ++row) {
      EXPECT_EQ(of_best.rows.number(status, row), 0.0) << work.name;
    }
  }
}

// A limit below all that was measured of a die makes error bars wider, where it binds.
TEST(PowerLimits, MakeErrorBarsWiderWhereNoneSoLowWasMeasured) {
  const Study study =
      test::load_quickly(spec_of(works[0], "h100-sxm", "[\"700 W\", \"500 W\", \"400 W\"]"));
  const engine::RangeResult result = test::evaluate_all(study);
  const store::Schema& schema = study.description().schema;
  const auto number = [&](const char* column, std::size_t row) {
    return result.rows.number(column_named(schema, column), row);
  };
  ASSERT_EQ(result.rows.rows(), 3U);
  const double measured = number("relative_uncertainty", 0);
  EXPECT_EQ(number("relative_uncertainty", 1), measured) << "an H100 was measured at 500 W";
  EXPECT_NEAR(number("relative_uncertainty", 2),
              std::hypot(measured, std::cbrt(500.0 / 400.0) - 1.0), 1e-6);
  const auto none = static_cast<double>(technology::trait_count);
  EXPECT_EQ(number("least_known", 0), none);
  EXPECT_EQ(number("least_known", 2),
            static_cast<double>(technology::Trait::power_limit_not_measured));
}

}  // namespace
}  // namespace scalesweep::study

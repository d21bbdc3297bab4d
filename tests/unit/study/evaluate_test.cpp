#include "study/evaluate/range_evaluator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "estimator/training/training.hpp"
#include "study_fixture.hpp"

namespace scalesweep::study {
namespace {

using test::small_spec;

double number(const Study& study, const engine::RangeResult& result, const char* column,
              std::size_t row) {
  return result.rows.number(column_named(study.description().schema, column), row);
}

TEST(Evaluate, SplitRangesGiveTheSameAsOne) {
  const Study study = test::load_good(small_spec());
  const engine::RangeResult whole = test::evaluate_all(study);
  std::mt19937 random(7);
  engine::RangeResult parts = test::empty_result(study);
  const engine::Evaluator evaluator = study.make_evaluator();
  for (PointId first = 0; first < study.space().size();) {
    const PointId last =
        std::min<PointId>(study.space().size(), first + 1 + static_cast<PointId>(random() % 97));
    evaluator.evaluate({first, last}, parts);
    first = last;
  }
  test::expect_same_rows(whole.rows, parts.rows);
  EXPECT_EQ(whole.counts, parts.counts);
  EXPECT_EQ(whole.best_objective, parts.best_objective);
}

TEST(Evaluate, OrderOfRangesDoesNotMatter) {
  const Study study = test::load_good(small_spec());
  const engine::RangeResult whole = test::evaluate_all(study);
  const engine::Evaluator evaluator = study.make_evaluator();
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    const auto first =
        static_cast<PointId>(random() % static_cast<std::uint64_t>(study.space().size() - 5));
    engine::RangeResult part = test::empty_result(study);
    evaluator.evaluate({first, first + 5}, part);
    engine::RangeResult expected = test::empty_result(study);
    for (PointId id = first; id < first + 5; ++id) {
      expected.rows.append_row(whole.rows, static_cast<std::size_t>(id));
    }
    test::expect_same_rows(expected.rows, part.rows);
  }
}

TEST(Evaluate, RowsAreInOrderOfIds) {
  const Study study = test::load_good(small_spec());
  const engine::RangeResult result = test::evaluate(study, {100, 300});
  const auto& ids = result.rows.values<std::int64_t>(0);
  ASSERT_EQ(ids.size(), 200U);
  for (std::size_t row = 0; row < ids.size(); ++row) {
    EXPECT_EQ(ids[row], static_cast<PointId>(100 + row));
  }
}

TEST(Evaluate, AgreesWithThePlainPathOnRandomPoints) {
  const Study study = test::load_good(test::replaced(small_spec(), "model = \"llama-2-7b\"",
                                                     "model = [\"llama-2-7b\", \"llama-2-13b\"]"));
  const engine::RangeResult result = test::evaluate_all(study);
  std::mt19937 random(11);
  for (int i = 0; i < 200; ++i) {
    const auto id =
        static_cast<PointId>(random() % static_cast<std::uint64_t>(study.space().size()));
    const Point point = study.point_at(id);
    const estimator::TrainingEstimate plain = estimator::estimate_training(
        {work_of<estimator::TrainingJob>(point.job), *point.system.system, point.strategy});
    const auto row = static_cast<std::size_t>(id);
    ASSERT_EQ(number(study, result, "step_time", row), plain.step_time_s()) << "point " << id;
    ASSERT_EQ(number(study, result, "status", row),
              static_cast<double>(index_of(status_of(plain.verdict))));
  }
}

TEST(Evaluate, CountsEveryIdOnce) {
  const Study study = test::load_good(small_spec());
  const engine::RangeResult result = test::evaluate_all(study);
  const auto statuses = static_cast<std::ptrdiff_t>(study.description().count_names.size());
  EXPECT_EQ(
      std::accumulate(result.counts.begin(), result.counts.begin() + statuses, std::int64_t{0}),
      study.space().size());
  EXPECT_GT(result.counts[index_of(Status::ok)], 0);
  EXPECT_GT(result.counts[index_of(Status::does_not_fit)], 0);
}

TEST(Evaluate, BestObjectiveIsTheFastestThatFits) {
  const Study study = test::load_good(small_spec());
  const engine::RangeResult result = test::evaluate_all(study);
  double fastest = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < result.rows.rows(); ++row) {
    if (number(study, result, "status", row) == 0.0) {
      fastest = std::min(fastest, number(study, result, "step_time", row));
    }
  }
  EXPECT_EQ(result.best_objective, fastest);
}

TEST(Evaluate, FilteredPointsKeepTheirIdsAndHaveNoEstimate) {
  const Study all = test::load_good(small_spec());
  const Study study = test::load_good(small_spec("[[filter]]\nwhere = \"tensor_parallel <= 2\"\n"));
  ASSERT_EQ(study.space().size(), all.space().size());
  const engine::RangeResult result = test::evaluate_all(study);
  const engine::RangeResult unfiltered = test::evaluate_all(all);
  std::int64_t filtered = 0;
  for (std::size_t row = 0; row < result.rows.rows(); ++row) {
    const bool rejected = number(all, unfiltered, "tensor_parallel", row) > 2.0;
    filtered += rejected ? 1 : 0;
    ASSERT_EQ(number(study, result, "status", row) == index_of(Status::filtered), rejected);
    ASSERT_EQ(std::isnan(number(study, result, "step_time", row)), rejected);
    ASSERT_EQ(std::isnan(number(study, result, "memory_total", row)), rejected);
    ASSERT_EQ(number(study, result, "bottleneck", row) == estimator::resource_count, rejected);
    ASSERT_EQ(number(study, result, "tensor_parallel", row),
              number(all, unfiltered, "tensor_parallel", row));
  }
  EXPECT_GT(filtered, 0);
  EXPECT_EQ(result.counts[index_of(Status::filtered)], filtered);
}

TEST(Evaluate, DevicesThatCannotBeBuiltHaveTheirReason) {
  const Study study =
      test::load_good(test::replaced(small_spec(), "\"826 mm2\"", "[\"826 mm2\", \"2000 mm2\"]"));
  const engine::RangeResult result = test::evaluate_all(study);
  const Status status = status_of(technology::DeriveProblem::die_exceeds_reticle);
  EXPECT_EQ(result.counts[index_of(status)], study.space().size() / 2);
  for (PointId id = 0; id < study.space().size(); id += 11) {
    const Point point = study.point_at(id);
    ASSERT_EQ(point.system.system.has_value(), point.system.status == Status::ok);
    ASSERT_EQ(number(study, result, "status", static_cast<std::size_t>(id)) == index_of(status),
              point.system.status == status);
    if (point.system.status == status) {
      EXPECT_NE(point.system.reason.find("mm"), std::string::npos) << point.system.reason;
    }
  }
}

TEST(Evaluate, CataloguedDevicesBringTheirNetworks) {
  const Study study = test::load_good(R"(schema = 1
title = "Devices"
[workload]
kind = "training"
model = "llama-2-7b"
sequence = 2048
global_batch = 32
[system]
accelerators = 16
device = ["a100-sxm-80gb", "h100-sxm"]
[strategy]
tensor_parallel = [1, 8]
pipeline_parallel = [1]
micro_batch = [1]
)");
  const Point a100 = study.point_at(0);
  const Point h100 = study.point_at(study.space().size() - 1);
  ASSERT_TRUE(a100.system.system && h100.system.system);
  EXPECT_EQ(a100.system.system->device.name, "a100-sxm-80gb");
  EXPECT_GT(h100.system.system->scale_up().bandwidth, a100.system.system->scale_up().bandwidth);
  EXPECT_FALSE(a100.system.derivation.has_value());
  const engine::RangeResult result = test::evaluate_all(study);
  EXPECT_GT(result.counts[index_of(Status::ok)], 0);
}

TEST(Evaluate, PrecisionThatADeviceLacksIsAStatus) {
  const test::Loaded loaded = test::load_text(R"(schema = 1
title = "Precision"
[workload]
kind = "training"
model = "llama-2-7b"
sequence = 2048
global_batch = 32
precision = ["fp16", "bf16"]
[system]
accelerators = 16
device = ["v100-sxm2-32gb"]
[strategy]
tensor_parallel = [8]
pipeline_parallel = [1]
micro_batch = [1]
)");
  EXPECT_EQ(
      loaded.messages,
      "spec.toml:8:22: warning: v100-sxm2-32gb has no matrix unit for bf16 (it has fp16); no "
      "estimate for 1 of 2 combinations of precision and device (status unsupported_precision)\n");
  const Study& study = loaded.study.value();
  const engine::RangeResult result = test::evaluate_all(study);
  EXPECT_EQ(result.counts[index_of(Status::unsupported_precision)], study.space().size() / 2);
  EXPECT_EQ(study.point_at(study.space().size() - 1).system.reason,
            "v100-sxm2-32gb has no matrix unit for bf16 (it has fp16)");
}

TEST(Evaluate, DomainThatALinkCannotJoinIsAStatus) {
  const Study study =
      test::load_good(test::replaced(small_spec(), "domain = 8", "domain = [8, 100000]"));
  const engine::RangeResult result = test::evaluate_all(study);
  EXPECT_EQ(result.counts[index_of(Status::domain_exceeds_link)], study.space().size() / 2);
}

}  // namespace
}  // namespace scalesweep::study

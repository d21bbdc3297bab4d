// Studies of recommendation models: from a spec to rows, and what a wrong one is told.
#include <gmock/gmock.h>

#include "estimator/recommendation/recommendation.hpp"
#include "study/kinds/workload_kind.hpp"
#include "unit/study/study_fixture.hpp"

namespace scalesweep::study {
namespace {

using ::testing::HasSubstr;

std::string spec_with(const std::string& workload = "", const std::string& rest = "") {
  return R"(schema = 1
title = "Recommendation"
[workload]
kind = "recommendation"
recommender = "dlrm-dcnv2"
batch = 65536
)" + workload +
         R"([system]
accelerators = [1, 8, 16]
device = ["a100-sxm-80gb", "h100-sxm"]
)" + rest;
}

TEST(RecommendationStudy, GoesFromASpecToRows) {
  const Study study = test::load_good(spec_with("table_growth = [1, 4]\n"));
  const engine::RangeResult result = test::evaluate_all(study);
  const store::Schema& schema = study.description().schema;
  const auto number = [&](const char* column, std::size_t row) {
    return result.rows.number(column_named(schema, column), row);
  };
  // One sharding on one device, four on more.
  ASSERT_EQ(study.space().size(), 2 * 2 * (1 + 4 + 4));
  for (PointId id = 0; id < study.space().size(); ++id) {
    const Point point = study.point_at(id);
    const auto& job = work_of<estimator::RecommendationJob>(point.job);
    const estimator::RecommendationEstimate estimate =
        estimator::estimate_recommendation(job, *point.system.system, point.strategy);
    const auto row = static_cast<std::size_t>(id);
    EXPECT_DOUBLE_EQ(number("batch_time", row), estimate.batch_time_s());
    EXPECT_NEAR(number("samples_per_second", row) * estimate.batch_time_s() / 65536.0, 1.0, 1e-6);
    EXPECT_NEAR(number("memory_short", row), estimate.memory.short_bytes(),
                1e-6 * estimate.memory.total_bytes());
    EXPECT_EQ(number("status", row),
              static_cast<double>(index_of(
                  estimate.memory.short_bytes() > 0.0 ? Status::does_not_fit : Status::ok)));
    EXPECT_NEAR(number("phase_lookup", row), estimate.phase_s[0], 1e-6 * estimate.phase_s[0]);
    EXPECT_GT(number("cost_per_million_samples", row), 0.0);
  }
  EXPECT_GT(result.counts[index_of(Status::does_not_fit)], 0);
  EXPECT_GT(result.counts[index_of(Status::ok)], 0);
  EXPECT_EQ(study.description().root_attributes.at("objectives"),
            R"([{"minimize":"batch_time"},)"
            R"({"minimize":"energy_per_sample"},{"minimize":"accelerators"}])");
}

TEST(RecommendationStudy, KeepsTheBestSharding) {
  const Study study = test::load_good(
      spec_with("", "[keep]\npolicy = \"best\"\nper = [\"device\", \"accelerators\"]\n"));
  engine::RangeResult result = test::evaluate_all(study);
  study.make_evaluator().reduce(result);
  EXPECT_EQ(result.rows.rows(), 4U);  // nothing fits on one device
}

TEST(RecommendationStudy, SaysByHowMuchTablesDoNotFit) {
  const Study study = test::load_good(spec_with());
  const Point point = study.point_at(0);
  ASSERT_EQ(point.accelerators, 1.0);
  const auto estimator = recommendation_kind().estimator(point.job, point.system, {}, nullptr);
  EXPECT_EQ(estimator->estimate(point.strategy).status, Status::does_not_fit);
  EXPECT_THAT(estimator->reason(), HasSubstr("the fullest device lacks"));
}

TEST(RecommendationStudy, MistakesHaveTheirPlace) {
  const auto messages = [](const std::string& workload, const std::string& rest = "") {
    return test::load_text(spec_with(workload, rest)).messages;
  };
  EXPECT_THAT(messages("framework = \"vllm\"\n"), HasSubstr("spec.toml:7:"));
  EXPECT_THAT(messages("framework = \"vllm\"\n"), HasSubstr("'vllm@0.14'"));
  EXPECT_THAT(messages("global_batch = 4\n"), HasSubstr("write batch"));
  EXPECT_THAT(messages("prompt = 4\n"), HasSubstr("'prompt' goes with kind = "));
  EXPECT_THAT(messages("precision = \"fp15\"\n"), HasSubstr("there is no precision 'fp15'"));
  EXPECT_THAT(messages("table_optimizer = \"lamb\"\n"), HasSubstr("lamb"));
  EXPECT_THAT(messages("resident_rows = 1.5\n"), HasSubstr("resident_rows"));
  EXPECT_THAT(messages("", "[strategy]\ntable_sharding = \"rows\"\n"),
              HasSubstr("unknown table_sharding 'rows'"));
  EXPECT_THAT(messages("", "[strategy]\ntensor_parallel = 2\n"),
              HasSubstr("leave 'tensor_parallel' out"));
  EXPECT_THAT(test::load_text(test::replaced(spec_with(), "dlrm-dcnv2", "dlrm-dcnv3")).messages,
              HasSubstr("the catalog has no recommendation model 'dlrm-dcnv3'"));
  EXPECT_THAT(test::load_text(test::replaced(spec_with(), "65536", "30")).messages,
              HasSubstr("accelerators (8) must divide batch (30)"));
}

}  // namespace
}  // namespace scalesweep::study

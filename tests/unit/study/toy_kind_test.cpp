// A fourth kind of workload, made of what the headers offer and of nothing else: what a further one
// costs is this file, less its tests. Models score batches of items, limited by matrix units alone.
#include <gmock/gmock.h>

#include <array>

#include "study/columns/shared_columns.hpp"
#include "study/kinds/checks.hpp"
#include "study/kinds/estimator_of.hpp"
#include "study/kinds/precision.hpp"
#include "study/kinds/workload_kind.hpp"
#include "unit/study/study_fixture.hpp"
#include "workload/model.hpp"

namespace scalesweep::study {
namespace {

using ::testing::HasSubstr;

// The job.
struct ScoringJob {
  workload::TransformerModel model;
  std::int64_t batch = 1;
  std::int64_t items = 1;

  double flop() const { return 2.0 * model.parameters() * static_cast<double>(batch * items); }
};

// Keys, axes, and what they set.
void set_model(ScoringJob& job, const AxisValue& value) {
  job.model = value.catalog.model(value.label);
}
constexpr auto scoring_rows = std::to_array<keys::Row>({
    {{.path = "workload.model",
      .kind = config::KeyKind::name,
      .need = config::Need::required,
      .example = "\"llama-2-7b\"",
      .axis = "model"},
     keys::sets<set_model>},
    {{.path = "workload.batch",
      .kind = config::KeyKind::integer,
      .need = config::Need::required,
      .example = "32",
      .list = true,
      .axis = "batch"},
     keys::sets<&ScoringJob::batch>},
    {{.path = "workload.items",
      .kind = config::KeyKind::integer,
      .need = config::Need::required,
      .example = "[16, 64]",
      .list = true,
      .axis = "items"},
     keys::sets<&ScoringJob::items>},
});
const space::WorkloadForm scoring_form = {.name = "scoring",
                                          .own_rows = scoring_rows,
                                          .strategies = parallel::batch_rules(),
                                          .refused_key = "global_batch",
                                          .instead = "write batch"};

JobResolver scoring_jobs(const space::Spec& /*spec*/, const StudyAxes& axes) {
  return [rules = AxisRules<ScoringJob>(axes, scoring_rows)](const PointAxes& point) {
    ScoringJob job;
    rules.apply(point, job);
    const auto tokens = static_cast<double>(job.batch * job.items);
    return Job{std::move(job), tokens,
               multiplied_of(technology::Precision::bf16, technology::Precision::bf16)};
  };
}

// The estimator, with a status of its own.
constexpr std::array<KindStatus, 1> scoring_statuses = {{{"too_many_items", false}}};
constexpr Status too_many_items = own_status(0);
constexpr std::int64_t most_items = 1000;

struct ScoringEstimate {
  estimator::Charges charges;
  estimator::EnergyUse energy;
};

// The columns.
using At = Evaluated<ScoringEstimate>;
constexpr std::array<std::string_view, 1> phases = {"scoring"};
constexpr auto figure_rows = joined(
    std::to_array<ColumnRow<ScoringEstimate>>({
        {"items_per_second", "s-1", "items per second", "Items scored per second, whole job.", "",
         Better::larger, [](const At& at) { return at.work_units / at.time_s; }},
    }),
    Shared<ScoringEstimate>::device);

EstimateColumns scoring_columns() {
  return {time_column("scoring_time", "scoring time", "Time of a batch.", "time rank"),
          phases,
          schema_of(figure_rows),
          {},
          {"scoring_time", "accelerators"},
          scoring_statuses,
          "What became of the point."};
}

class Scoring {
 public:
  static constexpr std::span<const KindStatus> statuses = scoring_statuses;

  Scoring(Job job, const SystemChoice& systems, std::span<const OperatorName> /*operators*/,
          const Scoring* /*before*/)
      : job_(work_of<ScoringJob>(std::move(job))),
        peak_(technology::matrix_peak(systems.system->device, technology::Precision::bf16).si()) {}

  Status estimate(const parallel::Strategy& strategy, Rows /*rows*/) {
    if (job_.items > most_items) {
      return too_many_items;
    }
    last_.charges =
        estimator::Charges::of(estimator::Resource::tensor_compute,
                               job_.flop() / peak_ / static_cast<double>(strategy.devices()));
    return Status::ok;
  }
  double rank() const { return last_.charges.total_s(); }
  std::string reason() const { return ""; }
  double nearest(const JobFigures& /*figures*/) const { return unknown_distance; }
  void fill(EstimateRow& row, const JobFigures& figures) const {
    const double time_s = last_.charges.total_s();
    const At at = At::of(last_, figures, time_s, time_s, figures.work_units);
    set_row<figure_rows>(row, Status::ok, at, last_.charges, std::array{time_s});
  }

 private:
  ScoringJob job_;
  double peak_;
  ScoringEstimate last_;
};

// The kind.
constexpr WorkUnit item_unit = {"item", "items"};
const WorkloadKind scoring_kind = {.form = scoring_form,
                                   .unit = item_unit,
                                   .columns = scoring_columns,
                                   .check = check_decoders,
                                   .jobs = scoring_jobs,
                                   .estimator = make_estimator<Scoring>};
const std::array four_kinds = {&training_kind(), &inference_kind(), &serving_kind(), &scoring_kind};

std::string scoring_spec(const std::string& workload = "", const std::string& rest = "") {
  return R"(schema = 1
title = "Scoring"
[workload]
kind = "scoring"
model = "llama-2-7b"
items = [16, 64, 2000]
batch = 32
)" + workload +
         R"([system]
accelerators = [4, 8]
device = ["h100-sxm"]
[strategy]
pipeline_parallel = 1
)" + rest;
}

TEST(ToyKind, GoesFromASpecToRows) {
  const test::Loaded loaded = test::load_text(scoring_spec(), four_kinds);
  ASSERT_EQ(loaded.messages, "");
  const Study& study = *loaded.study;
  const engine::RangeResult result = test::evaluate_all(study);
  const store::Schema& schema = study.description().schema;
  const auto number = [&](const char* column, std::size_t row) {
    return result.rows.number(column_named(schema, column), row);
  };
  ASSERT_EQ(result.rows.rows(), static_cast<std::size_t>(study.space().size()));
  for (PointId id = 0; id < study.space().size(); ++id) {
    const Point point = study.point_at(id);
    const auto& job = work_of<ScoringJob>(point.job);
    const auto row = static_cast<std::size_t>(id);
    if (job.items > most_items) {
      EXPECT_EQ(number("status", row), static_cast<double>(index_of(too_many_items)));
      continue;
    }
    const double peak = number("tensor_peak", row);
    EXPECT_NEAR(number("scoring_time", row), job.flop() / peak / point.accelerators, 1e-8);
    EXPECT_EQ(number("charge_tensor_compute", row), number("scoring_time", row));
    EXPECT_EQ(number("status", row), static_cast<double>(index_of(Status::ok)));
  }
  EXPECT_EQ(result.counts[index_of(too_many_items)], study.space().size() / 3);
  EXPECT_EQ(study.description().count_names.back(), "too_many_items");
  EXPECT_EQ(study.description().root_attributes.at("objectives"),
            R"([{"minimize":"scoring_time"},{"minimize":"accelerators"}])");
}

TEST(ToyKind, KeepsTheBestByItsOwnTime) {
  const test::Loaded loaded = test::load_text(
      scoring_spec("", "[keep]\npolicy = \"best\"\n[[filter]]\nwhere = \"items == 64\"\n"),
      four_kinds);
  ASSERT_EQ(loaded.messages, "");
  engine::RangeResult result = test::evaluate_all(*loaded.study);
  loaded.study->make_evaluator().reduce(result);
  ASSERT_EQ(result.rows.rows(), 1U);
  const auto id = static_cast<PointId>(result.rows.number(0, 0));
  EXPECT_EQ(loaded.study->point_at(id).accelerators, 8.0);
  EXPECT_EQ(work_of<ScoringJob>(loaded.study->point_at(id).job).items, 64);
}

TEST(ToyKind, KeysOfOtherKindsAreRefusedBothWays) {
  EXPECT_THAT(test::load_text(scoring_spec("global_batch = 8\n"), four_kinds).messages,
              HasSubstr("'global_batch' goes with kind = \"training\", not \"scoring\"; write "
                        "batch"));
  EXPECT_THAT(test::load_text(test::replaced(test::small_spec(), "sequence", "items = 3\nsequence"),
                              four_kinds)
                  .messages,
              HasSubstr("'items' goes with kind = \"scoring\", not \"training\""));
  EXPECT_THAT(
      test::load_text(test::replaced(scoring_spec(), "items = [16, 64, 2000]\n", ""), four_kinds)
          .messages,
      HasSubstr("missing key 'items'"));
}

TEST(ToyKind, IsNotKnownWhereItIsNotRegistered) {
  EXPECT_THAT(test::load_text(scoring_spec()).messages,
              HasSubstr("unknown kind of workload 'scoring'"));
}

}  // namespace
}  // namespace scalesweep::study

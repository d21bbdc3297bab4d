#include "validation/reports.hpp"

#include <gtest/gtest.h>

#include "validation/kinds/case_kind.hpp"

namespace scalesweep::validation {
namespace {

CaseRow row(double measured, double predicted) {
  CaseRow r;
  r.measured = measured;
  r.predicted.value = predicted;
  r.tokens = 1.0;
  r.gpus = 8;
  return r;
}

CaseFile file(std::vector<CaseRow> rows) {
  CaseFile cases{&training_cases(), {}, {}};
  cases.rows = std::move(rows);
  return cases;
}

TEST(Reports, NamedGroupsComeInTheOrderOfTheRows) {
  CaseFile cases{&inference_cases(), {}, {}};
  for (const char* group : {"", "NIM", "Xeon", "NIM", ""}) {
    CaseRow row;
    row.group = group;
    cases.rows.push_back(row);
  }
  EXPECT_EQ(named_groups(cases), (std::vector<std::string>{"NIM", "Xeon"}));
}

TEST(Agreement, CountsRowsThatAreMeasuredAndPredicted) {
  CaseRow unpredicted = row(1.0, 1.0);
  unpredicted.predicted.value.reset();
  CaseRow unmeasured = row(1.0, 1.0);
  unmeasured.measured.reset();
  const CaseFile cases = file({row(1.0, 1.1), unpredicted, row(2.0, 1.8), unmeasured});
  const Agreement all = agreement(rows_where(cases, [](const CaseRow&) { return true; }));

  EXPECT_EQ(all.error.count, 2U);
  EXPECT_NEAR(all.error.mean_absolute, 0.1, 1e-12);
  EXPECT_NEAR(all.error.bias, 0.0, 1e-12);
  EXPECT_DOUBLE_EQ(*all.rank_correlation, 1.0);
}

TEST(Agreement, SaysHowManyErrorsAreWithinTheirBars) {
  CaseRow near = row(1.0, 1.1);
  near.predicted.relative_uncertainty = 0.11;
  CaseRow far = row(1.0, 0.7);
  far.predicted.relative_uncertainty = 0.11;
  // Half the rate is twice the time, off by 1; of a time it would be off by a half.
  CaseRow rate = row(2.0, 1.0);
  rate.is_rate = true;
  rate.predicted.relative_uncertainty = 0.6;
  const CaseFile cases = file({near, far, rate, row(1.0, 1.0)});
  const auto rows = rows_where(cases, [](const CaseRow&) { return true; });
  const Coverage coverage = agreement(rows).coverage;
  EXPECT_EQ(coverage.count, 3U) << "the last row has no bar";
  EXPECT_EQ(coverage.within_one, 1U);
  EXPECT_EQ(coverage.within_two, 2U);
  const Figure power{"power_w", &CaseFigures::power_w};
  EXPECT_EQ(agreement(rows, power).coverage.count, 0U) << "bars are of times";
}

TEST(Groups, AreThoseOfOneSourceDeviceFrameworkOperatorAndPrecision) {
  CaseRow a = row(1.0, 1.0);
  a.device = "a";
  CaseRow b = a;
  b.precision = "fp8";
  CaseRow c = a;
  c.op = "matmul";
  CaseRow unmeasured = a;
  unmeasured.device = "z";
  unmeasured.measured.reset();
  const std::vector<Group> found = groups(file({a, b, a, c, unmeasured, a}));

  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].agreement.error.count, 3U);
  EXPECT_EQ(found[1].precision, "fp8");
  EXPECT_EQ(found[1].agreement.error.count, 1U);
  EXPECT_EQ(found[2].op, "matmul");
}

TEST(Figures, OfEnergyAreComparedWhereTheFileHasThem) {
  Diagnostics diagnostics;
  CaseRow a = row(1.0, 1.1);
  a.device = "a";
  a.measured_figures = {2.0, 100.0};
  a.predicted.figures = {1.5, 80.0};
  CaseRow unmeasured = a;
  unmeasured.measured_figures.power_w.reset();
  CaseRow b = row(1.0, 1.0);
  b.device = "b";
  CaseFile cases = file({a, b, unmeasured});
  cases.table = *CsvTable::parse("f.csv", "case,device\na,a\nb,b\nc,a\n", diagnostics);
  EXPECT_EQ(groups(cases).size(), 2U);

  cases.table = *CsvTable::parse(
      "f.csv", "case,device,power_w,energy_per_token_j\na,a,,\nb,b,,\nc,a,,\n", diagnostics);
  const std::vector<Group> found = groups(cases);
  ASSERT_EQ(found.size(), 4U) << "three figures of a, one of b";
  EXPECT_EQ(found[0].figure.column, "step_time_s");
  EXPECT_EQ(found[1].figure.column, "energy_per_token_j");
  EXPECT_EQ(found[1].agreement.error.count, 2U);
  EXPECT_NEAR(found[1].agreement.error.bias, -0.25, 1e-12);
  EXPECT_EQ(found[2].figure.column, "power_w");
  EXPECT_EQ(found[2].agreement.error.count, 1U);
  EXPECT_NEAR(found[2].agreement.error.mean_absolute, 0.2, 1e-12);
  EXPECT_EQ(found[3].device, "b");
  const std::vector<Residuals> by = residuals_by(cases, {"device"});
  ASSERT_EQ(by.size(), 4U);
  EXPECT_EQ(by[2].cells, "device a");
  EXPECT_EQ(by[2].figure.column, "power_w");
}

TEST(Residuals, AreOfRowsWithTheSameCells) {
  Diagnostics diagnostics;
  CaseFile cases =
      file({row(1.0, 1.1), row(1.0, 1.3), row(1.0, 0.9), row(1.0, 1.0), row(1.0, 1.0)});
  cases.table =
      *CsvTable::parse("f.csv", "case,tp,pp\na,16,1\nb,2,1\nc,16,1\nd,,2\ne,2,2\n", diagnostics);
  cases.rows[4].measured.reset();
  const std::vector<Residuals> found = residuals_by(cases, {"tp", "pp"});

  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].cells, "tp 2, pp 1");
  EXPECT_EQ(found[1].cells, "tp 16, pp 1");
  EXPECT_EQ(found[2].cells, "tp empty, pp 2");
  EXPECT_EQ(found[1].agreement.error.count, 2U);
  EXPECT_NEAR(found[1].agreement.error.mean_absolute, 0.1, 1e-12);
}

TEST(MemoryAgreement, IsOfTheFiguresThatAreMeasured) {
  CaseRow a = row(1.0, 1.0);
  a.measured_memory = {10.0, std::nullopt, 20.0};
  a.predicted.memory = {11.0, 5.0, 19.0};
  CaseRow b = row(1.0, 1.0);
  b.measured_memory = {10.0, std::nullopt, std::nullopt};
  b.predicted.memory = {8.0, 5.0, 19.0};
  const std::vector<MemoryAgreement> memory = memory_agreement(file({a, b}));

  ASSERT_EQ(memory.size(), 2U);
  EXPECT_EQ(memory[0].figure, "states");
  EXPECT_EQ(memory[0].error.count, 2U);
  EXPECT_NEAR(memory[0].error.mean_absolute, 0.15, 1e-12);
  EXPECT_EQ(memory[1].figure, "reserved");
  EXPECT_NEAR(memory[1].error.bias, -0.05, 1e-12);
}

TEST(Verdicts, CountMeasuredAgainstPredictedOutcomes) {
  const auto outcome = [](std::optional<bool> measured, std::optional<bool> predicted) {
    CaseRow r;
    r.measured_fits = measured;
    r.predicted.fits = predicted;
    return r;
  };
  const Verdicts counts = verdicts(
      file({outcome(true, true), outcome(true, true), outcome(true, false), outcome(false, true),
            outcome(false, false), outcome(std::nullopt, true), outcome(true, std::nullopt)}));

  EXPECT_EQ(counts.fits_as_predicted, 2U);
  EXPECT_EQ(counts.fits_though_not_predicted, 1U);
  EXPECT_EQ(counts.out_of_memory_as_predicted, 1U);
  EXPECT_EQ(counts.out_of_memory_though_not_predicted, 1U);
  EXPECT_EQ(counts.count(), 5U);
  EXPECT_DOUBLE_EQ(counts.agreement(), 0.6);
  EXPECT_DOUBLE_EQ(Verdicts{}.agreement(), 0.0);
}

// Twenty layouts that take 20, 21, ... s; the model ranks them by `predicted`.
std::vector<CaseRow> twenty(const std::vector<double>& first_predictions) {
  std::vector<CaseRow> rows;
  for (int i = 0; i < 20; ++i) {
    const auto n = static_cast<std::size_t>(i);
    rows.push_back(row(20.0 + i, n < first_predictions.size() ? first_predictions[n] : 100.0 + i));
  }
  return rows;
}

TEST(Rankings, RegretWhatTheBestOfTheModelsFirstTakesMore) {
  // Ranked first: the layout of 24 s; then those of 22 and 23 s; the best takes 20 s.
  const std::vector<Ranking> found = rankings(file(twenty({90.0, 80.0, 20.0, 30.0, 10.0})));

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].gpus, 8);
  EXPECT_EQ(found[0].agreement.error.count, 20U);
  EXPECT_NEAR(found[0].regret_first, 0.2, 1e-12);
  EXPECT_NEAR(found[0].regret_first_three, 0.1, 1e-12);
}

TEST(Rankings, CompareTimePerToken) {
  std::vector<CaseRow> rows = twenty({1.0});
  rows[19].tokens = 39.0;  // 1 s a token, where the others take 20 to 38
  const std::vector<Ranking> found = rankings(file(rows));

  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].regret_first, 19.0) << "the model's first takes 20 s a token";
  EXPECT_DOUBLE_EQ(found[0].regret_first_three, 0.0);
}

TEST(Rankings, NeedTwentyMeasuredLayoutsOfOneModelOnOneNumberOfDevices) {
  std::vector<CaseRow> rows = twenty({});
  rows[3].measured.reset();
  EXPECT_TRUE(rankings(file(rows)).empty());
  rows = twenty({});
  rows[3].gpus = 16;
  EXPECT_TRUE(rankings(file(rows)).empty());
  rows = twenty({});
  rows[3].shape = "other";
  EXPECT_TRUE(rankings(file(rows)).empty());
  rows = twenty({});
  rows[3].device = "other";
  EXPECT_TRUE(rankings(file(rows)).empty());
  CaseFile kernels = file(twenty({}));
  kernels.kind = &kernel_cases();
  EXPECT_TRUE(rankings(kernels).empty());
}

}  // namespace
}  // namespace scalesweep::validation

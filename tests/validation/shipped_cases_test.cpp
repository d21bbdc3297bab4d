// The published figures that ship in this folder, each with its source.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>

#include "case_files.hpp"
#include "validation/reports.hpp"

namespace scalesweep::validation {
namespace {

TEST(ShippedCases, AreAtLeastAHundredFiguresWithTheirSources) {
  std::size_t figures = 0;
  for (const auto& file : test::shipped_case_files()) {
    Diagnostics diagnostics;
    const CaseFile cases = test::evaluated(file, diagnostics);
    EXPECT_EQ(diagnostics.text(), "");
    for (const CaseRow& row : cases.rows) {
      const CaseFigures& beside = row.measured_figures;
      EXPECT_TRUE(row.measured || beside.goodput || beside.time_to_train_days)
          << file << ": " << row.name;
      EXPECT_NE(row.source, "") << file << ": " << row.name;
      figures += row.measured ? 1 : 0;
    }
  }
  EXPECT_GE(figures, 100U);
}

// Bounds are what the model reaches plus a margin for honest changes, for each publisher: vendors
// leave out what decides a step (recomputation, overlap), so theirs are the widest.
struct Bounds {
  const char* file;
  double mean;
  double median;
  Figure figure = {};  // the time
};
const std::array<Bounds, 24> bounds = {{
    {"diffusion.csv", 0.18, 0.165},
    {"fine-tuning.csv", 0.12, 0.14},
    {"h100-diffusion-training.csv", 0.095, 0.09},
    {"h100-pytorch-kernels.csv", 0.17, 0.065},
    {"h200-pytorch-kernels.csv", 0.17, 0.08},
    {"h100-transformers-inference.csv", 0.095, 0.095},
    {"h100-transformers.csv", 0.09, 0.095},
    {"kernels-attention-libraries.csv", 0.16, 0.12},
    {"kernels-all-reduce-libraries.csv", 0.055, 0.035},
    {"kernels-experts.csv", 0.24, 0.155},
    {"kernels-latent.csv", 0.40, 0.36},
    {"megatron-korthikanti-2022.csv", 0.0365, 0.03},
    {"megatron-smith-2022.csv", 0.30, 0.30},
    {"mosaicml-llm-foundry.csv", 0.10, 0.09},
    {"multimodal-inference.csv", 0.1, 0.1},
    {"multimodal.csv", 0.27, 0.29},
    {"nvidia-megatron.csv", 0.21, 0.14},
    {"nvidia-nim-nemo.csv", 0.09, 0.075},
    {"palm-540b.csv", 0.10, 0.10},
    {"recommendation.csv", 0.15, 0.175},
    {"reinforcement-learning.csv", 0.22, 0.22},
    {"torchtitan-h200.csv", 0.06, 0.06},
    {"training-runs.csv", 0.07, 0.055, {"goodput", &CaseFigures::goodput}},
    {"xeon-qwen-72b.csv", 0.25, 0.25},
}};

TEST(ShippedCases, ArePredictedAsWellAsBefore) {
  EXPECT_EQ(test::shipped_case_files().size(), bounds.size());
  for (const Bounds& bound : bounds) {
    Diagnostics diagnostics;
    const CaseFile cases =
        test::evaluated(test::sources() / "tests" / "validation" / bound.file, diagnostics);
    for (const CaseRow& row : cases.rows) {
      EXPECT_TRUE(row.predicted.value) << bound.file << ": " << row.name;
    }
    const Agreement all =
        agreement(rows_where(cases, [](const CaseRow&) { return true; }), bound.figure);
    fmt::print("{:<32} {:>4} cases, {:>4} predicted, mean error {:5.1f} %, median {:5.1f} %\n",
               bound.file, cases.rows.size(), all.error.count, 100.0 * all.error.mean_absolute,
               100.0 * all.error.median_absolute);
    ASSERT_GT(all.error.count, 0U) << bound.file;
    EXPECT_LT(all.error.mean_absolute, bound.mean) << bound.file;
    EXPECT_LT(all.error.median_absolute, bound.median) << bound.file;
  }
}

// Of what two of three runs lie between, and twice that; five of the eight have an entry by hand.
TEST(ShippedCases, DaysOfRunsAreWithinTheirBars) {
  Diagnostics diagnostics;
  const CaseFile runs =
      test::evaluated(test::sources() / "tests" / "validation" / "training-runs.csv", diagnostics);
  const Coverage days = agreement(rows_where(runs, [](const CaseRow&) { return true; }),
                                  {"time_to_train_days", &CaseFigures::time_to_train_days})
                            .coverage;
  EXPECT_EQ(days.count, 8U);
  EXPECT_GE(days.within_one, 5U);
  EXPECT_GE(days.within_two, 7U);
}

}  // namespace
}  // namespace scalesweep::validation

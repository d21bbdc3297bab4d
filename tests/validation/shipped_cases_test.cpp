// The published training steps that ship in this folder, each with its source.
#include <fmt/core.h>
#include <gtest/gtest.h>

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
      EXPECT_TRUE(row.measured) << file << ": " << row.name;
      EXPECT_NE(row.source, "") << file << ": " << row.name;
      figures += row.measured ? 1 : 0;
    }
  }
  EXPECT_GE(figures, 100U);
}

TEST(ShippedCases, ArePredictedOrSayWhyNot) {
  for (const auto& file : test::shipped_case_files()) {
    Diagnostics diagnostics;
    const CaseFile cases = test::evaluated(file, diagnostics);
    for (const CaseRow& row : cases.rows) {
      EXPECT_NE(row.predicted.value.has_value(), !row.predicted.note.empty())
          << file << ": " << row.name;
    }
    const Agreement all = agreement(rows_where(cases, [](const CaseRow&) { return true; }));
    fmt::print("{:<32} {:>4} cases, {:>4} predicted, mean error {:5.1f} %, median {:5.1f} %\n",
               file.filename().string(), cases.rows.size(), all.error.count,
               100.0 * all.error.mean_absolute, 100.0 * all.error.median_absolute);
  }
}

}  // namespace
}  // namespace scalesweep::validation

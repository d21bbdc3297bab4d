// The measured cases that do not ship: skipped where they are not.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "case_files.hpp"
#include "validation/reports.hpp"

namespace scalesweep::validation {
namespace {

class MeasuredCases : public ::testing::Test {
 protected:
  void SetUp() override {
    files_ = test::case_files(test::measured_folder());
    if (files_.empty()) {
      GTEST_SKIP() << "no measured cases in " << test::measured_folder()
                   << "; SCALESWEEP_CASES names another folder";
    }
  }
  const std::vector<std::filesystem::path>& files() const { return files_; }

 private:
  std::vector<std::filesystem::path> files_;
};

TEST_F(MeasuredCases, AreAllReadAndPredictedOrSayWhyNot) {
  for (const auto& file : files()) {
    Diagnostics diagnostics;
    const CaseFile cases = test::evaluated(file, diagnostics);
    EXPECT_EQ(diagnostics.text(), "");
    EXPECT_GT(cases.rows.size(), 0U) << file;
    for (const CaseRow& row : cases.rows) {
      EXPECT_NE(row.predicted.value.has_value(), !row.predicted.note.empty())
          << file << ": " << row.name;
    }
    const Agreement all = agreement(rows_where(cases, [](const CaseRow&) { return true; }));
    fmt::print("{:<32} {:>5} cases, {:>5} compared, mean error {:5.1f} %, median {:5.1f} %\n",
               file.filename().string(), cases.rows.size(), all.error.count,
               100.0 * all.error.mean_absolute, 100.0 * all.error.median_absolute);
  }
}

}  // namespace
}  // namespace scalesweep::validation

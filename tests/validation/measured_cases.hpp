// Measured cases that do not ship, for the tests of this folder: skipped where they are not.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "case_files.hpp"
#include "validation/reports.hpp"

namespace scalesweep::validation {

class MeasuredCases : public ::testing::Test {
 protected:
  explicit MeasuredCases(std::filesystem::path folder = test::measured_folder())
      : folder_(std::move(folder)) {}
  void SetUp() override {
    files_ = test::case_files(folder_);
    if (files_.empty()) {
      GTEST_SKIP() << "no measured cases in " << folder_
                   << "; SCALESWEEP_CASES names another folder";
    }
  }
  const std::vector<std::filesystem::path>& files() const { return files_; }

  // Nothing if the folder lacks the file.
  std::optional<CaseFile> read(const std::string& name) const {
    for (const auto& file : files_) {
      if (file.filename() == name) {
        Diagnostics diagnostics;
        CaseFile cases = test::evaluated(file, diagnostics);
        EXPECT_EQ(test::mistakes(diagnostics), "");
        return cases;
      }
    }
    return std::nullopt;
  }

 private:
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> files_;
};

inline std::string missing(const std::string& name) {
  return fmt::format("no {} in {}; SCALESWEEP_CASES names another folder", name,
                     test::measured_folder().string());
}

using Wanted = std::function<bool(const CaseRow&)>;

inline bool any(const CaseRow& /*row*/) {
  return true;
}
inline bool useful(const CaseRow& row) {
  return row.measured_utilization >= useful_utilization;
}

// Prints what it returns, so that a passing test shows it too.
inline Agreement printed(const std::string& what, const CaseFile& cases, const Wanted& wanted,
                         const Figure& figure = {}) {
  const Agreement result = agreement(rows_where(cases, wanted), figure);
  fmt::print(
      "{:<36} {:>5} rows: mean error {:5.2f} %, median {:5.2f} %, signed {:+6.2f} %, Spearman "
      "{:.3f}\n",
      what, result.error.count, 100.0 * result.error.mean_absolute,
      100.0 * result.error.median_absolute, 100.0 * result.error.bias,
      result.rank_correlation.value_or(0.0));
  return result;
}

// The same where a bound follows, which no rows would meet.
inline Agreement agreed(const std::string& what, const CaseFile& cases, const Wanted& wanted,
                        const Figure& figure = {}) {
  const Agreement result = printed(what, cases, wanted, figure);
  EXPECT_GT(result.error.count, 0U) << what;
  return result;
}

}  // namespace scalesweep::validation

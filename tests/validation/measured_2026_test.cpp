// Servers and kernels of 2025 and 2026, which do not ship: skipped where they are not. Other rows
// of the same kinds, devices and models judge them elsewhere; these bounds keep what is reached.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "measured_cases.hpp"

namespace scalesweep::validation {
namespace {

class MeasuredIn2026 : public MeasuredCases {
 protected:
  MeasuredIn2026() : MeasuredCases(test::measured_folder() / ".." / "cases-2026") {}
};

struct Bound {
  const char* file;
  double mean_absolute, median_absolute;
  double fewest_within_one, most_within_one, fewest_within_two;
};

// Time per token and rates of running servers, first tokens of a closed loop, workers that decode.
// Bars of servers are somewhat too wide: half of their rows have no bar of their own stack.
constexpr std::array<Bound, 3> servers = {{
    {"inference-servers-2026.csv", 0.15, 0.095, 0.60, 0.82, 0.94},
    {"inference-servers-2026-ttft.csv", 0.48, 0.25, 0.60, 0.80, 0.90},
    {"inference-decode-workers-2026.csv", 0.175, 0.15, 0.60, 0.82, 0.90},
}};

TEST_F(MeasuredIn2026, ServersAgree) {
  for (const Bound& bound : servers) {
    const auto cases = read(bound.file);
    if (!cases) {
      GTEST_SKIP() << missing(bound.file);
    }
    const Agreement found = agreed(bound.file, *cases, any);
    EXPECT_LT(found.error.mean_absolute, bound.mean_absolute) << bound.file;
    EXPECT_LT(found.error.median_absolute, bound.median_absolute) << bound.file;
    fmt::print("{:<36} {:>5} bars: {:3.0f} % within one, {:3.0f} % within two\n", bound.file,
               found.coverage.count, 100.0 * found.coverage.share_within_one(),
               100.0 * found.coverage.share_within_two());
    EXPECT_GT(found.coverage.share_within_one(), bound.fewest_within_one) << bound.file;
    EXPECT_LT(found.coverage.share_within_one(), bound.most_within_one) << bound.file;
    EXPECT_GT(found.coverage.share_within_two(), bound.fewest_within_two) << bound.file;
  }
}

TEST_F(MeasuredIn2026, GemmsOfEachLibraryAgree) {
  const auto cases = read("kernels-gemm-libraries.csv");
  if (!cases) {
    GTEST_SKIP() << missing("kernels-gemm-libraries.csv");
  }
  for (const std::string library : {"SGLang", "vLLM", "TensorRT-LLM"}) {
    const Agreement found = agreed("GEMM of " + library, *cases, [&](const CaseRow& row) {
      return row.framework.starts_with(library);
    });
    EXPECT_LT(found.error.median_absolute, 0.12) << library;
  }
}

// Rows of one service that differ in the format of its weights and products, where these are more
// than a tenth apart: which is the faster one.
TEST_F(MeasuredIn2026, PrecisionsAreInTheMeasuredOrder) {
  const auto cases = read("inference-servers-2026.csv");
  if (!cases) {
    GTEST_SKIP() << missing("inference-servers-2026.csv");
  }
  struct Mean {
    double measured = 0.0, predicted = 0.0, rows = 0.0;
  };
  std::map<std::vector<std::string>, std::map<std::string, Mean>> services;
  for (std::size_t i = 0; i < cases->rows.size(); ++i) {
    const CaseRow& row = cases->rows[i];
    if (!row.measured || !row.predicted.value) {
      continue;
    }
    std::vector<std::string> service = {row.framework};
    for (const char* column : {"device", "gpus", "model", "tp", "pp", "dp", "ep", "concurrency",
                               "prompt_tokens", "output_tokens", "metric"}) {
      service.push_back(cases->table.cell(i, column));
    }
    Mean& mean = services[service][row.precision];
    mean.measured += *row.measured;
    mean.predicted += *row.predicted.value;
    mean.rows += 1.0;
  }
  int pairs = 0;
  int right = 0;
  for (const auto& [service, formats] : services) {
    for (auto a = formats.begin(); a != formats.end(); ++a) {
      for (auto b = std::next(a); b != formats.end(); ++b) {
        const double measured =
            a->second.measured / a->second.rows / (b->second.measured / b->second.rows);
        const double predicted =
            a->second.predicted / a->second.rows / (b->second.predicted / b->second.rows);
        if (std::fabs(measured - 1.0) <= 0.1 && std::fabs(1.0 / measured - 1.0) <= 0.1) {
          continue;
        }
        ++pairs;
        right += (measured < 1.0) == (predicted < 1.0) ? 1 : 0;
      }
    }
  }
  fmt::print("{} of {} pairs of formats in the measured order\n", right, pairs);
  ASSERT_GT(pairs, 40);
  EXPECT_GT(right, 0.78 * pairs);
}

}  // namespace
}  // namespace scalesweep::validation

// A synthetic study with its analysis, and columns of the tables that come out.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/findings/analyze.hpp"
#include "analysis/selection/slice.hpp"
#include "unit/analysis/synthetic_study.hpp"

namespace scalesweep::analysis::testing {

// A point whose time is compute + dram + scale_out.
inline TestPoint point(std::vector<std::int32_t> axes, double compute_s, double dram_s,
                       double scale_out_s, std::int32_t tensor_parallel = 1) {
  TestPoint result;
  result.axes = std::move(axes);
  result.charges_s = {compute_s, 0.0, dram_s, 0.0, 0.0, 0.0, scale_out_s, 0.0};
  result.tensor_parallel = tensor_parallel;
  return result;
}

inline AnalysisResult analysed(const TestStudy& study, const AnalyzeOptions& options = {}) {
  const TemporaryFolder folder;
  study.write(folder.path() / "study.h5");
  return analyze(folder.path() / "study.h5", options);
}

inline std::vector<std::string> texts_of(const AnalysisResult& result, const ResultTable& table,
                                         const std::string& name) {
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < table.table.rows(); ++row) {
    texts.push_back(cell_text(result.axes, table, column_of(table, name), row));
  }
  return texts;
}

inline std::vector<double> numbers_of(const ResultTable& table, const std::string& name) {
  return numbers(table.table, table.schema, name);
}

}  // namespace scalesweep::analysis::testing

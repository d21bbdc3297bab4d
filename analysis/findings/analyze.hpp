// From a finished study to its answers: the Pareto frontier, the best strategy along one axis with
// what limits it, and where that changes. Reads the file only; memory grows with the number of
// system combinations and the frontier, not with the number of points.
//
//   AnalysisResult result = analyze("quick.h5", {});
//   OutputFiles files = write_analysis(result, default_folder("quick.h5"));
//   FigureReport figures = draw_figures(files.tables, files.folder, executable);
//   fmt::print("{}", format_analysis(result, Format::text));
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/file/objective.hpp"
#include "analysis/file/reading.hpp"
#include "analysis/verdict/why/savings.hpp"

namespace scalesweep::analysis {

struct AnalyzeOptions {
  // An axis, or several that advance together, "logic,memory"; empty: logic, or else the first that
  // varies.
  std::string along = {};
  std::vector<Objective> objectives = {};  // empty: those of the study
  std::string where = {};                  // a condition over columns; empty: all rows
  std::vector<std::string> per = {};       // columns of which each value has a frontier of its own;
                                           // empty: the axes that say what is asked (columns.hpp)
  std::int32_t ranks = 1;                  // of dominance, of points that the table `frontier`
                                           // lists; 1 is the frontier. At most most_ranks
  std::vector<std::string> phase = {};  // two axes; empty: the first two that vary, `along` first
  bool for_filters = false;             // AnalysisResult::cell_frontiers, which takes one more pass
  bool hold = false;  // the best strategy of the first value of `along`, all along it
  ReadingOptions reading = {};
  SavingsOf savings = {};  // of faster resources, by the estimator; empty: by shares
};

// Of an unfinished study: of what is computed so far, with a note that says so.
// Throws Failure(no_input or bad_input) for a file that is not a study, for an axis or
// objective that is not there (with a suggestion), and for a study without the columns needed.
AnalysisResult analyze(const std::filesystem::path& study, const AnalyzeOptions& options);

}  // namespace scalesweep::analysis

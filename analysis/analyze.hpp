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
#include <map>
#include <string>
#include <vector>

#include "store/reader.hpp"
#include "store/table.hpp"

namespace scalesweep::analysis {

struct AnalyzeOptions {
  std::string along;                    // an axis; empty: logic, or else the first that varies
  std::vector<std::string> objectives;  // minimised; empty: those of the study
};

// A result table: axis columns hold indices into AnalysisResult::axes, as in a study.
struct ResultTable {
  std::string name;
  std::string description;
  store::Schema schema;
  store::Table table{store::Schema{}};
};

struct Source {
  std::filesystem::path file;  // as given
  std::string title;
  std::string identity;  // of the study: hash of everything that decides its values
  std::string sha256;    // of the file
  std::int64_t rows = 0;
  std::int64_t points = 0;
  std::map<std::string, std::int64_t> counts;  // ids by status, kept in the file or not
};

struct AnalysisResult {
  Source source;
  std::vector<store::AxisValues> axes;
  std::string along;
  std::vector<std::string> panels;      // the other axes with more than one value, outermost first
  std::vector<std::string> objectives;  // in use
  std::vector<std::string> resources;   // of charge_<resource>, in the order of the study
  ResultTable frontier;                 // one row per member
  ResultTable best;                     // one row per value of `along` and combination of `panels`
  ResultTable transitions;  // one row per change of resource, group or strategy along the axis
  ResultTable cloud;        // feasible points thinned for a picture; never for numbers
  std::vector<std::string> findings;  // sentences
  std::vector<std::string> notes;     // what the reader should know about the file or the choice
};

// Throws Failure(no_input or bad_input) for a file that is not a finished study, for an axis or
// objective that is not there (with a suggestion), and for a study without feasible points'
// columns.
AnalysisResult analyze(const std::filesystem::path& study, const AnalyzeOptions& options);

}  // namespace scalesweep::analysis

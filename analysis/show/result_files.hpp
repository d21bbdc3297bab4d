// Where results go: NAME.analysis.h5 and one CSV file per table in one folder. A rerun replaces its
// own files, each atomically; anything that is not an earlier result stays untouched.
#pragma once

#include <filesystem>
#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "core/documents/csv_texts.hpp"

namespace scalesweep::analysis {

inline constexpr const char* analysis_format = "scalesweep-analysis";
inline constexpr int analysis_format_version = 1;

struct OutputFiles {
  std::filesystem::path folder;
  std::filesystem::path tables;            // NAME.analysis.h5
  std::vector<std::filesystem::path> csv;  // one per table
};

// NAME-analysis beside NAME.h5.
std::filesystem::path default_folder(const std::filesystem::path& study);

// Makes the folder if needed. Throws Failure(cannot_create) if something foreign is in the way,
// Failure(io) if writing fails.
OutputFiles write_analysis(const AnalysisResult& result, const std::filesystem::path& folder,
                           CsvTexts texts = CsvTexts::plain);

}  // namespace scalesweep::analysis

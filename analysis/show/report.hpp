// The results as one HTML file that opens offline: a page with its charts, made at build time from
// analysis/report/, and the data of one study in it. The same study gives the same bytes.
//
//   const AnalysisResult result = analyze("quick.h5", {});
//   write_report(report_html(result, source_texts("quick.h5"), {"scalesweep report quick.h5"}),
//                default_report("quick.h5"));
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/bottlenecks/result.hpp"

namespace scalesweep::analysis {

// Empty where the program was built without npm; then `report_problem` says why.
std::string_view report_page();
std::string_view report_problem();

// What a report quotes from the study file: the spec as it was written, and where it came from.
struct SourceTexts {
  std::string spec;
  std::map<std::string, std::string> provenance;  // without what names a machine or its folders
  // The line that ran the study and the variables of who did. They name folders: who quotes them
  // leaves these out.
  std::string command;
  std::string environment;
};

// Throws Failure(no_input or bad_input) as the reader of studies does.
SourceTexts source_texts(const std::filesystem::path& study);

// A table that would make the report larger than this loses columns that no view needs, then rows,
// evenly; the report says so.
inline constexpr std::size_t most_table_bytes = std::size_t{1} << 20U;

// The data of the page as JSON: result tables by columns, with labels and units. Numbers are exact
// but in `cloud`, which is for pictures. No "<" is in it, so that it can stand inside a page.
// `explanations` is JSON of who has an estimator (src/cli/report), the study file alone has none.
std::string report_data(const AnalysisResult& result, const SourceTexts& texts,
                        const std::vector<std::string>& commands,
                        std::size_t table_bytes = most_table_bytes,
                        const std::string& explanations = "null");

// The whole file. `commands` tell a reader how to make it again, one a line. Throws
// Failure(report_unavailable) where the program has no page.
std::string report_html(const AnalysisResult& result, const SourceTexts& texts,
                        const std::vector<std::string>& commands,
                        const std::string& explanations = "null");

// NAME.html beside NAME.h5.
std::filesystem::path default_report(const std::filesystem::path& study);

// Writes it in one step over an earlier report. Throws Failure(cannot_create) for anything else of
// that name, Failure(io) if writing fails.
void write_report(const std::string& html, const std::filesystem::path& file);

}  // namespace scalesweep::analysis

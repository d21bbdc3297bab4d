// Results for other programs: CSV and JSON.
#pragma once

#include <string>

#include "analysis/bottlenecks/result.hpp"
#include "core/documents/csv_texts.hpp"

namespace scalesweep::analysis {

// One table as CSV with a header line (RFC 4180, but lines end in a line feed); axes and enums as
// their labels, numbers in as many digits as give them back exactly, NaN empty.
std::string csv_text(const AnalysisResult& result, const ResultTable& table,
                     CsvTexts texts = CsvTexts::plain);

// Every table that is not for pictures alone, each after a line "# NAME", an empty line between.
std::string csv_text(const AnalysisResult& result, CsvTexts texts = CsvTexts::plain);

// One document: the study, the choices made, findings and every table that is not for pictures
// alone as a list of objects; NaN is null.
std::string json_text(const AnalysisResult& result);

}  // namespace scalesweep::analysis

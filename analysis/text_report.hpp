// Results for the terminal: aligned text of about 100 columns, CSV or JSON.
#pragma once

#include <string>

#include "analysis/analyze.hpp"

namespace scalesweep::analysis {

enum class Format { text, csv, json };

std::string format_analysis(const AnalysisResult& result, Format format);

}  // namespace scalesweep::analysis

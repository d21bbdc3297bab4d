// Whom results are for: people, spreadsheets or programs.
#pragma once

namespace scalesweep::analysis {

enum class Format { text, csv, json };

}  // namespace scalesweep::analysis

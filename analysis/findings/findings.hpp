// The results in a few sentences: what is best, what limits it and where that moves, what to
// improve next, what matters at all.
#pragma once

#include <string>
#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/bottlenecks/steps.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/attribution.hpp"

namespace scalesweep::analysis {

// From the tables of a result that is otherwise complete. Combinations that behave alike share a
// sentence; the rarest are counted only.
std::vector<std::string> findings_of(const StudyLayout& layout, const Resources& resources,
                                     const AnalysisResult& result, const std::vector<Path>& paths);

// Why a combination, a row of the coverage table, has no best point: "no strategy fits",
// "limits missed", "not feasible with the strategy held", "no time known", "feasible, not in the
// file", "left out by a filter",
// the words of the only other reason, "nothing feasible" for several, "not found" where one of them
// is that [search] left points out, "nothing in the file".
std::string why_empty(const AnalysisResult& result, std::size_t combination);

}  // namespace scalesweep::analysis

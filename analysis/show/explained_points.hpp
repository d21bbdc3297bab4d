// Which points a reader of the report asks about: what marks of its charts stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/bottlenecks/result.hpp"

namespace scalesweep::analysis {

// The answers of all questions: of each the point that is taken, and behind all of them those that
// are the very best where that is another.
std::vector<std::int64_t> answer_points(const Verdicts& verdicts);

// At most `most` ids, each once, those first that matter most: the answers, the next choices, the
// best of each combination, the members of the frontier that are drawn.
std::vector<std::int64_t> points_to_explain(const AnalysisResult& result, std::size_t most);

}  // namespace scalesweep::analysis

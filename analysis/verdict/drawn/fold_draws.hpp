// What verdicts say together where values that nobody knows were drawn: how often each choice is
// the best, and how far its value goes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/search.hpp"
#include "analysis/verdict/verdict.hpp"

namespace scalesweep::analysis {

// Axes that are no choice: the draw, and what follows it. Empty where nothing is drawn.
std::vector<std::string> drawn_with(const StudyLayout& layout);

// Folds the draws of each question of `verdicts`, of which there are some, into it. `words` says a
// question without its draw.
void fold_draws(const StudyLayout& layout,
                const std::function<std::string(const QuestionKey&)>& words, Verdicts& verdicts);

}  // namespace scalesweep::analysis

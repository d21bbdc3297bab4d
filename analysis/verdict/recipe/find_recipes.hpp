// The sums over phases of a study that has them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/recipe/recipe.hpp"
#include "analysis/verdict/search.hpp"
#include "analysis/verdict/verdict.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// In words a question, the values of these columns.
using QuestionWords =
    std::function<std::string(const std::vector<std::string>& per, const QuestionKey& key)>;

// Nothing where the study has no phases, or no column that adds up over them. `verdicts`: what is
// asked and chosen, its objective and columns of strategies. Of each phase the point that is best
// by the objective is taken. The objective decides between runs as well, where it adds up; else the
// first column that does.
Recipes find_recipes(const store::StudyReader& reader, const StudyLayout& layout,
                     const Verdicts& verdicts, const std::string& where,
                     const QuestionWords& words);

}  // namespace scalesweep::analysis

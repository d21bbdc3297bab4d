// Which point of a question is proposed: the best by value, or a better known one that cannot be
// told apart from it (reduce/choice.hpp).
#pragma once

#include <string>

#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/search.hpp"
#include "analysis/verdict/verdict.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

struct Proposal {
  KnownBest best;                     // row -1: nothing is feasible
  const ChoiceKey* choice = nullptr;  // a key of FoundQuestion::best

  // In place of the best by value, from which it cannot be told apart.
  bool is_better_known(const FoundQuestion& question) const;
};

// Refers to `question`. Of values without logarithms, and where no error bar is known, the best.
Proposal proposal_of(const FoundQuestion& question, const Objective& objective);

// Fills in Verdict::alike of every answer. `verdicts` are those of `where`. Reads the rows once.
void count_alike(const store::StudyReader& reader, const StudyLayout& layout,
                 const std::string& where, Verdicts& verdicts);

}  // namespace scalesweep::analysis

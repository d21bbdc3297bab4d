// Why a question has no answer.
#pragma once

#include <string>

#include "analysis/file/study_layout.hpp"
#include "analysis/selection/counted_outcomes.hpp"
#include "analysis/verdict/search.hpp"
#include "analysis/verdict/verdict.hpp"

namespace scalesweep::analysis {

// Of what all points of the question came to, kept in the file or not: replaces what its rows say.
void take_counted(FoundQuestion& question, const OutcomesOfGroup& counted);

// What most of its points ended in. What a filter left out was never computed, and is the reason
// only where there is no other.
Obstacle obstacle_of(const StudyLayout& layout, const FoundQuestion& question);

// What stands in place of an answer: "nothing feasible", or "not found" where nobody knows.
std::string no_answer_words(const Obstacle& obstacle);

// "does not fit: 120 of 150 points; nearest: ..." in a sentence without a full stop.
std::string obstacle_words(const Obstacle& obstacle);

// Of time / limit - 1: "12 % beyond them", "3 times what they allow".
std::string beyond_limits_words(double miss);

}  // namespace scalesweep::analysis

// One pass over a study for its verdicts: the best point of every choice, which points are as good
// as the best, and of questions without an answer why. Memory grows with the number of choices.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/verdict.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

struct Candidate {
  double value = std::numeric_limits<double>::quiet_NaN();  // of the objective
  std::int64_t id = -1;
  std::int64_t row = -1;  // of the study; -1: none
};

// Whether `a` is better, or as good with a smaller id.
inline bool is_before(const Objective& objective, const Candidate& a, const Candidate& b) {
  const double x = objective.to_minimize(a.value);
  const double y = objective.to_minimize(b.value);
  return x != y ? x < y : a.id < b.id;
}

using QuestionKey = std::vector<std::int64_t>;
using ChoiceKey = std::vector<std::int32_t>;  // an index into each axis that is compared

// The best of the points of a choice with one error bar. Of layouts few bars differ: bars that
// agree to a thousandth count as one.
struct KnownBest {
  Candidate point;
  double error_bar = std::numeric_limits<double>::quiet_NaN();  // NaN: not known
};

// A point within `tie` of the best.
struct Near {
  Candidate point;
  const ChoiceKey* choice = nullptr;  // a key of FoundQuestion::best
};

struct FoundQuestion {
  std::map<ChoiceKey, Candidate> best;  // of every choice with a feasible point
  // The same by error bar, in the order in which they were found; empty where none is asked for.
  std::map<ChoiceKey, std::vector<KnownBest>> known;
  const ChoiceKey* choice = nullptr;   // of the best of all; null: nothing is feasible
  std::vector<Near> near;              // of that choice, the best first; most_near at most
  std::vector<std::int64_t> statuses;  // rows by status, or points where they were counted
  std::vector<double> nearest;         // by status: the best of what tells of it
  std::size_t tidy_at = 0;             // while searching: so many in `near` are looked through
};

// So many layouts as good as the best are told apart; of a study whose objective is a constant all
// points are.
inline constexpr std::size_t most_near = 4096;

struct VerdictRequest {
  Objective objective;
  std::vector<std::string> per = {};       // columns of integers or names
  std::vector<std::string> compared = {};  // axes
  std::string where = {};
  std::string error_bar = {};  // a column, of the objective; "": the study has none
};

// The column that says of points of this status which is nearest to being feasible; "": none does.
std::string nearest_column(const StudyLayout& layout, const std::string& status);

// Whether such a column is told as a part of the capacity of a device: it has bytes.
bool is_of_capacity(const StudyLayout& layout, const std::string& nearest);

// Of every question with a row. Of points that are equal the one with the smallest id is the best.
std::map<QuestionKey, FoundQuestion> search_verdicts(const store::StudyReader& reader,
                                                     const StudyLayout& layout,
                                                     const VerdictRequest& request);

}  // namespace scalesweep::analysis

// What a file keeps of the points of its study, and which answers are those of all points all the
// same.
//
//   const KeptPoints kept(reader);
//   if (!kept.hold_best(asked)) {
//     notes.push_back(kept.note("the best are of these alone, and others may be better"));
//   }
//
// A rule keeps what it was made for. Of the feasible points it dropped, none can be on a frontier
// that the rule keeps, nor among the best it keeps; of any other question nobody knows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/file/objective.hpp"
#include "space/read/spec.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// The axis along which transitions were looked for, "" if none were; how the best was looked for.
std::string transitions_axis_of(const store::StudyReader& reader);
space::SearchMethod search_method_of(const store::StudyReader& reader);

// What an answer depends on.
struct Question {
  std::vector<Objective> objectives;  // of a frontier; of the best, the one column
  std::vector<std::string> per = {};  // columns, each combination of whose values is asked alone
  std::string where = {};             // a condition; empty: none
  bool points = false;                // chosen by their ids
  std::int64_t depth = 1;             // ranks of a frontier, or so many of the best
};

class KeptPoints {
 public:
  // The reader must outlive it.
  explicit KeptPoints(const store::StudyReader& reader);

  bool are_all() const { return all_; }  // of those that are computed
  bool are_all_feasible() const { return all_feasible_; }

  // Whether, of a combination of the other columns, the file has the best value of this one alone:
  // what its other values come to is not known, and they are chosen as a strategy is.
  bool chose_best_of(const std::string& column) const;

  // Whether the answer is that of all feasible points. Of points equal in all objectives another
  // may stand for them.
  bool hold_frontier(const Question& asked) const;
  bool hold_best(const Question& asked) const;
  // Whether every combination with a feasible point has one here. Objectives do not matter.
  bool hold_combinations(const Question& asked) const;

  // "the file keeps 960 of 2,809,728 points (the best by step_time of each device, memory):
  // `meaning`; to ask of all that are feasible, run it with --keep feasible"
  std::string note(const std::string& meaning) const;
  // What stands beside an answer that holds but for the tolerance of a search; "" without one.
  std::string not_searched_note() const;

 private:
  bool groups_are_whole(const Question& asked) const;
  bool is_group(const std::string& column) const;
  std::string rule_words() const;

  const store::StudyReader& reader_;
  bool all_;
  bool all_feasible_;
  bool known_ = true;  // the rule
  std::int64_t not_searched_ = 0;
  bool finds_transitions_ = false;
  space::SearchMethod method_ = space::SearchMethod::bounds;  // of what else was looked for
  space::Keep rule_;
  std::vector<Objective> objectives_;  // of the rule
};

}  // namespace scalesweep::analysis

// What a training run in phases takes as a whole: the axis `phase` holds parts of one run, each of
// which has the strategy that suits it, and whoever asks for the run asks for their sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/file/objective.hpp"

namespace scalesweep::analysis {

// The best point of a phase by the objective of the study.
struct RecipePhase {
  std::int32_t phase = 0;  // index of its value
  std::int64_t row = -1;   // of the study
  std::int64_t id = -1;
  std::vector<double> parts = {};        // what it adds to each of Recipes::columns
  std::vector<std::int32_t> with = {};   // of each of Recipes::with, the index of its value
  std::vector<double> strategy = {};     // values of Recipes::strategy
  std::vector<std::string> labels = {};  // of `with`; for the best runs alone, and so the next
  std::string layout = {};               // "TP8 PP16 CP2"
};

// All phases on one combination of the other axes.
struct RecipeRun {
  std::vector<std::int32_t> choice = {};  // of each axis of Recipes::chosen, the index of its value
  std::vector<std::string> labels = {};   // of the same values
  std::vector<double> sums = {};          // of Recipes::columns
  std::vector<RecipePhase> phases = {};   // in their order, each of them
};

// What the phases of one question come to.
struct RecipeAnswer {
  std::vector<std::int64_t> key = {};  // of Recipes::per
  std::string question = {};           // without the phase
  std::vector<RecipeRun> runs = {};    // the best first; empty: no combination has all phases
  std::int64_t combinations = 0;       // of what is chosen, those in which a phase lacks included
  std::vector<std::string> missing = {};  // phases that are feasible in none
};

// A column that adds up over phases.
struct RecipeColumn {
  std::string name;
  std::string words;
  std::string units;  // SI
};

struct Recipes {
  std::vector<std::string> phases = {};  // labels of those that take part
  std::size_t all_phases = 0;            // of the study
  Objective objective = {};              // that decides which run is the best
  std::vector<std::string> per = {};     // as of Verdicts, without the phase
  std::vector<std::string> chosen = {};  // likewise
  // Of what is chosen, axes of whose values the file keeps the best of each phase alone: runs on
  // one of them are whole by chance.
  std::vector<std::string> dropped = {};
  std::vector<std::string> with = {};  // axes that vary together with the phase
  std::vector<std::string> strategy = {};
  std::vector<RecipeColumn> columns = {};
  std::size_t ranked = 0;                  // of columns: that of the objective
  std::vector<RecipeAnswer> answers = {};  // ascending in key; empty where there are no phases
};

}  // namespace scalesweep::analysis

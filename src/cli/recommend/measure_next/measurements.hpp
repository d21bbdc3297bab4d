// What to measure so that an answer that the error bars leave open is known better.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/verdict/verdict.hpp"
#include "validation/measure/case_table.hpp"

namespace scalesweep::cli {

enum class Measured { step, kernels, collectives };

struct Measurement {
  Measured what = Measured::step;
  std::string words;                            // "a step of TP2 PP16 DP8 v6 b8 full-rc Z1 SP"
  std::string command;                          // a line that lists or reads it; empty: none
  double loss_after = analysis::nothing_known;  // expected, relative, once it is known
  std::int64_t id = -1;                         // of a step: its point
  validation::CaseCells row;                    // of a step: a case file's, without what it took
};

// Losses are those of the proposed layout against the best of its contenders.
struct MeasureNext {
  std::size_t contenders = 0;             // cannot be told apart from the proposed one; 0: apart
  double loss = analysis::nothing_known;  // expected, relative
  std::vector<Measurement> list;          // what brings most first, a few
};

}  // namespace scalesweep::cli

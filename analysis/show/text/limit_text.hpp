// What limits the answer of a question, in words, and what more of it saves.
#pragma once

#include <string>

#include "analysis/verdict/verdict.hpp"

namespace scalesweep::analysis {

// "4.2 %", "45 %".
std::string percent(double part);

// "compute-bound, 45 % of the step time: tensor compute 43 %, vector compute 2 %, DRAM 20 %"; where
// layouts that tie disagree "compute- or network-bound, by the layout: tensor compute 40 to 66 %,
// scale-out network 22 to 52 % of the step time over 2 layouts that tie".
std::string limit_text(const Verdicts& verdicts, const Verdict& verdict);

// What 10 % more of each saves: "of L2 saves 3.8 % of the step time, of tensor compute 3.6 %", and
// that it is linear where nobody computed it.
std::string gain_text(const Verdicts& verdicts, const Verdict& verdict);

// The same of each without limit; "" where nobody computed it.
std::string unlimited_text(const Verdicts& verdicts, const Verdict& verdict);

}  // namespace scalesweep::analysis

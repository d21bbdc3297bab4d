// Where along an ordered axis another value of an axis of names becomes the best.
#pragma once

#include <string>
#include <vector>

#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/verdict.hpp"

namespace scalesweep::analysis {

// Of the choices of one question: for each axis of quantities or numbers and each of names, of
// those compared, between which neighbouring values the best name changes, everything else being
// chosen anew on both sides. Where the two are equal is a straight line between the logarithms of
// the ratio of what the two come to: a place between two points of the study, and no point of it.
// Ascending in the axes, then the values.
std::vector<AxisFlip> axis_flips(const StudyLayout& layout, const Verdicts& verdicts,
                                 const Verdict& verdict);

// "HBM4E instead of HBM4 above about 1.2 kW (power per accelerator, between 1 kW and 1.4 kW)".
std::string axis_flip_words(const StudyLayout& layout, const AxisFlip& flip);

}  // namespace scalesweep::analysis

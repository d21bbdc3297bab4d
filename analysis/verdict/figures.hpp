// What a point comes to in units that people use, from the columns whose roles say what they are.
#pragma once

#include <string>
#include <vector>

#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/verdict.hpp"

namespace scalesweep::analysis {

// Columns that figures are made from, those that the study has.
std::vector<std::string> figure_columns(const StudyLayout& layout);

// Of one row of `points`, whose schema is `schema`; without those whose columns are not there or
// have no value:
// - the time that the study is about,
// - tokens per second, of all devices and of one,
// - FLOP per second of one device: the share of the peak that the model's own FLOP use, and that
//   share times the peak,
// - USD per million tokens,
// - time and USD of a whole run.
std::vector<Figure> figures_of(const StudyLayout& layout, const store::Table& points,
                               const store::Schema& schema, std::size_t row);

}  // namespace scalesweep::analysis

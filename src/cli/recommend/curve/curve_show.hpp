// A curve as people and as programs read it.
#pragma once

#include <cstddef>
#include <string>

#include "cli/recommend/answer/answer_show.hpp"
#include "cli/recommend/curve/curve_answer.hpp"

namespace scalesweep::cli {

// Tables of at most `most` points of each curve, or one more, in lines of at most `width` columns
// where words allow it.
std::string curves_text(const Preface& preface, const CurveAnswer& answer, std::size_t most,
                        std::size_t width);

// All points: {"curves": [{"device", "points", "at_least"}]} beside what was assumed.
Json curves_json(const Preface& preface, const CurveAnswer& answer);

// The same as a picture.
std::string curves_svg(const std::string& title, const CurveAnswer& answer);

}  // namespace scalesweep::cli

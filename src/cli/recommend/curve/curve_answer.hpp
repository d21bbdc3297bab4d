// What is told of a service's curve.
#pragma once

#include <string>
#include <vector>

#include "cli/recommend/curve/curve.hpp"
#include "cli/recommend/curve/measured.hpp"

namespace scalesweep::cli {

struct CurveAnswer {
  Curves curves;
  std::vector<MeasuredPoint> measured;
  // Where there are no points.
  std::string why;
  std::string shortage;  // as Answers::shortage
};

// Without what was measured. The file must keep all points of `study`.
CurveAnswer find_curve_answer(const store::StudyReader& reader, const study::Study& study);

}  // namespace scalesweep::cli

#include "cli/recommend/curve/curve_answer.hpp"

#include "analysis/selection/read_layout.hpp"
#include "analysis/verdict/find_verdicts.hpp"
#include "analysis/verdict/why/obstacle.hpp"
#include "cli/recommend/answer/answer.hpp"

namespace scalesweep::cli {

CurveAnswer find_curve_answer(const store::StudyReader& reader, const study::Study& study) {
  CurveAnswer answer;
  answer.curves = find_curves(reader, study);
  if (answer.curves.curves.empty()) {
    const analysis::StudyLayout layout = analysis::read_layout(reader, {});
    const analysis::Verdicts verdicts = analysis::find_verdicts(reader, layout, {}, "");
    answer.why = analysis::obstacle_words(verdicts.answers.front().obstacle);
    answer.shortage = shortage_of(reader, study, layout);
  }
  return answer;
}

}  // namespace scalesweep::cli

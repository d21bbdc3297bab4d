#include "analysis/verdict/drawn/fold_draws.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "space/axes/workload_axes.hpp"

namespace scalesweep::analysis {
namespace {

const std::string draw_axis(space::draw_axis);

// The values of a choice, one for each draw that has one, and how often it is the best.
struct Tally {
  std::vector<double> values;
  std::int64_t best = 0;
};
using Tallies = std::map<std::vector<std::int32_t>, Tally>;

// So that such a part of them is not better.
double quantile(const std::vector<double>& best_first, double part) {
  const double place = std::ceil(part * static_cast<double>(best_first.size())) - 1.0;
  return best_first[static_cast<std::size_t>(std::max(0.0, place))];
}

DrawnChoice drawn_choice(const StudyLayout& layout, const std::vector<std::string>& axes,
                         Direction direction, const std::vector<std::int32_t>& choice,
                         Tally tally) {
  DrawnChoice drawn;
  drawn.choice = choice;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto& labels = layout.axes[*layout.axis(axes[i])].labels;
    drawn.labels.push_back(labels[static_cast<std::size_t>(choice[i])]);
  }
  drawn.best = tally.best;
  drawn.draws = static_cast<std::int64_t>(tally.values.size());
  std::sort(tally.values.begin(), tally.values.end());
  if (direction == Direction::maximize) {
    std::reverse(tally.values.begin(), tally.values.end());
  }
  drawn.good = quantile(tally.values, 0.1);
  drawn.median = quantile(tally.values, 0.5);
  drawn.bad = quantile(tally.values, 0.9);
  return drawn;
}

}  // namespace

std::vector<std::string> drawn_with(const StudyLayout& layout) {
  return layout.axis(draw_axis) ? layout.group_of(draw_axis) : std::vector<std::string>{};
}

void fold_draws(const StudyLayout& layout,
                const std::function<std::string(const QuestionKey&)>& words, Verdicts& verdicts) {
  const auto found = std::find(verdicts.per.begin(), verdicts.per.end(), draw_axis);
  if (found == verdicts.per.end()) {
    return;
  }
  const auto place = found - verdicts.per.begin();
  verdicts.drawn_per = verdicts.per;
  verdicts.drawn_per.erase(verdicts.drawn_per.begin() + place);
  // Where the file has the best of every choice, these are compared; else the best alone is known.
  const bool has_all = verdicts.compared.size() == verdicts.chosen.size();
  std::map<std::vector<std::int64_t>, std::pair<DrawnAnswer, Tallies>> questions;
  for (const Verdict& verdict : verdicts.answers) {
    std::vector<std::int64_t> key = verdict.key;
    key.erase(key.begin() + place);
    auto& [answer, tallies] = questions[key];
    answer.question = words(verdict.key);
    ++answer.all;
    if (!verdict.is_answered()) {
      answer.obstacle = verdict.obstacle;
      continue;
    }
    ++answer.draws;
    ++tallies[verdict.best.choice].best;
    if (has_all) {
      for (const ChosenBest& one : verdict.choice_bests) {
        tallies[one.choice].values.push_back(one.value);
      }
    } else {
      tallies[verdict.best.choice].values.push_back(verdict.best.value);
    }
  }
  for (auto& [key, folded] : questions) {
    auto& [answer, tallies] = folded;
    answer.key = key;
    for (auto& [choice, tally] : tallies) {
      answer.choices.push_back(drawn_choice(layout, verdicts.chosen, verdicts.objective.direction,
                                            choice, std::move(tally)));
    }
    std::stable_sort(answer.choices.begin(), answer.choices.end(),
                     [](const DrawnChoice& a, const DrawnChoice& b) { return a.best > b.best; });
    verdicts.drawn.push_back(std::move(answer));
  }
}

}  // namespace scalesweep::analysis

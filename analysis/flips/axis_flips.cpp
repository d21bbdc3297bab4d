#include "analysis/flips/axis_flips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/verdict/standing.hpp"
#include "analysis/words/value_text.hpp"
#include "analysis/words/words.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::analysis {
namespace {

using Index = std::int32_t;

// The best value of the objective by value of the ordered axis and of the other.
class Bests {
 public:
  Bests(const Verdicts& verdicts, const Verdict& verdict, std::size_t along, std::size_t other)
      : objective_(verdicts.objective) {
    for (const ChosenBest& best : verdict.choice_bests) {
      const auto key = std::pair(best.choice[along], best.choice[other]);
      const auto [place, is_new] = bests_.try_emplace(key, best);
      if (!is_new && is_better(best, place->second)) {
        place->second = best;
      }
    }
  }

  // Null where nothing is feasible.
  const ChosenBest* at(Index along, Index other) const {
    const auto found = bests_.find({along, other});
    return found == bests_.end() ? nullptr : &found->second;
  }
  const ChosenBest* best_at(Index along) const {
    const ChosenBest* best = nullptr;
    for (auto place = bests_.lower_bound({along, -1});
         place != bests_.end() && place->first.first == along; ++place) {
      if (best == nullptr || is_better(place->second, *best)) {
        best = &place->second;
      }
    }
    return best;
  }

 private:
  bool is_better(const ChosenBest& a, const ChosenBest& b) const {
    const double x = objective_.to_minimize(a.value);
    const double y = objective_.to_minimize(b.value);
    return x != y ? x < y : a.id < b.id;
  }

  Objective objective_;
  std::map<std::pair<Index, Index>, ChosenBest> bests_;
};

// Where two that are `before` and `after` times each other are equal; NaN where that is not known.
double equal_at(double from, double to, double before, double after) {
  if (!(before > 0.0) || !(after > 0.0) || before == after) {
    return nothing_known;
  }
  const double place = std::log(before) / (std::log(before) - std::log(after));
  return from > 0.0 ? from * std::pow(to / from, place) : from + place * (to - from);
}

AxisFlip flip_between(const store::AxisValues& axis, const Bests& bests, AxisFlip flip,
                      Direction direction) {
  const ChosenBest* const old_before = bests.at(flip.from, flip.before);
  const ChosenBest* const new_before = bests.at(flip.from, flip.after);
  const ChosenBest* const old_after = bests.at(flip.to, flip.before);
  const ChosenBest* const new_after = bests.at(flip.to, flip.after);
  const double never = std::numeric_limits<double>::infinity();
  flip.gap_before =
      new_before == nullptr ? never : gap_of(new_before->value, old_before->value, direction);
  flip.gap_after =
      old_after == nullptr ? never : gap_of(old_after->value, new_after->value, direction);
  if (new_before != nullptr && old_after != nullptr) {
    flip.crossing =
        equal_at(axis.values[static_cast<std::size_t>(flip.from)],
                 axis.values[static_cast<std::size_t>(flip.to)],
                 old_before->value / new_before->value, old_after->value / new_after->value);
  }
  return flip;
}

}  // namespace

std::vector<AxisFlip> axis_flips(const StudyLayout& layout, const Verdicts& verdicts,
                                 const Verdict& verdict) {
  std::vector<AxisFlip> flips;
  const auto axis_of = [&](std::size_t place) -> const store::AxisValues& {
    return layout.axes[*layout.axis(verdicts.compared[place])];
  };
  for (std::size_t along = 0; along < verdicts.compared.size(); ++along) {
    const store::AxisValues& axis = axis_of(along);
    for (std::size_t other = 0; is_quantity(axis) && other < verdicts.compared.size(); ++other) {
      // Which study holds the best says nothing of what is built: other axes do.
      if (is_quantity(axis_of(other)) || axis_of(other).name == store::study_axis) {
        continue;
      }
      const Bests bests(verdicts, verdict, along, other);
      const ChosenBest* last = nullptr;
      for (const Index value : in_ascending_order(axis)) {
        const ChosenBest* const best = bests.best_at(value);
        if (best != nullptr && last != nullptr && best->choice[other] != last->choice[other]) {
          flips.push_back(flip_between(axis, bests,
                                       {axis.name, last->choice[along], value, axis_of(other).name,
                                        last->choice[other], best->choice[other]},
                                       verdicts.objective.direction));
        }
        last = best == nullptr ? last : best;
      }
    }
  }
  return flips;
}

std::string axis_flip_words(const StudyLayout& layout, const AxisFlip& flip) {
  const store::AxisValues& axis = layout.axes[*layout.axis(flip.along)];
  const store::AxisValues& other = layout.axes[*layout.axis(flip.changed)];
  const auto label = [](const store::AxisValues& of, Index index) {
    return of.labels[static_cast<std::size_t>(index)];
  };
  const std::string change =
      fmt::format("{} instead of {}", value_words(other.name, label(other, flip.after)),
                  value_words(other.name, label(other, flip.before)));
  const std::string between =
      fmt::format("between {} and {}", label(axis, flip.from), label(axis, flip.to));
  const LabelParts parts = parts_of_label(label(axis, flip.to));
  const double scale = parts.number / axis.values[static_cast<std::size_t>(flip.to)];
  if (std::isnan(flip.crossing) || !std::isfinite(scale)) {
    return fmt::format("{} {} ({})", change, between, words(axis.name));
  }
  return fmt::format("{} above about {:.3g}{} ({}, {})", change, flip.crossing * scale, parts.unit,
                     words(axis.name), between);
}

}  // namespace scalesweep::analysis

#include "analysis/effects/moves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "analysis/file/columns.hpp"
#include "analysis/words/words.hpp"

namespace scalesweep::analysis {
namespace {

constexpr Leaders nothing = 0;

// The cells of a grid by places of its axes.
class Cells {
 public:
  Cells(const StudyLayout& layout, const Grid& grid) : axes_(grid.axes()) {
    for (const std::size_t axis : axes_) {
      sizes_.push_back(layout.axes[axis].labels.size());
    }
    strides_.assign(axes_.size(), 1);
    for (std::size_t place = axes_.size(); place-- > 1;) {
      strides_[place - 1] = strides_[place] * sizes_[place];
    }
  }

  std::size_t places() const { return axes_.size(); }
  std::size_t axis(std::size_t place) const { return axes_[place]; }
  std::size_t size(std::size_t place) const { return sizes_[place]; }
  std::size_t stride(std::size_t place) const { return strides_[place]; }
  std::size_t index(std::size_t cell, std::size_t place) const {
    return cell / strides_[place] % sizes_[place];
  }

 private:
  std::vector<std::size_t> axes_;
  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> strides_;
};

// Along one line from its first cell: how many values have a group, and whether it changes.
struct Line {
  std::size_t values = 0;
  bool moves = false;
};

Line line_from(const Cells& cells, const std::vector<Leaders>& groups, std::size_t place,
               std::size_t first) {
  Line line;
  Leaders common = nothing;
  for (std::size_t value = 0; value < cells.size(place); ++value) {
    const Leaders here = groups[first + value * cells.stride(place)];
    if (here != nothing) {
      line.moves = line.moves || (line.values > 0 && (common & here) == 0);
      common = line.values == 0 || (common & here) == 0 ? here : common & here;
      ++line.values;
    }
  }
  return line;
}

void count_lines(const Cells& cells, const std::vector<Leaders>& groups, std::size_t place,
                 AxisMoves& moves) {
  for (std::size_t cell = 0; cell < groups.size(); ++cell) {
    if (cells.index(cell, place) == 0) {
      const Line line = line_from(cells, groups, place, cell);
      moves.lines += line.values > 1 ? 1 : 0;
      moves.moved += line.moves ? 1 : 0;
    }
  }
}

// The question that a cell belongs to: its indices of the axes that are asked.
std::vector<std::size_t> question_of(const StudyLayout& layout, const Cells& cells,
                                     std::size_t cell) {
  std::vector<std::size_t> question;
  for (std::size_t place = 0; place < cells.places(); ++place) {
    if (is_workload_axis(layout.axes[cells.axis(place)].name)) {
      question.push_back(cells.index(cell, place));
    }
  }
  return question;
}

// By value of the axis at `place` the best cell of each question, all else chosen anew.
void count_choices(const StudyLayout& layout, const Cells& cells, const Scan& scan,
                   std::size_t place, AxisMoves& moves) {
  std::map<std::vector<std::size_t>, std::map<std::size_t, std::size_t>> best;
  for (std::size_t cell = 0; cell < scan.best.size(); ++cell) {
    const store::AxisValues& axis = layout.axes[cells.axis(place)];
    if (scan.best[cell].row >= 0 && !is_absent(axis, cells.index(cell, place))) {
      auto& of_question = best[question_of(layout, cells, cell)];
      const auto [at, is_new] = of_question.try_emplace(cells.index(cell, place), cell);
      if (!is_new && scan.best[cell].better < scan.best[at->second].better) {
        at->second = cell;
      }
    }
  }
  for (std::size_t other = 0; other < cells.places(); ++other) {
    if (other == place || is_workload_axis(layout.axes[cells.axis(other)].name)) {
      continue;
    }
    for (const auto& [question, by_value] : best) {
      const std::size_t first = cells.index(by_value.begin()->second, other);
      moves.choices += by_value.size() > 1 ? 1 : 0;
      moves.changed +=
          std::any_of(by_value.begin(), by_value.end(),
                      [&](const auto& one) { return cells.index(one.second, other) != first; })
              ? 1
              : 0;
    }
  }
}

bool moves_in_plane(const Cells& cells, const std::vector<Leaders>& groups, std::size_t first_cell,
                    std::size_t along, std::size_t across) {
  for (std::size_t value = 0; value < cells.size(across); ++value) {
    if (line_from(cells, groups, along, first_cell + value * cells.stride(across)).moves) {
      return true;
    }
  }
  return false;
}

PairMoves pair_of(const Cells& cells, const std::vector<Leaders>& groups, std::size_t first,
                  std::size_t second) {
  PairMoves pair{cells.axis(first), cells.axis(second)};
  for (std::size_t cell = 0; cell < groups.size(); ++cell) {
    if (cells.index(cell, first) == 0 && cells.index(cell, second) == 0) {
      ++pair.planes;
      pair.moved += moves_in_plane(cells, groups, cell, first, second) &&
                            moves_in_plane(cells, groups, cell, second, first)
                        ? 1
                        : 0;
    }
  }
  return pair;
}

double share(std::int64_t part, std::int64_t all) {
  return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
}

std::size_t preference(const std::string& name) {
  return static_cast<std::size_t>(
      std::find(along_preference.begin(), along_preference.end(), name) - along_preference.begin());
}

}  // namespace

double AxisMoves::telling() const {
  return choices == 0 ? share(moved, lines) : 0.5 * (share(moved, lines) + share(changed, choices));
}

Moves moves_of(const StudyLayout& layout, const Scan& scan, const std::vector<Leaders>& groups) {
  const Cells cells(layout, scan.grid);
  std::vector<std::pair<std::size_t, AxisMoves>> found;  // by place
  for (std::size_t place = 0; place < cells.places(); ++place) {
    if (!is_workload_axis(layout.axes[cells.axis(place)].name) && cells.size(place) > 1) {
      AxisMoves moves{cells.axis(place)};
      count_lines(cells, groups, place, moves);
      count_choices(layout, cells, scan, place, moves);
      found.emplace_back(place, moves);
    }
  }
  std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
    const auto rank = [&](const AxisMoves& one) {
      return std::pair(-one.telling(), preference(layout.axes[one.axis].name));
    };
    return rank(a.second) < rank(b.second);
  });
  Moves result;
  for (std::size_t i = 0; i < found.size(); ++i) {
    result.axes.push_back(found[i].second);
    for (std::size_t j = i + 1; j < found.size(); ++j) {
      result.pairs.push_back(pair_of(cells, groups, found[i].first, found[j].first));
    }
  }
  std::stable_sort(result.pairs.begin(), result.pairs.end(),
                   [](const PairMoves& a, const PairMoves& b) {
                     return share(a.moved, a.planes) > share(b.moved, b.planes);
                   });
  return result;
}

std::vector<std::string> telling_pair(const StudyLayout& layout, const Moves& moves) {
  if (moves.pairs.empty() || moves.pairs.front().moved == 0) {
    return {};
  }
  const PairMoves& pair = moves.pairs.front();
  const bool is_turned = pair.second == layout.along;
  return {layout.axes[is_turned ? pair.second : pair.first].name,
          layout.axes[is_turned ? pair.first : pair.second].name};
}

std::string moves_words(const StudyLayout& layout, const AxisMoves& moves) {
  if (moves.moved == 0 && moves.changed == 0) {
    return "";
  }
  std::string text = fmt::format("Most moves along the {}: the bottleneck in {} of {} combinations",
                                 words(layout.axes[moves.axis].name), moves.moved, moves.lines);
  if (moves.choices > 0) {
    text +=
        fmt::format(", the best of what else is built in {} of {}", moves.changed, moves.choices);
  }
  return text;
}

}  // namespace scalesweep::analysis

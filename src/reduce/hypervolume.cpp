#include "reduce/hypervolume.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <numeric>
#include <vector>

#include "core/contracts.hpp"
#include "reduce/frontier/pareto.hpp"

namespace scalesweep::reduce {
namespace {

using Columns = std::vector<std::vector<double>>;

struct OutOfSteps {};

class Volume {
 public:
  Volume(std::span<const double> reference, std::int64_t steps)
      : reference_(reference), steps_(steps) {}

  // Of the first `count` objectives.
  double of(const Columns& columns, std::size_t count) {
    const std::size_t rows = columns.front().size();
    if (rows == 0) {
      return 0.0;
    }
    spend(rows);
    switch (count) {
      case 1:
        return reference_[0] - *std::min_element(columns[0].begin(), columns[0].end());
      case 2:
        return of_two(columns);
      case 3:
        return of_three(columns);
      default:
        return of_many(columns, count);
    }
  }

 private:
  void spend(std::size_t steps) {
    steps_ -= static_cast<std::int64_t>(steps);
    if (steps_ < 0) {
      throw OutOfSteps();
    }
  }

  static std::vector<std::size_t> order_by(const std::vector<double>& column) {
    std::vector<std::size_t> order(column.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return column[a] < column[b]; });
    return order;
  }

  double of_two(const Columns& columns) const {
    double volume = 0.0;
    double height = reference_[1];
    for (const std::size_t row : order_by(columns[0])) {
      if (columns[1][row] < height) {
        volume += (reference_[0] - columns[0][row]) * (height - columns[1][row]);
        height = columns[1][row];
      }
    }
    return volume;
  }

  // Along the third objective, with the area under the staircase of the first two so far.
  double of_three(const Columns& columns) {
    std::map<double, double> stairs;  // ascending first objective, descending second
    double volume = 0.0;
    double area = 0.0;
    double level = 0.0;
    for (const std::size_t row : order_by(columns[2])) {
      volume += area * (columns[2][row] - level);
      level = columns[2][row];
      area += add_step(stairs, columns[0][row], columns[1][row]);
    }
    return volume + area * (reference_[2] - level);
  }

  // Area that a step adds.
  double add_step(std::map<double, double>& stairs, double x, double y) {
    auto after = stairs.upper_bound(x);
    double height = after == stairs.begin() ? reference_[1] : std::prev(after)->second;
    if (height <= y) {
      return 0.0;
    }
    if (after != stairs.begin() && std::prev(after)->first == x) {
      --after;
    }
    double area = 0.0;
    double from = x;
    while (after != stairs.end() && after->second >= y) {
      spend(1);
      area += (after->first - from) * (height - y);
      from = after->first;
      height = after->second;
      after = stairs.erase(after);
    }
    const double to = after == stairs.end() ? reference_[0] : after->first;
    area += (to - from) * (height - y);
    stairs.emplace_hint(after, x, y);
    return area;
  }

  // Rows from the worst in the last objective to the best: seen from one of them, all that follow
  // are as good there, so that what it adds is a prism over objectives one less.
  double of_many(const Columns& columns, std::size_t count) {
    const std::size_t last = count - 1;
    std::vector<std::size_t> order = order_by(columns[last]);
    std::reverse(order.begin(), order.end());
    double volume = 0.0;
    for (std::size_t place = 0; place < order.size(); ++place) {
      const std::size_t row = order[place];
      double base = 1.0;
      for (std::size_t i = 0; i < last; ++i) {
        base *= reference_[i] - columns[i][row];
      }
      base -=
          of(clipped(columns, {order.begin() + static_cast<std::ptrdiff_t>(place) + 1, order.end()},
                     row, last),
             last);
      volume += base * (reference_[last] - columns[last][row]);
    }
    return volume;
  }

  // What `rows` dominate of what `row` dominates: its corner or worse, without dominated ones.
  Columns clipped(const Columns& columns, const std::vector<std::size_t>& rows, std::size_t row,
                  std::size_t count) {
    // Finding the frontier of what is clipped takes more than clipping.
    const auto bits = static_cast<std::size_t>(std::bit_width(rows.size()));
    spend(rows.size() * count * bits * bits / 8);
    Columns all(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::size_t other : rows) {
        all[i].push_back(std::max(columns[i][other], columns[i][row]));
      }
    }
    std::vector<std::int64_t> ids(rows.size());
    std::iota(ids.begin(), ids.end(), 0);
    const std::vector<std::span<const double>> views(all.begin(), all.end());
    Columns kept(count);
    for (const std::size_t place : pareto_frontier(views, ids)) {
      for (std::size_t i = 0; i < count; ++i) {
        kept[i].push_back(all[i][place]);
      }
    }
    return kept;
  }

  std::span<const double> reference_;
  std::int64_t steps_;
};

}  // namespace

std::optional<double> hypervolume(std::span<const std::span<const double>> objectives,
                                  std::span<const double> reference, std::int64_t most_steps) {
  SCALESWEEP_EXPECT(!objectives.empty() && objectives.size() <= max_columns);
  SCALESWEEP_EXPECT(objectives.size() == reference.size());
  Columns inside(objectives.size());
  for (std::size_t row = 0; row < objectives.front().size(); ++row) {
    bool better = true;
    for (std::size_t i = 0; i < objectives.size(); ++i) {
      better = better && objectives[i][row] < reference[i];
    }
    for (std::size_t i = 0; better && i < objectives.size(); ++i) {
      inside[i].push_back(objectives[i][row]);
    }
  }
  if (objectives.size() > 3 && inside.front().size() > hypervolume_rows) {
    return std::nullopt;
  }
  try {
    return Volume(reference, most_steps).of(inside, objectives.size());
  } catch (const OutOfSteps&) {
    return std::nullopt;
  }
}

}  // namespace scalesweep::reduce

#include "reduce/frontier/divide.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>

#include "core/contracts.hpp"
#include "reduce/frontier/kernels.hpp"
#include "reduce/frontier/objectives.hpp"

namespace scalesweep::reduce {
namespace {

using Indices = std::span<std::uint32_t>;

// Sets of so few are compared pair by pair, many pairs at once.
constexpr std::size_t few_points = 128;
constexpr std::size_t few_pairs = few_points * few_points;

class Division {
 public:
  explicit Division(std::span<const std::vector<double>> columns)
      : columns_(columns), dead_(columns.front().size(), 0) {}

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> all(dead_.size());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<std::uint32_t> kept(all.begin(), all.begin() + reduce(all));
    std::sort(kept.begin(), kept.end());
    return kept;
  }

 private:
  double value(std::uint32_t point, std::size_t objective) const {
    return columns_[objective][point];
  }

  // Moves the frontier of points that stand in lexicographic order to the front, in any order, and
  // says how many they are.
  std::ptrdiff_t reduce(Indices points) {
    if (points.size() <= few_points) {
      return reduce_few(points);
    }
    const std::size_t half = points.size() / 2;
    const std::ptrdiff_t low = reduce(points.first(half));
    const std::ptrdiff_t high = reduce(points.subspan(half));
    // Points of the upper half are never smaller in the first objective: the others decide.
    marry(points.first(static_cast<std::size_t>(low)),
          points.subspan(half, static_cast<std::size_t>(high)), columns_.size() - 1);
    const auto upper = points.begin() + static_cast<std::ptrdiff_t>(half);
    const auto end = std::copy_if(upper, upper + high, points.begin() + low,
                                  [this](std::uint32_t point) { return dead_[point] == 0; });
    return end - points.begin();
  }

  std::ptrdiff_t reduce_few(Indices points) {
    gather({}, columns_.size() - 1);
    std::size_t kept = 0;
    for (const std::uint32_t point : points) {
      if (!is_covered(point, kept, columns_.size() - 1)) {
        for (std::size_t i = 1; i < columns_.size(); ++i) {
          gathered_[i].push_back(value(point, i));
        }
        points[kept++] = point;
      }
    }
    return static_cast<std::ptrdiff_t>(kept);
  }

  // Marks the points of `high` that a point of `low` covers in the objectives 1 ... last; in all
  // others it does already.
  void marry(Indices low, Indices high, std::size_t last) {
    high = living(high);
    for (std::size_t i = last; i >= 1 && !low.empty() && !high.empty(); --i) {
      const Bounds bounds = bounds_of(low, high, i);
      if (bounds.least_low > bounds.most_high) {
        return;
      }
      if (i == last && last > 1 && bounds.most_low <= bounds.least_high) {
        --last;  // decided for all pairs
      }
    }
    if (low.empty() || high.empty()) {
      return;
    }
    if (low.size() * high.size() <= few_pairs || std::min(low.size(), high.size()) <= 4) {
      marry_few(low, high, last);
    } else if (last == 1) {
      marry_by_one(low, high);
    } else if (last == 2) {
      marry_by_two(low, high);
    } else {
      marry_parts(low, high, last);
    }
  }

  // Cuts both sets at a value of the last objective. Below the cut of `high` only what is below it
  // in `low` counts; above, that is better in the last objective, and the rest is cut again.
  void marry_parts(Indices low, Indices high, std::size_t last) {
    const double cut = median(low, high, last);
    const auto below = [&](std::uint32_t point) { return value(point, last) < cut; };
    const auto at_most = [&](std::uint32_t point) { return value(point, last) <= cut; };
    const auto low_less = split(low, below);
    const auto low_at_most = split(low, at_most);
    const auto high_less = split(high, below);
    marry(low.first(low_at_most), high.subspan(high_less), last - 1);
    // The order within each part may change, the parts stay.
    split(low.first(low_at_most), below);
    const auto high_at_most = split(high, at_most);
    split(high.first(high_at_most), below);
    marry(low.first(low_less), high.first(high_less), last);
    marry(low.subspan(low_at_most), high.subspan(high_at_most), last);
  }

  void marry_by_one(Indices low, Indices high) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::uint32_t point : low) {
      least = std::min(least, value(point, 1));
    }
    for (const std::uint32_t point : high) {
      dead_[point] |= static_cast<std::uint8_t>(least <= value(point, 1));
    }
  }

  // Sweeps along the first of two objectives, with the least of the second so far.
  void marry_by_two(Indices low, Indices high) {
    const auto earlier = [this](std::uint32_t a, std::uint32_t b) {
      return value(a, 1) < value(b, 1);
    };
    std::sort(low.begin(), low.end(), earlier);
    std::sort(high.begin(), high.end(), earlier);
    bool any = false;
    double least = 0.0;
    auto next = low.begin();
    for (const std::uint32_t point : high) {
      for (; next != low.end() && value(*next, 1) <= value(point, 1); ++next) {
        least = any ? std::min(least, value(*next, 2)) : value(*next, 2);
        any = true;
      }
      dead_[point] |= static_cast<std::uint8_t>(any && least <= value(point, 2));
    }
  }

  void marry_few(Indices low, Indices high, std::size_t last) {
    gather(low, last);
    for (const std::uint32_t point : high) {
      dead_[point] |= static_cast<std::uint8_t>(is_covered(point, low.size(), last));
    }
  }

  // Objectives 1 ... last of some points side by side.
  void gather(Indices points, std::size_t last) {
    for (std::size_t i = 1; i <= last; ++i) {
      gathered_[i].clear();
      for (const std::uint32_t point : points) {
        gathered_[i].push_back(value(point, i));
      }
    }
  }

  bool is_covered(std::uint32_t point, std::size_t count, std::size_t last) const {
    std::array<const double*, max_columns> columns{};
    std::array<double, max_columns> values{};
    for (std::size_t i = 1; i <= last; ++i) {
      columns[i - 1] = gathered_[i].data();
      values[i - 1] = value(point, i);
    }
    return any_covers({columns.data(), last}, count, {values.data(), last});
  }

  struct Bounds {
    double least_low, most_low, least_high, most_high;
  };

  Bounds bounds_of(Indices low, Indices high, std::size_t objective) const {
    const std::vector<double>& column = columns_[objective];
    const auto less = [&](std::uint32_t a, std::uint32_t b) { return column[a] < column[b]; };
    const auto [low_least, low_most] = std::minmax_element(low.begin(), low.end(), less);
    const auto [high_least, high_most] = std::minmax_element(high.begin(), high.end(), less);
    return {column[*low_least], column[*low_most], column[*high_least], column[*high_most]};
  }

  Indices living(Indices points) {
    return points.first(split(points, [this](std::uint32_t point) { return dead_[point] == 0; }));
  }

  template <typename Test>
  static std::size_t split(Indices points, Test test) {
    return static_cast<std::size_t>(std::partition(points.begin(), points.end(), test) -
                                    points.begin());
  }

  // Of both sets together.
  double median(Indices low, Indices high, std::size_t objective) {
    values_.clear();
    for (const Indices points : {low, high}) {
      for (const std::uint32_t point : points) {
        values_.push_back(value(point, objective));
      }
    }
    const auto middle = values_.begin() + static_cast<std::ptrdiff_t>(values_.size() / 2);
    std::nth_element(values_.begin(), middle, values_.end());
    return *middle;
  }

  std::span<const std::vector<double>> columns_;
  std::vector<std::uint8_t> dead_;
  std::array<std::vector<double>, max_columns> gathered_;
  std::vector<double> values_;
};

}  // namespace

std::vector<std::uint32_t> frontier_by_division(std::span<const std::vector<double>> columns) {
  SCALESWEEP_EXPECT(columns.size() >= 3 && columns.size() <= max_columns);
  SCALESWEEP_EXPECT(columns.front().size() < std::numeric_limits<std::uint32_t>::max());
  return Division(columns).run();
}

}  // namespace scalesweep::reduce

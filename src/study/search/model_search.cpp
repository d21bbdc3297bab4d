#include "study/search/model_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/contracts.hpp"
#include "space/axes/halton.hpp"
#include "study/search/gaussian_process.hpp"

namespace scalesweep::study {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// What LookAt tells.
using Points = std::vector<std::vector<double>>;

// Of one of the values: logarithms where its sign is always the same, so that a difference is a
// part of it; else parts of the best.
class Scale {
 public:
  Scale(const std::vector<Points>& found, std::size_t value) {
    double least = infinity;
    double most = -infinity;
    for (const Points& points : found) {
      for (const std::vector<double>& point : points) {
        least = std::min(least, point[value]);
        most = std::max(most, point[value]);
      }
    }
    sign_ = least > 0.0 ? 1.0 : most < 0.0 ? -1.0 : 0.0;
    unit_ = least != 0.0 && std::isfinite(least) ? std::fabs(least) : 1.0;
    least_ = scaled(least);
    range_ = std::max(scaled(most) - least_, 1e-300);
  }

  double scaled(double value) const {
    return sign_ == 0.0 ? value / unit_ : sign_ * std::log(sign_ * value);
  }
  double value(double scaled) const {
    return sign_ == 0.0 ? scaled * unit_ : sign_ * std::exp(sign_ * scaled);
  }
  // From 0 for the best to 1 for the worst.
  double part(double value) const { return (scaled(value) - least_) / range_; }

 private:
  double sign_;
  double unit_;
  double least_ = 0.0;
  double range_ = 1.0;
};

Coordinates coordinates_of(const GridPlace& place, std::span<const std::int32_t> sizes) {
  Coordinates coordinates;
  for (std::size_t i = 0; i < place.size(); ++i) {
    coordinates.push_back(sizes[i] > 1 ? static_cast<double>(place[i]) / (sizes[i] - 1) : 0.5);
  }
  return coordinates;
}

GridPlace place_at(const Coordinates& coordinates, std::span<const std::int32_t> sizes) {
  GridPlace place;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto nearest = std::lround(coordinates[i] * (sizes[i] - 1));
    place.push_back(std::clamp(static_cast<std::int32_t>(nearest), 0, sizes[i] - 1));
  }
  return place;
}

GridPlace middle_of(std::span<const std::int32_t> sizes) {
  return place_at(Coordinates(sizes.size(), 0.5), sizes);
}

// Place i of a sequence that is evenly spread, however many of it are taken.
GridPlace drawn_place(std::int64_t i, std::span<const std::int32_t> sizes) {
  Coordinates coordinates;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    coordinates.push_back(space::halton(i, axis));
  }
  return place_at(coordinates, sizes);
}

GridPlace listed_place(std::int64_t i, std::span<const std::int32_t> sizes) {
  GridPlace place;
  for (const std::int32_t size : sizes) {
    place.push_back(static_cast<std::int32_t>(i % size));
    i /= size;
  }
  return place;
}

// Grids of so many places at most are small: all of them are listed.
constexpr std::int64_t most_places_listed = 2048;

// All places of the grid, or `most` + 1 where there are more than `most`.
std::int64_t count_places(std::span<const std::int32_t> sizes, std::int64_t most) {
  std::int64_t all = 1;
  for (const std::int32_t size : sizes) {
    all = size > most / all ? most + 1 : all * size;
  }
  return all;
}

// What was looked at.
class Known {
 public:
  Known(std::span<const std::int32_t> sizes, const LookAt& look_at, std::int64_t most)
      : sizes_(sizes),
        most_(most),
        climber_(
            sizes, [this, &look_at](const GridPlace& place) { return add(place, look_at(place)); },
            [this] { return may_look(); }) {}
  Known(const Known&) = delete;  // the climber comes back to it
  Known& operator=(const Known&) = delete;

  std::int64_t count() const { return static_cast<std::int64_t>(found_.size()); }
  bool may_look() const { return count() < most_; }
  bool has_points() const { return best_ < infinity; }
  bool knows(const GridPlace& place) const { return climber_.knows(place); }
  // In the first value.
  double best() const { return best_; }
  const GridPlace& best_place() const { return best_place_; }

  bool look_at(const GridPlace& place) { return climber_.is_best(place); }
  void climb_from(const GridPlace& place) { climber_.climb_from(place); }
  // From the best place, if there is one.
  void climb_on() {
    if (has_points()) {
      climber_.climb_on(best_place_);
    }
  }

  const std::vector<Coordinates>& coordinates() const { return coordinates_; }
  const std::vector<Points>& found() const { return found_; }  // at each

 private:
  bool add(const GridPlace& place, Points points) {
    const double before = best_;
    for (const std::vector<double>& point : points) {
      if (point.front() < best_) {
        best_ = point.front();
        best_place_ = place;
      }
    }
    coordinates_.push_back(coordinates_of(place, sizes_));
    found_.push_back(std::move(points));
    return best_ < before;
  }

  std::span<const std::int32_t> sizes_;
  std::int64_t most_;
  Climber climber_;
  std::vector<Coordinates> coordinates_;
  std::vector<Points> found_;
  double best_ = infinity;
  GridPlace best_place_;
};

// Where nothing was found so far: places evenly spread until something is, as many as a small grid
// has, and of a small grid all. `next`: of those that are drawn; returns what is then the next.
std::int64_t look_until_found(Known& known, std::span<const std::int32_t> sizes,
                              std::int64_t next) {
  const auto goes_on = [&] { return known.may_look() && !known.has_points(); };
  while (next <= most_places_listed && goes_on()) {
    known.look_at(drawn_place(next++, sizes));
  }
  const std::int64_t all = count_places(sizes, most_places_listed);
  for (std::int64_t i = 0; i < all && all <= most_places_listed && goes_on(); ++i) {
    known.look_at(listed_place(i, sizes));
  }
  return next;
}

// One number for each place that is known: of a mixture of the values, the least of its points.
// Where nothing is, as much worse than the worst as that is than the best.
std::vector<double> mixed(const std::vector<Points>& found,
                          const std::function<double(const std::vector<double>& point)>& mix) {
  std::vector<double> numbers;
  double least = infinity;
  double most = -infinity;
  for (const Points& points : found) {
    double number = infinity;
    for (const std::vector<double>& point : points) {
      number = std::min(number, mix(point));
    }
    numbers.push_back(number);
    if (number < infinity) {
      least = std::min(least, number);
      most = std::max(most, number);
    }
  }
  std::replace(numbers.begin(), numbers.end(), infinity, 2.0 * most - least);
  return numbers;
}

class ModelSearch {
 public:
  ModelSearch(std::span<const std::int32_t> sizes, std::size_t values, const LookAt& look_at,
              double tolerance, std::int64_t most)
      : sizes_(sizes),
        values_(values),
        tolerance_(tolerance),
        most_(most),
        all_(count_places(sizes, std::max(most, most_places_listed))),
        known_(sizes, look_at, most) {}

  PlacesSearched search() {
    begin();
    for (bool goes_on = true; goes_on;) {
      follow_model();
      goes_on = values_ == 1 && wins_by_climbing();
    }
    return {known_.count(), least_left()};
  }

 private:
  static constexpr std::int64_t places_drawn = 1024;
  // The model is right about the best so often in turn before it is believed; of several values
  // so often of each.
  static constexpr std::size_t turns_to_believe = 8;

  bool may_follow() const {
    return known_.has_points() && known_.count() < most_ && known_.count() < all_;
  }

  // Enough for a first model, evenly spread around the middle; more where nothing is there.
  void begin() {
    known_.look_at(middle_of(sizes_));
    const std::int64_t first = 4 * static_cast<std::int64_t>(sizes_.size());
    while (next_drawn_ <= first) {
      known_.look_at(drawn_place(next_drawn_++, sizes_));
    }
    next_drawn_ = look_until_found(known_, sizes_, next_drawn_);
  }

  void follow_model() {
    for (std::size_t sure = 0; sure < turns_to_believe * values_ && may_follow();) {
      const std::vector<double> numbers = numbers_of_turn();
      const auto [place, gain] = most_promising(model_of(numbers), least_of(numbers));
      if (!place) {
        return;
      }
      sure = gain < tolerance_ ? sure + 1 : 0;
      known_.look_at(*place);
    }
  }

  // A grid is finer than a model: whether the places around the best are better by more than the
  // tolerance.
  bool wins_by_climbing() {
    if (!may_follow()) {
      return false;
    }
    const Scale scale(known_.found(), 0);
    const double before = scale.scaled(known_.best());
    known_.climb_on();
    return before - scale.scaled(known_.best()) > tolerance_;
  }

  // Evenly over all mixtures, and again and again each value alone, where frontiers end. Their sum
  // is 1.
  std::vector<double> weights_of_turn() {
    constexpr std::size_t mixtures = 3;
    const std::int64_t turn = turn_++;
    const std::size_t alone = static_cast<std::size_t>(turn) % (values_ + mixtures);
    std::vector<double> weights(values_, 0.0);
    if (alone < values_) {
      weights[alone] = 1.0;
      return weights;
    }
    for (std::size_t i = 0; i < values_; ++i) {
      weights[i] = -std::log(space::halton(turn + 1, i));
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) {
      weight /= sum;
    }
    return weights;
  }

  // Of several values: the largest of their weighted parts, and a little of the others.
  std::vector<double> numbers_of_turn() {
    if (values_ == 1) {
      const Scale scale(known_.found(), 0);
      return mixed(known_.found(), [&](const auto& point) { return scale.scaled(point.front()); });
    }
    constexpr double of_all = 0.05;
    std::vector<Scale> scales;
    for (std::size_t i = 0; i < values_; ++i) {
      scales.emplace_back(known_.found(), i);
    }
    const std::vector<double> weights = weights_of_turn();
    return mixed(known_.found(), [&](const std::vector<double>& point) {
      double largest = 0.0;
      double total = 0.0;
      for (std::size_t i = 0; i < values_; ++i) {
        const double part = weights[i] * scales[i].part(point[i]);
        largest = std::max(largest, part);
        total += part;
      }
      return largest + of_all * total;
    });
  }

  static double least_of(const std::vector<double>& numbers) {
    return *std::min_element(numbers.begin(), numbers.end());
  }

  GaussianProcess model_of(const std::vector<double>& numbers) {
    // How smooth it is changes little from place to place.
    if (!smoothness_ || static_cast<double>(known_.count()) >= 1.1 * fitted_to_) {
      smoothness_ = likeliest_smoothness(
          known_.coordinates(), numbers,
          smoothness_.value_or(Smoothness{std::vector<double>(sizes_.size(), 0.5)}));
      fitted_to_ = static_cast<double>(known_.count());
    }
    return {known_.coordinates(), numbers, *smoothness_};
  }

  struct Promising {
    std::optional<GridPlace> place;  // nothing where all are known
    double gain = -1.0;              // expected
  };
  Promising most_promising(const GaussianProcess& model, double best) {
    const std::vector<GridPlace> places = unknown_places();
    const std::vector<Expected> expected = model.at(coordinates_of(places));
    Promising most;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double gain = expected_improvement(expected[i], best);
      if (gain > most.gain) {
        most = {places[i], gain};
      }
    }
    return most;
  }

  std::vector<Coordinates> coordinates_of(const std::vector<GridPlace>& places) const {
    std::vector<Coordinates> coordinates;
    for (const GridPlace& place : places) {
      coordinates.push_back(study::coordinates_of(place, sizes_));
    }
    return coordinates;
  }

  // All of a small grid; of others some, evenly spread, and others around the best.
  std::vector<GridPlace> unknown_places() {
    std::vector<GridPlace> places;
    const auto add_if_unknown = [&](GridPlace place) {
      if (!known_.knows(place)) {
        places.push_back(std::move(place));
      }
    };
    if (all_ <= most_places_listed) {
      for (std::int64_t i = 0; i < all_; ++i) {
        add_if_unknown(listed_place(i, sizes_));
      }
      return places;
    }
    const Coordinates best = study::coordinates_of(known_.best_place(), sizes_);
    for (std::int64_t i = 0; i < places_drawn; ++i) {
      add_if_unknown(drawn_place(next_drawn_++, sizes_));
    }
    for (const double radius : {0.2, 0.05, 0.0125}) {
      for (std::int64_t i = 1; i <= places_drawn / 4; ++i) {
        Coordinates near = best;
        for (std::size_t axis = 0; axis < near.size(); ++axis) {
          near[axis] =
              std::clamp(near[axis] + radius * (2.0 * space::halton(i, axis) - 1.0), 0.0, 1.0);
        }
        add_if_unknown(place_at(near, sizes_));
      }
    }
    return places;
  }

  double least_left() {
    if (known_.count() >= all_) {
      return infinity;
    }
    if (values_ > 1 || !known_.has_points()) {
      return -infinity;
    }
    constexpr double deviations = 2.0;
    const Scale scale(known_.found(), 0);
    const GaussianProcess model = model_of(numbers_of_turn());
    double least = infinity;
    for (const Expected& expected : model.at(coordinates_of(unknown_places()))) {
      least = std::min(least, expected.mean - deviations * expected.deviation);
    }
    return least < infinity ? scale.value(least) : infinity;
  }

  std::span<const std::int32_t> sizes_;
  std::size_t values_;
  double tolerance_;
  std::int64_t most_;
  std::int64_t all_;  // places: count_places
  Known known_;
  std::int64_t next_drawn_ = 1;
  std::int64_t turn_ = 0;
  std::optional<Smoothness> smoothness_;
  double fitted_to_ = 0.0;  // so many places
};

}  // namespace

PlacesSearched search_by_model(std::span<const std::int32_t> sizes, std::size_t values,
                               const LookAt& look_at, double tolerance, std::int64_t most) {
  SCALESWEEP_EXPECT(!sizes.empty() && values > 0 && most > 0);
  return ModelSearch(sizes, values, look_at, tolerance, most).search();
}

PlacesSearched search_by_climbing(std::span<const std::int32_t> sizes, const LookAt& look_at,
                                  std::int64_t most) {
  SCALESWEEP_EXPECT(!sizes.empty() && most > 0);
  Known known(sizes, look_at, most);
  known.climb_from(middle_of(sizes));
  if (!known.has_points()) {
    look_until_found(known, sizes, 1);
    known.climb_on();
  }
  return {known.count(), known.count() >= count_places(sizes, most) ? infinity : -infinity};
}

}  // namespace scalesweep::study

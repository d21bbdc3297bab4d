#include "estimator/inference/service/fastest_batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace scalesweep::estimator {
namespace {

// With half as many sequences no more is served than with all of them, but for steps: where it is
// so much less, what a step costs does not make up for it.
constexpr double most_of_a_step = 1.25;
// Of slopes that were seen: stays grow a little less from one sequence to the next the more there
// are.
constexpr double surely_grows = 0.95;
constexpr int most_looks = 16;  // between two powers of two

}  // namespace

double fewer_sequences(double own) {
  return std::exp2(std::ceil(std::log2(own)) - 1.0);
}

double FastestBatch::stay_s(double own) {
  const auto [found, is_new] = stays_s_.try_emplace(own, 0.0);
  if (!is_new) {
    return found->second;
  }
  const double rate = rate_at_(own);
  found->second = rate > 0.0 ? own / rate : std::numeric_limits<double>::infinity();
  return found->second;
}

void FastestBatch::consider(double own) {
  const double rate = own / stay_s(own);
  if (rate > best_.rate) {
    best_ = {own, rate};
  }
}

// Steps follow numbers that fill tiles, which powers of two often are: below them there is none.
double FastestBatch::slope_s(double own) {
  return own > 1.0 ? std::max(0.0, stay_s(own) - stay_s(own - 1.0)) : stay_s(own);
}

// A stay is as long as with fewer sequences, and longer by what each adds where there is no step:
// no more can be served than that allows. What each adds is known of no place between two that a
// step may part: the middle is looked at whatever the ends allow.
void FastestBatch::look_between(double few, double many, double& slope) {
  slope = std::min({slope, slope_s(few), slope_s(many)});
  const auto see = [&](double low, double high) {
    slope = std::min(slope, std::max(0.0, (stay_s(high) - stay_s(low)) / (high - low)));
  };
  see(few, many);
  std::vector<std::pair<double, double>> open = {{few, many}};
  for (int looks = 0; !open.empty() && looks < most_looks;) {
    const auto [low, high] = open.back();
    open.pop_back();
    const double more = high - low;
    const double most = (high - 1.0) / (stay_s(low) + surely_grows * slope * (more - 1.0));
    const bool is_known = looks > 0 && most <= (1.0 + fastest_tolerance) * best_.rate;
    if (more <= 1.0 || is_known) {
      continue;
    }
    const double middle = std::floor(0.5 * (low + high));
    consider(middle);
    ++looks;
    see(low, middle);
    see(middle, high);
    open.emplace_back(low, middle);
    open.emplace_back(middle, high);  // looked at first: more is served there
  }
}

ServedBatch FastestBatch::at_most(double own) {
  best_ = {};
  double slope = std::numeric_limits<double>::infinity();  // of all that are more
  consider(own);
  for (double many = own; many > 1.0;) {
    const double few = fewer_sequences(many);
    consider(few);
    look_between(few, many, slope);
    if (most_of_a_step * few / stay_s(few) < best_.rate) {
      break;
    }
    many = few;
  }
  return best_;
}

}  // namespace scalesweep::estimator

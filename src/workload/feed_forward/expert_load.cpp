#include "workload/feed_forward/expert_load.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/contracts.hpp"

namespace scalesweep::workload {
namespace {

double normal_density(double z) {
  return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
}

double normal_below(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

constexpr int halvings = 24;  // of an interval: enough for a part in ten million

// The quantile of a normal variable at p >= 1/2, within 4.5e-4 (Abramowitz and Stegun, 26.2.23).
double normal_quantile(double p) {
  const double t = std::sqrt(-2.0 * std::log(1.0 - p));
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                 (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

struct Normal {
  double mean = 0.0;
  double variance = 0.0;
};

// The expected larger one of two independent ones.
double mean_of_larger(const Normal& a, const Normal& b) {
  const double spread = std::sqrt(a.variance + b.variance);
  if (spread <= 0.0) {
    return std::max(a.mean, b.mean);
  }
  const double z = (a.mean - b.mean) / spread;
  return a.mean * normal_below(z) + b.mean * normal_below(-z) + spread * normal_density(z);
}

// The largest of `count` variables with these moments.
Normal largest_of(double count, double mean, double variance, double third) {
  const double deviation = std::sqrt(std::max(0.0, variance));
  if (count <= 1.0 || deviation <= 0.0) {
    return {mean, variance};
  }
  const double z = normal_quantile((count - 0.375) / (count + 0.25));
  const double skewness = third / (deviation * deviation * deviation);
  constexpr double least_skewness = 1e-6;
  double above = z;
  if (std::abs(skewness) > least_skewness) {
    const double root = 1.0 + skewness * z / 6.0 - skewness * skewness / 36.0;
    above = 2.0 / skewness * (root * root * root - 1.0);
  }
  // Maxima of normal variables vary by pi^2 / (12 ln n) of their variance, for large n.
  constexpr double of_maxima = std::numbers::pi * std::numbers::pi / 12.0;
  return {mean + deviation * above,
          variance * std::min(1.0, of_maxima / std::log(std::max(2.0, count)))};
}

// Moments of the sum of `drawn` of `count` values, without any twice, from those of one.
double variance_of_sum(double drawn, double count, double variance) {
  return count > 1.0 ? drawn * variance * (count - drawn) / (count - 1.0) : 0.0;
}
double third_of_sum(double drawn, double count, double third) {
  return count > 2.0 ? drawn * third * (count - drawn) * (count - 2.0 * drawn) /
                           ((count - 1.0) * (count - 2.0))
                     : 0.0;
}

}  // namespace

double experts_reached(const Experts& experts, double held, double tokens) {
  const double missed =
      1.0 - static_cast<double>(experts.top_k) / static_cast<double>(experts.count);
  return held * (1.0 - std::pow(missed, std::max(1.0, tokens / experts.alike)));
}

std::optional<double> usual_request_skew(std::int64_t experts) {
  constexpr std::int64_t many = 32;
  return experts >= many ? std::optional(0.7) : std::nullopt;
}

double experts_held(const Experts& experts, double ranks, double redundant) {
  return std::ceil((static_cast<double>(experts.count) + redundant) / ranks);
}

ExpertLoads::ExpertLoads(const Experts& experts, double ranks, double redundant)
    : experts_(experts), held_(experts_held(experts, ranks, redundant)) {
  SCALESWEEP_EXPECT(experts.on() && ranks >= 1.0);
  const double copies = static_cast<double>(experts.count) + redundant;
  ranks_ = ranks;
  const double more = std::fmod(copies, ranks);
  fullest_ = more > 0.0 ? more : ranks;
  even_ = held_ * ranks / copies;
  if (ranks <= 1.0) {
    even_ = 1.0;
    fullest_ = 1.0;
  }
  grouped_ = experts.skew.has_value() || redundant > 0.0;
  if (!grouped_) {
    return;
  }
  const auto top_k = static_cast<double>(experts.top_k);
  make_groups(experts);
  set_chances(top_k);
  add_copies(redundant, ranks);
  if (redundant > 0.0) {
    pack(top_k);
  } else {
    set_random_moments();
  }
}

// `chance` holds the popularity until set_chances.
void ExpertLoads::make_groups(const Experts& experts) {
  const double skew = experts.skew.value_or(0.0);
  constexpr double alone = 8.0;  // experts by themselves
  const auto count = static_cast<double>(experts.count);
  double begin = 0.0;
  while (begin < count) {
    SCALESWEEP_EXPECT(size_ < most_groups);
    const double width = begin < alone ? 1.0 : std::floor(0.25 * begin);
    const double taken = size_ + 1 == most_groups ? count - begin : std::min(width, count - begin);
    groups_[size_++] = {taken, std::pow(begin + 0.5 * (taken + 1.0), -skew)};
    begin += taken;
  }
}

// Newton's rule from below: the sum of chances is concave in c, so that no step goes too far.
void ExpertLoads::set_chances(double top_k) {
  double popularity = 0.0, count = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    popularity += groups_[i].experts * groups_[i].chance;
    count += groups_[i].experts;
  }
  if (top_k >= count || experts_.skew.value_or(0.0) <= 0.0) {
    for (std::size_t i = 0; i < size_; ++i) {
      groups_[i].chance = std::min(1.0, top_k / count);
    }
    return;
  }
  double c = top_k / popularity;
  constexpr int most_steps = 60;
  constexpr double close = 1e-9;
  for (int step = 0; step < most_steps; ++step) {
    double sum = 0.0, slope = 0.0;
    for (std::size_t i = 0; i < size_; ++i) {
      const double missed = std::exp(-c * groups_[i].chance);
      sum += groups_[i].experts * (1.0 - missed);
      slope += groups_[i].experts * groups_[i].chance * missed;
    }
    if (top_k - sum < close * top_k) {
      break;
    }
    c += (top_k - sum) / slope;
  }
  for (std::size_t i = 0; i < size_; ++i) {
    groups_[i].chance = -std::expm1(-c * groups_[i].chance);
  }
}

// One copy after the other to the group with the most tokens a copy; to all of a group at once as
// far as there are copies. No device holds an expert twice.
void ExpertLoads::add_copies(double redundant, double ranks) {
  // What each group's copies have, or nothing where no device is left for another: dividing in each
  // search would be most of the time of services with redundant experts.
  std::array<double, most_groups> may_have{};
  const auto note = [&](std::size_t i) { may_have[i] = groups_[i].copies < ranks ? load(i) : 0.0; };
  for (std::size_t i = 0; i < size_; ++i) {
    note(i);
  }
  while (redundant > 0.0) {
    const auto end = may_have.begin() + static_cast<std::ptrdiff_t>(size_);
    const auto found = std::max_element(may_have.begin(), end);
    const auto most = static_cast<std::size_t>(found - may_have.begin());
    if (found == end || *found <= 0.0) {
      return;
    }
    const double given = std::min(redundant, groups_[most].experts);
    if (given < groups_[most].experts && size_ < most_groups) {
      // The others of the group stay as they are.
      groups_[size_] = groups_[most];
      groups_[size_].experts -= given;
      note(size_++);
      groups_[most].experts = given;
    }
    groups_[most].copies += given / groups_[most].experts;
    note(most);
    redundant -= given;
  }
}

double ExpertLoads::drawn_variance() const {
  double variance = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    variance += groups_[i].experts * groups_[i].copies * load(i) * (1.0 - load(i));
  }
  return variance;
}

namespace {

// A token that goes to one of a fixed number goes less to the others.
double dependent(double own, double all) {
  return all > 0.0 ? own * std::max(0.0, 1.0 - own / all) : 0.0;
}

// Moments over values that come in numbers.
struct Sums {
  double count = 0.0, mean = 0.0, variance = 0.0, third = 0.0, drawn = 0.0;
};
template <typename ForEach>
Sums sums_of(double count, const ForEach& for_each) {
  Sums sums{.count = count};
  if (count <= 0.0) {
    return sums;
  }
  for_each([&](double n, double q) {
    sums.mean += n / count * q;
    sums.drawn += n / count * q * (1.0 - q);
  });
  for_each([&](double n, double q) {
    const double off = q - sums.mean;
    sums.variance += n / count * off * off;
    sums.third += n / count * off * off * off;
  });
  return sums;
}

}  // namespace

// Experts lie where their numbers say, at random as to how popular they are. The first group is the
// most popular expert by itself.
void ExpertLoads::set_random_moments() {
  const Sums rest = sums_of(static_cast<double>(experts_.count) - 1.0, [&](const auto& add) {
    for (std::size_t i = 1; i < size_; ++i) {
      add(groups_[i].experts, load(i));
    }
  });
  const double all = drawn_variance();
  const double beside = held_ - 1.0;
  const double own = std::min(held_, rest.count);
  hottest_ = {load(0) + beside * rest.mean, variance_of_sum(beside, rest.count, rest.variance), 0.0,
              dependent(load(0) * (1.0 - load(0)) + beside * rest.drawn, all)};
  others_ = {held_ * rest.mean, variance_of_sum(own, rest.count, rest.variance),
             third_of_sum(own, rest.count, rest.third), dependent(held_ * rest.drawn, all)};
}

template <typename Add>
void ExpertLoads::for_each_packed(double level, const Add& add) const {
  double left = ranks_;
  for (std::size_t i = 0; i < size_ && left > 0.0; ++i) {
    const double n = std::min(left, groups_[i].experts * groups_[i].copies);
    add(n, std::max(level, load(i) + filling_));
    left -= n;
  }
}

// Each device has one of the hottest copies, and beside it what brings it to the level that all
// have who can: the coldest ones, where its own is above.
void ExpertLoads::pack(double top_k) {
  std::sort(
      groups_.begin(), groups_.begin() + static_cast<std::ptrdiff_t>(size_),
      [](const Group& a, const Group& b) { return a.chance * b.copies > b.chance * a.copies; });
  packed_ = true;
  filling_ = (held_ - 1.0) * load(size_ - 1);
  double high = top_k / ranks_;
  for (int i = 0; i < halvings; ++i) {
    const double middle = 0.5 * (level_ + high);
    double sum = 0.0;
    for_each_packed(middle, [&](double n, double q) { sum += n * q; });
    (sum < top_k ? level_ : high) = middle;
  }
}

// So much that exp(-gamma) devices are expected to get more: the mean of the largest of many
// (Gumbel, Statistics of Extremes, 1958), of devices that are not alike.
double ExpertLoads::largest_packed(double drawn) const {
  constexpr double beyond = 0.561459;  // exp(-0.577216)
  const double hottest = drawn * std::max(level_, load(0) + filling_);
  const double dependence = 1.0 - 1.0 / ranks_;  // what one gets the others do not
  double low = drawn * level_;
  double high = hottest + 10.0 * std::sqrt(hottest) + 10.0;
  for (int i = 0; i < halvings; ++i) {
    const double middle = 0.5 * (low + high);
    double more = 0.0;
    for_each_packed(level_, [&](double n, double q) {
      const double mean = drawn * q;
      // Of a number of tokens that is nearly Poisson, by the cube root as well.
      const double root = std::cbrt(middle / mean);
      const double above = root - 1.0 + 1.0 / (9.0 * mean);
      more += n * normal_below(-3.0 * above * std::sqrt(mean / dependence));
    });
    (more > beyond ? low : high) = middle;
  }
  return low;
}

double ExpertLoads::largest(double tokens) const {
  if (ranks_ <= 1.0) {
    return 1.0;
  }
  const double mean = static_cast<double>(experts_.top_k) / ranks_;
  if (!experts_.skew) {
    return experts_.imbalance *
           (grouped_ ? std::max(even_, std::max(level_, load(0) + filling_) / mean) : even_);
  }
  const double drawn = std::max(1.0, tokens / experts_.alike);  // independently
  if (packed_) {
    return std::max(1.0, largest_packed(drawn) / (drawn * mean));
  }
  const auto variance = [drawn](const Moments& m) {
    return drawn * drawn * m.placed + drawn * m.drawn;
  };
  // Draws of tokens are nearly Poisson, whose third moment is their variance.
  const double third = drawn * drawn * drawn * others_.placed_third + drawn * others_.drawn;
  const Normal others = largest_of(fullest_ - 1.0, drawn * others_.mean, variance(others_), third);
  const Normal hottest = {drawn * hottest_.mean, variance(hottest_)};
  const double larger = fullest_ > 1.0 ? mean_of_larger(hottest, others) : hottest.mean;
  return std::max(1.0, larger / (drawn * mean));
}

double ExpertLoads::dropped(double tokens, double capacity) const {
  const auto top_k = static_cast<double>(experts_.top_k);
  const auto count = static_cast<double>(experts_.count);
  const double drawn = std::max(1.0, tokens / experts_.alike);
  const double most = capacity * drawn * top_k / count;
  // Of an expert that a token goes to with this chance.
  const auto beyond = [&](double chance) {
    const double over = drawn * chance - most;
    const double deviation = std::sqrt(drawn * chance * (1.0 - chance));
    if (deviation <= 0.0) {
      return std::max(0.0, over);
    }
    return over * normal_below(over / deviation) + deviation * normal_density(over / deviation);
  };
  double sum = grouped_ ? 0.0 : count * beyond(top_k / count);
  for (std::size_t i = 0; i < size_; ++i) {
    sum += groups_[i].experts * beyond(groups_[i].chance);
  }
  return sum / (drawn * top_k);
}

double ExpertLoads::reached(double tokens) const {
  if (!grouped_) {
    return experts_reached(experts_, held_, tokens);
  }
  const double drawn = std::max(1.0, tokens / experts_.alike);
  double reached = 0.0, copies = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    const double own = groups_[i].experts * groups_[i].copies;
    reached += own * (1.0 - std::pow(1.0 - load(i), drawn));
    copies += own;
  }
  return held_ * reached / copies;
}

}  // namespace scalesweep::workload

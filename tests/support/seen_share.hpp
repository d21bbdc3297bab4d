// How often something happens among random examples: whether a property looked at what it is about.

#pragma once

#include <cmath>

namespace scalesweep::test {

class SeenShare {
 public:
  void count(bool seen) {
    ++examples_;
    seen_ += seen ? 1 : 0;
  }

  // Whether it happened as often as it should: with `usual` as its share of all examples, by at
  // most four standard deviations (binomial) less. Chance alone fails this once in 30,000 times,
  // however few the examples are.
  bool is_at_least(double usual) const {
    const double mean = usual * examples_;
    return seen_ >= mean - 4.0 * std::sqrt(mean * (1.0 - usual));
  }

  int seen() const { return seen_; }
  int examples() const { return examples_; }

 private:
  int examples_ = 0;
  int seen_ = 0;
};

}  // namespace scalesweep::test

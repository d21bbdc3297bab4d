// How long the answers of a policy are: a log-normal law, cut off at a limit.
#pragma once

namespace scalesweep::estimator {

// The largest of many draws lies in the mean where exp(-Euler's constant) of them are expected to
// be larger (Gumbel's law).
inline constexpr double expected_beyond_longest = 0.5615;

// Answers that would be longer end at the limit, as engines cut them off; the mean is that of what
// comes out. A spread of 0: all are alike.
class OutputLengths {
 public:
  // Tokens; `spread` is the standard deviation over the mean without a limit, `most` 0: no limit.
  OutputLengths(double mean, double spread, double most);

  double mean() const { return mean_; }
  double mean_square() const { return mean_square_; }
  // Mean tokens that a sequence has so far, where they run in a steady state: those that are long
  // run longer.
  double mean_age() const { return 0.5 * mean_square_ / mean_; }
  // Of answers, the share that is longer than so many tokens: that still runs.
  double running(double tokens) const;
  // The mean of the smaller of an answer and so many tokens: what `running` sums to up to there.
  double mean_up_to(double tokens) const;
  // Of so many answers, the longest one in the mean: where so few are expected to be longer.
  double longest(double answers) const;

 private:
  double mean_;
  double most_;  // infinite: no limit
  double mean_square_ = 0.0;
  double log_mean_ = 0.0;    // of the law without a limit
  double log_spread_ = 0.0;  // 0: all alike
};

}  // namespace scalesweep::estimator

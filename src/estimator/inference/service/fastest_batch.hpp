// Which number of sequences is served fastest. Times of iterations grow with the sequences, and in
// steps as well: where a GEMM needs one more wave of tiles, and where what iterations work on is
// not found in L2 any more. What is served rises between steps and falls at each.
#pragma once

#include <functional>
#include <map>

namespace scalesweep::estimator {

// Of a replica, half as many or more: a power of two, so that a search among them meets the same
// numbers whatever memory holds, and one that may have more finds no less.
double fewer_sequences(double own);

// So many sequences of a replica, and the requests a second that it then serves.
struct ServedBatch {
  double own = 0.0;
  double rate = 0.0;
};

// What is served is found to this share: a search that may go further finds no less, but for that.
inline constexpr double fastest_tolerance = 2e-3;

// Remembers what it has asked, so that the next search begins there.
class FastestBatch {
 public:
  // Requests a second with so many sequences, a whole number above 0; pure.
  explicit FastestBatch(std::function<double(double own)> rate_at) : rate_at_(std::move(rate_at)) {}

  // Of at most so many sequences, a whole number above 0.
  ServedBatch at_most(double own);

 private:
  // Little: so long a request stays.
  double stay_s(double own);
  void consider(double own);
  // By what one sequence adds to a stay, at most, where there is no step.
  double slope_s(double own);
  // `slope`: the least that was seen among more sequences, s for each; that of these as well then.
  void look_between(double few, double many, double& slope);

  std::function<double(double own)> rate_at_;
  std::map<double, double> stays_s_;  // by sequences
  ServedBatch best_;
};

}  // namespace scalesweep::estimator

#include "estimator/reuse/hit_curve.hpp"

#include <algorithm>
#include <iterator>

namespace scalesweep::estimator {
namespace {

// Where the slope of the curve changes, by the weight of a reuse.
struct Bend {
  double tokens = 0.0;
  double slope = 0.0;
};

std::vector<Bend> bends_of(const std::vector<Reuse>& reuses) {
  std::vector<Bend> bends;
  bends.reserve(2 * reuses.size());
  for (const Reuse& one : reuses) {
    if (one.tokens > 0.0) {
      bends.push_back({one.distance, one.weight});
      bends.push_back({one.distance + one.tokens, -one.weight});
    }
  }
  std::sort(bends.begin(), bends.end(),
            [](const Bend& a, const Bend& b) { return a.tokens < b.tokens; });
  return bends;
}

}  // namespace

double HitCurve::at(double tokens) const {
  const auto above =
      std::upper_bound(points.begin(), points.end(), tokens,
                       [](double t, const Point& point) { return t < point.tokens; });
  if (above == points.begin()) {
    return 0.0;
  }
  const Point& low = *std::prev(above);
  return above == points.end() ? low.share
                               : low.share + (above->share - low.share) * (tokens - low.tokens) /
                                                 (above->tokens - low.tokens);
}

HitCurve hit_curve_of(const std::vector<Reuse>& reuses, double prompts) {
  HitCurve curve;
  double slope = 0.0, share = 0.0, tokens = 0.0;
  for (const Bend& bend : bends_of(reuses)) {
    share += slope * (bend.tokens - tokens) / prompts;
    slope += bend.slope;
    if (bend.tokens > tokens || tokens == 0.0) {
      curve.points.push_back({bend.tokens, share});
    }
    tokens = bend.tokens;
  }
  return curve;
}

}  // namespace scalesweep::estimator

#include "space/requests/prefix_reuse.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "estimator/reuse/hit_curve.hpp"

namespace scalesweep::space {
namespace {

using estimator::Reuse;

constexpr double steps = 48.0;  // of a reduced curve

// Sums of tokens over requests in the order of their arrival (Fenwick, "A new data structure for
// cumulative frequency tables", 1994).
class TokenSums {
 public:
  explicit TokenSums(std::size_t requests) : tree_(requests + 1, 0.0) {}

  void add(std::size_t request, double tokens) {
    all_ += tokens;
    for (std::size_t i = request + 1; i < tree_.size(); i += i & (~i + 1)) {
      tree_[i] += tokens;
    }
  }
  double after(std::size_t request) const {
    double before = 0.0;
    for (std::size_t i = request + 1; i > 0; i -= i & (~i + 1)) {
      before += tree_[i];
    }
    return all_ - before;
  }

 private:
  std::vector<double> tree_;
  double all_ = 0.0;
};

// What the last request with a part has left of it.
struct Left {
  std::size_t request = 0;
  double begin = 0.0;  // in the prompt
  double tokens = 0.0;
};

class Stack {
 public:
  explicit Stack(std::size_t requests) : sums_(requests) {}

  void use(std::size_t at, const SharingRequest& request, std::vector<Reuse>& reuses) {
    const std::vector<Reuse> found = found_of(request);
    reuses.insert(reuses.end(), found.begin(), found.end());
    double begin = 0.0;
    double own = request.prompt + request.output;
    for (std::size_t i = 0; i < request.parts.size(); ++i) {
      const SharedPart& part = request.parts[i];
      if (i < found.size()) {
        sums_.add(left_.at(part.id).request, -found[i].tokens);
      }
      const bool last = i + 1 == request.parts.size();
      const double tokens = last ? own : part.end_tokens - begin;
      left_[part.id] = {at, begin, tokens};
      begin = part.end_tokens;
      own -= tokens;
    }
    sums_.add(at, request.prompt + request.output);
  }

 private:
  // By part; fewer than there are where the rest is not there.
  std::vector<Reuse> found_of(const SharingRequest& request) const {
    std::vector<Reuse> found;
    double begin = 0.0;
    for (std::size_t i = 0; i < request.parts.size(); ++i) {
      const SharedPart& part = request.parts[i];
      const auto left = left_.find(part.id);
      if (left == left_.end() || left->second.begin != begin) {
        break;
      }
      const double wanted = part.end_tokens - begin;
      const double tokens = std::min(wanted, left->second.tokens);
      found.push_back({distance_of(request, i, left->second), tokens});
      if (tokens < wanted) {
        break;
      }
      begin = part.end_tokens;
    }
    return found;
  }

  // Distinct tokens used since, and those of the same request in front that nobody has used since.
  double distance_of(const SharingRequest& request, std::size_t part, const Left& left) const {
    double distance = sums_.after(left.request);
    for (std::size_t i = 0; i < part; ++i) {
      const Left& before = left_.at(request.parts[i].id);
      distance += before.request == left.request ? before.tokens : 0.0;
    }
    return distance;
  }

  TokenSums sums_;
  std::unordered_map<std::size_t, Left> left_;
};

// Keeps a bend, and the one in front of it, where the curve has risen by a step.
class Reduced {
 public:
  explicit Reduced(double step) : step_(step) {}

  void add(const ReusePoint& point) {
    if (points_.empty() || point.share - points_.back().share >= step_) {
      if (before_) {
        points_.push_back(*before_);
      }
      points_.push_back(point);
      before_.reset();
    } else {
      before_ = point;
    }
  }
  std::vector<ReusePoint> take() {
    if (before_) {
      points_.push_back(*before_);
    }
    return std::move(points_);
  }

 private:
  double step_;
  std::vector<ReusePoint> points_;
  std::optional<ReusePoint> before_;
};

}  // namespace

std::vector<ReusePoint> reuse_curve(const std::vector<SharingRequest>& requests) {
  std::vector<Reuse> reuses;
  Stack stack(requests.size());
  double prompts = 0.0;
  for (std::size_t at = 0; at < requests.size(); ++at) {
    stack.use(at, requests[at], reuses);
    prompts += requests[at].prompt;
  }
  double all = 0.0;
  for (const Reuse& one : reuses) {
    all += one.tokens;
  }
  if (all <= 0.0) {
    return {};
  }
  Reduced reduced(all / prompts / steps);
  for (const estimator::HitCurve::Point& point : estimator::hit_curve_of(reuses, prompts).points) {
    reduced.add({point.tokens, point.share});
  }
  return reduced.take();
}

}  // namespace scalesweep::space

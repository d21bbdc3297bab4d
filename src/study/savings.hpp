// What the time of a point saves where one resource is faster, by estimates and not by its charges.
//
//   const SavingsOfPoints savings(study);
//   for (const Saving& one : savings.of(id)) { ... }
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "estimator/parts/charges.hpp"
#include "study/study.hpp"

namespace scalesweep::study {

// As a part of the time that the charges sum to, the strategy held. Below 0 where a power limit
// lowers the clock of what is faster by more than it gains.
struct Saving {
  std::string resource;
  double ten_percent = 0.0;    // a rate of 1.1 times, or a latency of 1 / 1.1
  double without_limit = 0.0;  // infinitely fast, or no latency
};

// What of a resource is part of the software, of a job of training; of another one nothing.
void make_training_faster(Job& job, estimator::Resource resource, double factor);

class SavingsOfPoints {
 public:
  // May outlive the study.
  explicit SavingsOfPoints(const Study& study);

  // Of every resource that a step or batch uses. Empty where its time cannot be computed so: of
  // services and of reinforcement learning, whose batch is found anew for a faster resource, and of
  // points without an estimate.
  std::vector<Saving> of(PointId id) const;

 private:
  const WorkloadKind* kind_;
  std::function<Point(PointId)> point_at_;
};

}  // namespace scalesweep::study

#include "estimator/inference/load/day_mean.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/contracts.hpp"
#include "estimator/inference/service/serving.hpp"
#include "estimator/parts/power/energy.hpp"

namespace scalesweep::estimator {
namespace {

constexpr double rounding = 1e-9;  // of a load: a whole number of replicas serves it

// What one part of the day takes.
struct Part {
  double share_on = 0.0;  // of the replicas
  double power_w = 0.0;
};

class Day {
 public:
  Day(const ServingJob& job, const technology::System& system, const parallel::Strategy& strategy,
      const ServingEstimate& peak, const std::shared_ptr<PassMemo>& known)
      : replicas_(job.load_curve.replicas),
        part_job_(job),
        system_(system),
        strategy_(strategy),
        peak_(peak),
        known_(known),
        together_(replicas_in_step(strategy)) {
    part_job_.load_curve = {};
    if (replicas_ == IdleReplicas::fixed && peak.prefill_replicas > 0.0) {
      part_job_.prefill_share = peak.prefill_replicas / strategy.data_parallel;  // pools stay
    }
  }

  // Of the load at the peak.
  Part at(double load) const {
    const std::int32_t all = strategy_.data_parallel / together_;
    if (load <= 0.0) {
      return replicas_ == IdleReplicas::fixed ? waiting(all) : Part{};
    }
    if (load >= 1.0) {
      return {1.0, peak_.energy.total_j()};
    }
    const std::int32_t least = part_job_.batching == Batching::disaggregated ? 2 : 1;
    const auto needed = static_cast<std::int32_t>(std::ceil(load * all - rounding));
    std::int32_t on = replicas_ == IdleReplicas::fixed ? all : std::clamp(needed, least, all);
    // Fewer replicas may miss the limits at a load that more of them keep them at: each sees more
    // of a burst.
    ServingEstimate estimate = with(on, load);
    while (estimate.verdict != ServingVerdict::meets_limits && on < all) {
      estimate = with(++on, load);
    }
    return {static_cast<double>(on) / all, estimate.energy.total_j()};
  }

 private:
  // Groups of replicas, all of which share their experts.
  ServingEstimate with(std::int32_t groups, double load) const {
    ServingJob job = part_job_;
    job.arrival_rate = load * (1.0 - rounding) * peak_.request_rate;
    parallel::Strategy strategy = strategy_;
    strategy.data_parallel = groups * together_;
    return estimate_serving(job, system_, strategy, nullptr, known_);
  }
  Part waiting(std::int32_t groups) const {
    const double devices =
        static_cast<double>(strategy_.devices()) / strategy_.data_parallel * groups * together_;
    return {1.0, idle_energy(system_, devices).total_j()};
  }

  IdleReplicas replicas_;
  ServingJob part_job_;
  const technology::System& system_;
  const parallel::Strategy& strategy_;
  const ServingEstimate& peak_;
  const std::shared_ptr<PassMemo>& known_;
  std::int32_t together_;
};

}  // namespace

DayMean mean_over_day(const ServingJob& job, const technology::System& system,
                      const parallel::Strategy& strategy, const ServingEstimate& peak,
                      const std::shared_ptr<PassMemo>& known) {
  if (peak.verdict != ServingVerdict::meets_limits) {
    return {};
  }
  const Day day(job, system, strategy, peak, known);
  std::vector<double> loads = job.load_curve.parts;
  std::sort(loads.begin(), loads.end());  // parts that are alike are estimated once
  const auto devices = static_cast<double>(strategy.devices());
  DayMean mean;
  double load = 0.0;
  Part part;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (i == 0 || loads[i] != loads[i - 1]) {
      part = day.at(loads[i]);
    }
    load += loads[i];
    mean.power_w += part.power_w;
    mean.devices_on += part.share_on * devices;
  }
  const auto parts = static_cast<double>(loads.size());
  mean.tokens_per_s = load / parts * peak.tokens_per_s;
  mean.power_w /= parts;
  mean.devices_on /= parts;
  mean.devices_paid =
      job.load_curve.replicas == IdleReplicas::given_back ? mean.devices_on : devices;
  mean.utilisation = load / parts * devices / mean.devices_on;
  return mean;
}

ServingEstimate estimate_service(const ServingJob& job, const technology::System& system,
                                 const parallel::Strategy& strategy, const PrefillPool* pool,
                                 const std::shared_ptr<PassMemo>& known) {
  return *estimate_service_if_asked_for(job, system, strategy, pool, known, nullptr);
}

std::optional<ServingEstimate> estimate_service_if_asked_for(
    const ServingJob& job, const technology::System& system, const parallel::Strategy& strategy,
    const PrefillPool* pool, const std::shared_ptr<PassMemo>& known, const AskedRate& asked) {
  SCALESWEEP_EXPECT(pool == nullptr || !job.load_curve.on());
  std::optional<ServingEstimate> estimate =
      estimate_if_asked_for(job, system, strategy, pool, known, asked);
  if (estimate && job.load_curve.on()) {
    estimate->day = mean_over_day(job, system, strategy, *estimate, known);
  }
  return estimate;
}

}  // namespace scalesweep::estimator

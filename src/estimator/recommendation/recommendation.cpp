#include "estimator/recommendation/recommendation.hpp"

#include <map>
#include <utility>

#include "core/contracts.hpp"
#include "estimator/parts/power/power_limit.hpp"
#include "estimator/recommendation/memory.hpp"

namespace scalesweep::estimator {

// Of one job on one device, whatever its networks; who begins with another device or job begins
// another one, with the placements where they hold.
class RecommendationEstimator::Memo {
 public:
  struct Clocked {
    technology::System alone;  // the device, for its energy; no network of it is asked for
    DeviceRates rates;
    MatMulMemo matmuls;
    std::map<std::int64_t, DenseCosts> dense;
    std::map<std::pair<std::int64_t, parallel::TableSharding>, TableCosts> tables;
  };
  using Placements = std::map<std::pair<std::int64_t, parallel::TableSharding>, PlacedTables>;

  Memo(RecommendationJob job, technology::Device device, std::shared_ptr<Placements> placements)
      : job_(std::move(job)),
        device_(std::move(device)),
        placements_(placements != nullptr ? std::move(placements) : std::make_shared<Placements>()),
        flop_per_sample_(job_.trains() ? workload::model_flop_per_sample(job_.model)
                                       : workload::forward_flop_per_sample(job_.model)) {}

  bool is_of(const RecommendationJob& job, const technology::Device& device) const {
    return device == device_ && job == job_;
  }
  // Where they depend on nothing else of a job.
  std::shared_ptr<Placements> placements_for(const RecommendationJob& job) const {
    return job.model == job_.model && job.batch == job_.batch ? placements_ : nullptr;
  }

  const PlacedTables& placed(const parallel::Strategy& strategy) {
    const std::pair key = {strategy.devices(), strategy.table_sharding};
    const auto found = placements_->find(key);
    return found != placements_->end()
               ? found->second
               : placements_
                     ->emplace(key, place_tables(job_.model, strategy.table_sharding,
                                                 strategy.devices(), job_.batch))
                     .first->second;
  }

  const RecommendationMemory& memory(const parallel::Strategy& strategy) {
    const std::pair key = {strategy.devices(), strategy.table_sharding};
    const auto found = memory_.find(key);
    return found != memory_.end()
               ? found->second
               : memory_
                     .emplace(key, recommendation_memory(job_, placed(strategy),
                                                         static_cast<double>(strategy.devices()),
                                                         device_))
                     .first->second;
  }
  double flop_per_sample() const { return flop_per_sample_; }

  Clocked& at(int clock_step) {
    const auto found = clocked_.find(clock_step);
    if (found != clocked_.end()) {
      return found->second;
    }
    if (clocked_.size() >= most_clocks) {
      clocked_.clear();
    }
    Clocked clocked;
    clocked.alone = at_clock_step(technology::System{device_}, clock_step);
    clocked.rates = device_rates(job_, clocked.alone.device);
    return clocked_.emplace(clock_step, std::move(clocked)).first->second;
  }

  const DenseCosts& dense(Clocked& at, std::int64_t devices) {
    const auto found = at.dense.find(devices);
    return found != at.dense.end()
               ? found->second
               : at.dense
                     .emplace(devices,
                              dense_costs(job_, static_cast<double>(devices), at.rates, at.matmuls))
                     .first->second;
  }

  const TableCosts& tables(Clocked& at, const parallel::Strategy& strategy) {
    const std::pair key = {strategy.devices(), strategy.table_sharding};
    const auto found = at.tables.find(key);
    return found != at.tables.end()
               ? found->second
               : at.tables.emplace(key, table_costs(job_, placed(strategy), at.rates))
                     .first->second;
  }

 private:
  static constexpr std::size_t most_clocks = 64;

  RecommendationJob job_;
  technology::Device device_;
  std::shared_ptr<Placements> placements_;
  double flop_per_sample_;
  std::map<std::pair<std::int64_t, parallel::TableSharding>, RecommendationMemory> memory_;
  std::map<int, Clocked> clocked_;
};

RecommendationEstimator::RecommendationEstimator(RecommendationJob job,
                                                 const technology::System& system,
                                                 const RecommendationEstimator* before)
    : job_(std::move(job)), system_(system) {
  if (before != nullptr && before->memo_->is_of(job_, system_.device)) {
    memo_ = before->memo_;
  } else {
    memo_ = std::make_shared<Memo>(
        job_, system_.device, before != nullptr ? before->memo_->placements_for(job_) : nullptr);
  }
}

RecommendationEstimator::~RecommendationEstimator() = default;

const RowExchange& RecommendationEstimator::exchange(const parallel::Strategy& strategy) {
  if (!collectives_ || collectives_->devices() != strategy.devices()) {
    collectives_.emplace(strategy.devices(), system_);
  } else if (exchanges_ == strategy) {
    return exchange_;
  }
  exchanges_ = strategy;
  exchange_ = row_exchange(job_, memo_->placed(strategy), *collectives_);
  return exchange_;
}

RecommendationEstimate RecommendationEstimator::at_clock(const parallel::Strategy& strategy,
                                                         int clock_step) {
  const std::int64_t count = strategy.devices();
  const auto devices = static_cast<double>(count);
  Memo::Clocked& clocked = memo_->at(clock_step);
  const PlacedTables& placed = memo_->placed(strategy);
  const TableCosts& rows = memo_->tables(clocked, strategy);
  const RowExchange& exchange = this->exchange(strategy);
  const BatchCosts batch =
      batch_costs(job_, system_, count, {placed, memo_->dense(clocked, count), rows, exchange});
  RecommendationEstimate estimate;
  estimate.batch = batch.total.time;
  for (std::size_t i = 0; i < recommendation_phase_count; ++i) {
    estimate.phase_s[i] = batch.phases[i].time.total_s();
  }
  const double time_s = estimate.batch_time_s();
  estimate.lookups_per_s = static_cast<double>(job_.batch) * job_.model.lookups() / time_s;
  estimate.found_in_l2 = rows.lookup.found_in_l2;
  estimate.exchanged_bytes = exchange.bytes;
  estimate.table_imbalance = placed.imbalance;
  const Work work = devices * batch.total.work;
  estimate.energy = energy_of(clocked.alone, work, devices, time_s);
  estimate.device_power_w = device_power_w(work, estimate.energy, devices, time_s);
  estimate.clock_step = clock_step;
  estimate.clock_fraction = clock_fraction(clock_step);
  return estimate;
}

RecommendationEstimate RecommendationEstimator::compose(const parallel::Strategy& strategy,
                                                        const RecommendationMemory& memory) {
  RecommendationEstimate estimate = at_clock(strategy, 0);
  if (exceeds_power(estimate.device_power_w, system_.device)) {
    estimate = at_settled_clock<RecommendationEstimate>(
        system_.device.thermal_design_power.si(), estimate.device_power_w,
        [&](int step) { return at_clock(strategy, step); },
        [](const RecommendationEstimate& tried) { return tried.device_power_w; });
  }
  estimate.memory = memory;
  estimate.verdict = memory.short_bytes() <= 0.0 ? Verdict::fits : Verdict::does_not_fit;
  const double peak = technology::matrix_peak(system_.device, job_.operands).si();
  estimate.model_flop_utilization =
      memo_->flop_per_sample() * static_cast<double>(job_.batch) /
      (estimate.batch_time_s() * static_cast<double>(strategy.devices()) * peak);
  return estimate;
}

RecommendationEstimate RecommendationEstimator::operator()(const parallel::Strategy& strategy) {
  SCALESWEEP_EXPECT(job_.batch % strategy.devices() == 0);
  return compose(strategy, memo_->memory(strategy));
}

RecommendationEstimate RecommendationEstimator::if_fits(const parallel::Strategy& strategy) {
  const RecommendationMemory& memory = memo_->memory(strategy);
  if (memory.short_bytes() <= 0.0) {
    return compose(strategy, memory);
  }
  RecommendationEstimate estimate;
  estimate.memory = memory;
  estimate.verdict = Verdict::does_not_fit;
  return estimate;
}

RecommendationEstimate estimate_recommendation(const RecommendationJob& job,
                                               const technology::System& system,
                                               const parallel::Strategy& strategy) {
  return RecommendationEstimator(job, system)(strategy);
}

RecommendationExplanation explain_recommendation(const RecommendationJob& job,
                                                 const technology::System& system,
                                                 const parallel::Strategy& strategy) {
  RecommendationExplanation explanation;
  explanation.estimate = estimate_recommendation(job, system, strategy);
  const std::int64_t devices = strategy.devices();
  technology::System settled = system;
  if (explanation.estimate.clock_step > 0) {
    settled = at_clock_step(settled, explanation.estimate.clock_step);
  }
  const DeviceRates rates = device_rates(job, settled.device);
  MatMulMemo matmuls;
  RecommendationTerms& terms = explanation.terms;
  terms.tables = place_tables(job.model, strategy.table_sharding, devices, job.batch);
  terms.dense = dense_costs(job, static_cast<double>(devices), rates, matmuls);
  terms.rows = table_costs(job, terms.tables, rates);
  DeviceCollectives collectives(devices, settled);
  terms.exchange = row_exchange(job, terms.tables, collectives);
  return explanation;
}

}  // namespace scalesweep::estimator

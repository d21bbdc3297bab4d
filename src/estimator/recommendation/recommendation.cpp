#include "estimator/recommendation/recommendation.hpp"

#include "core/contracts.hpp"
#include "estimator/recommendation/memory.hpp"

namespace scalesweep::estimator {
namespace {

RecommendationBatch::TableKey key_of(const parallel::Strategy& strategy) {
  return {strategy.devices(), strategy.table_sharding};
}

}  // namespace

RecommendationBatch::OnDevice::OnDevice(const RecommendationJob& of, const technology::Device& on,
                                        const OnDevice* before)
    : job(of),
      device(on),
      placements(before != nullptr && before->job.model == job.model &&
                         before->job.batch == job.batch
                     ? before->placements
                     : std::make_shared<Placements>()) {}

const PlacedTables& RecommendationBatch::OnDevice::placed(const parallel::Strategy& strategy) {
  return placements->at(key_of(strategy), [&] {
    return place_tables(job.model, strategy.table_sharding, strategy.devices(), job.batch);
  });
}

const RecommendationMemory& RecommendationBatch::OnDevice::memory(
    const parallel::Strategy& strategy) {
  return memories.at(key_of(strategy), [&] {
    return recommendation_memory(job, placed(strategy), static_cast<double>(strategy.devices()),
                                 device);
  });
}

const DenseCosts& RecommendationBatch::Kernels::dense_of(std::int64_t devices) {
  return dense.at(devices,
                  [&] { return dense_costs(job, static_cast<double>(devices), rates, matmuls); });
}

const TableCosts& RecommendationBatch::Kernels::rows_of(const parallel::Strategy& strategy,
                                                        const PlacedTables& placed) {
  return rows.at(key_of(strategy), [&] { return table_costs(job, placed, rates); });
}

const RowExchange& RecommendationBatch::Networks::exchange_of(const parallel::Strategy& strategy,
                                                              const PlacedTables& placed) {
  if (!collectives || collectives->devices() != strategy.devices()) {
    collectives.emplace(strategy.devices(), system);
  } else if (last == strategy) {
    return exchange;
  }
  last = strategy;
  exchange = row_exchange(job, placed, *collectives);
  return exchange;
}

BatchParts RecommendationBatch::terms(OnDevice& on_device, Kernels& kernels, Networks& networks,
                                      const parallel::Strategy& strategy) {
  SCALESWEEP_EXPECT(on_device.job.batch % strategy.devices() == 0);
  const PlacedTables& placed = on_device.placed(strategy);
  return {placed, kernels.dense_of(strategy.devices()), kernels.rows_of(strategy, placed),
          networks.exchange_of(strategy, placed)};
}

BatchCosts RecommendationBatch::costs(const RecommendationJob& job,
                                      const technology::System& system,
                                      const parallel::Strategy& strategy, const Terms& terms) {
  return batch_costs(job, system, strategy.devices(), terms);
}

void RecommendationBatch::set_figures(Estimate& estimate, const RecommendationJob& job,
                                      const parallel::Strategy& /*strategy*/, const Terms& terms,
                                      const BatchCosts& /*costs*/) {
  estimate.lookups_per_s =
      static_cast<double>(job.batch) * job.model.lookups() / estimate.batch_time_s();
  estimate.found_in_l2 = terms.rows.lookup.found_in_l2;
  estimate.exchanged_bytes = terms.exchange.bytes;
  estimate.table_imbalance = terms.tables.imbalance;
}

double RecommendationBatch::model_flop(const RecommendationJob& job) {
  return (job.trains() ? workload::model_flop_per_sample(job.model)
                       : workload::forward_flop_per_sample(job.model)) *
         static_cast<double>(job.batch);
}

RecommendationEstimate estimate_recommendation(const RecommendationJob& job,
                                               const technology::System& system,
                                               const parallel::Strategy& strategy) {
  return RecommendationEstimator(job, system)(strategy);
}

RecommendationExplanation explain_recommendation(const RecommendationJob& job,
                                                 const technology::System& system,
                                                 const parallel::Strategy& strategy) {
  RecommendationEstimator estimator(job, system);
  const RecommendationEstimate estimate = estimator(strategy);
  const BatchParts parts = estimator.terms(strategy, estimate.clock_step);
  return {estimate, {parts.tables, parts.dense, parts.rows, parts.exchange}};
}

}  // namespace scalesweep::estimator

// Estimates of a recommendation model, one strategy after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "estimator/batches/batch_estimator.hpp"
#include "estimator/batches/keyed_memo.hpp"
#include "estimator/recommendation/estimate.hpp"
#include "estimator/recommendation/job.hpp"
#include "estimator/recommendation/step.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// Samples that are scored, or trained on.
struct RecommendationBatch {
  using Job = RecommendationJob;
  using Estimate = RecommendationEstimate;
  using Terms = BatchParts;

  // What tables ask of a strategy: devices, and how they are shared.
  using TableKey = std::pair<std::int64_t, parallel::TableSharding>;
  using Placements = KeyedMemo<TableKey, PlacedTables>;

  struct OnDevice {
    // Placements are those of `before` where it has as many samples of the same model.
    OnDevice(const RecommendationJob& of, const technology::Device& on, const OnDevice* before);

    const PlacedTables& placed(const parallel::Strategy& strategy);
    const RecommendationMemory& memory(const parallel::Strategy& strategy);

    const RecommendationJob& job;
    const technology::Device& device;
    std::shared_ptr<Placements> placements;
    KeyedMemo<TableKey, RecommendationMemory> memories;
  };

  struct Kernels {
    Kernels(const OnDevice& on_device, const technology::Device& clocked)
        : job(on_device.job), rates(device_rates(job, clocked)) {}

    const DenseCosts& dense_of(std::int64_t devices);
    const TableCosts& rows_of(const parallel::Strategy& strategy, const PlacedTables& placed);

    const RecommendationJob& job;
    DeviceRates rates;
    MatMulMemo matmuls;
    KeyedMemo<std::int64_t, DenseCosts> dense;
    KeyedMemo<TableKey, TableCosts> rows;
  };

  struct Networks {
    Networks(const RecommendationJob& of, const technology::System& on) : job(of), system(on) {}

    const RowExchange& exchange_of(const parallel::Strategy& strategy, const PlacedTables& placed);

    const RecommendationJob& job;
    const technology::System& system;
    std::optional<DeviceCollectives> collectives;  // of the last number of devices
    parallel::Strategy last;                       // of which the exchange is
    RowExchange exchange;
  };

  static Terms terms(OnDevice& on_device, Kernels& kernels, Networks& networks,
                     const parallel::Strategy& strategy);
  static BatchCosts costs(const RecommendationJob& job, const technology::System& system,
                          const parallel::Strategy& strategy, const Terms& terms);
  static void set_figures(Estimate& estimate, const RecommendationJob& job,
                          const parallel::Strategy& strategy, const Terms& terms,
                          const BatchCosts& costs);
  static double model_flop(const RecommendationJob& job);
};

using RecommendationEstimator = BatchEstimator<RecommendationBatch>;

// Plainly, from the beginning.
RecommendationEstimate estimate_recommendation(const RecommendationJob& job,
                                               const technology::System& system,
                                               const parallel::Strategy& strategy);

// With what the batch is made of, at the clock that it settles at.
struct RecommendationTerms {
  PlacedTables tables;
  DenseCosts dense;
  TableCosts rows;
  RowExchange exchange;
};
struct RecommendationExplanation {
  RecommendationEstimate estimate;
  RecommendationTerms terms;
};
RecommendationExplanation explain_recommendation(const RecommendationJob& job,
                                                 const technology::System& system,
                                                 const parallel::Strategy& strategy);

}  // namespace scalesweep::estimator

// A batch of a recommendation model on one device: kernels, what they wait for, and their sum.
#pragma once

#include "estimator/parts/cost.hpp"
#include "estimator/recommendation/estimate.hpp"
#include "estimator/recommendation/exchange.hpp"
#include "estimator/recommendation/job.hpp"
#include "estimator/recommendation/lookups.hpp"
#include "estimator/recommendation/tables.hpp"
#include "estimator/training/kernel_sums.hpp"

namespace scalesweep::estimator {

// Of the samples of one device, whatever the tables are: no network and no sharding changes it.
struct DenseCosts {
  Cost bottom_forward, bottom_backward;
  Cost interaction;  // both passes
  Cost top;
  Cost update;           // of MLPs and cross layers
  double kernels = 0.0;  // that are launched
};

// At the clock of the device.
struct DeviceRates {
  BlockRates blocks;
  RowRates rows;
};
DeviceRates device_rates(const RecommendationJob& job, const technology::Device& device);

DenseCosts dense_costs(const RecommendationJob& job, double devices, const DeviceRates& rates,
                       MatMulMemo& matmuls);

// Of the tables of the busiest device.
struct TableCosts {
  LookupCost lookup;
  Cost update;
};
TableCosts table_costs(const RecommendationJob& job, const PlacedTables& tables,
                       const DeviceRates& rates);

// What a batch takes on a system by a placement of tables.
struct BatchParts {
  const PlacedTables& tables;
  const DenseCosts& dense;
  const TableCosts& rows;
  const RowExchange& exchange;
};

// In all, of the time of the busiest device, and the work of a mean one.
using BatchCosts = CostsByPhase<recommendation_phase_count>;
BatchCosts batch_costs(const RecommendationJob& job, const technology::System& system,
                       std::int64_t devices, const BatchParts& parts);

}  // namespace scalesweep::estimator

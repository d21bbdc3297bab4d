// What replicas of a stage exchange, and the optimizer: plain data parallelism and ZeRO.
//
// Rajbhandari et al. 2020 (arXiv:1910.02054) for ZeRO; Zhao et al. 2023 (arXiv:2304.11277) for
// fully sharded data parallelism and hybrid sharding.
#pragma once

#include "estimator/parts/cost.hpp"
#include "estimator/parts/stages.hpp"
#include "estimator/training/job.hpp"
#include "estimator/training/states/parameters.hpp"
#include "estimator/training/states/transfers.hpp"

namespace scalesweep::estimator {

WeightTransfers weight_transfers(const Setting& setting, const StageShare& share);
// The same of any model; of the setting's job its formats, optimizer and stack count.
WeightTransfers weight_transfers(const Setting& setting, const HeldWeights& weights);

// What they add to the passes, beside which they take this share of the cores.
PassTransfers exposed(const WeightTransfers& transfers, const PassTimes& passes, double core_share);

GradientTransfers gradient_transfers(const Setting& setting, const StageShare& share);
GradientTransfers gradient_transfers(const Setting& setting, const HeldWeights& weights);

// What they add to a step, beside whose passes they take this share of the cores.
Cost exposed(const GradientTransfers& transfers, const PassTimes& passes, double core_share);

OptimizerWork optimizer_work(const Setting& setting, const StageShare& share);
OptimizerWork optimizer_work(const Setting& setting, const HeldWeights& weights);
Charges optimizer_time(const Setting& setting, double moved_bytes);
Cost optimizer_cost(const Setting& setting, const OptimizerWork& work);

}  // namespace scalesweep::estimator

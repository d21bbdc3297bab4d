// What the fullest device holds of a recommendation model.
#pragma once

#include "estimator/recommendation/estimate.hpp"
#include "estimator/recommendation/job.hpp"
#include "estimator/recommendation/tables.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

RecommendationMemory recommendation_memory(const RecommendationJob& job, const PlacedTables& tables,
                                           double devices, const technology::Device& device);

}  // namespace scalesweep::estimator

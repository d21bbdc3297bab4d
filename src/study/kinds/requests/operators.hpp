// Columns of single operators, of studies of inference that keep them.
#pragma once

#include <span>
#include <vector>

#include "catalog/catalog.hpp"
#include "estimator/inference/inference.hpp"
#include "space/read/spec.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::study {

// Operators of layers and heads of the models of a study, of prefill and of decode, each once,
// that get columns of their own.
std::vector<OperatorName> operator_names(const space::Spec& spec, const catalog::Catalog& catalog);

// Behind the figures of the estimate.
void add_operators(EstimateRow& row, const estimator::InferenceJob& job,
                   const technology::System& system, const parallel::Strategy& strategy,
                   std::span<const OperatorName> operators);

}  // namespace scalesweep::study

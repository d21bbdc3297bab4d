// What adapters add to a layer: their bytes, and two thin GEMMs beside each linear layer that has
// them, y = x W + (x A) B with A of k x r and B of r x n.
//
// The sequences of an iteration that use the same adapter are multiplied together, and all adapters
// in one kernel for A and one for B (Punica, arXiv:2310.18547; S-LoRA, arXiv:2311.03285). Layers
// that one GEMM joins (queries, keys and values; gate and up) have an A each. Of tensor parallelism
// each rank holds B of its part of a column-parallel layer and the whole A, and the other way round
// of a row-parallel one: half of the work is cut. Weights are in the format of activations.
//
// Of latent attention the product that expands keys and values has none: decoding absorbs it.
#pragma once

#include <vector>

#include "estimator/inference/job.hpp"
#include "estimator/parts/stages.hpp"
#include "parallel/strategy.hpp"
#include "workload/inference_layer.hpp"

namespace scalesweep::estimator {

// Adapters that so many sequences use, each one of them by its popularity: the sum of
// 1 - (1 - p_i)^sequences, at least 1. With a skew those behind the first sixteen are taken
// together in groups that grow with their rank, within 1 % of the sum.
double distinct_adapters(const AdapterSet& adapters, double sequences);

// What a layer with these operators has beside them.
std::vector<workload::Operator> adapter_operators(const InferenceJob& job,
                                                  const workload::InferenceSlice& slice,
                                                  const std::vector<workload::Operator>& layer);

// Parameters of one adapter on one device, in a layer of this kind.
double adapter_parameters(const InferenceJob& job, const parallel::Strategy& strategy,
                          workload::LayerKind kind,
                          workload::Mixer mixer = workload::Mixer::attention);

// Bytes of all adapters on a device of a stage; 0 without any.
double adapters_bytes(const InferenceJob& job, const parallel::Strategy& strategy,
                      const StageShare& share);

}  // namespace scalesweep::estimator

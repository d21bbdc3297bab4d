// A batch of a diffusion model on one device: kernels, what they wait for, and their sum. What
// training adds is in training_step.hpp.
#pragma once

#include "estimator/diffusion/estimate.hpp"
#include "estimator/diffusion/job.hpp"
#include "estimator/parts/cost.hpp"
#include "estimator/training/kernel_sums.hpp"
#include "estimator/training/states/transfers.hpp"
#include "parallel/strategy.hpp"

namespace scalesweep::estimator {

// Kernels of something, by what they are.
struct KernelsByKind {
  Cost linear;
  Cost attention;
  Cost pointwise;
  double kernels = 0.0;  // that are launched

  KernelsByKind& add(double n, const KernelsByKind& o) {
    linear.add(n, o.linear);
    attention.add(n, o.attention);
    pointwise.add(n, o.pointwise);
    kernels += n * o.kernels;
    return *this;
  }
  Cost total() const { return linear + attention + pointwise; }
};

// Of one device, whatever its networks are.
struct DiffusionKernels {
  KernelsByKind pass;      // the passes of a device in one step, or in one micro-batch of training
  KernelsByKind layers;    // of these, the layers
  KernelsByKind backward;  // of training
  Cost encoder;            // once a batch or micro-batch, as those of latents
  Cost decoder;
  Cost latent_encoder;  // of training
};

// What devices send to each other in one step, alone.
struct DiffusionExchange {
  Cost tensor;
  Cost context;                // as it is sent, nothing hidden
  Cost context_backward;       // of training; what is added up takes as long as forward
  bool hides_context = false;  // keys and values go round beside attention
  Cost guidance;
  double collectives = 0.0;
};

// What comes once a step of training, or beside its passes.
struct DiffusionUpdate {
  WeightTransfers weights;
  GradientTransfers gradients;
  OptimizerWork optimizer;
};

struct DiffusionTerms {
  workload::DiffusionSlice slice;
  DiffusionKernels kernels;
  DiffusionExchange exchange;
  DiffusionUpdate update;  // of training
};

struct DiffusionCosts : CostsByPhase<diffusion_phase_count> {
  double step_s = 0.0;
};

// Of the cores, what exchanges take from kernels beside them.
double core_share(const technology::System& system, const parallel::Strategy& strategy);

workload::DiffusionSlice slice_of(const DiffusionJob& job, const parallel::Strategy& strategy);

// At the clock of the device.
DiffusionKernels diffusion_kernels(const DiffusionJob& job, const parallel::Strategy& strategy,
                                   const technology::Device& device, MatMulMemo& matmuls);
DiffusionExchange diffusion_exchange(const DiffusionJob& job, const parallel::Strategy& strategy,
                                     const technology::System& system);
DiffusionCosts diffusion_costs(const DiffusionJob& job, const parallel::Strategy& strategy,
                               const technology::System& system, const DiffusionTerms& terms);

}  // namespace scalesweep::estimator

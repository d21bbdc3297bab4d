// One training step of a transformer: time with its causes, memory, energy.
//
// A device never takes more than its thermal design power on average over the step: where it would,
// the clock of cores, L2 and shared memory drops until it does not, and everything is reported at
// the clock where it settles.
//
// Pure: the same arguments give the same bits. No I/O, no clock, no globals.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "estimator/parts/charges.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"
#include "technology/uncertainty.hpp"
#include "workload/framework.hpp"
#include "workload/model.hpp"

namespace scalesweep::estimator {

// The format of each class of tensors. Below 16 bits only the operands of linear layers are
// quantised; weights are stored and everything else is computed in 16 bits (Micikevicius et al.,
// arXiv:2209.05433; NVIDIA Transformer Engine).
struct PrecisionPolicy {
  technology::Precision linear = technology::Precision::bf16;       // operands of the linear layers
  technology::Precision activations = technology::Precision::bf16;  // and of attention
  technology::Precision weights = technology::Precision::bf16;
  technology::Precision gradients = technology::Precision::fp32;  // accumulated over micro-batches
  technology::Precision gradient_communication = technology::Precision::fp32;
  double gradient_compression = 1.0;  // bytes sent over bytes of gradients
  technology::Precision master_weights = technology::Precision::fp32;
  technology::Precision moments = technology::Precision::fp32;  // both of Adam's

  friend bool operator==(const PrecisionPolicy&, const PrecisionPolicy&) = default;
};

// The usual policy for linear layers in this format. Gradients are accumulated and sent in
// `gradients`.
PrecisionPolicy mixed_precision(technology::Precision linear,
                                technology::Precision gradients = technology::Precision::fp32);

struct TrainingJob {
  workload::TransformerModel model;
  std::int64_t sequence = 2048;   // tokens
  std::int64_t global_batch = 1;  // sequences a step
  PrecisionPolicy precision;
  bool flash_attention = true;
  workload::Framework framework;
  technology::Uncertainty uncertainty = {};  // of estimates for this framework and the device
};

// The same seconds as Charges, split by what the device is busy with.
enum class Phase {
  forward,
  backward,
  recompute,
  tensor_communication,  // sequence-parallel communication included
  context_communication,
  expert_communication,
  pipeline_communication,
  data_communication,
  optimizer,
  bubble,
  offload,
};
inline constexpr std::size_t phase_count = 11;
inline constexpr std::array<std::string_view, phase_count> phase_names = {"forward",
                                                                          "backward",
                                                                          "recompute",
                                                                          "tensor_communication",
                                                                          "context_communication",
                                                                          "expert_communication",
                                                                          "pipeline_communication",
                                                                          "data_communication",
                                                                          "optimizer",
                                                                          "bubble",
                                                                          "offload"};

struct MemoryUse {  // bytes on the fullest device
  double weights_bytes = 0.0;
  double gradients_bytes = 0.0;
  double optimizer_bytes = 0.0;
  double activations_bytes = 0.0;
  double reserved_bytes = 0.0;  // what the allocator holds at the peak: tensors and slack
  // Weights, gradients and optimizer states while the optimizer runs.
  double states_bytes = 0.0;
  // Tensors at the peak of the step.
  double total_bytes() const {
    return weights_bytes + gradients_bytes + optimizer_bytes + activations_bytes;
  }
};

// Joules of the whole system in one step, by where they burn. Registers and shared memory are part
// of the energy of an operation.
struct EnergyUse {
  double tensor_j = 0.0;
  double vector_j = 0.0;
  double dram_j = 0.0;
  double l2_j = 0.0;
  double scale_up_j = 0.0;  // all hops: devices, cables, switches
  double scale_out_j = 0.0;
  double static_j = 0.0;  // leakage
  double idle_j = 0.0;    // what else burns without work
  double active_j = 0.0;  // what burns beside it while a program runs, whatever it computes
  double total_j() const {
    return tensor_j + vector_j + dram_j + l2_j + scale_up_j + scale_out_j + static_j + idle_j +
           active_j;
  }
};

enum class Verdict : std::uint8_t { fits, does_not_fit };

struct TrainingEstimate {
  Verdict verdict = Verdict::fits;
  Charges step;                               // sums to the step time
  std::array<double, phase_count> phase_s{};  // sums to the step time
  MemoryUse memory;
  EnergyUse energy;
  double device_power_w = 0.0;          // average of one device, networks beyond it not counted
  double clock_fraction = 1.0;          // below 1: the clock at which the power is the limit
  double model_flop_utilization = 0.0;  // fraction of tensor peak, recomputation not counted
  double relative_uncertainty = 0.0;    // of the step time at this scale; 0: not known
  double step_time_s() const { return step.total_s(); }
};

// The plain path: everything from the beginning. The oracle of the factored one.
TrainingEstimate estimate_training(const TrainingJob& job, const technology::System& system,
                                   const parallel::Strategy& strategy);

// The factored path: what depends on parallel::layer_key and the clock is computed once and reused.
// Same bits as the plain path. One per thread; holds a bounded
// memo.
class TrainingEstimator {
 public:
  TrainingEstimator(TrainingJob job, technology::System system);
  ~TrainingEstimator();
  TrainingEstimator(TrainingEstimator&&) noexcept;
  TrainingEstimator& operator=(TrainingEstimator&&) noexcept;

  TrainingEstimate operator()(const parallel::Strategy& strategy);

 private:
  struct Memo;
  std::unique_ptr<Memo> memo_;
};

}  // namespace scalesweep::estimator

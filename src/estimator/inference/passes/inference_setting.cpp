#include "estimator/inference/passes/inference_setting.hpp"

#include <algorithm>
#include <utility>

#include "estimator/parts/power/power_limit.hpp"

namespace scalesweep::estimator {
namespace {

using workload::LinearPart;
using workload::Operator;

// Rates of a device's kernels as the stack reaches them.
Rates stack_rates(const technology::Device& device, technology::Precision precision,
                  const workload::ServingStack& stack) {
  Rates rates = rates_of(device, precision);
  rates.tensor_flop_per_s *= stack.kernel_share;
  rates.dram_bytes_per_s *= stack.stream_share;
  const double left = stack.kernel_latency_share;
  rates.latency_s *= left;
  rates.split_latency_s *= left;
  technology::AttentionKernels& attention = rates.attention;
  for (Seconds* fixed : {&attention.prefill_latency, &attention.decode_latency,
                         &attention.merge_latency, &attention.narrow_latency}) {
    *fixed = Seconds::si(fixed->si() * left);
  }
  attention.shared_heads = std::min(attention.shared_heads, static_cast<int>(stack.shared_heads));
  return rates;
}

std::optional<technology::ExpertKernels> expert_kernels(const technology::Device& device,
                                                        const InferencePrecision& precision) {
  const technology::Precision operands = precision.operands_of(LinearPart::experts);
  const technology::Precision weights = precision.weights_of(LinearPart::experts);
  for (const technology::ExpertKernels& kernels : device.experts) {
    if (kernels.operands == operands && kernels.weights == weights) {
      return kernels;
    }
  }
  return std::nullopt;
}

void keep_share(std::optional<technology::AllReduceKernel>& kernel, double share) {
  if (kernel) {
    kernel->latency = Seconds::si(kernel->latency.si() * share);
    kernel->peer_latency = Seconds::si(kernel->peer_latency.si() * share);
  }
}

void keep_share(technology::Network& network, double share) {
  network.latency = Seconds::si(network.latency.si() * share);
  network.call_latency = Seconds::si(network.call_latency.si() * share);
  network.one_shot_latency = Seconds::si(network.one_shot_latency.si() * share);
}

}  // namespace

InferenceSetting::InferenceSetting(InferenceJob wanted, const technology::System& on)
    : job(std::move(wanted)), system(on) {
  const workload::ServingStack& stack = job.stack;
  for (technology::LinkLevel& level : system.levels) {
    keep_share(level.link, stack.collective_latency_share);
  }
  if (auto& kernels = system.device.all_reduce) {
    for (auto* kernel : {&kernels->one_shot, &kernels->two_shot, &kernels->multicast}) {
      keep_share(*kernel, stack.collective_latency_share);
    }
  }
  set_rates();
}

InferenceSetting InferenceSetting::at_clock_step(int clock_step) const {
  InferenceSetting slower = *this;
  slower.system.device = estimator::at_clock_step(system, clock_step).device;
  slower.set_rates();
  return slower;
}

InferenceSetting InferenceSetting::keeping(double share) const {
  InferenceSetting keeping = *this;
  keeping.kept_share_ = share;
  keeping.set_rates();
  return keeping;
}

void InferenceSetting::set_rates() {
  const workload::ServingStack& stack = job.stack;
  activation = stack_rates(system.device, job.precision.activations, stack);
  activation.kept_share = kept_share_;
  for (std::size_t i = 0; i < linear.size(); ++i) {
    const technology::Precision operands = job.precision.operands_of(LinearPart(i));
    const bool as_mlp = i > 0 && operands == job.precision.operands;
    linear[i] = as_mlp ? linear.front() : stack_rates(system.device, operands, stack);
    linear[i].kept_share = kept_share_;
  }
  experts = expert_kernels(system.device, job.precision);
  if (experts) {
    use_expert_kernels();
  } else if (technology::element_bytes(job.precision.weights_of(LinearPart::experts)) <
             technology::element_bytes(job.precision.activations)) {
    linear[index_of(LinearPart::experts)].dram_bytes_per_s *= stack.narrow_expert_share;
  }
  attention = activation;
  attention.tensor_flop_per_s *= stack.attention_share;
}

void InferenceSetting::use_expert_kernels() {
  if (!experts) {
    return;
  }
  const technology::Device& device = system.device;
  const double sustained =
      device.tensor_sustained[index_of(technology::matrix_format(device, experts->operands))];
  Rates& rates = linear[index_of(LinearPart::experts)];
  rates.tensor_flop_per_s *= sustained > 0.0 ? experts->tensor_sustained / sustained : 0.0;
  rates.dram_bytes_per_s *= experts->stream_share;
  rates.quantize_latency_s = 0.0;  // in that of a layer
}

const Rates& InferenceSetting::of(const Operator& op) const {
  if (const auto* matmul = op.as<workload::MatMul>()) {
    return matmul->low_precision ? of(matmul->part) : activation;
  }
  return op.is<workload::Pointwise>() ? activation : attention;
}

}  // namespace scalesweep::estimator

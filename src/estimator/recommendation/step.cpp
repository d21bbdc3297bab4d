#include "estimator/recommendation/step.hpp"

#include <algorithm>

#include "estimator/parts/kernels.hpp"

namespace scalesweep::estimator {
namespace {

// Launches of the sort, and of what updates rows behind it.
constexpr double update_kernels = 7.0;

Rates in_batch(const RecommendationJob& job, const technology::Device& device,
               technology::Precision precision) {
  Rates rates = rates_of(device, precision);
  rates.tensor_flop_per_s *= job.stack.kernel_share;
  return rates;
}

workload::RecommendationSlice slice_of(const RecommendationJob& job, double devices) {
  workload::RecommendationSlice slice;
  slice.batch = static_cast<std::int64_t>(static_cast<double>(job.batch) / devices);
  slice.element_bytes = job.activation_bytes();
  slice.operand_bytes = technology::element_bytes(job.operands);
  slice.gradient_bytes = full_bytes;
  slice.fused_pointwise = job.stack.fused_pointwise;
  return slice;
}

Cost backward_of(const KernelSums& sums) {
  return sums.backward + sums.data_gradients + sums.weight_gradients;
}

// Gradient, master weight and states are read, the last two and the weight written.
Cost dense_update(const RecommendationJob& job, const Rates& rates) {
  const double w = technology::element_bytes(job.operands);
  const OptimizerState state = state_of(job.dense_optimizer);
  const double held = 1.0 + state.of_element + state.of_row;  // numbers of fp32
  const double weight = w < full_bytes ? w : 0.0;
  const double parameters = job.model.dense_parameters();
  return pointwise_cost({"dense update", parameters * (full_bytes * (1.0 + 2.0 * held) + weight),
                         parameters * 4.0 * held},
                        rates);
}

// Inputs of the next batch come meanwhile: dense features of a device's samples, and indices of
// these or of its tables.
Cost input_cost(const RecommendationJob& job, const technology::Device& device, double devices,
                const BatchParts& parts) {
  const double own_samples = static_cast<double>(job.batch) / devices;
  const double indices =
      job.stack.exchanges_indices ? own_samples * job.model.lookups() : parts.rows.lookup.lookups;
  const double features =
      own_samples * static_cast<double>(job.model.dense_features) * job.activation_bytes();
  Cost cost;
  cost.time = Charges::of(Resource::host,
                          (features + indices * row_index_bytes) / device.host_bandwidth.si());
  cost.work[Amount::dram_bytes] = features + indices * row_index_bytes;
  return cost;
}

// Links inside the domain where they reach all devices.
double core_share(const technology::System& system, std::int64_t devices) {
  return devices > system.scale_up_domain() ? system.scale_out().core_share
                                            : system.scale_up().core_share;
}

class Batch {
 public:
  Batch(const RecommendationJob& job, const technology::System& system, std::int64_t devices,
        const BatchParts& parts)
      : job_(job), system_(system), devices_(devices), parts_(parts) {}

  BatchCosts run() {
    const DenseCosts& dense = parts_.dense;
    add_tables();
    add(RecommendationPhase::mlp, dense.bottom_forward + dense.bottom_backward + dense.top);
    if (!parts_.rows.lookup.has_pairs) {
      add(RecommendationPhase::interaction, dense.interaction);
    }
    add(RecommendationPhase::dense_update, dense.update);
    add_exchange();
    add_host();
    return batch_;
  }

 private:
  Cost& phase(RecommendationPhase which) { return batch_.phases[static_cast<std::size_t>(which)]; }
  void add(RecommendationPhase which, const Cost& cost) {
    phase(which) += cost;
    batch_.total += cost;
  }

  // Others have less to do and wait.
  void add_tables() {
    const double mean = 1.0 / parts_.tables.imbalance;
    Cost lookup = parts_.rows.lookup.cost;
    Cost update = parts_.rows.update;
    lookup.work *= mean;
    update.work *= mean;
    add(RecommendationPhase::lookup, lookup);
    add(RecommendationPhase::table_update, update);
  }

  void add_exchange() {
    const RowExchange& exchange = parts_.exchange;
    const DenseCosts& dense = parts_.dense;
    const auto travels = [&](RecommendationPhase which, const Cost& cost, const Charges& beside) {
      const bool hides = job_.stack.hides_exchange;
      add(which, hides ? beyond(beside, cost, core_share(system_, devices_)) : cost);
    };
    if (devices_ <= 1) {
      return;
    }
    // Those of the next batch.
    travels(RecommendationPhase::exchange, exchange.indices,
            dense.top.time + dense.interaction.time);
    travels(RecommendationPhase::exchange, exchange.forward, dense.bottom_forward.time);
    travels(RecommendationPhase::exchange, exchange.backward, dense.bottom_backward.time);
    travels(RecommendationPhase::dense_reduction, exchange.gradients, parts_.rows.update.time);
  }

  void add_host() {
    const workload::RecommendationStack& stack = job_.stack;
    const double collectives = devices_ > 1 ? (job_.trains() ? 3.0 : 1.0) : 0.0;
    const double kernels =
        parts_.dense.kernels + 1.0 + collectives + (job_.trains() ? update_kernels : 0.0);
    const double issued_s = kernels * stack.issue_interval_s;
    const Cost inputs = input_cost(job_, system_.device, static_cast<double>(devices_), parts_);
    add(RecommendationPhase::host, beyond(batch_.total.time, inputs));
    // Inputs are copied while the host issues kernels: what hides behind the one hides behind the
    // other, and the batch takes as long as the longest of device, inputs and issuing.
    const double busy_s = batch_.total.time.total_s();
    Cost waits;
    waits.time =
        Charges::of(Resource::latency, std::max(0.0, issued_s - busy_s) + stack.batch_overhead_s);
    add(RecommendationPhase::host, waits);
  }

  const RecommendationJob& job_;
  const technology::System& system_;
  std::int64_t devices_;
  const BatchParts& parts_;
  BatchCosts batch_;
};

}  // namespace

DeviceRates device_rates(const RecommendationJob& job, const technology::Device& device) {
  const Rates activations = in_batch(job, device, job.activations());
  return {{in_batch(job, device, job.operands), activations, activations},
          {activations, device.host_bandwidth.si()}};
}

DenseCosts dense_costs(const RecommendationJob& job, double devices, const DeviceRates& rates,
                       MatMulMemo& matmuls) {
  const workload::RecommendationOperators operators =
      workload::recommendation_operators(job.model, slice_of(job, devices));
  const KernelSums bottom = sum_kernels(operators.bottom, rates.blocks, matmuls);
  const KernelSums interaction = sum_kernels(operators.interaction, rates.blocks, matmuls);
  const KernelSums top = sum_kernels(operators.top, rates.blocks, matmuls);
  DenseCosts costs;
  costs.bottom_forward = bottom.forward;
  costs.interaction = interaction.forward;
  costs.top = top.forward;
  costs.kernels = bottom.forward_operators + interaction.forward_operators + top.forward_operators;
  if (!job.trains()) {
    return costs;
  }
  costs.bottom_backward = backward_of(bottom);
  costs.interaction += backward_of(interaction);
  costs.top += backward_of(top);
  costs.kernels +=
      bottom.backward_operators + interaction.backward_operators + top.backward_operators + 1.0;
  costs.update = dense_update(job, rates.blocks.activation);
  return costs;
}

TableCosts table_costs(const RecommendationJob& job, const PlacedTables& tables,
                       const DeviceRates& rates) {
  TableCosts costs;
  costs.lookup = lookup_cost(job, tables.busiest, tables.holds_all, rates.rows);
  if (job.trains()) {
    costs.update = update_cost(job, tables.busiest, rates.rows);
  }
  return costs;
}

BatchCosts batch_costs(const RecommendationJob& job, const technology::System& system,
                       std::int64_t devices, const BatchParts& parts) {
  return Batch(job, system, devices, parts).run();
}

}  // namespace scalesweep::estimator

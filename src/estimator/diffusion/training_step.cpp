#include "estimator/diffusion/training_step.hpp"

#include <algorithm>
#include <numeric>

namespace scalesweep::estimator {
namespace {

double all_layers(const workload::DiffusionModel& model) {
  return static_cast<double>(
      std::accumulate(model.layers.begin(), model.layers.end(), std::int64_t{0}));
}

// One micro-batch after the other, then what replicas send and the update.
class Step {
 public:
  Step(const DiffusionJob& job, const parallel::Strategy& strategy,
       const technology::System& system, const DiffusionTerms& terms)
      : job_(job),
        strategy_(strategy),
        terms_(terms),
        micro_batches_(strategy.micro_batches),
        core_share_(core_share(system, strategy)) {}

  DiffusionCosts run(const technology::System& system) {
    add_forward();
    add_backward();
    add_replicas();
    add_host(step_.total.time.total_s());
    add(DiffusionPhase::text_encoder, micro_batches_ * terms_.kernels.encoder);
    add(DiffusionPhase::latent_encoder, micro_batches_ * terms_.kernels.latent_encoder);
    const TrainingJob replicated = replicated_job(job_, strategy_);
    add(DiffusionPhase::optimizer,
        optimizer_cost({replicated, system, strategy_}, terms_.update.optimizer));
    step_.step_s = step_.total.time.total_s();
    return step_;
  }

 private:
  void add(DiffusionPhase which, const Cost& cost) {
    step_.phases[static_cast<std::size_t>(which)] += cost;
    step_.total += cost;
  }
  // Once a micro-batch, as part of a pass.
  void add(DiffusionPhase which, const Cost& cost, Charges& pass) {
    add(which, micro_batches_ * cost);
    pass += cost.time;
  }
  double recomputed() const {
    return strategy_.recompute == parallel::Recompute::full ? 1.0 / strategy_.recompute_every : 0.0;
  }
  Cost beside(const Cost& attention, const Cost& context) const {
    return terms_.exchange.hides_context ? beyond(attention.time, context, core_share_) : context;
  }

  void add_forward() {
    const KernelsByKind& pass = terms_.kernels.pass;
    Charges& forward = passes_.forward;
    add(DiffusionPhase::linear, pass.linear, forward);
    add(DiffusionPhase::attention, pass.attention, forward);
    add(DiffusionPhase::pointwise, pass.pointwise, forward);
    add(DiffusionPhase::tensor_reduction, terms_.exchange.tensor, forward);
    add(DiffusionPhase::context_exchange, beside(pass.attention, terms_.exchange.context), forward);
  }

  void add_backward() {
    const DiffusionKernels& kernels = terms_.kernels;
    const DiffusionExchange& exchange = terms_.exchange;
    Charges& backward = passes_.backward;
    if (recomputed() > 0.0) {
      const Cost layers = kernels.layers.total() + exchange.tensor +
                          beside(kernels.layers.attention, exchange.context);
      add(DiffusionPhase::recompute, recomputed() * layers, backward);
    }
    add(DiffusionPhase::backward, kernels.backward.total(), backward);
    // Gradients of what enters column-parallel layers are added up as what leaves row-parallel ones
    // is (arXiv:1909.08053, fig. 3).
    add(DiffusionPhase::tensor_reduction, exchange.tensor, backward);
    add(DiffusionPhase::context_exchange,
        beside(kernels.backward.attention, exchange.context_backward), backward);
  }

  void add_replicas() {
    const PassTransfers weights = exposed(terms_.update.weights, passes_, core_share_);
    add(DiffusionPhase::replica_exchange, micro_batches_ * weights.total());
    add(DiffusionPhase::replica_exchange, exposed(terms_.update.gradients, passes_, core_share_));
  }

  // Where the host issues passes more slowly than they run and send, they wait for it. It runs
  // ahead while they wait for what replicas send.
  void add_host(double device_s) {
    const workload::DiffusionStack& stack = job_.stack;
    const DiffusionKernels& kernels = terms_.kernels;
    const double collectives = terms_.exchange.collectives;
    const double issued = kernels.pass.kernels + collectives + kernels.backward.kernels +
                          collectives + recomputed() * (kernels.layers.kernels + collectives);
    const double waits_s =
        std::max(0.0, micro_batches_ * issued * stack.issue_interval_s - device_s);
    Cost waits;
    waits.time =
        Charges::of(Resource::latency, waits_s + stack.step_overhead_s + stack.batch_overhead_s);
    add(DiffusionPhase::host, waits);
  }

  const DiffusionJob& job_;
  const parallel::Strategy& strategy_;
  const DiffusionTerms& terms_;
  double micro_batches_;
  double core_share_;
  PassTimes passes_;
  DiffusionCosts step_;
};

}  // namespace

TrainingJob replicated_job(const DiffusionJob& job, const parallel::Strategy& strategy) {
  TrainingJob replicated;
  replicated.precision = mixed_precision(job.operands);
  PrecisionPolicy& policy = replicated.precision;
  if (job.training.states_as_weights) {
    policy.gradients = policy.gradient_communication = policy.weights;
    policy.master_weights = policy.moments = policy.weights;
  } else if (job.casts_weights(strategy)) {
    policy.weights = policy.master_weights;
  }
  replicated.stack.replicas = job.stack.replicas;
  replicated.optimizer = job.training.optimizer;
  return replicated;
}

HeldWeights held_weights(const DiffusionJob& job, const parallel::Strategy& strategy) {
  const TrainingJob replicated = replicated_job(job, strategy);
  const workload::Optimizer& optimizer = job.training.optimizer;
  HeldWeights held;
  held.all.dense = job.model.parameters() / strategy.tensor_parallel;
  held.of_layers = held.trained = held.trained_of_layers = held.all;
  held.layers = all_layers(job.model);
  held.weight_bytes = technology::element_bytes(replicated.precision.weights);
  held.moment_bytes = optimizer.moments * one_moment_bytes(replicated);
  return held;
}

DiffusionUpdate diffusion_update(const DiffusionJob& job, const parallel::Strategy& strategy,
                                 const technology::System& system) {
  const TrainingJob replicated = replicated_job(job, strategy);
  const Setting setting = {replicated, system, strategy};
  const HeldWeights held = held_weights(job, strategy);
  DiffusionUpdate update = {weight_transfers(setting, held), gradient_transfers(setting, held),
                            optimizer_work(setting, held)};
  if (job.training.averages_weights) {
    // The weight and the average are read, the latter is written.
    const double weight = technology::element_bytes(replicated.precision.master_weights);
    update.optimizer.moved_bytes += update.optimizer.updated * (weight + 2.0 * average_bytes);
  }
  return update;
}

DiffusionCosts training_costs(const DiffusionJob& job, const parallel::Strategy& strategy,
                              const technology::System& system, const DiffusionTerms& terms) {
  return Step(job, strategy, system, terms).run(system);
}

}  // namespace scalesweep::estimator

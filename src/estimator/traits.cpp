#include "estimator/traits.hpp"

#include <cstddef>

#include "estimator/inference/job.hpp"
#include "estimator/training/job.hpp"
#include "technology/precision.hpp"
#include "workload/serving/model_parts.hpp"

namespace scalesweep::estimator {
namespace {

using technology::Trait;
using technology::Traits;

// Collects those whose condition holds.
class Found {
 public:
  Found& with(Trait trait, bool condition) {
    if (condition) {
      traits_.set(static_cast<std::size_t>(trait));
    }
    return *this;
  }
  const Traits& traits() const { return traits_; }

 private:
  Traits traits_;
};

void add_layout(const parallel::Strategy& s, const workload::Experts& experts, int domain,
                Found& found) {
  const bool apart = s.expert_devices > 0;
  const bool spread = experts.on() && (s.expert_parallel > 1 || s.expert_devices > 1);
  const bool hybrid = s.zero == 3 && s.shard_group > 0 && s.shard_group < s.replicas();
  found.with(Trait::expert_parallelism, spread && !s.experts_over_tensor)
      .with(Trait::experts_over_tensor, spread && s.experts_over_tensor)
      .with(Trait::whole_experts, experts.on() && !spread)
      .with(Trait::expert_devices, apart)
      .with(Trait::context_parallelism, s.context_parallel > 1 || s.decode_context_parallel > 1)
      .with(Trait::sharded_weights, s.zero == 3)
      .with(Trait::hybrid_sharding, hybrid)
      .with(Trait::pipeline, s.pipeline_parallel > 1)
      .with(Trait::interleaved_pipeline, s.pipeline_parallel > 1 && s.chunks > 1)
      .with(Trait::zero_bubble,
            s.pipeline_parallel > 1 && s.schedule == parallel::Schedule::zero_bubble)
      .with(Trait::dual_pipe,
            s.pipeline_parallel > 1 && s.schedule == parallel::Schedule::dual_pipe)
      .with(Trait::tensor_between_domains, s.tensor_parallel > domain)
      .with(Trait::offload, s.offload_activations || s.offload_optimizer);
}

void add_model(const workload::TransformerModel& model, double tokens, Found& found) {
  found.with(Trait::long_sequences, tokens > long_sequence)
      .with(Trait::latent_attention, model.latent.on())
      .with(Trait::sparse_attention, model.sparse.on())
      .with(Trait::local_attention, model.local.on())
      .with(Trait::linear_attention, model.linear.on());
}

void add_operands(technology::Precision operands, technology::Precision weights, Found& found) {
  const double bytes = technology::element_bytes(operands);
  found.with(Trait::eight_bit_operands, bytes == 1.0)
      .with(Trait::four_bit_operands, bytes < 1.0)
      .with(Trait::narrow_weights, technology::element_bytes(weights) < bytes);
}

// Of any linear layers that the model has.
void add_operands(const InferencePrecision& precision, const workload::Experts& experts,
                  Found& found) {
  using workload::LinearPart;
  add_operands(precision.operands, precision.weights, found);
  if (precision.is_uniform()) {
    return;
  }
  for (const LinearPart part : {LinearPart::attention, LinearPart::attention_output,
                                LinearPart::experts, LinearPart::shared_experts}) {
    if (workload::has_part(experts, part)) {
      add_operands(precision.operands_of(part), precision.weights_of(part), found);
    }
  }
}

}  // namespace

Traits traits_of(const Setting& setting) {
  const auto& [job, system, strategy] = setting;
  Found found;
  add_layout(strategy, job.model.experts, system.scale_up_domain(), found);
  add_model(job.model, static_cast<double>(job.sequence), found);
  // Weights of training are as wide as their operands, or wider.
  add_operands(job.precision.linear, job.precision.linear, found);
  found.with(Trait::adapters, job.tuning.rank > 0).with(Trait::narrow_weights, job.tuning.narrow());
  return found.traits();
}

Traits traits_of(const InferenceJob& job, const technology::System& system,
                 const parallel::Strategy& strategy, double longest, bool separate_pools) {
  Found found;
  add_layout(strategy, job.model.experts, system.scale_up_domain(), found);
  add_model(job.model, longest, found);
  add_operands(job.precision, job.model.experts, found);
  found.with(Trait::speculation, job.speculation.draft > 0)
      .with(Trait::prefix_tiers, job.prefixes.loaded_hits() > 0.0 || job.prefixes.curve != nullptr)
      .with(Trait::adapters, job.adapters.on())
      .with(Trait::separate_pools, separate_pools);
  return found.traits();
}

}  // namespace scalesweep::estimator

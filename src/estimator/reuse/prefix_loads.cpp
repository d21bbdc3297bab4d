#include "estimator/reuse/prefix_loads.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "estimator/inference/inference_memory.hpp"
#include "estimator/parts/stages.hpp"
#include "estimator/reuse/sessions.hpp"

namespace scalesweep::estimator {
namespace {

// Of one request, on a device of each stage together.
struct Load {
  double bytes = 0.0;
  Charges time;  // one stage after the other
};

Load load_of(const Replica& replica, double prompt) {
  const InferenceJob& job = replica.job();
  const PrefixTiers& tiers = job.prefixes;
  const double loaded = tiers.loaded_hits();
  if (loaded <= 0.0) {
    return {};
  }
  const double found = job.cached_share();
  const double found_bytes = static_cast<double>(job.model.layers) *
                             layer_cache_bytes(job, job.model, replica.strategy, prompt * found);
  Load load;
  load.bytes = loaded / found * found_bytes;
  load.time =
      Charges::of(Resource::host, load.bytes / replica.setting.system.device.host_bandwidth.si());
  if (tiers.storage_hits > 0.0) {
    const double stored_bytes = tiers.storage_hits / found * found_bytes;
    load.time =
        longer(load.time, Charges::of(Resource::storage, stored_bytes / tiers.storage_bytes_per_s));
  }
  return load;
}

Cost cost_of(const Load& load) {
  Cost cost;
  cost.time = load.time;
  cost.work[Amount::dram_bytes] = load.bytes;
  return cost;
}

// What the loads add to a pass whose layers they come beside.
Charges beside_layers(const Charges& pass, const Charges& load, double layers) {
  const Charges first = (1.0 / layers) * load;
  const Charges all_loads = load - (1.0 - 1.0 / layers) * pass;
  return first.total_s() >= all_loads.total_s() ? first : all_loads;
}

}  // namespace

IterationCost with_loads(const Replica& replica, double prompt, double requests,
                         IterationCost pass) {
  if (replica.job().prefixes.loaded_hits() <= 0.0) {
    return pass;
  }
  Cost load = requests * cost_of(load_of(replica, prompt));
  if (replica.job().prefixes.loading == PrefixLoading::before) {
    load.time = {};
  } else {
    // A stage loads its own layers beside its own passes.
    const double stages = replica.stages();
    const auto layers = static_cast<double>(replica.job().model.layers);
    pass.slowest_stage += beside_layers(pass.slowest_stage, (1.0 / stages) * load.time,
                                        std::max(1.0, layers / stages));
    load.time = beside_layers(pass.total().time, load.time, layers);
  }
  pass.communication += load;
  return pass;
}

Charges load_ahead(const Replica& replica, double prompt) {
  const PrefixTiers& tiers = replica.job().prefixes;
  if (tiers.loading != PrefixLoading::before || tiers.loaded_hits() <= 0.0) {
    return {};
  }
  return (1.0 / replica.stages()) * load_of(replica, prompt).time;
}

PrefixUse prefix_use(const Replica& replica, double prompt) {
  const InferenceJob& job = replica.job();
  PrefixUse use;
  use.found = {job.prefix_hits, job.prefixes.host_hits, job.prefixes.storage_hits};
  const double loaded = prompt * job.prefixes.loaded_hits();
  if (loaded > 0.0) {
    const Load load = load_of(replica, prompt);
    use.loaded_bytes = load.bytes / replica.stages();
    use.load_s = load.time.total_s() / replica.stages();
    use.recompute_s = prefill_cost(replica, 1.0, loaded, prompt * job.prefix_hits,
                                   job.chunk_tokens(replica.strategy))
                          .total()
                          .time.total_s();
  }
  return use;
}

ServingJob with_prefix_hits(ServingJob job, const parallel::Strategy& strategy) {
  InferenceJob& inference = job.inference;
  double tokens = 0.0, shares = 0.0;
  for (const RequestClass& one : job.requests) {
    tokens += one.share * (one.prompt + one.output);
    shares += one.share;
  }
  tokens /= shares;
  const double token_bytes = most_layers(inference.model, strategy, inference.stack.stage_balance) *
                             layer_cache_bytes(inference, inference.model, strategy, tokens) /
                             tokens;
  ByPrefixTier found{};
  double held = 0.0, found_before = 0.0;
  for (std::size_t tier = 0; tier < prefix_tier_count; ++tier) {
    held += inference.prefixes.bytes[tier] * strategy.data_parallel / token_bytes;
    const double share = inference.prefixes.curve->at(held);
    found[tier] = share - std::exchange(found_before, share);
  }
  inference.prefix_hits = found[index_of(PrefixTier::device)];
  inference.prefixes.host_hits = found[index_of(PrefixTier::host)];
  inference.prefixes.storage_hits = found[index_of(PrefixTier::storage)];
  inference.prefixes.curve = nullptr;
  return job;
}

std::vector<RequestClass> requests_of(const SessionLaw& sessions) {
  std::vector<RequestClass> requests;
  for (const TurnGroup& group : turn_groups(sessions)) {
    requests.push_back({group.prompt, sessions.output, group.share});
  }
  return requests;
}

double requests_meanwhile(const ServingJob& job, double request_rate) {
  const double others = job.concurrency > 0.0 ? (job.concurrency - 1.0) / job.concurrency : 1.0;
  return request_rate * job.sessions.think_s * others;
}

bool finds_sessions(const ServingJob& job) {
  const ByPrefixTier& bytes = job.inference.prefixes.bytes;
  return job.sessions.on() &&
         std::any_of(bytes.begin(), bytes.end(), [](double b) { return b > 0.0; });
}

ServingJob with_session_hits(ServingJob job, const parallel::Strategy& strategy,
                             double request_rate) {
  job.inference.prefixes.curve = std::make_shared<const HitCurve>(
      session_hits(job.sessions, requests_meanwhile(job, request_rate)));
  return with_prefix_hits(std::move(job), strategy);
}

}  // namespace scalesweep::estimator

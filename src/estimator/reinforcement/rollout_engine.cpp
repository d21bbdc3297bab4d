#include "estimator/reinforcement/rollout_engine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/passes/iteration.hpp"
#include "estimator/inference/passes/pass_kernels.hpp"
#include "estimator/parts/power/power_limit.hpp"

namespace scalesweep::estimator {
namespace {

// Decode passes at few numbers of sequences, each twice the root of two of the one before, and at
// two lengths of their caches: passes are affine in the length (decode_parts in iteration.hpp), and
// nearly so in the sequences between two neighbours.
class KnownPasses {
 public:
  KnownPasses(const Replica& replica, double least_cached, double most_cached)
      : replica_(replica), least_(least_cached), most_(most_cached) {}

  Cost operator()(double sequences, double cached) {
    const double place = 2.0 * std::log2(std::max(1.0, sequences));
    const int below = static_cast<int>(std::floor(place));
    const double from = std::exp2(0.5 * below);
    const double to = std::exp2(0.5 * (below + 1));
    const double share = std::clamp((sequences - from) / (to - from), 0.0, 1.0);
    Cost cost = (1.0 - share) * at(below, cached);
    if (share > 0.0) {
      cost.add(share, at(below + 1, cached));
    }
    return cost;
  }

 private:
  struct Ends {
    Cost short_caches;
    Cost long_caches;
  };

  Cost at(int place, double cached) {
    auto found = known_.find(place);
    if (found == known_.end()) {
      const double sequences = std::exp2(0.5 * place);
      found = known_.emplace(place, Ends{pass(sequences, least_), pass(sequences, most_)}).first;
    }
    const double share = most_ > least_ ? (cached - least_) / (most_ - least_) : 0.0;
    Cost cost = (1.0 - share) * found->second.short_caches;
    cost.add(share, found->second.long_caches);
    return cost;
  }
  Cost pass(double sequences, double cached) const {
    Iteration iteration;
    iteration.decode = {sequences, 1.0, cached};
    return iteration_cost(replica_, iteration).total();
  }

  Replica replica_;
  double least_;
  double most_;
  std::map<int, Ends> known_;
};

InferenceJob rollout_job(const ReinforcementJob& job) {
  InferenceJob rollouts = job.rollouts;
  rollouts.model = job.training.model;
  rollouts.prompt = job.prompt;
  rollouts.output = job.output;
  return rollouts;
}

// Into how many parts an engine may cut every layer alike.
bool divides(const workload::TransformerModel& model, std::int64_t tensor_parallel) {
  return model.heads % tensor_parallel == 0 && model.ffn % tensor_parallel == 0 &&
         (model.kv_heads % tensor_parallel == 0 || tensor_parallel % model.kv_heads == 0);
}

parallel::Strategy strategy_of(const RolloutDevices& devices, std::int64_t tensor_parallel) {
  parallel::Strategy strategy;
  strategy.tensor_parallel = static_cast<std::int32_t>(tensor_parallel);
  strategy.data_parallel = static_cast<std::int32_t>(devices.count / tensor_parallel);
  return strategy;
}

// Prompts are read once for all their samples, as many together as answers begin at once.
Cost prompts_cost(const Replica& replica, const ReinforcementJob& job, const ReplicaLoad& load) {
  const auto samples = static_cast<double>(job.samples);
  const double prompts = std::max(1.0, load.answers / samples);
  const double together = std::max(1.0, std::min(load.answers, load.most) / samples);
  const Cost cost = prefill_cost(replica, together, load.prompt, 0.0,
                                 replica.job().chunk_tokens(replica.strategy))
                        .total();
  return prompts / together * cost;
}

// Of sequences that go on with new weights, keys and values are computed again (Fu et al., AReaL,
// arXiv:2505.24298, section 4.1).
Cost renewed_caches(const Replica& replica, double sequences, double tokens) {
  return prefill_cost(replica, std::max(1.0, sequences), tokens, 0.0,
                      replica.job().chunk_tokens(replica.strategy))
      .total();
}

}  // namespace

RolloutEngine::RolloutEngine(const ReinforcementJob& job, const technology::System& system)
    : job_(job),
      lengths_(static_cast<double>(job.output), job.output_spread,
               static_cast<double>(job.most_output)),
      setting_(rollout_job(job), system),
      clocks_(setting_) {
  setting_.known = pass_memo(setting_.job, system.device);
}

const std::vector<RolloutRun>& RolloutEngine::on(const RolloutDevices& devices) {
  const auto found = known_.find(devices);
  return found != known_.end() ? found->second
                               : known_.emplace(devices, layouts(devices)).first->second;
}

// Of a sequence that runs, what it holds beside its prompt: all that it may come to where the stack
// sets that aside, else what it has so far, those that are long for longer.
double RolloutEngine::held_tokens() const {
  if (setting_.job.stack.page_tokens <= 0.0) {
    return job_.most_output > 0 ? static_cast<double>(job_.most_output)
                                : lengths_.longest(job_.all_samples());
  }
  return lengths_.mean_age();
}

std::vector<RolloutRun> RolloutEngine::layouts(const RolloutDevices& devices) {
  const std::int64_t domain = std::max<std::int64_t>(1, setting_.system.scale_up_domain());
  std::vector<RolloutRun> found;
  RolloutRun lacking;
  for (std::int64_t t = 1; t <= devices.count && (t <= domain || found.empty()); t *= 2) {
    if (devices.count % t != 0 || !divides(setting_.job.model, t)) {
      continue;
    }
    RolloutRun tried = run(devices, t);
    if (tried.fits) {
      found.push_back(std::move(tried));
    } else {
      lacking = std::move(tried);
    }
  }
  return found.empty() ? std::vector<RolloutRun>{lacking} : found;
}

RolloutRun RolloutEngine::run(const RolloutDevices& devices, std::int64_t tensor_parallel) {
  RolloutRun run;
  run.layout.devices = devices.count;
  run.layout.tensor_parallel = tensor_parallel;
  const parallel::Strategy strategy = strategy_of(devices, tensor_parallel);
  // What others hold is as memory that the device does not have.
  technology::System left = setting_.system;
  const double share = setting_.job.stack.memory_share;
  left.device.dram.capacity =
      Bytes::si(std::max(0.0, left.device.dram.capacity.si() - devices.held_bytes / share));
  InferenceJob held = setting_.job;
  held.output = std::max<std::int64_t>(1, std::llround(held_tokens()));
  const InferenceMemory memory = inference_memory(held, left, strategy);
  run.weights_bytes = memory.weights_bytes;
  run.usable_bytes = memory.usable_bytes;
  run.layout.most_sequences = memory.largest_batch_per_replica;
  run.fits = memory.largest_batch_per_replica >= 1.0;
  ReplicaLoad load;
  load.answers = std::ceil(job_.all_samples() / strategy.data_parallel);
  load.prompt = static_cast<double>(job_.prompt);
  load.most = std::max(1.0, memory.largest_batch_per_replica);
  run.layout.sequences = std::min(load.answers, load.most);
  // Without room for one, the memory of one.
  run.cache_bytes = run.layout.sequences * memory.cache_bytes + memory.activations_bytes;
  if (run.fits) {
    answer(run, load);
  }
  return run;
}

void RolloutEngine::answer(RolloutRun& run, const ReplicaLoad& load) {
  const parallel::Strategy strategy =
      strategy_of({run.layout.devices, 0.0}, run.layout.tensor_parallel);
  const double mean_end = load.prompt + lengths_.mean();
  clocks_.forget_if_many();
  const PhaseParts decode = settled(clocks_, strategy, [&](const Replica& replica) {
    return decode_parts(replica, run.layout.sequences, load.prompt, mean_end);
  });
  run.clock_step = decode.clock_step;
  run.unkept_w = decode.unkept_w;
  const InferenceSetting& setting = clocks_.at(decode.clock_step);
  const Replica replica = {setting, strategy};
  run.power_w = power_of_w(setting.system, pass_cost(setting.job, decode.parts));
  const double longest = lengths_.longest(job_.all_samples());
  KnownPasses passes(replica, load.prompt, load.prompt + std::max(1.0, longest));
  const DecodePass pass = [&](double sequences, double cached) {
    return passes(sequences, cached);
  };
  run.prompts = prompts_cost(replica, job_, load);
  run.answers = batch_rollout(lengths_, load, job_.all_samples(), pass);
  // Weights need not be as old as they may be: with more sequences more caches are computed anew.
  const RolloutRun batch = run;
  const double age = lengths_.mean_age();
  double before = 0.0;
  for (std::int64_t staleness = 2; staleness <= job_.staleness; ++staleness) {
    const double sequences = steady_sequences(lengths_, load, staleness);
    if (sequences <= before) {
      break;  // caches limit them
    }
    before = sequences;
    RolloutRun steady = batch;
    steady.answers = steady_rollout(lengths_, load, staleness, pass);
    steady.prompts += renewed_caches(replica, sequences, load.prompt + age);
    steady.layout.sequences = sequences;
    if (steady.total_s() < run.total_s()) {
      run = steady;
    }
  }
}

}  // namespace scalesweep::estimator

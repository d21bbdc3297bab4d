#include "deploy/deploy_serving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "deploy/manifests/dynamo_graph.hpp"
#include "deploy/manifests/leader_worker_sets.hpp"
#include "deploy/manifests/llm_d_values.hpp"
#include "deploy/manifests/slurm_serving.hpp"
#include "deploy/memory/engine_memory.hpp"
#include "deploy/parts/documents.hpp"
#include "deploy/parts/serving_run.hpp"
#include "estimator/inference/inference.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/load/day_mean.hpp"
#include "estimator/inference/service/steady_state.hpp"
#include "estimator/reuse/prefix_loads.hpp"
#include "study/kinds/serving.hpp"

namespace scalesweep::deploy {
namespace {

using estimator::InferenceJob;
using estimator::ServingEstimate;
using estimator::ServingJob;

// What engines take at most where nothing but arrivals limits the requests in flight.
constexpr double most_sequences = 1024;

// One pool of servers and what a replica of it needs.
struct PoolPlan {
  ServingRun run;
  CacheDemand demand;
};

std::int64_t whole(double value) {
  return static_cast<std::int64_t>(std::ceil(value - 1e-9));
}

ServingRun run_of(const InferenceJob& job, const technology::System& system,
                  const parallel::Strategy& strategy, Pool pool) {
  const std::int64_t replicas =
      std::max(1, std::min(strategy.replicas_of_experts(), strategy.data_parallel));
  ServingRun run{job, system, strategy, pool};
  run.replicas = replicas;
  run.servers = std::max<std::int64_t>(1, strategy.data_parallel / replicas);
  run.hosts = hosts_of(system, strategy.devices() / run.servers);
  run.chunk = whole(job.chunk_tokens(strategy));
  return run;
}

std::string_view name_of(Pool pool) {
  return pool == Pool::all ? "" : pool == Pool::decode ? "decode" : "prefill";
}

EngineKind kind_of(const ServingTarget& target) {
  return target.backend == "vllm"     ? EngineKind::vllm
         : target.backend == "sglang" ? EngineKind::sglang
                                      : EngineKind::tensorrt_llm;
}

// The same run by the version of the engine that Dynamo has.
std::vector<Flag> flags_in_dynamo(const ServingTarget& target, const PoolPlan& plan,
                                  const std::string& file) {
  ServingRun run = plan.run;
  run.version = version_in_dynamo(kind_of(target));
  run.memory_share =
      check_memory(target.memory(run), plan.demand, run.system.device, name_of(run.pool)).share;
  return flags_of(target.options, run, file);
}

// Of a batch that fills memory the engine holds a few sequences less beside its graphs and what it
// samples with: it is told those that fit, and that is said. `plan` has what it is told then.
constexpr double nearly_all = 0.9;

MemoryCheck checked_memory(const ServingTarget& target, PoolPlan& plan, Deployment& made) {
  const auto check = [&] {
    return check_memory(target.memory(plan.run), plan.demand, plan.run.system.device,
                        name_of(plan.run.pool));
  };
  MemoryCheck memory = check();
  const double asked = plan.demand.sequences;
  const double fit = memory.sequences_that_fit;
  if (memory.fits || fit < 1.0 || fit < nearly_all * asked) {
    return memory;
  }
  plan.demand.memory.cache_bytes *= fit / asked;
  plan.demand.sequences = fit;
  plan.run.sequences = std::min(plan.run.sequences, static_cast<std::int64_t>(fit));
  memory = check();
  if (memory.fits) {
    made.notes.push_back(fmt::format(
        "the estimate works on {:.4g} sequences of a replica at a time; beside what {} takes for "
        "itself {:.0f} fit, and it is told so: {:.2g} % less",
        asked, target.text.name, fit, 100.0 * (1.0 - fit / asked)));
  }
  return memory;
}

// The command of one server of the pool, after its memory is checked; nothing where it does not
// fit, and then `made` says so.
std::optional<PoolCommand> pool_command(const ServingTarget& target, PoolPlan plan,
                                        Deployment& made) {
  ServingRun& run = plan.run;
  run.version = made.version;
  if (std::string problem = target.problem != nullptr ? target.problem(run) : "";
      !problem.empty()) {
    made.problems.push_back(std::move(problem));
    return std::nullopt;
  }
  MemoryCheck memory = checked_memory(target, plan, made);
  if (!memory.fits) {
    made.problems.push_back(memory.text + fmt::format("; at most {:.0f} sequences of a replica fit",
                                                      memory.sequences_that_fit));
    return std::nullopt;
  }
  run.memory_share = memory.share;
  run.token_bytes = plan.demand.memory.cache_bytes /
                    std::max(1.0, plan.demand.sequences * plan.demand.tokens_of_sequence);
  const double weights = memory.weights_bytes * static_cast<double>(run.hosts.devices);
  made.memory.push_back(std::move(memory));
  const bool prefill = run.pool == Pool::prefill;
  const std::string file = prefill ? "prefill.yaml" : std::string(target.file.name);
  const std::vector<Flag> flags = flags_of(target.options, run, file);
  if (!target.file.name.empty()) {
    made.files.push_back({file, document(flags, target.file.language)});
  }
  for (std::string& note : target.notes(run)) {  // of two pools once
    if (std::find(made.notes.begin(), made.notes.end(), note) == made.notes.end()) {
      made.notes.push_back(std::move(note));
    }
  }
  if (!run.hosts.note.empty()) {
    made.notes.push_back(run.hosts.note);
  }
  if (made.flags.empty()) {
    made.flags = flags;
  }
  PoolCommand pool;
  pool.name = run.pool == Pool::all ? target.text.name : name_of(run.pool);
  pool.program = target.program;
  pool.flags = flags;
  pool.dynamo = flags_in_dynamo(target, plan, file);
  pool.config = target.file.name.empty() ? File{} : made.files.back();
  pool.hosts = run.hosts;
  pool.servers = run.servers;
  pool.replicas = run.replicas;
  pool.tensor_parallel = run.strategy.tensor_parallel;
  pool.weights_bytes = weights;
  pool.is_prefill = prefill;
  return pool;
}

void add_kubernetes(std::span<const PoolCommand> pools, const Engine& engine, Deployment& made) {
  const std::string problem = leader_worker_set_problem(pools, engine);
  if (pools.size() > 1 || pools.front().hosts.nodes > 1) {
    made.notes.emplace_back(
        "manifests of Kubernetes ask for no RDMA, whose resources each cluster names itself "
        "(rdma/ib): without them what goes between nodes goes by TCP");
  }
  if (problem.empty()) {
    made.files.push_back({"kubernetes.yaml", leader_worker_sets(pools, engine)});
    if (made.version.starts_with("main")) {
      made.notes.push_back(fmt::format(
          "images of a main branch are its newest ones, and the options are those of {}: take a "
          "numbered version, as --for {}@NUMBER, to have both alike",
          made.commit, made.target));
    }
  } else if (engine.kind != EngineKind::tensorrt_llm) {
    made.notes.push_back("kubernetes.yaml is not written: " + problem);
  }
  if (has_llm_d_values(pools, engine)) {
    made.files.push_back({"llm-d.yaml", llm_d_values(pools, engine)});
    made.notes.emplace_back(
        "llm-d.yaml has values of the chart llm-d-modelservice v0.4.12: helm install -f llm-d.yaml "
        "--set modelArtifacts.name=\"$MODEL\"; the gateway before it is that of llm-d's guides");
  }
  if (engine.vendor() == Vendor::nvidia) {
    made.files.push_back({"dynamo.yaml", dynamo_graph(pools, engine)});
    made.notes.push_back(fmt::format(
        "dynamo.yaml is for Dynamo {} (read at {}), whose images have {} {}: its options are those",
        dynamo_version, dynamo_commit, made.target, version_in_dynamo(engine.kind)));
  }
  if (problem.empty() || engine.vendor() == Vendor::nvidia) {
    made.notes.emplace_back(
        "manifests of Kubernetes take MODEL from a ConfigMap: kubectl create configmap model "
        "--from-literal=MODEL=\"$MODEL\"");
  }
}

// Who sends requests of two pools to both.
std::string router_note(const Engine& engine) {
  switch (engine.kind) {
    case EngineKind::vllm:
      return "requests go through a router that knows both pools: that of Dynamo or llm-d, or for "
             "trials the proxy tests/v1/kv_connector/nixl_integration/toy_proxy_server.py of "
             "vLLM's sources, which serve.sbatch starts where VLLM_SOURCE is their folder";
    case EngineKind::sglang:
      return "requests go through sglang_router, which knows both pools";
    case EngineKind::tensorrt_llm:
      break;
  }
  return "requests go through trtllm-serve disaggregated, which knows both pools";
}

void add_manifests(const ServingTarget& target, std::span<const PoolCommand> pools,
                   const technology::System& system, Deployment& made) {
  const Engine engine = {kind_of(target), made.version, system.device.name};
  const bool is_one = pools.size() == 1 && pools.front().servers == 1;
  if (is_one && pools.front().hosts.nodes == 1) {
    return;
  }
  made.files.push_back({"serve.sbatch", slurm_serving(pools, engine)});
  add_kubernetes(pools, engine, made);
  if (are_apart(pools)) {
    made.notes.push_back(router_note(engine));
  }
}

void add_pools(const ServingTarget& target, std::vector<PoolPlan> plans, Deployment& made) {
  std::vector<PoolCommand> pools;
  if (plans.size() == 2) {
    plans[0].run.other = {plans[1].run.ranks(), plans[1].run.replicas};
    plans[1].run.other = {plans[0].run.ranks(), plans[0].run.replicas};
  }
  for (PoolPlan& plan : plans) {
    const technology::System& system = plan.run.system;
    std::optional<PoolCommand> pool = pool_command(target, plan, made);
    if (!pool) {
      return;
    }
    const std::string command = command_line(pool->program, pool->flags);
    made.command += plans.size() > 1
                        ? fmt::format("# {}: {} server{}\n{}", pool->name, pool->servers,
                                      pool->servers == 1 ? "" : "s", command)
                        : command;
    pools.push_back(std::move(*pool));
    if (pools.size() == plans.size()) {
      add_manifests(target, pools, system, made);
    }
  }
  made.notes.insert(made.notes.begin(), "MODEL is the path or the name of the checkpoint of " +
                                            plans.front().run.job.model.name);
}

std::int64_t longest_prompt(const ServingJob& job) {
  double longest = 1.0;
  for (const estimator::RequestClass& one : job.requests) {
    longest = std::max(longest, one.prompt);
  }
  return whole(longest);
}

// The requests that each replica of the service works on at a time.
double sequences_of(const ServingJob& job, const ServingEstimate& estimate) {
  const estimator::RequestCounts requests = estimate.requests();
  if (estimate.cap > 0.0) {
    return estimate.cap;
  }
  if (job.concurrency > 0.0) {
    return std::clamp(std::ceil(job.concurrency / estimate.replicas), 1.0,
                      std::max(1.0, requests.largest_batch_per_replica));
  }
  if (estimate.bound == estimator::ServingBound::arrivals) {
    return std::min(requests.largest_batch_per_replica, most_sequences);
  }
  return std::max(1.0, requests.in_flight_per_replica);
}

PoolPlan serving_pool(const ServingJob& job, const technology::System& system,
                      const parallel::Strategy& strategy, const ServingEstimate& estimate,
                      Pool pool) {
  PoolPlan plan{run_of(job.inference, system, strategy, pool), {}};
  const estimator::RequestMix mix = estimator::mix_of(job);
  plan.run.sequences = whole(sequences_of(job, estimate));
  plan.run.prompt = longest_prompt(job);
  plan.run.longest = whole(mix.longest);
  plan.run.follows_prompts = job.batching == estimator::Batching::chunked;
  plan.run.waits_for_prompts = job.batching == estimator::Batching::separate;
  plan.demand = {estimate.memory, estimate.requests().in_flight_per_replica,
                 mix.held_prompt + job.inference.stack.held_output * mix.held_output};
  return plan;
}

// As many prompts at a time as a chunk takes; each is done when its first token is.
PoolPlan prefill_pool(const ServingJob& job, const technology::System& system,
                      const parallel::Strategy& strategy) {
  PoolPlan plan{run_of(job.inference, system, strategy, Pool::prefill), {}};
  const estimator::RequestMix mix = estimator::mix_of(job);
  plan.run.prompt = longest_prompt(job);
  plan.run.longest = whole(mix.longest);
  const double together = static_cast<double>(plan.run.chunk) / std::max(1.0, mix.fresh);
  plan.run.sequences = std::max<std::int64_t>(1, static_cast<std::int64_t>(together));
  InferenceJob held = job.inference;
  held.prompt = plan.run.prompt;
  held.output = 1;
  parallel::Strategy batch = strategy;
  batch.micro_batch = static_cast<std::int32_t>(plan.run.sequences);
  held.batch = std::int64_t{batch.micro_batch} * strategy.data_parallel;
  const auto sequences = static_cast<double>(plan.run.sequences * strategy.micro_batches);
  plan.demand = {estimator::inference_memory(held, system, batch), sequences,
                 static_cast<double>(held.prompt)};
  return plan;
}

parallel::Strategy with_replicas(parallel::Strategy strategy, double replicas) {
  strategy.data_parallel = static_cast<std::int32_t>(std::max(1.0, std::round(replicas)));
  return strategy;
}

std::string verdict_problem(const ServingEstimate& estimate) {
  switch (estimate.verdict) {
    case estimator::ServingVerdict::does_not_fit:
      return "the weights of the model and one request do not fit into a device's memory; take a "
             "point that fits";
    case estimator::ServingVerdict::too_few_replicas:
      return "there are not replicas for two pools; take a point with more, or another batching";
    case estimator::ServingVerdict::misses_limits:
    case estimator::ServingVerdict::meets_limits:
      break;
  }
  return "";
}

}  // namespace

void deploy_service(const ServingTarget& target, const study::Point& point, Deployment& made) {
  ServingJob job = study::work_of<ServingJob>(point.job);
  const technology::System& system = *point.system.system;
  const auto pool = study::prefill_pool_of(job, point.system);
  const ServingEstimate estimate =
      estimator::estimate_service(job, system, point.strategy, pool ? &*pool : nullptr);
  if (estimator::finds_sessions(job)) {
    job = estimator::with_session_hits(std::move(job), point.strategy, estimate.request_rate);
  }
  if (const std::string problem = verdict_problem(estimate); !problem.empty()) {
    made.problems.push_back(problem);
    return;
  }
  if (estimate.verdict == estimator::ServingVerdict::misses_limits) {
    made.notes.push_back(fmt::format("this point misses the limits of the study by {:.3g} %",
                                     100.0 * estimate.miss));
  }
  if (estimate.prefill_replicas <= 0.0) {
    add_pools(target, {serving_pool(job, system, point.strategy, estimate, Pool::all)}, made);
    return;
  }
  const technology::System& prompts =
      point.system.prefill_system ? *point.system.prefill_system : system;
  add_pools(target,
            {serving_pool(job, system, with_replicas(point.strategy, estimate.replicas), estimate,
                          Pool::decode),
             prefill_pool(job, prompts,
                          with_replicas(estimate.prefill_strategy, estimate.prefill_replicas))},
            made);
}

void deploy_batch(const ServingTarget& target, const study::Point& point, Deployment& made) {
  const auto& job = study::work_of<InferenceJob>(point.job);
  const technology::System& system = *point.system.system;
  const estimator::InferenceEstimate estimate =
      estimator::estimate_inference(job, system, point.strategy);
  PoolPlan plan{run_of(job, system, point.strategy, Pool::all), {}};
  plan.run.sequences = std::int64_t{point.strategy.micro_batch} * point.strategy.micro_batches;
  plan.run.prompt = job.prompt;
  plan.run.longest = job.prompt + job.output;
  plan.demand = {estimate.memory, static_cast<double>(plan.run.sequences),
                 static_cast<double>(plan.run.longest)};
  add_pools(target, {plan}, made);
}

}  // namespace scalesweep::deploy

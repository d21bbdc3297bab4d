// Memory of SGLang: python/sglang/srt/server_args.py, _handle_gpu_memory_settings at a4a3d823
// (0.5.3), 5c8bd8b5 (0.5.6.post2) and 65d3b47f (2026-06-08); pools of hybrid models by
// model_executor/pool_configurator.py and model_runner_kv_cache_mixin.py at 65d3b47f.
#include <algorithm>
#include <cmath>

#include "deploy/memory/engines.hpp"
#include "deploy/parts/vendors.hpp"

namespace scalesweep::deploy {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;
constexpr double window_share = 0.8;       // swa_full_tokens_ratio, server_args.py:417
constexpr double state_share = 0.9;        // mamba_full_memory_ratio, server_args.py:653
constexpr double states_of_request = 3.0;  // with prefixes that are kept: MAMBA_CACHE_SIZE_...RATIO

void add_steps(std::vector<std::int64_t>& sizes, std::int64_t first, std::int64_t last,
               std::int64_t step) {
  for (std::int64_t size = first; size <= last; size += step) {
    sizes.push_back(size);
  }
}

// Tokens that prompts are captured for, piece by piece, on by default from 2026 on but where the
// program turns it off itself (_handle_piecewise_cuda_graph):
// _generate_piecewise_cuda_graph_tokens.
std::size_t pieces(const ServingRun& run, std::int64_t chunk) {
  const bool is_on = run.since("main") && run.replicas == 1 && run.pool == Pool::all &&
                     run.strategy.pipeline_parallel == 1 && !run.job.adapters.on() &&
                     !run.job.model.encoder.asked() &&
                     vendor_of(run.system.device.name) == Vendor::nvidia;
  if (!is_on) {
    return 0;
  }
  const std::int64_t most = run.job.model.latent.on() ? 2048 : chunk;
  std::vector<std::int64_t> sizes;
  add_steps(sizes, 4, 32, 4);
  add_steps(sizes, 48, 256, 16);
  add_steps(sizes, 288, 512, 32);
  add_steps(sizes, 576, 1024, 64);
  add_steps(sizes, 1280, 4096, 256);
  add_steps(sizes, 4608, most, 512);
  return static_cast<std::size_t>(
      std::count_if(sizes.begin(), sizes.end(), [&](std::int64_t size) { return size <= most; }));
}

// Of the draft model and its graphs, MiB.
double draft_reserve(const ServingRun& run) {
  const estimator::Speculation& speculation = run.job.speculation;
  if (speculation.draft <= 0 || !speculation.drafter.on()) {
    return 0.0;
  }
  const double heads = run.since("main") ? 4.0 : 2.0;
  return 1024.0 * (speculation.drafter.is_behind ? heads : 6.0);
}

// What is left beside weights and caches where nobody says a share, MiB.
double reserve(const ServingRun& run, double device_mebibytes) {
  constexpr std::int64_t prompts = 16384;  // max_prefill_tokens
  const std::int64_t chunk = run.chunk > 0 ? run.chunk * run.replicas : prompts;
  const auto batch = static_cast<double>(largest_graph(run));
  double reserved = 512.0 + 1.5 * static_cast<double>(std::max<std::int64_t>(chunk, 2048));
  reserved += 2.0 * batch;
  reserved += static_cast<double>(run.ranks() * run.strategy.pipeline_parallel) / 8.0 * 1024.0;
  if (run.replicas > 1) {
    reserved += batch * static_cast<double>(run.replicas) * (batch > 300.0 ? 4.5 : 3.0);
  }
  if (const std::size_t captured = pieces(run, chunk); captured > 0) {
    reserved += run.job.model.latent.on() ? 1.5 * 1024.0 : 8.0 * static_cast<double>(captured);
  }
  if (device_mebibytes > 60.0 * 1024.0) {
    reserved = std::max(reserved, 10.0 * 1024.0);
  }
  return reserved + draft_reserve(run);
}

}  // namespace

std::int64_t largest_graph(const ServingRun& run) {
  return std::max<std::int64_t>(1, run.sequences);
}

std::vector<std::int64_t> sglang_graph_sizes(const ServingRun& run) {
  const std::int64_t most = largest_graph(run);
  std::vector<std::int64_t> sizes;
  if (run.job.speculation.draft > 0) {
    add_steps(sizes, 1, 8, 1);
    add_steps(sizes, 10, 32, 2);
    add_steps(sizes, 40, 64, 4);
    add_steps(sizes, 72, 256, 8);
    add_steps(sizes, 272, most, 16);
  } else {
    sizes = {1, 2, 4, 8, 12};
    add_steps(sizes, 16, 256, 8);
    add_steps(sizes, 272, 511, 16);
    add_steps(sizes, 512, most, 32);
  }
  std::erase_if(sizes, [&](std::int64_t size) { return size > most; });
  if (sizes.back() != most && run.since("main")) {
    sizes.push_back(most);
  }
  return sizes;
}

// Tokens of layers with a window have a pool of 0.8 times those of the others; states take 0.9 of
// what keys and values do, three of a request where prefixes are kept, else one of each request.
double sglang_pools_ratio(const CacheLayers& layers, double tokens, bool reuses_prefixes) {
  if (!layers.is_hybrid()) {
    return 1.0;
  }
  const auto whole = static_cast<double>(layers.whole);
  const auto local = static_cast<double>(layers.local);
  const auto linear = static_cast<double>(layers.linear);
  const double kept = std::min(tokens, static_cast<double>(layers.window));
  const double attended = (whole * tokens + local * kept) * layers.token_bytes;
  const double states = linear * layers.state_bytes;
  double pool = attended;
  if (layers.local > 0 && layers.whole > 0) {
    pool =
        (whole + window_share * local) * layers.token_bytes * std::max(tokens, kept / window_share);
  }
  double held = pool + states;
  if (layers.linear > 0 && reuses_prefixes) {
    held = std::max(pool * (1.0 + state_share),
                    states_of_request * states * (1.0 + state_share) / state_share);
  }
  return held / (attended + states);
}

EngineMemory sglang_memory(const ServingRun& run) {
  const double device = run.system.device.dram.capacity.si() / mebibyte;
  const double reserved = reserve(run, device);
  const std::size_t sizes = run.pool == Pool::prefill ? 0 : sglang_graph_sizes(run).size();
  const bool keeps = run.job.cached_share() > 0.0 || run.job.prefixes.curve != nullptr;
  return {
      .option = "--mem-fraction-static",
      .share_of = ShareOf::static_part,
      .default_share = std::max(0.01, std::round(1000.0 * (1.0 - reserved / device)) / 1000.0),
      .graph_sizes = static_cast<std::int64_t>(sizes),
      .graph_bytes = graph_bytes(run, sizes),
      .graphs_beside = false,
      .held_ratio = sglang_pools_ratio(cache_layers(run), static_cast<double>(run.longest), keeps)};
}

}  // namespace scalesweep::deploy

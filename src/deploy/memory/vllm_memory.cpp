// Memory of vLLM: vllm/config/cache.py, vllm/config/vllm.py, vllm/v1/core/kv_cache_utils.py and
// vllm/platforms/interface.py at be22bb6f (0.11), ab7521d7 (0.22) and 017e9f44 (2026-08-17).
#include <algorithm>
#include <array>
#include <cmath>

#include "deploy/memory/engines.hpp"
#include "deploy/parts/vendors.hpp"

namespace scalesweep::deploy {
namespace {

constexpr std::int64_t page_tokens = 16;     // DEFAULT_BLOCK_SIZE of config/cache.py
constexpr std::int64_t latent_tokens = 128;  // pages beside states: platforms/interface.py:886
// gpu_memory_utilization: 96a85c57 of 2026-04-21 raised it and counts graphs in it from then on.
constexpr std::string_view counts_graphs = "0.21";
constexpr double share = 0.92;
constexpr double share_before = 0.9;
// The threshold of groups of layers: 891c60dc of 2026-03-12.
constexpr std::string_view widens_groups = "0.18";

double divided_up(double value, double by) {
  return std::ceil(value / by - 1e-9);
}

// Twice the tokens of a decode step, up to 512, or 1,024 on Blackwell: vllm.py:1919 of 017e9f44.
// All of them where that is not enough: the launch says so then (targets/vllm.cpp).
std::int64_t most_captured(const ServingRun& run) {
  constexpr std::int64_t most = 512;
  const bool is_blackwell = run.since("main") && is_blackwell_or_later(run.system.device);
  const std::int64_t step = 1 + run.job.speculation.draft;
  const std::int64_t limit = is_blackwell ? 2 * most : most;
  const std::int64_t twice = 2 * run.sequences * (run.since("0.12") ? step : 1);
  const std::int64_t needed = (run.sequences * step + 15) / 16 * 16;
  return std::min(run.tokens(), run.sequences * step > std::min(twice, most)
                                    ? std::max(needed, limit)
                                    : std::min(twice, limit));
}

// Of experts in mxfp4: hidden to a multiple of 256, of 128 on Hopper, the width of a rank to one of
// 128 (quantization/mxfp4.py:198 to 225 of be22bb6f, fused_moe/oracle/mxfp4.py:647 of 017e9f44).
double padding_bytes(const ServingRun& run) {
  const workload::TransformerModel& model = run.job.model;
  const technology::Precision weights = run.job.precision.weights_of(workload::LinearPart::experts);
  if (!model.experts.on() || weights != technology::Precision::mxfp4) {
    return 0.0;
  }
  const bool is_hopper = run.system.device.name.starts_with("h");
  const double tile = is_hopper ? 128.0 : 256.0;
  const bool spread = run.strategy.expert_parallel > 1;
  const double ranks = spread ? run.strategy.expert_parallel : run.strategy.tensor_parallel;
  const auto hidden = static_cast<double>(model.hidden);
  const double width = static_cast<double>(model.experts.ffn) / (spread ? 1.0 : ranks);
  const double ratio =
      divided_up(hidden, tile) * tile / hidden * (divided_up(width, 128.0) * 128.0) / width;
  return (ratio - 1.0) * model.routed_expert_parameters() *
         static_cast<double>(model.expert_layers()) / ranks / run.strategy.pipeline_parallel *
         technology::element_bytes(weights);
}

// Logits of all sequences once more, and until Triton kernels came (c656ba3b of 2026-02-17) sorted
// ones, their places of 8 bytes and probabilities, with room to sort (topk_topp_sampler.py:183 of
// be22bb6f): bytes of a sequence and word, beside the 4 of the estimate.
double sampler_bytes(const ServingRun& run) {
  const double of_word = run.since("0.17") ? 8.0 : 28.0;
  return of_word * static_cast<double>(run.sequences * run.job.model.vocab);
}

}  // namespace

std::vector<std::int64_t> vllm_graph_sizes(const ServingRun& run) {
  const std::int64_t most = most_captured(run);
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size <= std::min<std::int64_t>(most, 4); size *= 2) {
    sizes.push_back(size);
  }
  // Steps of 8 to 256, then of 16; in 0.11 of 8 throughout (vllm.py:586 of be22bb6f).
  for (std::int64_t size = 8; size <= most;) {
    sizes.push_back(size);
    size += size >= 256 && run.since("0.12") ? 16 : 8;
  }
  return sizes;
}

// Layers are dealt into groups of one page size and as many layers; each group takes whole pages of
// a request: _get_kv_cache_groups_uniform_page_size. Pages grow until a state fits into one:
// _align_hybrid_block_size. A window takes one page more, since it does not begin with one.
double vllm_pages_ratio(const CacheLayers& layers, double tokens, bool latent, bool wide_groups) {
  if (!layers.is_hybrid()) {
    return 1.0;
  }
  auto page = static_cast<double>(page_tokens);
  if (layers.linear > 0) {
    const double step = latent ? static_cast<double>(latent_tokens) : page;
    page = step * divided_up(layers.state_bytes, step * layers.token_bytes);
  }
  struct Kind {
    double layers;
    double pages;      // of a request
    double estimated;  // bytes of a layer
  };
  const double kept = std::min(tokens, static_cast<double>(layers.window));
  const double whole_pages = divided_up(tokens, page);
  const std::array<Kind, 3> kinds = {
      {{static_cast<double>(layers.whole), whole_pages, tokens * layers.token_bytes},
       {static_cast<double>(layers.local), std::min(whole_pages, divided_up(kept, page) + 1.0),
        kept * layers.token_bytes},
       {static_cast<double>(layers.linear), 1.0, layers.state_bytes}}};
  double fewest = static_cast<double>(layers.whole + layers.local + layers.linear);
  double most = 0.0;
  for (const Kind& kind : kinds) {
    fewest = kind.layers > 0.0 ? std::min(fewest, kind.layers) : fewest;
    most = std::max(most, kind.layers);
  }
  const double group = most < fewest * (wide_groups ? 1.5 : 1.25) ? most : fewest;
  double held = 0.0;
  double estimated = 0.0;
  for (const Kind& kind : kinds) {
    held += divided_up(kind.layers, group) * group * kind.pages * page * layers.token_bytes;
    estimated += kind.layers * kind.estimated;
  }
  return held / estimated;
}

EngineMemory vllm_memory(const ServingRun& run) {
  const std::size_t sizes = vllm_graph_sizes(run).size();
  const bool counts = run.since(counts_graphs);
  return {.option = "--gpu-memory-utilization",
          .share_of = ShareOf::device,
          .default_share = counts ? share : share_before,
          .graph_sizes = static_cast<std::int64_t>(sizes),
          .graph_bytes = graph_bytes(run, sizes),
          .graphs_beside = !counts,
          .padding_bytes = padding_bytes(run),
          .sampler_bytes = sampler_bytes(run),
          .held_ratio = vllm_pages_ratio(cache_layers(run), static_cast<double>(run.longest),
                                         run.job.model.latent.on(), run.since(widens_groups))};
}

}  // namespace scalesweep::deploy

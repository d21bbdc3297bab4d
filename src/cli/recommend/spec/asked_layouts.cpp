#include "cli/recommend/spec/asked_layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "parallel/shared_cache.hpp"

namespace scalesweep::cli {
namespace {

// Sizes that no published recipe goes beyond, and that keep a study within seconds.
constexpr std::int64_t most_tensor_parallel = 64;
constexpr std::int64_t most_pipeline_parallel = 64;
constexpr std::int64_t most_expert_parallel = 64;           // of training
constexpr std::int64_t most_serving_expert_parallel = 144;  // as DeepSeek decodes
constexpr std::int64_t most_context_parallel = 32;
constexpr std::int64_t least_context_tokens = 2048;  // of a rank
constexpr std::int64_t most_serving_pipeline = 4;
constexpr double most_weights = 0.85;      // of memory, beside which caches still have room
constexpr std::int64_t many_experts = 64;  // from which on copies of the popular ones pay
// Tokens of a request from which on parts of its cache save more than their messages take.
constexpr std::int64_t long_request = 32768;
constexpr std::int64_t even_layers = 8;  // layers that this divides go into most pipelines

// Shares a cache along the sequence on servers that decode alone.
constexpr std::string_view shares_in_pools = "tensorrt-llm";
// Shards weights rather than optimizer states alone, and has no table of what it runs.
constexpr std::string_view fully_sharding = "maxtext";

bool divided_by_all(std::int64_t layers, std::int64_t up_to) {
  for (std::int64_t parts = 2; parts <= up_to; ++parts) {
    if (layers % parts != 0) {
      return false;
    }
  }
  return true;
}

class Rules {
 public:
  explicit Rules(const LayoutsOf& of) : of_(of), facts_(of.facts), layouts_(tried_frameworks()) {}

  TriedLayouts make() {
    if (of_.question.aim == Aim::training) {
      add_training();
    } else {
      add_serving();
    }
    return std::move(layouts_);
  }

 private:
  const std::vector<AskedFramework>& frameworks() const { return of_.software.frameworks; }

  std::vector<TriedFramework> tried_frameworks() const {
    std::vector<TriedFramework> tried;
    for (const AskedFramework& framework : frameworks()) {
      tried.push_back({framework.name, framework.refused});
    }
    return tried;
  }

  // 0 and 1 of frameworks that can shard optimizer states alone, of others 2 and 3: what people run
  // each with. 3, too, where weights are gathered within a scale-up domain, as recipes on racks do;
  // with experts nobody measured that.
  std::vector<std::int32_t> zero_stages() const {
    const bool all_shard_weights =
        std::all_of(frameworks().begin(), frameworks().end(),
                    [](const AskedFramework& one) { return one.name.starts_with(fully_sharding); });
    if (all_shard_weights || !layouts_.can("zero", 1)) {
      return {2, 3};
    }
    return facts_.experts == 0 && facts_.devices <= facts_.domain ? std::vector{0, 1, 3}
                                                                  : std::vector{0, 1};
  }

  // Whether pipelines that the devices invite to do not divide the layers: 24 devices make 3
  // stages.
  bool leaves_layers_over() const {
    return facts_.layers % even_layers != 0 ||
           std::any_of(of_.counts.begin(), of_.counts.end(), [&](std::int64_t count) {
             while (count > 1 && count % 2 == 0) {
               count /= 2;
             }
             return facts_.layers % std::max<std::int64_t>(1, count) != 0;
           });
  }

  void add_training() {
    layouts_.sizes("tensor_parallel", std::min(facts_.domain, most_tensor_parallel), Sizes::powers);
    layouts_.sizes("pipeline_parallel",
                   std::clamp<std::int64_t>(facts_.layers, 1, most_pipeline_parallel),
                   Sizes::divisors);
    if (leaves_layers_over()) {
      layouts_.key("uneven_stages", "true");
    }
    layouts_.values("chunks", {1, 2, 3, 4, 5, 6, 8, 10});
    layouts_.key("micro_batch", "{ powers_of_two_to = 8 }");
    layouts_.values("recompute", {0, 1, 2});
    layouts_.values("zero", zero_stages());
    layouts_.values("sequence_parallel", {0, 1});
    const std::int64_t context =
        std::min(most_context_parallel, of_.sequence / least_context_tokens);
    if (context > 1) {
      layouts_.first_of("context_exchange", {0, 1}, "context_parallel");
      layouts_.sizes("context_parallel", context, Sizes::powers);
    }
    if (facts_.experts > 0) {
      add_experts(most_expert_parallel);
    }
    // It costs nothing and saves memory: nobody leaves it off.
    layouts_.require("sequence_parallel or tensor_parallel == 1");
  }

  // Beyond a domain in whole ones: nobody lets a part of a server wait for another one's.
  void add_experts(std::int64_t most) {
    layouts_.sizes("expert_parallel", std::min(facts_.experts, most), Sizes::divisors);
    layouts_.values("experts_over_tensor", {0, 1});
    if (facts_.domain > 1 && facts_.devices > facts_.domain) {
      layouts_.require(
          fmt::format("expert_parallel <= {0} or expert_parallel % {0} == 0", facts_.domain));
    }
  }

  // Beyond a domain where the weights need several of them, as guides do with DeepSeek-R1 on 16
  // devices of 80 GB.
  std::int64_t serving_tensor_parallel() const {
    std::int64_t most = facts_.domain;
    while (most < std::min(facts_.devices, most_tensor_parallel) &&
           most_weights * static_cast<double>(most) * facts_.device_bytes <
               of_.software.weight_bytes * facts_.parameters) {
      most *= 2;
    }
    return std::min(most, most_tensor_parallel);
  }

  void add_serving() {
    layouts_.sizes("tensor_parallel", serving_tensor_parallel(), Sizes::powers);
    const std::int64_t domains = (facts_.devices + facts_.domain - 1) / facts_.domain;
    const std::int64_t stages = std::min(domains, most_serving_pipeline);
    layouts_.sizes("pipeline_parallel", stages, Sizes::divisors);
    if (!divided_by_all(facts_.layers, stages)) {
      layouts_.key("uneven_stages", "true");
    }
    if (facts_.experts > 0) {
      add_experts(most_serving_expert_parallel);
      if (facts_.experts >= many_experts) {
        layouts_.values("redundant_experts", {0, 32});
      }
      add_expert_devices();
    }
    add_shared_caches();
  }

  // Where a framework that is asked about says that it runs them: parts of the devices, so that of
  // attention there are as many or a multiple.
  void add_expert_devices() {
    const bool runs = std::any_of(frameworks().begin(), frameworks().end(),
                                  [](const AskedFramework& one) { return one.expert_devices; });
    std::vector<std::int32_t> tried = {0};
    for (const std::int64_t parts : {2, 3, 4, 5, 9}) {
      const std::int64_t devices = facts_.devices / parts;
      if (devices > 0 && facts_.devices % parts == 0 && facts_.experts % devices == 0) {
        tried.push_back(static_cast<std::int32_t>(devices));
      }
    }
    if (runs && tried.size() > 1) {
      layouts_.values("expert_devices", tried);
    }
  }

  // By all ranks that have copies where there are the most of these: a layout or two more.
  void add_shared_caches() {
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < of_.question.prompts.size(); ++i) {
      longest = std::max(longest, of_.question.prompts[i] + of_.question.outputs[i]);
    }
    const std::int64_t ranks = serving_tensor_parallel();
    const std::int64_t copies =
        facts_.shape == nullptr ? 1 : parallel::shared_cache_ranks(*facts_.shape, ranks, ranks);
    const bool beside_prompts = std::none_of(
        frameworks().begin(), frameworks().end(),
        [](const AskedFramework& one) { return one.name.starts_with(shares_in_pools); });
    if (longest >= long_request && copies > 1 && beside_prompts &&
        layouts_.can("decode_context_parallel", 2)) {
      layouts_.values("decode_context_parallel", {1, static_cast<std::int32_t>(copies)});
    }
  }

  const LayoutsOf& of_;
  const Facts& facts_;
  TriedLayouts layouts_;
};

}  // namespace

TriedLayouts asked_layouts(const LayoutsOf& of) {
  return Rules(of).make();
}

}  // namespace scalesweep::cli

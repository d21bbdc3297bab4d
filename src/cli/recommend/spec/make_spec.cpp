#include "cli/recommend/spec/make_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "catalog/read/checkpoints.hpp"
#include "cli/recommend/curve/loads.hpp"
#include "cli/recommend/spec/assumptions.hpp"
#include "cli/recommend/spec/facts.hpp"
#include "cli/recommend/spec/tried_layouts.hpp"
#include "config/toml_text.hpp"
#include "core/text.hpp"
#include "deploy/unrunnable.hpp"
#include "parallel/shared_cache.hpp"
#include "technology/precision.hpp"
#include "workload/framework.hpp"
#include "workload/model.hpp"

namespace scalesweep::cli {
namespace {

// What is tried where nobody says. Sizes that no published recipe goes beyond, and that keep a
// study within seconds.
constexpr std::int64_t usual_sequence = 8192;
constexpr std::int64_t usual_batch_tokens = std::int64_t{1} << 22U;
constexpr std::int64_t most_tensor_parallel = 64;
constexpr std::int64_t most_pipeline_parallel = 64;
constexpr std::int64_t most_expert_parallel = 64;           // of training
constexpr std::int64_t most_serving_expert_parallel = 144;  // as DeepSeek decodes
constexpr std::int64_t most_context_parallel = 32;
constexpr std::int64_t least_context_tokens = 2048;  // of a rank
constexpr std::int64_t most_serving_pipeline = 4;
constexpr double most_weights = 0.85;            // of memory, beside which caches still have room
constexpr std::int64_t least_pool_devices = 16;  // for prompts on devices of their own
constexpr std::int64_t many_experts = 64;        // from which on copies of the popular ones pay
// Tokens of a request from which on parts of its cache save more than their messages take.
constexpr std::int64_t long_request = 32768;
constexpr std::int64_t even_layers = 8;  // layers that this divides go into most pipelines

// Shares a cache along the sequence on servers that decode alone.
constexpr std::string_view shares_in_pools = "tensorrt-llm";
// Shards weights rather than optimizer states alone, and has no table of what it runs.
constexpr std::string_view fully_sharding = "maxtext";

using config::toml_text;

template <typename Numbers>
std::vector<std::string> number_texts(const Numbers& numbers) {
  std::vector<std::string> texts;
  for (const auto number : numbers) {
    texts.push_back(fmt::format("{}", number));
  }
  return texts;
}

class SpecText {
 public:
  void line(const std::string& text) {
    spec_.text += text + "\n";
    ++lines_;
  }
  void table(const std::string& name) {
    line("");
    line("[" + name + "]");
  }
  // `option` is what of the question the line says.
  void key(const std::string& name, const std::string& value, const std::string& option = "") {
    line(name + " = " + value);
    if (!option.empty()) {
      spec_.options[lines_] = option;
    }
  }
  void assume(const std::string& what) { spec_.assumed.push_back(what); }
  MadeSpec take() { return std::move(spec_); }

 private:
  MadeSpec spec_;
  int lines_ = 0;
};

// "w4a16": weights of so many bits, multiplied in 16. Anything else is a name of the spec.
std::string precision_text(const std::string& precision) {
  if (precision == "w4a16" || precision == "w8a16") {
    return fmt::format("{{ name = \"{}\", weights = \"{}\", operands = \"bf16\" }}", precision,
                       precision == "w4a16" ? "fp4" : "fp8");
  }
  return toml_text(precision);
}

// Of the published checkpoint that a name stands for, where that keeps some layers wider.
std::optional<technology::CheckpointFormats> uneven_checkpoint(const std::string& precision,
                                                               const std::string& model,
                                                               const catalog::Catalog& catalog) {
  const auto format = technology::precision_from(precision);
  const auto checkpoint = format ? catalog::checkpoint_of(catalog, model, *format) : std::nullopt;
  return checkpoint && !checkpoint->is_plain() ? checkpoint : std::nullopt;
}

// Of a weight in memory; 2 of names that are not known.
double weight_bytes(const std::string& precision) {
  if (precision == "w4a16" || precision == "w8a16") {
    return precision == "w4a16" ? 0.5 : 1.0;
  }
  const auto known = technology::precision_names.find(precision);
  return known ? technology::element_bytes(*known) : 2.0;
}

bool divided_by_all(std::int64_t layers, std::int64_t up_to) {
  for (std::int64_t parts = 2; parts <= up_to; ++parts) {
    if (layers % parts != 0) {
      return false;
    }
  }
  return true;
}

std::string option_text(const std::string& option, const std::string& value) {
  return value.find(' ') == std::string::npos ? option + " " + value
                                              : fmt::format("{} \"{}\"", option, value);
}

class Maker {
 public:
  Maker(const Question& question, const std::vector<DeviceCounts>& counts,
        const catalog::Catalog& catalog)
      : question_(question),
        counts_(counts),
        catalog_(catalog),
        facts_(facts_of(question, counts, catalog)) {}

  MadeSpec make() {
    text_.line("# Written by scalesweep recommend.");
    text_.key("schema", "1");
    text_.key("title", toml_text(title()));
    text_.table("workload");
    add_workload();
    text_.table("system");
    add_system();
    text_.table("strategy");
    layouts_ = TriedLayouts(tried_frameworks());
    if (question_.aim == Aim::training) {
      add_training_strategy();
    } else {
      add_serving_strategy();
    }
    for (const auto& [name, value] : layouts_.keys()) {
      text_.key(name, value);
    }
    add_filters();
    text_.table("keep");
    text_.key("policy", "\"all\"");
    text_.table("objectives");
    add_objective();
    return text_.take();
  }

 private:
  // Null: nobody knows it, or it does not do the work; checking the spec says so.
  const workload::Framework* known_framework(const std::string& name) const {
    if (!catalog_.has(catalog::Section::frameworks, name)) {
      return nullptr;
    }
    const workload::Framework& framework = catalog_.framework(name);
    const bool does = question_.aim == Aim::training ? framework.trains : framework.serves;
    return does ? &framework : nullptr;
  }

  std::vector<TriedFramework> tried_frameworks() const {
    std::vector<TriedFramework> tried;
    for (const std::string& name : frameworks_) {
      const workload::Framework* const known = known_framework(name);
      tried.push_back(
          {name, known != nullptr ? deploy::refusals(*known) : std::vector<deploy::Refusal>{}});
    }
    return tried;
  }

  bool has_pools() const { return facts_.devices >= least_pool_devices; }

  std::string title() const {
    std::vector<std::string> devices;
    for (const DeviceCounts& one : counts_) {
      devices.push_back(join(number_texts(one.counts), ", ") + " " + one.device);
    }
    return fmt::format("{} {} on {}", question_.aim == Aim::training ? "Training" : "Serving",
                       question_.model, join(devices, " or "));
  }

  // How requests are taken depends on it.
  void choose_software() {
    precision_ = question_.precision.empty()
                     ? usual_precision(question_.aim, facts_.model, facts_.known, catalog_)
                     : question_.precision;
    if (question_.aim == Aim::serving) {
      checkpoint_ = uneven_checkpoint(precision_, facts_.model, catalog_);
    }
    const std::string multiplied =
        checkpoint_ ? std::string(technology::name_of(checkpoint_->multiplied())) : precision_;
    frameworks_ = question_.frameworks;
    if (frameworks_.empty()) {
      frameworks_ = {usual_framework(question_.aim, facts_.known, multiplied, catalog_)};
    }
  }

  void add_workload() {
    const bool is_training = question_.aim == Aim::training;
    text_.key("kind", is_training ? "\"training\"" : "\"serving\"");
    text_.key("model", toml_text(question_.model), option_text("--model", question_.model));
    choose_software();
    if (is_training) {
      add_batch();
      add_run();
    } else {
      add_requests();
    }
    if (question_.frameworks.empty()) {
      text_.assume("framework " + frameworks_.front());
    }
    if (question_.precision.empty()) {
      text_.assume("precision " + precision_);
    }
    std::vector<std::string> names;
    for (const std::string& name : frameworks_) {
      names.push_back(toml_text(name));
    }
    text_.key("framework", list_text(names),
              option_text("--framework", join(question_.frameworks, ",")));
    const std::string by_checkpoint =
        fmt::format("{{ name = \"{0}-checkpoint\", checkpoint = \"{0}\" }}", precision_);
    text_.key("precision", checkpoint_ ? by_checkpoint : precision_text(precision_),
              option_text("--precision", precision_));
  }

  void add_batch() {
    std::int64_t sequence = question_.sequence.value_or(0);
    if (!question_.sequence) {
      sequence = facts_.context > 0 ? std::min(facts_.context, usual_sequence) : usual_sequence;
      text_.assume(fmt::format("sequence {}", sequence));
    }
    sequence_ = sequence;
    text_.key("sequence", std::to_string(sequence), fmt::format("--sequence {}", sequence));
    if (question_.global_batch) {
      text_.key("global_batch", std::to_string(*question_.global_batch),
                fmt::format("--global-batch {}", *question_.global_batch));
      return;
    }
    const std::int64_t tokens = question_.batch_tokens.value_or(usual_batch_tokens);
    const std::int64_t batch = even_batch(
        std::max<std::int64_t>(1, tokens / std::max<std::int64_t>(1, sequence)), all_counts());
    text_.key("global_batch", std::to_string(batch), fmt::format("--tokens {}", tokens));
    text_.assume(
        fmt::format("global batch {}, of {} tokens", batch, with_thousands(batch * sequence)));
  }

  void add_run() {
    if (question_.run_tokens) {
      text_.key("tokens", toml_text(fmt::format("{} tokens", *question_.run_tokens)),
                fmt::format("--run-tokens {}", *question_.run_tokens));
      text_.assume("failures, checkpoints and spares as usual");
    }
  }

  void add_requests() {
    if (question_.prompts.size() == 1) {
      text_.key("prompt", std::to_string(question_.prompts.front()),
                fmt::format("--prompt {}", question_.prompts.front()));
      text_.key("output", std::to_string(question_.outputs.front()),
                fmt::format("--output-tokens {}", question_.outputs.front()));
      add_sessions();
    } else {
      std::vector<std::string> classes;
      for (std::size_t i = 0; i < question_.prompts.size(); ++i) {
        classes.push_back(fmt::format("{{ prompt = {}, output = {}, share = {} }}",
                                      question_.prompts[i], question_.outputs[i],
                                      question_.shares.empty() ? 1.0 : question_.shares[i]));
      }
      text_.key("requests", "[" + join(classes, ", ") + "]",
                "--prompt, --output-tokens and --share");
    }
    bool is_limited = false;
    for (const LatencyLimit& limit : question_.limits) {
      if (!limit.value.empty()) {
        text_.key(limit.key, toml_text(limit.value), option_text(limit.option, limit.value));
        is_limited = true;
      }
    }
    add_load(is_limited);
    text_.key("prefill_chunk", "[512, 2048, 8192]");
    add_batching();
  }

  // Each framework's own way of taking prompts, and pools where there are devices for them.
  void add_batching() {
    constexpr std::string_view alone = "separate";
    constexpr std::string_view beside = "chunked";
    std::vector<std::string> ways;
    std::vector<std::string> conditions;
    for (const std::string& name : frameworks_) {
      const workload::Framework* const known = known_framework(name);
      const bool apart = known != nullptr && known->serving.separate_prompts;
      const std::string own = toml_text(std::string(apart ? alone : beside));
      if (std::find(ways.begin(), ways.end(), own) == ways.end()) {
        ways.push_back(own);
      }
      conditions.push_back(
          fmt::format("framework != '{}' or batching != '{}'", name, apart ? beside : alone));
    }
    if (ways.size() > 1) {
      batching_ = conditions;
    }
    if (has_pools()) {
      ways.push_back("\"disaggregated\"");
    }
    text_.key("batching", list_text(ways));
  }

  // What goes on for several turns finds what was said before, where caches keep it.
  void add_sessions() {
    if (!question_.turns) {
      return;
    }
    const auto tokens = [&](const char* key, const char* option, std::int64_t number) {
      text_.key(key, std::to_string(number), fmt::format("{} {}", option, number));
    };
    tokens("turns", "--turns", *question_.turns);
    tokens("turn_tokens", "--turn-tokens", *question_.turn_tokens);
    if (question_.shared_prompt) {
      tokens("shared_prompt", "--shared-prompt", *question_.shared_prompt);
    }
    if (!question_.think_time.empty()) {
      text_.key("think_time", toml_text(question_.think_time),
                option_text("--think-time", question_.think_time));
    }
    text_.key("prefix_cache_device", list_text(tried_prefix_caches(facts_.device_bytes)));
    if (!question_.host_cache.empty()) {
      text_.key("prefix_cache_host", toml_text(question_.host_cache),
                option_text("--host-cache", question_.host_cache));
    }
    text_.assume(
        fmt::format("{} turns in every session, whose prompts go on with all that was said; none "
                    "or up to half of a device's memory keeps it",
                    *question_.turns));
  }

  // How many requests there are.
  void add_load(bool is_limited) {
    if (!question_.concurrency.empty()) {
      text_.key("concurrency", list_text(number_texts(question_.concurrency)),
                "--concurrency " + join(number_texts(question_.concurrency), ","));
      return;
    }
    if (question_.curve) {
      const std::vector<std::int64_t> loads = curve_loads(facts_.devices);
      text_.key("concurrency", list_text(number_texts(loads)));
      text_.assume(fmt::format("{} to {} {}, each followed by the next", loads.front(),
                               with_thousands(loads.back()),
                               question_.turns ? "open sessions" : "requests in flight"));
      return;
    }
    if (!is_limited) {
      text_.assume("no limit on latency: the batch is as large as memory allows");
    }
    if (question_.request_rate.empty()) {
      text_.assume("as many requests as can be answered");
    } else {
      text_.key("arrival_rate", toml_text(question_.request_rate),
                option_text("--request-rate", question_.request_rate));
    }
  }

  std::vector<std::int64_t> all_counts() const {
    std::set<std::int64_t> all;
    for (const DeviceCounts& one : counts_) {
      all.insert(one.counts.begin(), one.counts.end());
    }
    return {all.begin(), all.end()};
  }

  void add_system() {
    const std::vector<std::int64_t> all = all_counts();
    std::vector<std::string> devices;
    for (const DeviceCounts& one : counts_) {
      devices.push_back(toml_text(one.device));
    }
    const std::string option = question_.budget.empty()
                                   ? "--devices " + join(number_texts(all), ",")
                                   : option_text("--budget", question_.budget);
    text_.key("accelerators", list_text(number_texts(all)), option);
    text_.key("device", list_text(devices), "--device " + join(question_.devices, ","));
    if (!question_.network.empty()) {
      text_.key("scale_out", toml_text(question_.network),
                option_text("--network", question_.network));
    } else if (facts_.devices > facts_.domain) {
      for (const std::string& network : facts_.networks) {
        text_.assume("network " + network);
      }
    }
  }

  // 0 and 1 of frameworks that can shard optimizer states alone, of others 2 and 3: what people run
  // each with.
  std::vector<std::int32_t> zero_stages() const {
    const bool all_shard_weights =
        std::all_of(frameworks_.begin(), frameworks_.end(),
                    [](const std::string& name) { return name.starts_with(fully_sharding); });
    const bool shards_states = layouts_.can("zero", 1) && !all_shard_weights;
    return shards_states ? std::vector{0, 1} : std::vector{2, 3};
  }

  // Whether pipelines that the devices invite to do not divide the layers: 24 devices make 3
  // stages.
  bool leaves_layers_over() const {
    const std::vector<std::int64_t> counts = all_counts();
    return facts_.layers % even_layers != 0 ||
           std::any_of(counts.begin(), counts.end(), [&](std::int64_t count) {
             while (count > 1 && count % 2 == 0) {
               count /= 2;
             }
             return facts_.layers % std::max<std::int64_t>(1, count) != 0;
           });
  }

  void add_training_strategy() {
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
    const std::int64_t context = std::min(most_context_parallel, sequence_ / least_context_tokens);
    if (context > 1) {
      layouts_.first_of("context_exchange", {0, 1}, "context_parallel");
      layouts_.sizes("context_parallel", context, Sizes::powers);
    }
    if (facts_.experts > 0) {
      layouts_.sizes("expert_parallel", std::min(facts_.experts, most_expert_parallel),
                     Sizes::divisors);
      layouts_.values("experts_over_tensor", {0, 1});
    }
  }

  // Beyond a domain where the weights need several of them, as guides do with DeepSeek-R1 on 16
  // devices of 80 GB.
  std::int64_t serving_tensor_parallel() const {
    std::int64_t most = facts_.domain;
    while (most < std::min(facts_.devices, most_tensor_parallel) &&
           most_weights * static_cast<double>(most) * facts_.device_bytes <
               weight_bytes(precision_) * facts_.parameters) {
      most *= 2;
    }
    return std::min(most, most_tensor_parallel);
  }

  void add_serving_strategy() {
    layouts_.sizes("tensor_parallel", serving_tensor_parallel(), Sizes::powers);
    const std::int64_t domains = (facts_.devices + facts_.domain - 1) / facts_.domain;
    const std::int64_t stages = std::min(domains, most_serving_pipeline);
    layouts_.sizes("pipeline_parallel", stages, Sizes::divisors);
    if (!divided_by_all(facts_.layers, stages)) {
      layouts_.key("uneven_stages", "true");
    }
    if (facts_.experts > 0) {
      layouts_.sizes("expert_parallel", std::min(facts_.experts, most_serving_expert_parallel),
                     Sizes::divisors);
      layouts_.values("experts_over_tensor", {0, 1});
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
    const bool runs = std::any_of(frameworks_.begin(), frameworks_.end(), [this](const auto& name) {
      const workload::Framework* const known = known_framework(name);
      return known != nullptr && known->runs && known->runs->expert_devices;
    });
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
    for (std::size_t i = 0; i < question_.prompts.size(); ++i) {
      longest = std::max(longest, question_.prompts[i] + question_.outputs[i]);
    }
    const std::int64_t ranks = serving_tensor_parallel();
    const std::int64_t copies =
        facts_.shape == nullptr ? 1 : parallel::shared_cache_ranks(*facts_.shape, ranks, ranks);
    const bool beside_prompts =
        std::none_of(frameworks_.begin(), frameworks_.end(),
                     [](const std::string& name) { return name.starts_with(shares_in_pools); });
    if (longest >= long_request && copies > 1 && beside_prompts &&
        layouts_.can("decode_context_parallel", 2)) {
      layouts_.values("decode_context_parallel", {1, static_cast<std::int32_t>(copies)});
    }
  }

  void add_filter(const std::string& condition) {
    text_.line("");
    text_.line("[[filter]]");
    text_.key("where", toml_text(condition));
  }

  void add_filters() {
    if (question_.aim == Aim::training) {
      // It costs nothing and saves memory: nobody leaves it off.
      layouts_.require("sequence_parallel or tensor_parallel == 1");
    }
    for (const std::string& condition : layouts_.filters()) {
      add_filter(condition);
    }
    for (const std::string& condition : batching_) {
      add_filter(condition);
    }
    if (question_.budget.empty() || counts_.size() < 2) {
      return;
    }
    std::vector<std::string> allowed;
    for (const DeviceCounts& one : counts_) {
      std::vector<std::string> sizes;
      for (const std::int64_t count : one.counts) {
        sizes.push_back(fmt::format("accelerators == {}", count));
      }
      allowed.push_back(fmt::format("(device == '{}' and ({}))", one.device, join(sizes, " or ")));
    }
    add_filter(join(allowed, " or "));
  }

  void add_objective() {
    if (question_.aim == Aim::training) {
      text_.key("minimize", "\"step_time\"");
    } else if (question_.curve) {
      text_.key("minimize", "[\"device_seconds_per_token\", \"time_per_output_token\"]");
    } else if (question_.request_rate.empty()) {
      text_.key("maximize", "\"tokens_per_second\"");
    } else {
      // All that arrives is answered: what is left to choose is how fast.
      text_.key("minimize", "\"time_per_output_token\"");
    }
  }

  const Question& question_;
  const std::vector<DeviceCounts>& counts_;
  const catalog::Catalog& catalog_;
  Facts facts_;
  SpecText text_;
  TriedLayouts layouts_;
  // Whose layers differ in precision.
  std::optional<technology::CheckpointFormats> checkpoint_;
  std::vector<std::string> frameworks_;
  std::vector<std::string> batching_;  // conditions: which framework takes prompts in which way
  std::string precision_;
  std::int64_t sequence_ = 0;
};

}  // namespace

std::string MadeSpec::option_at(int line) const {
  const auto found = options.find(line);
  return found == options.end() ? "" : found->second;
}

MadeSpec make_spec(const Question& question, const std::vector<DeviceCounts>& counts,
                   const catalog::Catalog& catalog) {
  return Maker(question, counts, catalog).make();
}

}  // namespace scalesweep::cli

#include "cli/recommend/spec/make_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "cli/recommend/curve/loads.hpp"
#include "cli/recommend/spec/asked_layouts.hpp"
#include "cli/recommend/spec/batches.hpp"
#include "cli/recommend/spec/facts.hpp"
#include "cli/recommend/spec/software.hpp"
#include "cli/recommend/spec/spec_text.hpp"
#include "cli/recommend/spec/tried_layouts.hpp"
#include "config/toml_text.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

// What is asked where nobody says.
constexpr std::int64_t usual_sequence = 8192;
constexpr std::int64_t usual_batch_tokens = std::int64_t{1} << 22U;
constexpr std::int64_t least_pool_devices = 16;  // for prompts on devices of their own

using config::toml_text;

template <typename Numbers>
std::vector<std::string> number_texts(const Numbers& numbers) {
  std::vector<std::string> texts;
  for (const auto number : numbers) {
    texts.push_back(fmt::format("{}", number));
  }
  return texts;
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
        facts_(facts_of(question, counts, catalog)),
        software_(software_of(question, facts_, catalog)) {}

  MadeSpec make() {
    text_.line("# Written by scalesweep recommend.");
    text_.key("schema", "1");
    text_.key("title", toml_text(title()));
    text_.table("workload");
    add_workload();
    text_.table("system");
    add_system();
    text_.table("strategy");
    const std::vector<std::int64_t> all = all_counts();
    const TriedLayouts layouts = asked_layouts({question_, facts_, software_, all, sequence_});
    for (const auto& [name, value] : layouts.keys()) {
      text_.key(name, value);
    }
    add_filters(layouts.filters());
    text_.table("keep");
    text_.key("policy", "\"all\"");
    text_.table("objectives");
    add_objective();
    return text_.take();
  }

 private:
  bool has_pools() const { return facts_.devices >= least_pool_devices; }

  std::string title() const {
    std::vector<std::string> devices;
    for (const DeviceCounts& one : counts_) {
      devices.push_back(
          (one.asked ? std::to_string(*one.asked) : join(number_texts(one.counts), ", ")) + " " +
          one.device);
    }
    return fmt::format("{} {} on {}", question_.aim == Aim::training ? "Training" : "Serving",
                       question_.model, join(devices, " or "));
  }

  void add_workload() {
    const bool is_training = question_.aim == Aim::training;
    text_.key("kind", is_training ? "\"training\"" : "\"serving\"");
    text_.key("model", toml_text(question_.model), option_text("--model", question_.model));
    if (is_training) {
      add_batch();
      add_run();
    } else {
      add_requests();
    }
    for (const std::string& what : software_.assumed) {
      text_.assume(what);
    }
    std::vector<std::string> names;
    for (const AskedFramework& framework : software_.frameworks) {
      names.push_back(toml_text(framework.name));
    }
    text_.key("framework", list_text(names),
              option_text("--framework", join(question_.frameworks, ",")));
    text_.key("precision", list_text(software_.precision_values),
              option_text("--precision", join(software_.precisions, ",")));
    for (const KeyOption& one : question_.keys) {
      std::vector<std::string> values = one.words();
      if (values.empty()) {
        continue;
      }
      const std::string option = option_text(one.option, join(values, ","));
      if (std::holds_alternative<std::vector<std::string>>(one.values)) {
        std::transform(values.begin(), values.end(), values.begin(), toml_text);
      }
      text_.key(one.key, list_text(values), option);
    }
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
    batches_ = even_batches(
        static_cast<double>(tokens) / static_cast<double>(std::max<std::int64_t>(1, sequence)),
        all_counts());
    std::set<std::int64_t> different;
    for (const auto& [devices, batch] : batches_) {
      different.insert(batch);
    }
    text_.key("global_batch", list_text(number_texts(different)),
              fmt::format("--tokens {}", tokens));
    text_.assume(batch_text(batches_, sequence, tokens));
    has_own_batches_ = different.size() > 1;
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
    for (const AskedFramework& framework : software_.frameworks) {
      const bool apart = framework.prompts_apart;
      const std::string own = toml_text(std::string(apart ? alone : beside));
      if (std::find(ways.begin(), ways.end(), own) == ways.end()) {
        ways.push_back(own);
      }
      conditions.push_back(fmt::format("framework != '{}' or batching != '{}'", framework.name,
                                       apart ? beside : alone));
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
                                   ? "--devices " + join(number_texts(question_.counts), ",")
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

  void add_filter(const std::string& condition) {
    text_.line("");
    text_.line("[[filter]]");
    text_.key("where", toml_text(condition));
  }

  void add_filters(const std::vector<std::string>& layouts) {
    for (const std::string& condition : layouts) {
      add_filter(condition);
    }
    for (const std::string& condition : batching_) {
      add_filter(condition);
    }
    add_count_filters();
  }

  // Where each device has numbers of its own, and each number its own batch.
  void add_count_filters() {
    const auto of_device = [&](const DeviceCounts& one) {
      std::vector<std::string> sizes;
      for (const std::int64_t count : one.counts) {
        sizes.push_back(fmt::format("accelerators == {}", count));
      }
      return fmt::format("(device == '{}' and ({}))", one.device, join(sizes, " or "));
    };
    if (std::any_of(counts_.begin(), counts_.end(), [&](const DeviceCounts& one) {
          return one.counts != counts_.front().counts;
        })) {
      std::vector<std::string> allowed;
      for (const DeviceCounts& one : counts_) {
        allowed.push_back(of_device(one));
      }
      add_filter(join(allowed, " or "));
    }
    if (has_own_batches_) {
      std::vector<std::string> allowed;
      for (const auto& [devices, batch] : batches_) {
        allowed.push_back(
            fmt::format("(accelerators == {} and global_batch == {})", devices, batch));
      }
      add_filter(join(allowed, " or "));
    }
  }

  void add_objective() {
    if (question_.aim == Aim::training) {
      // Steps of different batches are no measure of each other.
      text_.key(has_own_batches_ ? "maximize" : "minimize",
                has_own_batches_ ? "\"tokens_per_second\"" : "\"step_time\"");
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
  Facts facts_;
  Software software_;
  SpecText text_;
  std::vector<std::string> batching_;  // conditions: which framework takes prompts in which way
  std::int64_t sequence_ = 0;
  Batches batches_;
  bool has_own_batches_ = false;
};

}  // namespace

MadeSpec make_spec(const Question& question, const std::vector<DeviceCounts>& counts,
                   const catalog::Catalog& catalog) {
  return Maker(question, counts, catalog).make();
}

}  // namespace scalesweep::cli

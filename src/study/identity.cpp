#include "study/identity.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/hash.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "parallel/strategy.hpp"
#include "space/keep_text.hpp"
#include "store/read/study_file.hpp"
#include "study/resolve/precision.hpp"

namespace scalesweep::study {
namespace {

std::string choices_text(const parallel::Choices& choices) {
  if (!choices.divisors) {
    return fmt::format("{}", fmt::join(choices.values, ", "));
  }
  std::string text = choices.powers_of_two ? "divisors that are powers of two" : "divisors";
  return choices.at_most > 0 ? fmt::format("{} up to {}", text, choices.at_most) : text;
}

template <typename Choice>
std::string words_text(const std::vector<Choice>& choices) {
  std::vector<std::string> words;
  for (const Choice choice : choices) {
    words.emplace_back(parallel::name_of(choice));
  }
  return join(words, ", ");
}

std::string flags_text(const std::vector<bool>& flags) {
  std::vector<std::string> words;
  for (const bool on : flags) {
    words.emplace_back(on ? "on" : "off");
  }
  return join(words, ", ");
}

std::string requests_text(const std::vector<space::RequestClass>& requests) {
  std::string text;
  for (const space::RequestClass& one : requests) {
    text += fmt::format("requests: prompt {}, output {}, share {}\n", one.prompt, one.output,
                        one.share);
  }
  return text;
}

std::string strategy_text(const parallel::StrategyRules& rules) {
  const std::vector<std::pair<const char*, std::string>> lines = {
      {"tensor_parallel", choices_text(rules.tensor_parallel)},
      {"pipeline_parallel", choices_text(rules.pipeline_parallel)},
      {"uneven_stages", rules.uneven_stages ? "on" : "off"},
      {"chunks", choices_text(rules.chunks)},
      {"micro_batch",
       rules.micro_batch_by_stages ? "one a stage" : choices_text(rules.micro_batch)},
      {"recompute", words_text(rules.recompute)},
      {"zero", fmt::format("{}", fmt::join(rules.zero, ", "))},
      {"sequence_parallel", flags_text(rules.sequence_parallel)},
      {"context_parallel", choices_text(rules.context_parallel)},
      {"expert_parallel", choices_text(rules.expert_parallel)},
      {"recompute_every", choices_text(rules.recompute_every)},
      {"shard_group", fmt::format("{}", fmt::join(rules.shard_group, ", "))},
      {"schedule", words_text(rules.schedule)},
      {"context_exchange", words_text(rules.context_exchange)},
      {"rank_order", words_text(rules.rank_order)},
      {"offload_activations", flags_text(rules.offload_activations)},
      {"offload_optimizer", flags_text(rules.offload_optimizer)}};
  std::string text;
  for (const auto& [name, values] : lines) {
    text += fmt::format("{}: {}\n", name, values);
  }
  return text;
}

// Values only: neither sources nor comments change a result.
std::string catalog_values(const std::vector<const catalog::Entry*>& entries) {
  std::string text;
  for (const catalog::Entry* entry : entries) {
    for (const catalog::Value& value : entry->values) {
      text += fmt::format("{} {} {}: {}\n", catalog::name_of(entry->section), entry->name,
                          value.key, value.text);
    }
  }
  return text;
}

bool uses_objectives(const space::Keep& keep) {
  return keep.policy == space::KeepPolicy::best || keep.policy == space::KeepPolicy::frontier;
}

std::string allocation_text(const space::Allocation& allocation) {
  std::string text;
  for (const space::ShareRange& share : allocation.shares) {
    text += fmt::format("allocate {}: {} to {}\n", share.name, share.from, share.to);
  }
  return text + fmt::format("allocate: grid {}, rounds {}, minimize {}\n", allocation.grid,
                            allocation.rounds, allocation.minimize);
}

std::string spec_text(const space::Spec& spec) {
  std::string text;
  if (spec.kind != parallel::WorkloadKind::training) {
    text += fmt::format("kind: {}\n",
                        parallel::workload_kind_names[static_cast<std::size_t>(spec.kind)]);
    text += requests_text(spec.requests);
    text += spec.operators ? "operators\n" : "";
  }
  for (const space::Axis& axis : spec.axes) {
    text += fmt::format("{}: {}\n", axis.name, join(axis.labels, ", "));
  }
  for (const space::PrecisionTable& precision : spec.precisions) {
    text += fmt::format("precision {}: {}\n", precision.name, precision_text(precision));
  }
  if (spec.allocation) {
    text += allocation_text(*spec.allocation);
  }
  text += strategy_text(spec.strategy);
  for (const space::Filter& filter : spec.filters) {
    text += fmt::format("filter: {}\n", filter.expression);
  }
  text += fmt::format("keep: {}\n", space::keep_text(spec.keep));
  if (uses_objectives(spec.keep)) {
    text += fmt::format("minimize: {}\n", join(spec.minimize, ", "));
  }
  return text;
}

}  // namespace

std::string catalog_text(const std::vector<const catalog::Entry*>& entries) {
  std::string text;
  for (const catalog::Entry* entry : entries) {
    text +=
        fmt::format("# {} '{}'\n{}", catalog::name_of(entry->section), entry->name, entry->text);
    if (!text.ends_with('\n')) {
      text += '\n';
    }
    text += '\n';
  }
  return text;
}

std::vector<std::string> unverified_values(const std::vector<const catalog::Entry*>& entries) {
  std::vector<std::string> names;
  for (const catalog::Entry* entry : entries) {
    for (const catalog::Value& value : entry->values) {
      if (value.kind == catalog::SourceKind::unverified) {
        names.push_back(
            fmt::format("{} {} {}", catalog::name_of(entry->section), entry->name, value.key));
      }
    }
  }
  return names;
}

std::int64_t value_count(const std::vector<const catalog::Entry*>& entries) {
  std::size_t count = 0;
  for (const catalog::Entry* entry : entries) {
    count += entry->values.size();
  }
  return static_cast<std::int64_t>(count);
}

std::map<std::string, std::string> identity_parts(
    const space::Spec& spec, const std::vector<const catalog::Entry*>& entries) {
  return {{"spec", spec_text(spec)},
          {"catalog", catalog_values(entries)},
          {"estimator", build_info().estimator_hash}};
}

std::string identity_of(const std::map<std::string, std::string>& parts) {
  std::string all = fmt::format("format {}\n", store::format_version);
  for (const auto& [name, text] : parts) {
    all += fmt::format("{} {}\n", name, sha256(text));
  }
  return sha256(all);
}

}  // namespace scalesweep::study

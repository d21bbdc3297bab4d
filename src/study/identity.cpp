#include "study/identity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/hash.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "parallel/fields.hpp"
#include "space/axes/phases.hpp"
#include "space/axes/search_axes.hpp"
#include "space/axes/together.hpp"
#include "space/read/workload_form.hpp"
#include "space/stored_rules.hpp"
#include "store/read/study_file.hpp"
#include "study/kinds/precision.hpp"

namespace scalesweep::study {
namespace {

std::string strategy_text(const parallel::StrategyRules& rules, std::string_view of = "") {
  std::string text;
  for (const parallel::Field& row : parallel::strategy_rows()) {
    if (row.choices != nullptr) {
      text += fmt::format("{}{}: {}\n", of, row.name, parallel::text_of(row, rules));
    }
  }
  return text;
}

// No estimate asks which layouts a framework can run.
bool is_estimated_from(const catalog::Value& value) {
  return !value.key.starts_with("runs.");
}

// Values only: neither sources nor comments change a result. What was computed has all its digits.
std::string catalog_values(const std::vector<const catalog::Entry*>& entries) {
  std::string text;
  for (const catalog::Entry* entry : entries) {
    for (const catalog::Value& value : entry->values) {
      if (!is_estimated_from(value)) {
        continue;
      }
      const std::string number =
          value.scaled ? fmt::format("{}", value.numbers.front()) : value.text;
      text += fmt::format("{} {} {}: {}\n", catalog::name_of(entry->section), entry->name,
                          value.key, number);
    }
  }
  return text;
}

std::string allocation_text(const space::Allocation& allocation) {
  std::string text;
  for (const space::ShareRange& share : allocation.shares) {
    text += fmt::format("allocate {}: {} to {}\n", share.name, share.from, share.to);
  }
  return text + fmt::format("allocate: grid {}, rounds {}, {} {}\n", allocation.grid,
                            allocation.rounds, space::word_of(allocation.objective.direction).word,
                            allocation.objective.column);
}

std::string requests_text(const std::vector<space::RequestClass>& requests) {
  std::string text;
  for (const space::RequestClass& one : requests) {
    text += fmt::format("requests: prompt {}, output {}, share {}\n", one.prompt, one.output,
                        one.share);
  }
  return text;
}

std::string reuse_text(const std::vector<space::ReusePoint>& reuse) {
  std::string text;
  for (const space::ReusePoint& point : reuse) {
    text += fmt::format("reuse: a cache of {} tokens finds {}\n", point.tokens, point.share);
  }
  return text;
}

std::string load_curve_text(const space::Spec& spec) {
  return fmt::format(
      "{}{}", fmt::join(spec.load_curve, ", "),
      spec.trace ? fmt::format("; {} Hz in the fullest hour of the trace", spec.trace->busiest_rate)
                 : "");
}

std::string spec_text(const space::Spec& spec) {
  std::string text;
  if (spec.kind != &space::training_form()) {
    text += fmt::format("kind: {}\n", spec.kind->name);
    text += requests_text(spec.requests);
    if (spec.trace) {
      text += fmt::format("trace: arrival_rate {}, burstiness {}\n", spec.trace->arrival_rate,
                          spec.trace->burstiness);
      text += reuse_text(spec.trace->reuse);
    }
    if (!spec.load_curve.empty()) {
      text += fmt::format("load curve: {}\n", load_curve_text(spec));
    }
    text += spec.operators ? "operators\n" : "";
  }
  text += space::phases_text(spec.phases);
  for (const space::Axis& axis : spec.axes) {
    text += fmt::format("{}: {}\n", axis.name, join(axis.labels, ", "));
  }
  if (const std::string together = space::together_text(spec.axes); !together.empty()) {
    text += fmt::format("together: {}\n", together);
  }
  for (const space::PrecisionTable& precision : spec.precisions) {
    text += fmt::format("precision {}: {}\n", precision.name, precision_text(precision));
  }
  if (spec.search) {
    text += fmt::format("search: {}\n", space::search_text(*spec.search));
  }
  if (spec.allocation) {
    text += allocation_text(*spec.allocation);
  }
  text += strategy_text(spec.strategy);
  if (spec.prefill) {
    text += strategy_text(spec.prefill->strategy, "prefill ");
  }
  for (const space::Filter& filter : spec.filters) {
    text += fmt::format("filter: {}\n", filter.expression);
  }
  for (const space::Requirement& requirement : spec.requirements) {
    text += fmt::format("require {}: {}\n", requirement.name, requirement.condition.expression);
  }
  text += fmt::format("keep: {}\n", space::keep_text(spec.keep));
  if (spec.keep.reduces()) {
    text += space::objective_lines(spec.objectives);
  }
  return text;
}

}  // namespace

std::string catalog_text(const std::vector<const catalog::Entry*>& entries) {
  std::string text;
  for (const catalog::Entry* entry : entries) {
    const std::string overlay =
        entry->overlay == nullptr ? "" : ", of the overlay " + entry->overlay->name;
    text += fmt::format("# {} '{}'{}\n{}", catalog::name_of(entry->section), entry->name, overlay,
                        entry->text);
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
      if (is_estimated_from(value) && value.kind == catalog::SourceKind::unverified) {
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
    count += static_cast<std::size_t>(
        std::count_if(entry->values.begin(), entry->values.end(), is_estimated_from));
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

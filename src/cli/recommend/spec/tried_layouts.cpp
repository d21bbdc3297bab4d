#include "cli/recommend/spec/tried_layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/toml_text.hpp"
#include "core/text.hpp"
#include "parallel/fields.hpp"
#include "space/filter.hpp"

namespace scalesweep::cli {
namespace {

using parallel::Strategy;

std::string refused_text(const deploy::Refusal& refusal) {
  return fmt::format("not ({})", refusal.layouts);
}

// What is tried leaves no other format or device that a layout could have.
bool is_of_all(const deploy::Refusal& refusal) {
  return refusal.among.empty();
}

space::FilterSet filter_set(const std::vector<std::string>& conditions) {
  std::vector<space::Filter> filters;
  for (const std::string& condition : conditions) {
    filters.push_back({condition, {}});
  }
  return {filters, {}};
}

space::FilterSet runs(const std::vector<deploy::Refusal>& refused) {
  std::vector<std::string> conditions;
  for (const deploy::Refusal& one : refused) {
    if (is_of_all(one)) {
      conditions.push_back(refused_text(one));
    }
  }
  return filter_set(conditions);
}

// Each of `layouts` with each value of a field.
std::vector<Strategy> with_values(const std::vector<Strategy>& layouts, std::string_view field,
                                  const std::vector<std::int32_t>& values) {
  std::vector<Strategy> result;
  for (Strategy layout : layouts) {
    for (const std::int32_t value : values) {
      parallel::find_field(field)->set(layout, value);
      result.push_back(layout);
    }
  }
  return result;
}

// Two replicas, with each choice that a framework may ask for rather than lack.
std::vector<Strategy> plainest() {
  std::vector<Strategy> layouts = {Strategy{}};
  layouts = with_values(layouts, "data_parallel", {2});
  layouts = with_values(layouts, "sequence_parallel", {0, 1});
  layouts = with_values(layouts, "context_exchange", {0, 1});
  layouts = with_values(layouts, "experts_over_tensor", {0, 1});
  return with_values(layouts, "zero", {0, 1, 2, 3});
}

bool any_of_them_runs(const TriedFramework& framework, const std::vector<Strategy>& layouts) {
  space::FilterSet set = runs(framework.refused);
  return std::any_of(layouts.begin(), layouts.end(),
                     [&](const Strategy& layout) { return set.passes({}, layout); });
}

// As a spec has it.
std::string value_text(const parallel::Field& field, std::int32_t value) {
  switch (field.kind) {
    case parallel::FieldKind::truth:
      return value != 0 ? "true" : "false";
    case parallel::FieldKind::word:
      return fmt::format("\"{}\"", parallel::text_of(field, value));
    case parallel::FieldKind::size:
    case parallel::FieldKind::stage:
      break;
  }
  return value == 0 && !field.zero_word.empty() ? fmt::format("\"{}\"", field.zero_word)
                                                : std::to_string(value);
}

// Of frameworks other than these.
std::string unless(const std::vector<std::string>& frameworks, const std::string& condition) {
  std::vector<std::string> others;
  for (const std::string& name : frameworks) {
    others.push_back(fmt::format("framework != '{}'", name));
  }
  return fmt::format("({}) or {}", join(others, " and "), condition);
}

}  // namespace

std::string list_text(const std::vector<std::string>& values) {
  return values.size() == 1 ? values.front() : "[" + join(values, ", ") + "]";
}

bool TriedLayouts::any_runs(const std::vector<Strategy>& layouts) const {
  return std::any_of(frameworks_.begin(), frameworks_.end(), [&](const TriedFramework& framework) {
    return any_of_them_runs(framework, layouts);
  });
}

bool TriedLayouts::can(std::string_view field, std::int32_t value) const {
  return any_runs(with_values(plainest(), field, {value}));
}

void TriedLayouts::sizes(std::string_view field, std::int64_t most, Sizes which) {
  if (most > 1 && can(field, 2)) {
    const auto largest = static_cast<std::int32_t>(most);
    fields_.push_back({field, {1, 2, largest}, largest, which});
    key(std::string(field),
        fmt::format("{{ {} = {} }}", which == Sizes::powers ? "powers_of_two_to" : "divisors_to",
                    most));
  } else {
    fields_.push_back({field, {1}, 1});
    key(std::string(field), "1");
  }
}

void TriedLayouts::values(std::string_view field, const std::vector<std::int32_t>& values) {
  Field tried{field, {}};
  std::vector<std::string> texts;
  for (const std::int32_t value : values) {
    if (can(field, value)) {
      tried.values.push_back(value);
      texts.push_back(value_text(*parallel::find_field(field), value));
    }
  }
  fields_.push_back(tried);
  key(std::string(field), list_text(texts));
}

void TriedLayouts::first_of(std::string_view field, const std::vector<std::int32_t>& values,
                            std::string_view size) {
  Field tried{field, {}};
  std::vector<std::string> texts;
  for (const TriedFramework& framework : frameworks_) {
    const auto found = std::find_if(values.begin(), values.end(), [&](std::int32_t value) {
      return any_of_them_runs(framework,
                              with_values(with_values(plainest(), size, {2}), field, {value}));
    });
    if (found != values.end() &&
        std::find(tried.values.begin(), tried.values.end(), *found) == tried.values.end()) {
      tried.values.push_back(*found);
      texts.push_back(value_text(*parallel::find_field(field), *found));
    }
  }
  const std::int32_t plain = parallel::find_field(field)->value(Strategy{});
  if (tried.values.empty() || tried.values == std::vector<std::int32_t>{plain}) {
    return;
  }
  fields_.push_back(tried);
  key(std::string(field), list_text(texts));
}

void TriedLayouts::key(std::string name, std::string value) {
  keys_.emplace_back(std::move(name), std::move(value));
}

std::vector<Strategy> TriedLayouts::combinations() const {
  std::vector<Strategy> layouts = {Strategy{}};
  layouts = with_values(layouts, "data_parallel", {1, 2});
  for (const Field& field : fields_) {
    // More chunks than two need nothing that two do not.
    const std::size_t told_apart = std::min<std::size_t>(field.values.size(), 3);
    layouts = with_values(
        layouts, field.name,
        {field.values.begin(), field.values.begin() + static_cast<std::ptrdiff_t>(told_apart)});
  }
  return layouts;
}

bool TriedLayouts::is_tried(const deploy::Refusal& rule) const {
  std::vector<Strategy> layouts = {Strategy{}};
  for (const Field& field : fields_) {
    if (rule.layouts.find(field.name) == std::string::npos) {
      continue;
    }
    std::vector<std::int32_t> values = field.values;
    const bool doubles = field.which == Sizes::powers;
    for (std::int32_t size = 1; size <= field.most; size = doubles ? 2 * size : size + 1) {
      values.push_back(size);
    }
    layouts = with_values(layouts, field.name, values);
  }
  space::FilterSet refuses = filter_set({rule.layouts});
  // Those that follow from others may have any value.
  const bool follows = rule.layouts.find("data_parallel") != std::string::npos ||
                       rule.layouts.find("micro_batches") != std::string::npos;
  return follows || std::any_of(layouts.begin(), layouts.end(),
                                [&](const Strategy& layout) { return refuses.passes({}, layout); });
}

// Less what others of its refusals, or what is required, leave none of.
std::vector<std::string> TriedLayouts::refused_by(const TriedFramework& framework,
                                                  const std::vector<Strategy>& layouts) const {
  std::vector<std::string> conditions = required_;
  std::vector<std::string> partial;  // of some of the formats or devices
  for (const deploy::Refusal& one : framework.refused) {
    space::FilterSet kept = filter_set(conditions);
    space::FilterSet refuses = filter_set({one.layouts});
    const bool refuses_one = one.source.empty() ? std::any_of(layouts.begin(), layouts.end(),
                                                              [&](const Strategy& layout) {
                                                                return refuses.passes({}, layout) &&
                                                                       kept.passes({}, layout);
                                                              })
                                                : is_tried(one);
    if (refuses_one && is_of_all(one)) {
      conditions.push_back(refused_text(one));
    } else if (refuses_one) {
      partial.push_back(fmt::format("not (({}) and ({}))", one.among, one.layouts));
    }
  }
  conditions.erase(conditions.begin(),
                   conditions.begin() + static_cast<std::ptrdiff_t>(required_.size()));
  conditions.insert(conditions.end(), partial.begin(), partial.end());
  return conditions;
}

std::vector<std::string> TriedLayouts::filters() const {
  const std::vector<Strategy> layouts = combinations();
  std::vector<std::pair<std::string, std::vector<std::string>>> refused;  // by which frameworks
  for (const TriedFramework& framework : frameworks_) {
    for (const std::string& condition : refused_by(framework, layouts)) {
      const auto found = std::find_if(refused.begin(), refused.end(),
                                      [&](const auto& one) { return one.first == condition; });
      (found != refused.end() ? *found
                              : refused.emplace_back(condition, std::vector<std::string>{}))
          .second.push_back(framework.name);
    }
  }
  std::vector<std::string> conditions = required_;
  for (const auto& [condition, by] : refused) {
    conditions.push_back(by.size() == frameworks_.size() ? condition : unless(by, condition));
  }
  return conditions;
}

std::vector<std::string> tried_prefix_caches(double device_bytes) {
  std::vector<std::string> sizes = {config::toml_text("none")};
  for (const double share : {0.1, 0.25, 0.5}) {
    const double gigabytes = std::round(share * device_bytes * 1e-9);
    if (gigabytes >= 1.0) {
      sizes.push_back(config::toml_text(fmt::format("{} GB", gigabytes)));
    }
  }
  return sizes;
}

}  // namespace scalesweep::cli

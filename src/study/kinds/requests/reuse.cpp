#include "study/kinds/requests/reuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "study/resolve/check_names.hpp"

namespace scalesweep::study {
namespace {

constexpr std::array hit_axes = {"prefix_hits", "prefix_hits_host", "prefix_hits_storage"};
constexpr std::array size_axes = {"prefix_cache_device", "prefix_cache_host",
                                  "prefix_cache_storage"};

const space::Axis* axis_named(const space::Spec& spec, const char* name) {
  const auto found = space::find_axis(spec.axes, name);
  return found ? &spec.axes[*found] : nullptr;
}

bool has_any(const space::Spec& spec, const std::array<const char*, 3>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return axis_named(spec, name) != nullptr; });
}

bool has_traced_reuse(const space::Spec& spec) {
  return spec.trace && !spec.trace->reuse.empty();
}

bool has_reuse(const space::Spec& spec) {
  return has_traced_reuse(spec) || has_sessions(spec);
}

// What caches find something of.
std::string reused_words(const space::Spec& spec) {
  return has_sessions(spec) ? "'turns' of sessions"
                            : fmt::format("the prefixes of '{}'", spec.trace->file);
}

bool any_above(const space::Spec& spec, const char* name, double number) {
  const space::Axis* axis = axis_named(spec, name);
  return axis != nullptr && std::any_of(axis->values.begin(), axis->values.end(),
                                        [&](double value) { return value > number; });
}

// Every combination of the axes is a point.
void check_sum(const space::Spec& spec, Diagnostics& diagnostics) {
  double sum = 0.0;
  std::vector<std::string> parts;
  SourcePosition position;
  for (const char* name : hit_axes) {
    if (const space::Axis* axis = axis_named(spec, name)) {
      const auto most = std::max_element(axis->values.begin(), axis->values.end());
      const auto at = static_cast<std::size_t>(most - axis->values.begin());
      sum += *most;
      parts.push_back(fmt::format("{} {}", name, axis->labels[at]));
      position = axis->positions[at];
    }
  }
  constexpr double rounding = 1e-9;
  if (sum > 1.0 + rounding) {
    diagnostics.error(position,
                      fmt::format("{} are {:.6g} of a prompt together, and no more than all of it "
                                  "can be found; lower one of them",
                                  join(parts, " and "), sum));
  }
}

void check_size(const space::Spec& spec, const char* name, Diagnostics& diagnostics) {
  const space::Axis* axis = axis_named(spec, name);
  if (axis == nullptr) {
    return;
  }
  const SourcePosition& position = axis->positions.front();
  if (has_reuse(spec)) {
    if (spec.prefill) {
      diagnostics.error(position,
                        fmt::format("what '{}' finds of {} is not known where "
                                    "[prefill] has devices of its own; say it, for example "
                                    "prefix_hits_host = 0.3, and leave the sizes out",
                                    name, reused_words(spec)));
    } else if (has_any(spec, hit_axes)) {
      diagnostics.error(position,
                        fmt::format("what is found follows from '{}' and {}; leave "
                                    "prefix_hits, prefix_hits_host and prefix_hits_storage out, or "
                                    "the sizes of caches",
                                    name, reused_words(spec)));
    }
  } else if (name != std::string(size_axes[0])) {
    diagnostics.error(position,
                      fmt::format("what '{}' holds is not known without a trace of requests that "
                                  "has the columns prefix and prefix_tokens; name one, write turns "
                                  "of sessions, or say what is found, for example "
                                  "prefix_hits_host = 0.3",
                                  name));
  } else if (axis_named(spec, hit_axes[0]) == nullptr && !spec.requests.empty()) {
    diagnostics.error(position,
                      fmt::format("'{}' takes memory in which nothing is found; say how much is, "
                                  "for example prefix_hits = 0.5, or name a trace of requests that "
                                  "has the columns prefix and prefix_tokens",
                                  name));
  }
}

}  // namespace

std::shared_ptr<const estimator::HitCurve> hit_curve(const space::Spec& spec) {
  if (!has_traced_reuse(spec) || !has_any(spec, size_axes)) {
    return nullptr;
  }
  auto curve = std::make_shared<estimator::HitCurve>();
  for (const space::ReusePoint& point : spec.trace->reuse) {
    curve->points.push_back({point.tokens, point.share});
  }
  return curve;
}

void check_prefixes(const space::Spec& spec, Diagnostics& diagnostics) {
  check_sum(spec, diagnostics);
  for (const char* name : size_axes) {
    check_size(spec, name, diagnostics);
  }
  if (has_any(spec, size_axes) || has_any(spec, hit_axes)) {
    return;
  }
  if (has_traced_reuse(spec)) {
    const SourcePosition position =
        spec.requests.empty() ? SourcePosition{spec.file, 1, 1} : spec.requests.front().position;
    diagnostics.warning(position,
                        fmt::format("prompts of '{}' begin alike and nothing keeps what they "
                                    "share: every prompt is computed whole; give a cache, for "
                                    "example prefix_cache_device = \"10 GB\"",
                                    spec.trace->file));
  } else if (any_above(spec, "turns", 1.0) || any_above(spec, "shared_prompt", 0.0)) {
    diagnostics.warning(axis_named(spec, "turns")->positions.front(),
                        "turns go on with what was said before and nothing keeps it: every prompt "
                        "is computed whole; give a cache, for example prefix_cache_device = \"10 "
                        "GB\"");
  }
}

bool has_sessions(const space::Spec& spec) {
  return axis_named(spec, "turns") != nullptr;
}

void check_sessions(const space::Spec& spec, Diagnostics& diagnostics) {
  for_each_pair(spec, "shared_prompt", "prompt", [&](const ValueAt& shared, const ValueAt& prompt) {
    if (shared.number > prompt.number) {
      diagnostics.error(shared.position,
                        fmt::format("shared_prompt = {} is more than the prompt of the first turn, "
                                    "{} tokens, whose beginning it is; lower it, or raise prompt",
                                    shared.label, prompt.label));
    }
  });
}

}  // namespace scalesweep::study

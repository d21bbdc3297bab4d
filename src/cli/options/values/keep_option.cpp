#include "cli/options/values/keep_option.hpp"

#include <fmt/core.h>

#include <limits>

#include "cli/options/values/numbers.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "space/axes/workload_axes.hpp"

namespace scalesweep::cli {
namespace {

Failure wrong(const std::string& text, const std::string& why) {
  return Failure(ExitCode::usage, fmt::format("--keep {}: {}", text, why));
}

int count_in(const std::string& text, const std::string& digits) {
  const auto count = read_whole_number({digits}, 0, 1, std::numeric_limits<int>::max());
  if (!count.value) {
    throw wrong(text,
                count.problem + ": write how many as a whole number from 1, for example best=3");
  }
  return static_cast<int>(*count.value);
}

// The axes after the colon; without one those of what is asked, as in a spec without `per`.
std::vector<std::string> groups_in(const std::string& text, const std::vector<space::Axis>& axes) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    return space::varying_workload_axes(axes);
  }
  std::vector<std::string> known;
  for (const space::Axis& axis : axes) {
    known.push_back(axis.name);
  }
  std::vector<std::string> groups;
  for (const std::string& word : split(text.substr(colon + 1), ',')) {
    const std::string name(trim(word));
    if (!space::find_axis(axes, name)) {
      throw wrong(text, fmt::format("there is no axis '{}'{}", name, suggestion(name, known)));
    }
    groups.push_back(name);
  }
  return groups;
}

space::Keep parse_best(const std::string& text, const std::vector<space::Axis>& axes) {
  space::Keep keep;
  keep.policy = space::KeepPolicy::best;
  const std::size_t colon = text.find(':');
  const std::size_t equals = text.find('=');
  if (equals < colon && equals != std::string::npos) {
    const std::size_t end = colon == std::string::npos ? text.size() : colon;
    keep.best_count = count_in(text, text.substr(equals + 1, end - equals - 1));
  }
  keep.per = groups_in(text, axes);
  return keep;
}

space::Keep parse_frontier(const std::string& text, const std::vector<space::Axis>& axes) {
  space::Keep keep;
  keep.policy = space::KeepPolicy::frontier;
  const std::size_t colon = text.find(':');
  const std::size_t equals = text.find('=');
  if (equals < colon) {
    throw wrong(text, fmt::format("a frontier is kept whole; leave '{}' out",
                                  text.substr(equals, colon - equals)));
  }
  keep.per = groups_in(text, axes);
  return keep;
}

}  // namespace

space::Keep parse_keep(const std::string& text, const std::vector<space::Axis>& axes) {
  const std::vector<std::string> policies = {"all", "feasible", "best", "frontier"};
  const std::string policy = text.substr(0, text.find_first_of("=:"));
  if (policy == "best") {
    return parse_best(text, axes);
  }
  if (policy == "frontier") {
    return parse_frontier(text, axes);
  }
  space::Keep keep;
  if (policy == text && policy == "all") {
    keep.policy = space::KeepPolicy::all;
  } else if (policy == text && policy == "feasible") {
    keep.policy = space::KeepPolicy::feasible;
  } else {
    throw wrong(text, fmt::format("no such policy{}", suggestion(policy, policies)));
  }
  return keep;
}

space::Counts parse_counts(const std::string& text, const space::Keep& keep) {
  const std::optional<space::Counts> counts = space::counts_names.find(text);
  if (!counts) {
    throw Failure(ExitCode::usage, fmt::format("--counts {}: it is exact or bounded", text));
  }
  if (*counts == space::Counts::bounded && !keep.reduces()) {
    throw Failure(ExitCode::usage,
                  "--counts bounded: only with --keep best or frontier can points be skipped");
  }
  return *counts;
}

}  // namespace scalesweep::cli

#include "deploy/rules/launchable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "deploy/deploy.hpp"
#include "deploy/rules/subject.hpp"
#include "deploy/rules/unrunnable.hpp"
#include "deploy/target.hpp"
#include "space/filter.hpp"
#include "workload/framework.hpp"
#include "workload/stacks/versions.hpp"

namespace scalesweep::deploy {
namespace {

// A refusal, parsed once.
struct Condition {
  space::FilterSet layouts;
  std::string reason;
};

// Those of points that have all but the strategy in common.
struct Conditions {
  std::vector<Condition> of_layouts;
  std::vector<std::string> of_all;  // reasons
};

Condition condition_of(const Refusal& refusal) {
  return {space::FilterSet({{refusal.layouts, {}}}, {}),
          refusal.source.empty() ? "no option for " + refusal.lack
                                 : fmt::format("{} ({})", refusal.lack, refusal.source)};
}

Conditions conditions_of(const study::Study& study, const study::Point& point,
                         const TargetText& target, std::string_view version) {
  const workload::Framework& framework = study.catalog().framework(framework_of(study, point));
  Conditions made;
  const std::string device = device_problem(target, point.system.system->device.name);
  if (!device.empty()) {
    made.of_all.push_back(device);
  }
  for (const std::string_view format : linear_formats(point)) {
    if (const std::string lack = unrunnable_format(framework, format); !lack.empty()) {
      made.of_all.push_back("no option for " + lack);
    }
  }
  for (const Refusal& one : refusals(framework)) {
    made.of_layouts.push_back(condition_of(one));
  }
  for (const Refusal& one : rule_refusals(target.rules, version, subject_of(study, point))) {
    made.of_layouts.push_back(condition_of(one));
  }
  return made;
}

// Counts of one framework while points are looked at.
struct Count {
  Launchable made;
  std::map<std::string, std::int64_t> reasons;

  void add(Conditions& conditions, const parallel::Strategy& strategy) {
    std::vector<std::string> found = conditions.of_all;
    for (Condition& one : conditions.of_layouts) {
      if (one.layouts.passes({}, strategy)) {
        found.push_back(one.reason);
      }
    }
    ++made.points;
    made.refused += found.empty() ? 0 : 1;
    for (const std::string& reason : found) {
      ++reasons[reason];
    }
  }

  Launchable finished() const {
    Launchable result = made;
    result.reasons.assign(reasons.begin(), reasons.end());
    std::stable_sort(result.reasons.begin(), result.reasons.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return result;
  }
};

class Counts {
 public:
  explicit Counts(const study::Study& study) : study_(study) {}

  void look_at(const study::Point& point) {
    const std::string asked = asked_framework(study_, point);
    const TargetText* const target = text_of_framework(asked);
    const Version* const version =
        target == nullptr ? nullptr
                          : version_named(target->versions, workload::stack_name(asked).version);
    if (version == nullptr || !point.system.system || point.filtered) {
      return;
    }
    const std::string name = fmt::format("{} {}", target->name, version->name);
    auto found = conditions_.find(key_of(point, name));
    if (found == conditions_.end()) {
      found =
          conditions_
              .emplace(key_of(point, name), conditions_of(study_, point, *target, version->name))
              .first;
    }
    const auto at = std::find_if(counts_.begin(), counts_.end(),
                                 [&](const Count& one) { return one.made.framework == name; });
    Count& count = at != counts_.end() ? *at : counts_.emplace_back();
    count.made.framework = name;
    count.add(found->second, point.strategy);
  }

  std::vector<Launchable> finished() const {
    std::vector<Launchable> all;
    for (const Count& count : counts_) {
      all.push_back(count.finished());
    }
    return all;
  }

 private:
  // Indices of the axes that rules ask for.
  std::string key_of(const study::Point& point, const std::string& framework) const {
    std::string key = framework;
    const std::vector<space::Axis>& axes = study_.space().axes();
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (axes[i].name == "model" || axes[i].name == "device" || axes[i].name == "precision") {
        key += fmt::format(" {}", point.axis_index[i]);
      }
    }
    return key;
  }

  const study::Study& study_;
  std::map<std::string, Conditions> conditions_;
  std::vector<Count> counts_;
};

}  // namespace

std::vector<Launchable> launchable(const study::Study& study, std::int64_t most_points) {
  Counts counts(study);
  if (targets_of(study.kind()).empty()) {
    return {};
  }
  const std::int64_t size = study.space().size();
  const std::int64_t points = std::min(size, most_points);
  const auto point_at = study.make_points();
  for (std::int64_t i = 0; i < points; ++i) {
    counts.look_at(point_at(i * (size / points)));
  }
  return counts.finished();
}

}  // namespace scalesweep::deploy

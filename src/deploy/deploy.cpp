#include "deploy/deploy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/contracts.hpp"
#include "core/text.hpp"
#include "deploy/deploy_serving.hpp"
#include "deploy/deploy_training.hpp"
#include "deploy/target.hpp"
#include "deploy/unrunnable.hpp"
#include "study/kinds/workload_kind.hpp"
#include "workload/framework.hpp"
#include "workload/stacks/versions.hpp"

namespace scalesweep::deploy {
namespace {

using parallel::WorkloadKind;

bool is_kind(const study::WorkloadKind& kind, const study::WorkloadKind& known) {
  return &kind == &known;
}

bool serves(const study::WorkloadKind& kind) {
  return is_kind(kind, study::inference_kind()) || is_kind(kind, study::serving_kind());
}

template <typename Target>
const Target& target_named(std::span<const Target* const> targets, std::string_view name) {
  const auto found = std::find_if(targets.begin(), targets.end(), [name](const Target* target) {
    return target->text.name == name;
  });
  SCALESWEEP_EXPECT(found != targets.end());
  return **found;
}

// What the catalog knows of the framework of a target: in the version of its options, else in the
// newest; of the study, else of the other one; null if neither has it.
const workload::Framework* entry_of(const TargetText& target, const study::Study& study,
                                    const catalog::Catalog* others) {
  for (const std::string& name :
       {fmt::format("{}@{}", target.name, target.version), std::string(target.name)}) {
    for (const catalog::Catalog* catalog : {&study.catalog(), others}) {
      if (catalog != nullptr && catalog->has(catalog::Section::frameworks, name)) {
        return &catalog->framework(name);
      }
    }
  }
  return nullptr;
}

const TargetText& text_of(const study::WorkloadKind& kind, std::string_view target) {
  return is_kind(kind, study::training_kind()) ? target_named(training_targets(), target).text
                                               : target_named(serving_targets(), target).text;
}

// Of linear layers, each once.
std::vector<std::string_view> linear_formats(const study::Point& point) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < point.job.multiplied.size(); ++i) {
    const std::string_view name = technology::name_of(point.job.multiplied[i]);
    const bool is_linear = i != study::of_activations;
    if (is_linear && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

bool runs_all(const workload::Framework& framework, const study::Point& point) {
  const std::vector<std::string_view> formats = linear_formats(point);
  return std::all_of(formats.begin(), formats.end(), [&](std::string_view format) {
    return runs(framework, point.strategy, format);
  });
}

// That of the study where it is a version whose options the target's are.
const workload::Framework* entry_of(const study::Study& study, const study::Point& point,
                                    std::string_view target, const catalog::Catalog* others) {
  const std::string own = framework_of(study, point);
  if (workload::stack_name(own).stack == target &&
      version_problem(study.kind(), target, own).empty()) {
    return &study.catalog().framework(own);
  }
  return entry_of(text_of(study.kind(), target), study, others);
}

// What the framework of the target lacks, and who does not.
void add_problems(const study::Study& study, const study::Point& point,
                  const catalog::Catalog* others, Deployment& made) {
  const workload::Framework* const own = entry_of(study, point, made.target, others);
  if (own == nullptr) {
    made.notes.push_back(
        fmt::format("the catalog has no framework '{}': which layouts it can run "
                    "is not checked",
                    made.target));
    return;
  }
  std::vector<std::string> lacks = unrunnable(*own, point.strategy);
  for (const std::string_view precision : linear_formats(point)) {
    if (const std::string format = unrunnable_format(*own, precision); !format.empty()) {
      lacks.push_back(format);
    }
  }
  if (lacks.empty()) {
    return;
  }
  std::vector<std::string> able;
  for (const std::string& name : targets_of(study.kind())) {
    const workload::Framework* const its = entry_of(text_of(study.kind(), name), study, others);
    if (its != nullptr && runs_all(*its, point)) {
      able.push_back(name);
    }
  }
  made.problems.push_back(fmt::format(
      "{} {} has no option for {}; {}", made.target, made.version, join(lacks, ", nor for "),
      able.empty() ? "no framework that can be launched has"
                   : fmt::format("{} can run this layout", join(able, ", "))));
}

void add_system_problem(const study::Point& point, Deployment& made) {
  const std::string reason =
      point.filtered ? "a filter of the spec leaves it out" : point.system.reason;
  made.problems.push_back(fmt::format("point {} has no estimate: {}", point.id, reason));
}

Deployment begun(const TargetText& text) {
  Deployment made;
  made.target = text.name;
  made.version = text.version;
  made.source = text.source;
  return made;
}

}  // namespace

std::vector<std::string> targets_of(const study::WorkloadKind& kind) {
  std::vector<std::string> names;
  if (is_kind(kind, study::training_kind())) {
    for (const TrainingTarget* target : training_targets()) {
      names.emplace_back(target->text.name);
    }
  } else if (serves(kind)) {
    for (const ServingTarget* target : serving_targets()) {
      names.emplace_back(target->text.name);
    }
  }
  return names;
}

std::string framework_of(const study::Study& study, const study::Point& point) {
  const std::vector<space::Axis>& axes = study.space().axes();
  const std::optional<std::size_t> axis = space::find_axis(axes, "framework");
  return axis ? study.catalog().framework(axes[*axis].labels[point.axis_index[*axis]]).name : "";
}

std::optional<std::string> target_of(const study::WorkloadKind& kind, std::string_view framework) {
  const std::string_view stack = workload::stack_name(framework).stack;
  for (const std::string& target : targets_of(kind)) {
    if (stack == target || stack.starts_with(target + "-")) {
      return target;
    }
  }
  return std::nullopt;
}

std::string version_problem(const study::WorkloadKind& kind, std::string_view target,
                            std::string_view framework) {
  const std::string_view version = workload::stack_name(framework).version;
  const TargetText& text = text_of(kind, target);
  const bool is_known = version.empty() || version == text.version ||
                        (!text.up_to.empty() && !workload::is_newer(text.version, version) &&
                         !workload::is_newer(version, text.up_to));
  return is_known ? ""
                  : fmt::format(
                        "the options that are known here are those of {} {}{}, and '{}' is another "
                        "version; --for {} writes these",
                        text.name, text.version,
                        text.up_to.empty() ? "" : fmt::format(" to {}", text.up_to), framework,
                        text.name);
}

Deployment deploy(const study::Study& study, const study::Point& point, std::string_view target,
                  const catalog::Catalog* others) {
  const bool trains = is_kind(study.kind(), study::training_kind());
  SCALESWEEP_EXPECT(trains || serves(study.kind()));
  Deployment made = begun(text_of(study.kind(), target));
  if (!point.system.system || point.filtered) {
    add_system_problem(point, made);
    return made;
  }
  add_problems(study, point, others, made);
  if (!made.can_run()) {
    return made;
  }
  if (trains) {
    deploy_training(target_named(training_targets(), target), point, made);
  } else if (is_kind(study.kind(), study::serving_kind())) {
    deploy_service(target_named(serving_targets(), target), point, made);
  } else {
    deploy_batch(target_named(serving_targets(), target), point, made);
  }
  return made;
}

}  // namespace scalesweep::deploy

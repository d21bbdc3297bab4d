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

// The catalog that has a framework: of the study, else the other one; null if neither has it.
const catalog::Catalog* holder_of(std::string_view framework, const study::Study& study,
                                  const catalog::Catalog* others) {
  if (study.catalog().has(catalog::Section::frameworks, framework)) {
    return &study.catalog();
  }
  return others != nullptr && others->has(catalog::Section::frameworks, framework) ? others
                                                                                   : nullptr;
}

// What the framework of the target lacks, and who does not.
void add_problems(const study::Study& study, const study::Point& point,
                  const catalog::Catalog* others, Deployment& made) {
  const catalog::Catalog* const holder = holder_of(made.target, study, others);
  if (holder == nullptr) {
    made.notes.push_back(
        fmt::format("the catalog has no framework '{}': which layouts it can run "
                    "is not checked",
                    made.target));
    return;
  }
  const workload::Framework& framework = holder->framework(made.target);
  const std::string_view precision = technology::name_of(point.job.multiplied.front());
  std::vector<std::string> lacks = unrunnable(framework, point.strategy);
  if (const std::string format = unrunnable_format(framework, precision); !format.empty()) {
    lacks.push_back(format);
  }
  if (lacks.empty()) {
    return;
  }
  std::vector<std::string> able;
  for (const std::string& name : targets_of(study.kind())) {
    const catalog::Catalog* const its = holder_of(name, study, others);
    if (its != nullptr && !that_run(*its, {name}, point.strategy, precision).empty()) {
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
  for (const std::string& target : targets_of(kind)) {
    if (framework == target || framework.starts_with(target + "-")) {
      return target;
    }
  }
  return std::nullopt;
}

Deployment deploy(const study::Study& study, const study::Point& point, std::string_view target,
                  const catalog::Catalog* others) {
  const bool trains = is_kind(study.kind(), study::training_kind());
  SCALESWEEP_EXPECT(trains || serves(study.kind()));
  Deployment made = begun(trains ? target_named(training_targets(), target).text
                                 : target_named(serving_targets(), target).text);
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

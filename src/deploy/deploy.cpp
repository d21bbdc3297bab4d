#include "deploy/deploy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/contracts.hpp"
#include "core/text.hpp"
#include "deploy/deploy_serving.hpp"
#include "deploy/deploy_training.hpp"
#include "deploy/rules/subject.hpp"
#include "deploy/rules/unrunnable.hpp"
#include "deploy/target.hpp"
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

// What the catalog of the study knows of the framework of a target, else the other one; null if
// neither has it.
const workload::Framework* entry_of(std::string_view target, const study::Study& study,
                                    const catalog::Catalog* others) {
  const std::string name(target);
  for (const catalog::Catalog* catalog : {&study.catalog(), others}) {
    if (catalog != nullptr && catalog->has(catalog::Section::frameworks, name)) {
      return &catalog->framework(name);
    }
  }
  return nullptr;
}

const TargetText& text_of(const study::WorkloadKind& kind, std::string_view target) {
  return is_kind(kind, study::training_kind()) ? target_named(training_targets(), target).text
                                               : target_named(serving_targets(), target).text;
}

// What a target has to run: the point, and what the catalogs say of frameworks.
class Asked {
 public:
  Asked(const study::Study& study, const study::Point& point, const catalog::Catalog* others)
      : study_(study), point_(point), others_(others) {}

  const std::vector<std::string_view>& formats() const { return formats_; }

  // That of the study where the target is its stack.
  const workload::Framework* entry(std::string_view target) const {
    const std::string own = framework_of(study_, point_);
    return workload::stack_name(own).stack == target ? &study_.catalog().framework(own)
                                                     : entry_of(target, study_, others_);
  }

  // What it has no option for, a phrase each.
  std::vector<std::string> lacks(const workload::Framework& framework) const {
    std::vector<std::string> lacks = unrunnable(framework, point_.strategy);
    for (const std::string_view precision : formats_) {
      if (const std::string format = unrunnable_format(framework, precision); !format.empty()) {
        lacks.push_back(format);
      }
    }
    return lacks;
  }

  // What it refuses, a sentence each.
  std::vector<std::string> refused(const TargetText& target, std::string_view version) const {
    std::vector<std::string> texts;
    if (const std::string text = device_problem(target, point_.system.system->device.name);
        !text.empty()) {
      texts.push_back(text);
    }
    // Another stack than that of the point scales its operands in its own way.
    const workload::Framework* const its = entry(target.name);
    const bool is_own = its != nullptr && its->name == framework_of(study_, point_);
    const Subject subject = subject_of(study_, point_, is_own ? nullptr : its);
    for (const Refusal& one : rule_refusals(target.rules, version, subject)) {
      if (refuses(one, point_.strategy)) {
        texts.push_back(
            fmt::format("{} {} refuses {} ({})", target.name, version, one.lack, one.source));
      }
    }
    return texts;
  }

  bool runs(std::string_view target) const {
    const workload::Framework* const its = entry(target);
    const TargetText& text = text_of(study_.kind(), target);
    return its != nullptr && lacks(*its).empty() &&
           refused(text, text.versions.back().name).empty();
  }

 private:
  const study::Study& study_;
  const study::Point& point_;
  const catalog::Catalog* others_;
  std::vector<std::string_view> formats_ = linear_formats(point_);
};

// What the framework of the target lacks or refuses, and who does not.
void add_problems(const Asked& asked, const study::WorkloadKind& kind, Deployment& made) {
  const workload::Framework* const own = asked.entry(made.target);
  std::vector<std::string> problems = asked.refused(text_of(kind, made.target), made.version);
  if (own == nullptr) {
    made.notes.push_back(
        fmt::format("the catalog has no framework '{}': which layouts it can run "
                    "is not checked",
                    made.target));
  } else if (const std::vector<std::string> lacks = asked.lacks(*own); !lacks.empty()) {
    problems.insert(problems.begin(), fmt::format("{} {} has no option for {}", made.target,
                                                  made.version, join(lacks, ", nor for ")));
  }
  if (problems.empty()) {
    return;
  }
  std::vector<std::string> able;
  for (const std::string& name : targets_of(kind)) {
    if (asked.runs(name)) {
      able.push_back(name);
    }
  }
  problems.push_back(able.empty() ? "no framework that can be launched has"
                                  : fmt::format("{} can run this layout", join(able, ", ")));
  made.problems.push_back(join(problems, "; "));
}

void add_system_problem(const study::Point& point, Deployment& made) {
  const std::string reason =
      point.filtered ? "a filter of the spec leaves it out" : point.system.reason;
  made.problems.push_back(fmt::format("point {} has no estimate: {}", point.id, reason));
}

// "" where the study has none.
std::string written_framework(const study::Study& study, const study::Point& point) {
  const std::vector<space::Axis>& axes = study.space().axes();
  const std::optional<std::size_t> axis = space::find_axis(axes, "framework");
  if (!axis) {
    return "";
  }
  const auto at = static_cast<std::size_t>(point.axis_index[*axis]);
  return axes[*axis].written.empty() ? axes[*axis].labels[at] : axes[*axis].written[at];
}

// The version that is asked for, else the one that the study names for this stack, else the newest.
const Version& version_of(const TargetText& text, std::string_view asked,
                          const std::string& framework, Deployment& made) {
  std::string_view wanted = asked;
  const workload::StackName own = workload::stack_name(framework);
  if (wanted.empty() && own.stack == text.name) {
    wanted = own.version;
  }
  const Version* found = version_named(text.versions, wanted);
  SCALESWEEP_EXPECT(found != nullptr || asked.empty());
  if (found == nullptr) {
    found = &text.versions.back();
  }
  if (!wanted.empty() && !is_called(*found, wanted)) {
    made.notes.push_back(fmt::format("options of {} {} were not read: these are those of {}",
                                     text.name, wanted, found->name));
  }
  return *found;
}

Deployment begun(const study::Study& study, const study::Point& point, std::string_view target) {
  const workload::StackName asked = workload::stack_name(target);
  const TargetText& text = text_of(study.kind(), asked.stack);
  Deployment made;
  const Version& version = version_of(text, asked.version, asked_framework(study, point), made);
  made.target = text.name;
  made.version = version.name;
  made.commit = version.commit;
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

bool any_runs_on(const study::WorkloadKind& kind, std::string_view device) {
  const std::vector<std::string> names = targets_of(kind);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return device_problem(text_of(kind, name), device).empty();
  });
}

std::string framework_of(const study::Study& study, const study::Point& point) {
  const std::string written = written_framework(study, point);
  return written.empty() ? "" : study.catalog().framework(written).name;
}

std::string asked_framework(const study::Study& study, const study::Point& point) {
  const std::string full = framework_of(study, point);
  const TargetText* const text = text_of_framework(full);
  const bool is_itself = text != nullptr && workload::stack_name(full).stack == text->name;
  return is_itself ? written_framework(study, point) : full;
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

std::string device_problem(const TargetText& target, std::string_view device) {
  const Vendor vendor = vendor_of(device);
  if (std::find(target.runs_on.begin(), target.runs_on.end(), vendor) != target.runs_on.end()) {
    return "";
  }
  std::vector<std::string> known;
  for (const Vendor one : target.runs_on) {
    known.emplace_back(name_of(one));
  }
  return fmt::format("{} does not run on {}, but on {}", target.name, device, join(known, ", "));
}

std::string version_problem(const study::WorkloadKind& kind, std::string_view target,
                            std::string_view asked) {
  const std::string_view version = workload::stack_name(asked).version;
  const TargetText& text = text_of(kind, target);
  if (version_named(text.versions, version) != nullptr) {
    return "";
  }
  std::vector<std::string> read;
  for (const Version& one : text.versions) {
    read.emplace_back(one.name);
  }
  return fmt::format("options of {} {} were not read; those of {} were: take --for {}, or {}@{}",
                     text.name, version, join(read, ", "), text.name, text.name, read.front());
}

Deployment deploy(const study::Study& study, const study::Point& point, std::string_view target,
                  const catalog::Catalog* others) {
  const bool trains = is_kind(study.kind(), study::training_kind());
  SCALESWEEP_EXPECT(trains || serves(study.kind()));
  Deployment made = begun(study, point, target);
  if (!point.system.system || point.filtered) {
    add_system_problem(point, made);
    return made;
  }
  add_problems(Asked(study, point, others), study.kind(), made);
  if (!made.can_run()) {
    return made;
  }
  if (trains) {
    deploy_training(target_named(training_targets(), made.target), point, made);
  } else if (is_kind(study.kind(), study::serving_kind())) {
    deploy_service(target_named(serving_targets(), made.target), point, made);
  } else {
    deploy_batch(target_named(serving_targets(), made.target), point, made);
  }
  return made;
}

}  // namespace scalesweep::deploy

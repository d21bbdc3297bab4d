// What to run for a point of a study, for each framework that could run it.
//
//   const study::Point point = study.point_at(id);
//   for (const std::string& target : targets_of(study.kind())) {
//     const Deployment made = deploy(study, point, target);
//     if (made.can_run()) { print made.command; } else { print made.problems; }
//   }
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deploy/deployment.hpp"
#include "study/study.hpp"

namespace scalesweep::deploy {

// Names of the frameworks that can be launched for studies of a kind; none of a kind that is not
// known here.
std::vector<std::string> targets_of(const study::WorkloadKind& kind);

// Whether any of them runs on devices of this name.
bool any_runs_on(const study::WorkloadKind& kind, std::string_view device);

// The name of a point's framework in the catalog; "" where its study has none.
std::string framework_of(const study::Study& study, const study::Point& point);
// The same for its target: of the stack itself as the study writes it, without a version where that
// is left open; of variants, which have versions of their own, in full.
std::string asked_framework(const study::Study& study, const study::Point& point);

// The target of a framework: of its name, or of the one that it is a variant of ("vllm-2024").
std::optional<std::string> target_of(const study::WorkloadKind& kind, std::string_view framework);

// Why no version of a target that was read is meant by a name with one ("vllm@0.9"), and which
// were; "" where one is, or where the name has none.
std::string version_problem(const study::WorkloadKind& kind, std::string_view target,
                            std::string_view asked);

// `target` is one of targets_of(study.kind()), alone or with a version that has no problem
// ("vllm@0.22"); Failure(internal) otherwise. Without a version it is the one that the study names,
// else the newest that was read. Pure. What a framework can run that the catalog of the study lacks
// is looked up in `others`, where there is one: a finished file holds its own framework alone.
Deployment deploy(const study::Study& study, const study::Point& point, std::string_view target,
                  const catalog::Catalog* others = nullptr);

}  // namespace scalesweep::deploy

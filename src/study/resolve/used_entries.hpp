// What of the catalog a study rests on.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "study/resolve/point_axes.hpp"

namespace scalesweep::study {

// What drafts tokens, where it is no model of the catalog.
inline constexpr std::string_view own_module = "mtp";
inline constexpr std::string_view head_behind = "eagle";
inline constexpr std::array<std::string_view, 2> drafters = {own_module, head_behind};

// Where no model scores: there is no critic, and a reward is a rule.
inline constexpr std::array<std::string_view, 1> no_model = {"none"};
inline constexpr std::array<std::string_view, 1> scored_by_rule = {"rule"};

// An axis whose values are names of entries.
struct NamedAxis {
  std::string_view axis;
  catalog::Section section;
  std::string_view noun;  // what a value is called; "": whoever knows what else may stand there
                          // says that it is unknown
  std::span<const std::string_view> others = {};  // words that name no entry
};
inline constexpr std::array<NamedAxis, 22> named_axes = {{
    {"model", catalog::Section::models, "model"},
    {"recommender", catalog::Section::recommenders, "recommendation model"},
    {"diffusion_model", catalog::Section::diffusion_models, "diffusion model"},
    {"draft_model", catalog::Section::models, "", drafters},
    {"logic", catalog::Section::logic, ""},
    {"critic", catalog::Section::models, "model", no_model},
    {"reward", catalog::Section::models, "model", scored_by_rule},
    {"framework", catalog::Section::frameworks, "framework"},
    {"rollout_framework", catalog::Section::frameworks, "framework"},
    {"optimizer", catalog::Section::optimizers, "optimizer"},
    {"device", catalog::Section::devices, "device"},
    {"memory_of", catalog::Section::devices, "device"},
    {"prefill_device", catalog::Section::devices, "device"},
    {"template", catalog::Section::templates, "template"},
    {"memory", catalog::Section::memories, "memory"},
    {"package", catalog::Section::packages, "package"},
    {"scale_up", catalog::Section::scale_up, "scale_up"},
    {"scale_out", catalog::Section::scale_out, "scale_out"},
    {"topology", catalog::Section::topologies, "topology"},
    {"economics", catalog::Section::economics, "assumptions"},
    {"reliability", catalog::Section::reliability, "reliability"},
    {"storage", catalog::Section::storage, "storage"},
}};

// Of names that are known; in catalog order, each once: the identity of a study must not depend on
// how its spec is written.
std::vector<const catalog::Entry*> used_entries(const StudyAxes& axes);

// The same with those that they take values from: all that their texts need to be read again.
std::vector<const catalog::Entry*> with_bases(const catalog::Catalog& catalog,
                                              std::vector<const catalog::Entry*> entries);

// "logic foundry/A10+1 (extrapolated)" of each node beyond the end of a series.
std::vector<std::string> extrapolated_nodes(const StudyAxes& axes);

}  // namespace scalesweep::study

// The parts of spec_keys(), a file each. Internal to the folder.
#pragma once

#include <span>

#include "space/keys/entry_names.hpp"
#include "space/keys/variants.hpp"

namespace scalesweep::space {

using config::Dimension;
using config::KeyKind;
using config::Need;
using config::NumberRange;
using config::Variants;

inline constexpr Variants training = of(WorkloadKind::training);
inline constexpr Variants inference = of(WorkloadKind::inference);
inline constexpr Variants serving = of(WorkloadKind::serving);
inline constexpr Variants requests = inference | serving;
inline constexpr Variants recommendation = of(WorkloadKind::recommendation);
inline constexpr Variants diffusion = of(WorkloadKind::diffusion);
inline constexpr Variants reinforcement = of(WorkloadKind::reinforcement_learning);

// What names are of: sections of the catalog, which a test holds them to.
inline constexpr config::EntryNames models = {"models", "model"};
inline constexpr config::EntryNames drafts = {"models", "", drafters};
inline constexpr config::EntryNames critics = {"models", "model", no_model};
inline constexpr config::EntryNames rewards = {"models", "model", scored_by_rule};
inline constexpr config::EntryNames recommenders = {"recommenders", "recommendation model"};
inline constexpr config::EntryNames diffusion_models = {"diffusion_models", "diffusion model"};
inline constexpr config::EntryNames frameworks = {"frameworks", "framework"};
inline constexpr config::EntryNames optimizers = {"optimizers", "optimizer"};
inline constexpr config::EntryNames devices = {"devices", "device"};
inline constexpr config::EntryNames templates = {"templates", "template"};
inline constexpr config::EntryNames logic_nodes = {"logic", ""};
inline constexpr config::EntryNames memories = {"memories", "memory"};
inline constexpr config::EntryNames packages = {"packages", "package"};
inline constexpr config::EntryNames scale_up_links = {"scale_up", "scale_up"};
inline constexpr config::EntryNames scale_out_networks = {"scale_out", "scale_out"};
inline constexpr config::EntryNames topologies = {"topologies", "topology"};
inline constexpr config::EntryNames assumptions = {"economics", "assumptions"};
inline constexpr config::EntryNames reliabilities = {"reliability", "reliability"};
inline constexpr config::EntryNames storages = {"storage", "storage"};

std::span<const Key> top_keys();
std::span<const Key> workload_keys();
std::span<const Key> recommendation_keys();  // of [workload], beside what is in workload_keys
std::span<const Key> diffusion_keys();       // the same
std::span<const Key> image_keys();           // the same
std::span<const Key> reinforcement_keys();   // the same
std::span<const Key> system_keys();
std::span<const Key> economics_keys();
std::span<const Key> run_keys();
std::span<const Key> allocate_keys();
std::span<const Key> pool_keys();
std::span<const Key> strategy_keys();
// The same below another table, of the kinds that serve: "prefill" or "decode".
std::span<const Key> strategy_keys_in(std::string_view pool);
std::span<const Key> dataset_keys();
std::span<const Key> result_keys();  // which points, and what to keep: together, filter, ...

}  // namespace scalesweep::space

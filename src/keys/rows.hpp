// The parts of axis_rows(), a file each. Internal to the folder.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "keys/entry_names.hpp"
#include "keys/row.hpp"
#include "keys/variants.hpp"
#include "technology/precision.hpp"
#include "workload/training/tuning.hpp"

namespace scalesweep::estimator {
struct TrainingJob;
struct InferenceJob;
struct RecommendationJob;
struct DiffusionJob;
struct ReinforcementJob;
}  // namespace scalesweep::estimator

namespace scalesweep::keys {

using config::Dimension;
using config::KeyKind;
using config::Need;
using config::NumberRange;

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

// Those of an enum, which its key takes.
constexpr std::span<const std::string_view> words_of(const auto& names) {
  return names;
}

// A format by its name.
template <auto member>
inline constexpr auto format = +[](TargetFor<member>& target, const AxisValue& value) {
  target.*member = *technology::precision_from(value.label);
};

// A row of one kind, or of several, with the example of these.
constexpr Key of_kind(Key row, Variants variants, std::string_view example,
                      std::string_view needs = "") {
  row.variants = variants;
  row.example = example;
  row.needs = needs;
  return row;
}
// Of adapters that are trained, and of those that requests use.
inline constexpr Key adapted_layers = {
    .path = "workload.adapter_layers",
    .kind = KeyKind::name,
    .fallback = "\"all\"",
    .description =
        "linear layers with adapters: projections of attention, of the MLP and of shared "
        "experts, or of both; routed experts have none",
    .words = words_of(workload::adapter_layers_names),
    .list = true,
    .axis = "adapter_layers"};

// What a framework has for a kind of work: few sources see the numbers of all.
void set_training_stack(estimator::TrainingJob& job, const AxisValue& value);
void set_serving_stack(estimator::InferenceJob& job, const AxisValue& value);
void set_diffusion_stack(estimator::DiffusionJob& job, const AxisValue& value);
void set_recommendation_stack(estimator::RecommendationJob& job, const AxisValue& value);
void set_rollout_stack(estimator::ReinforcementJob& job, const AxisValue& value);
void set_policy_stack(estimator::ReinforcementJob& job, const AxisValue& value);

std::span<const Row> workload_rows();
std::span<const Row> request_rows();         // of [workload], behind those
std::span<const Row> recommendation_rows();  // of [workload], beside what is in workload_rows
std::span<const Row> diffusion_rows();       // the same
std::span<const Row> image_rows();           // the same
std::span<const Row> reinforcement_rows();   // the same
std::span<const Row> system_rows();
std::span<const Row> economics_rows();
std::span<const Row> run_rows();
std::vector<Row> pool_rows();
// Those of [strategy] below another table, of the kinds that serve: "prefill" or "decode".
std::span<const Key> strategy_keys_in(std::string_view pool);

}  // namespace scalesweep::keys

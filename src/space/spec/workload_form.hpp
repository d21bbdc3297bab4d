// What a kind of workload is in a spec: its keys, and whose strategies it has.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "keys/row.hpp"
#include "space/keys/spec_keys.hpp"

namespace scalesweep::space {

struct WorkloadForm {
  std::string_view name;  // kind = "training"
  // Its rows among spec_keys(), and those that are not there.
  config::Variants rows = 0;
  std::span<const keys::Row> own_rows = {};
  parallel::StrategyRules strategies = {};  // what is tried where a spec says nothing
  // Where some of the work is training, those instead; nothing where it is all the same.
  std::optional<parallel::StrategyRules> trained_strategies = std::nullopt;
  std::string_view precision_example = {};  // a table with a name
  std::string_view model_key = "model";     // of which all else is asked
  // A key of another kind, and what this one has in its place.
  std::string_view refused_key = {};
  std::string_view instead = {};

  // Those of a table, "workload" or "workload.precision", in the canonical order of axes.
  std::vector<const Key*> keys_of(std::string_view table) const;
  bool has(std::string_view workload_key) const;
};

const WorkloadForm& training_form();
const WorkloadForm& inference_form();
const WorkloadForm& serving_form();
const WorkloadForm& recommendation_form();
const WorkloadForm& diffusion_form();
const WorkloadForm& reinforcement_form();

using WorkloadForms = std::vector<const WorkloadForm*>;
const WorkloadForms& workload_forms();

}  // namespace scalesweep::space

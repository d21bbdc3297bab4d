// What a kind of workload is in a spec: its keys, and whose strategies it has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "keys/row.hpp"
#include "parallel/enumerate.hpp"
#include "space/keys/spec_keys.hpp"
#include "space/read/spec_types.hpp"

namespace scalesweep::space {

// The values of the axes of jobs in one combination.
struct JobValues {
  std::span<const Axis> axes;
  std::span<const std::int32_t> index;

  // Which value of an axis it is; nothing without that axis.
  std::optional<std::size_t> place(std::string_view axis) const;
  double number(std::string_view axis, double otherwise) const;
  std::string_view label(std::string_view axis) const;  // "" without it
};

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
  bool has_layers = true;                   // the model, which rules of layouts ask of
  // What else decides which layouts are valid; null: batch, sequence and devices do.
  void (*set_shape)(const JobValues& at, parallel::JobShape& job) = nullptr;
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

}  // namespace scalesweep::space

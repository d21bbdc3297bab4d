#include "study/kinds/precision.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/contracts.hpp"
#include "core/text.hpp"
#include "technology/precision.hpp"

namespace scalesweep::study {
namespace {

using estimator::PrecisionPolicy;
using technology::Precision;

// By the keys of space::precision_classes.
struct TensorClass {
  std::string_view key;
  Precision PrecisionPolicy::*format;
};
constexpr std::array<TensorClass, 7> classes = {
    {{"linear", &PrecisionPolicy::linear},
     {"activations", &PrecisionPolicy::activations},
     {"weights", &PrecisionPolicy::weights},
     {"gradients", &PrecisionPolicy::gradients},
     {"gradient_communication", &PrecisionPolicy::gradient_communication},
     {"master_weights", &PrecisionPolicy::master_weights},
     {"moments", &PrecisionPolicy::moments}}};

// Of inference and serving; what is `stored` is converted where it is read.
using estimator::InferencePrecision;
struct InferenceClass {
  std::string_view key;
  Precision InferencePrecision::*format = nullptr;
  // Instead, of some linear layers.
  std::optional<Precision> InferencePrecision::*part = nullptr;
  bool stored = false;
};
constexpr auto inference_classes = std::to_array<InferenceClass>({
    {.key = "operands", .format = &InferencePrecision::operands},
    {.key = "activations", .format = &InferencePrecision::activations},
    {.key = "weights", .format = &InferencePrecision::weights, .stored = true},
    {.key = "cache", .format = &InferencePrecision::cache, .stored = true},
    {.key = "head", .format = &InferencePrecision::head, .stored = true},
    {.key = "experts", .part = &InferencePrecision::experts},
    {.key = "expert_weights", .part = &InferencePrecision::expert_weights, .stored = true},
    {.key = "shared", .part = &InferencePrecision::shared},
    {.key = "attention", .part = &InferencePrecision::attention},
    {.key = "attention_output", .part = &InferencePrecision::attention_output},
});

constexpr std::string_view stored_only = "int4";

Precision format_of(const std::string& name) {
  if (name == stored_only) {
    return Precision::fp4;
  }
  const auto format = technology::precision_from(name);
  SCALESWEEP_EXPECT(format.has_value());
  return *format;
}

// Gradients are sent as they are accumulated, unless the table says otherwise.
PrecisionPolicy policy_of(const space::PrecisionTable& table) {
  Precision linear = PrecisionPolicy().linear;
  Precision gradients = PrecisionPolicy().gradients;
  for (const auto& [tensors, format, position] : table.formats) {
    linear = tensors == "linear" ? format_of(format) : linear;
    gradients = tensors == "gradients" ? format_of(format) : gradients;
  }
  PrecisionPolicy policy = estimator::mixed_precision(linear, gradients);
  for (const auto& [tensors, format, position] : table.formats) {
    const auto* const known =
        std::find_if(classes.begin(), classes.end(),
                     [&key = tensors](const TensorClass& entry) { return entry.key == key; });
    SCALESWEEP_EXPECT(known != classes.end());
    policy.*(known->format) = format_of(format);
  }
  policy.gradient_compression = table.gradient_compression;
  policy.recipe = workload::recipe_names.find(table.recipe);
  return policy;
}

// From 16 bits on everything has the format of the linear layers, as in training.
InferencePrecision with_linear(Precision linear) {
  InferencePrecision precision = estimator::quantised(linear);
  if (technology::element_bytes(linear) >= technology::element_bytes(precision.activations)) {
    precision.activations = precision.cache = precision.head = linear;
  }
  return precision;
}

std::optional<Precision> said_for(const space::PrecisionTable& table, std::string_view tensors) {
  for (const space::PrecisionTable::Format& one : table.formats) {
    if (one.tensors == tensors) {
      return format_of(one.format);
    }
  }
  return std::nullopt;
}

// What it narrows is multiplied in what the table says, and stored as it is published.
InferencePrecision from_checkpoint(const space::PrecisionTable& table,
                                   const technology::CheckpointFormats& checkpoint) {
  const Precision operands =
      said_for(table, "operands").value_or(checkpoint.operands.value_or(checkpoint.format));
  const Precision usual = with_linear(operands).activations;
  return estimator::of_checkpoint(checkpoint, operands, checkpoint.format,
                                  said_for(table, "activations").value_or(usual));
}

// Weights are stored as they are multiplied unless the table says otherwise.
InferencePrecision inference_precision_of(const space::PrecisionTable& table,
                                          const CheckpointOf& checkpoint_of) {
  const std::optional<technology::CheckpointFormats> checkpoint =
      table.checkpoint.empty() ? std::nullopt : checkpoint_of(format_of(table.checkpoint));
  InferencePrecision precision =
      checkpoint ? from_checkpoint(table, *checkpoint)
                 : with_linear(said_for(table, "operands").value_or(InferencePrecision().operands));
  for (const auto& [tensors, format, position] : table.formats) {
    if (checkpoint && tensors == "operands") {
      continue;
    }
    const auto known =
        std::find_if(inference_classes.begin(), inference_classes.end(),
                     [&key = tensors](const InferenceClass& entry) { return entry.key == key; });
    SCALESWEEP_EXPECT(known != inference_classes.end());
    if (known->format != nullptr) {
      precision.*(known->format) = format_of(format);
    } else {
      precision.*(known->part) = format_of(format);
    }
  }
  precision.recipe = workload::recipe_names.find(table.recipe);
  return precision;
}

}  // namespace

estimator::InferencePrecision inference_precision(const std::string& name,
                                                  const std::vector<space::PrecisionTable>& tables,
                                                  const CheckpointOf& checkpoint_of) {
  const auto table =
      std::find_if(tables.begin(), tables.end(),
                   [&](const space::PrecisionTable& one) { return one.name == name; });
  return table == tables.end() ? with_linear(format_of(name))
                               : inference_precision_of(*table, checkpoint_of);
}

bool is_format(const std::string& /*tensors*/, const std::string& format) {
  return technology::precision_from(format).has_value();
}

bool is_inference_format(const std::string& tensors, const std::string& format) {
  return is_format(tensors, format) ||
         (format == stored_only && std::any_of(inference_classes.begin(), inference_classes.end(),
                                               [&](const InferenceClass& entry) {
                                                 return entry.key == tensors && entry.stored;
                                               }));
}

PrecisionPolicy precision_policy(const std::string& name,
                                 const std::vector<space::PrecisionTable>& tables) {
  const auto table =
      std::find_if(tables.begin(), tables.end(),
                   [&](const space::PrecisionTable& one) { return one.name == name; });
  return table == tables.end() ? estimator::mixed_precision(format_of(name)) : policy_of(*table);
}

std::string precision_text(const space::PrecisionTable& table) {
  std::vector<std::string> parts;
  for (const auto& [tensors, format, position] : table.formats) {
    parts.push_back(fmt::format("{} {}", tensors, format));
  }
  parts.push_back(fmt::format("gradient_compression {}", table.gradient_compression));
  if (!table.recipe.empty()) {
    parts.push_back(fmt::format("recipe {}", table.recipe));
  }
  if (!table.checkpoint.empty()) {
    parts.push_back(fmt::format("checkpoint {}", table.checkpoint));
  }
  return join(parts, ", ");
}

}  // namespace scalesweep::study

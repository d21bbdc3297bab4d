#include "study/kinds/checks.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "catalog/read/checkpoints.hpp"
#include "core/names.hpp"
#include "core/text.hpp"
#include "technology/precision.hpp"
#include "workload/framework.hpp"
#include "workload/model.hpp"
#include "workload/recipe.hpp"

namespace scalesweep::study {
namespace {

using catalog::Catalog;
using catalog::Section;

std::string instead_of(const std::string& format, std::string_view int4_hint) {
  if (format == "int4" && !int4_hint.empty()) {
    return std::string(int4_hint);
  }
  const auto& names = technology::precision_names;
  return suggestion(format, std::vector<std::string>(names.begin(), names.end()));
}

// A recipe is one of the format that operands of linear layers have.
void check_recipe(const space::PrecisionTable& table, Diagnostics& diagnostics) {
  if (table.recipe.empty()) {
    return;
  }
  const auto recipe = workload::recipe_names.find(table.recipe);
  if (!recipe) {
    diagnostics.error(table.recipe_position,
                      fmt::format("there is no recipe '{}'{}", table.recipe,
                                  suggestion(table.recipe, workload::recipe_names.list())));
    return;
  }
  std::string operands = "bf16";
  for (const auto& [tensors, format, position] : table.formats) {
    operands = tensors == "linear" || tensors == "operands" ? format : operands;
  }
  const auto format = technology::precision_from(operands);
  if (!format || workload::goes_with(*recipe, technology::name_of(*format))) {
    return;
  }
  std::vector<std::string_view> others;
  for (std::size_t i = 0; i < workload::recipe_names.size(); ++i) {
    if (workload::recipe_rows[i].format == technology::name_of(*format)) {
      others.push_back(workload::recipe_names[i]);
    }
  }
  diagnostics.error(table.recipe_position,
                    fmt::format("recipe '{}' scales operands of {}, not of {}; {}", table.recipe,
                                workload::row_of(*recipe).format, operands,
                                others.empty() ? "leave it out, or write that format"
                                               : fmt::format("write that format, or {}",
                                                             fmt::join(others, ", "))));
}

std::vector<std::string> frameworks_with(const Catalog& catalog, bool workload::Framework::*does) {
  std::vector<std::string> names;
  for (const std::string& name : catalog.names(Section::frameworks)) {
    if (catalog.framework(name).*does) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace

void check_precisions(const space::Spec& spec, KnowsFormat knows, std::string_view int4_hint,
                      Diagnostics& diagnostics) {
  for_each_label(spec, "precision", [&](const std::string& name, const SourcePosition& position) {
    const bool table = std::any_of(spec.precisions.begin(), spec.precisions.end(),
                                   [&](const auto& one) { return one.name == name; });
    const bool as_table =
        std::any_of(spec.precisions.begin(), spec.precisions.end(),
                    [&](const auto& one) { return same_but_for_case(one.name, name); });
    if (as_table && technology::precision_from(name)) {
      diagnostics.error(position,
                        fmt::format("'{}' is a format; give this table another name", name));
    } else if (!table && !technology::precision_from(name)) {
      diagnostics.error(
          position, fmt::format("there is no precision '{}'{}", name, instead_of(name, int4_hint)));
    }
  });
  for (const space::PrecisionTable& table : spec.precisions) {
    for (const auto& [tensors, format, position] : table.formats) {
      if (!knows(tensors, format)) {
        diagnostics.error(position, fmt::format("there is no precision '{}' for {}{}", format,
                                                tensors, instead_of(format, int4_hint)));
      }
    }
    check_recipe(table, diagnostics);
  }
}

void check_precisions(const space::Spec& spec, const std::string& axis, Diagnostics& diagnostics) {
  for_each_label(spec, axis, [&](const std::string& name, const SourcePosition& position) {
    if (!technology::precision_from(name)) {
      diagnostics.error(position,
                        fmt::format("there is no precision '{}'{}", name, instead_of(name, "")));
    }
  });
}

namespace {

// What a model has in place of such a checkpoint.
std::string others_text(const Catalog& catalog, const std::string& model) {
  std::vector<std::string_view> formats;
  for (const technology::Precision format : catalog::checkpoints_of(catalog, model)) {
    formats.push_back(technology::name_of(format));
  }
  return formats.empty() ? "it knows none; say formats instead, for example operands = \"fp8\""
                         : fmt::format("it knows {}; write one of these, or say formats instead",
                                       fmt::join(formats, ", "));
}

}  // namespace

void check_checkpoints(const space::Spec& spec, const Catalog& catalog, Diagnostics& diagnostics) {
  for (const space::PrecisionTable& table : spec.precisions) {
    const std::optional<technology::Precision> format =
        technology::precision_from(table.checkpoint);
    if (!format) {
      if (!table.checkpoint.empty()) {
        diagnostics.error(table.checkpoint_position,
                          fmt::format("there is no precision '{}' of a checkpoint{}",
                                      table.checkpoint, instead_of(table.checkpoint, "")));
      }
      continue;
    }
    for_each_label(spec, "model", [&](const std::string& model, const SourcePosition&) {
      if (catalog.has(Section::models, model) && !catalog::checkpoint_of(catalog, model, *format)) {
        diagnostics.error(table.checkpoint_position,
                          fmt::format("the catalog knows no checkpoint of '{}' in {}; {}", model,
                                      table.checkpoint, others_text(catalog, model)));
      }
    });
    for (const auto& [tensors, written, position] : table.formats) {
      if (tensors == "weights") {
        diagnostics.error(position,
                          "the checkpoint says how weights are stored; leave weights out, "
                          "or leave checkpoint out");
      }
    }
  }
}

void check_frameworks(const space::Spec& spec, const Catalog& catalog,
                      bool workload::Framework::*does, const char* what, Diagnostics& diagnostics) {
  check_frameworks(spec, catalog, "framework", does, what, diagnostics);
}

void check_frameworks(const space::Spec& spec, const Catalog& catalog, const std::string& axis,
                      bool workload::Framework::*does, const char* what, Diagnostics& diagnostics) {
  for_each_label(spec, axis, [&](const std::string& name, const SourcePosition& position) {
    if (catalog.has(Section::frameworks, name) && !(catalog.framework(name).*does)) {
      diagnostics.error(
          position, fmt::format("how '{}' {} is not in the catalog; choose one of {}", name, what,
                                join(frameworks_with(catalog, does), ", ")));
    }
  });
}

// A study that has the port as well tells them apart by its filters.
void warn_of_ports(const space::Spec& spec, const Catalog& catalog, Diagnostics& diagnostics) {
  struct Port {
    SourcePosition at;  // of the stack
    std::string name;
    std::vector<std::string> devices;
  };
  std::map<std::string, Port> ports;
  for_each_pair(spec, "framework", "device", [&](const ValueAt& stack, const ValueAt& device) {
    const std::string name = catalog.stack_on(device.label, stack.label);
    if (name != stack.label && !has_label(spec, "framework", name)) {
      Port& port = ports[stack.label];
      port.at = stack.position;
      port.name = name;
      port.devices.push_back(device.label);
    }
  });
  for (const auto& [stack, port] : ports) {
    diagnostics.warning(
        port.at, fmt::format("'{0}' was not measured on {1}, where its port '{2}' has constants of "
                             "its own; write framework = \"{2}\"",
                             stack, join(port.devices, ", "), port.name));
  }
}

// A study that has both tells them apart by its filters.
void warn_of_mixed_prompts(const space::Spec& spec, const Catalog& catalog, std::string_view mixed,
                           std::string_view apart, Diagnostics& diagnostics) {
  if (has_label(spec, "batching", apart)) {
    return;
  }
  for_each_pair(spec, "framework", "batching", [&](const ValueAt& stack, const ValueAt& batching) {
    if (batching.label == mixed && catalog.has(Section::frameworks, stack.label) &&
        catalog.framework(stack.label).serving.separate_prompts) {
      diagnostics.warning(stack.position,
                          fmt::format("'{}' takes prompts in iterations of their own, and this "
                                      "study mixes them with decode; write batching = \"{}\"",
                                      stack.label, apart));
    }
  });
}

namespace {

// What is wrong with a drafter of this model, and the way out; "" if nothing is.
std::string drafter_problem(const std::string& name, const workload::TransformerModel& model,
                            const Catalog& catalog) {
  if (name == keys::head_behind) {
    return "";
  }
  if (name == keys::own_module) {
    return model.prediction_layers > 0
               ? ""
               : fmt::format(
                     "'{}' has no module for multi-token prediction; write \"{}\" or the "
                     "name of a small model",
                     model.name, keys::head_behind);
  }
  const workload::TransformerModel small = catalog.model(name);
  if (!small.causal) {
    return fmt::format("'{}' is an encoder and cannot propose tokens; choose a decoder", name);
  }
  constexpr double billion = 1e9;
  return small.parameters() < model.parameters()
             ? ""
             : fmt::format(
                   "a draft of '{}', {:.3g} billion parameters, is no smaller than its "
                   "model '{}', {:.3g} billion; choose a smaller one",
                   name, small.parameters() / billion, model.name, model.parameters() / billion);
}

}  // namespace

void check_drafters(const space::Spec& spec, const Catalog& catalog, Diagnostics& diagnostics) {
  for_each_label(spec, "draft_model", [&](const std::string& name, const SourcePosition& position) {
    if (name != keys::own_module && name != keys::head_behind &&
        !catalog.has(Section::models, name)) {
      diagnostics.error(
          position,
          fmt::format("there is no draft_model '{}'{}; it is \"{}\", \"{}\" or a model of the "
                      "catalog",
                      name, catalog.suggestion(Section::models, name), keys::own_module,
                      keys::head_behind));
    }
  });
  for_each_pair(spec, "draft_model", "model", [&](const ValueAt& draft, const ValueAt& model) {
    const bool known = draft.label == keys::own_module || draft.label == keys::head_behind ||
                       catalog.has(Section::models, draft.label);
    const std::string problem =
        known && catalog.has(Section::models, model.label)
            ? drafter_problem(draft.label, catalog.model(model.label), catalog)
            : "";
    if (!problem.empty()) {
      diagnostics.error(draft.position, problem);
    }
  });
}

void check_decoders(const space::Spec& spec, const Catalog& catalog, Diagnostics& diagnostics) {
  for_each_label(spec, "model", [&](const std::string& name, const SourcePosition& position) {
    if (catalog.has(Section::models, name) && !catalog.model(name).causal) {
      diagnostics.error(
          position,
          fmt::format("'{}' is an encoder and has no decode phase; choose a decoder", name));
    }
  });
}

void check_adapters(const space::Spec& spec, const catalog::Catalog& catalog,
                    Diagnostics& diagnostics) {
  for_each_value(
      spec, "adapter_rank", [&](double rank, const std::string&, const SourcePosition& position) {
        for_each_label(spec, "model", [&](const std::string& name, const SourcePosition&) {
          if (!catalog.has(catalog::Section::models, name)) {
            return;
          }
          const auto width = static_cast<double>(catalog.model(name).hidden);
          if (rank > width) {
            diagnostics.error(position,
                              fmt::format("adapters of rank {} are larger than the layers of '{}', "
                                          "{} wide; write a lower adapter_rank, for example 16",
                                          rank, name, width));
          }
        });
      });
}

}  // namespace scalesweep::study

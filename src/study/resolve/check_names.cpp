// Whether a catalog knows what the axes of a spec name.
#include <fmt/core.h>

#include <algorithm>

#include "config/quantity_text.hpp"
#include "core/text.hpp"
#include "study/resolve/precision.hpp"
#include "study/resolve/resolve.hpp"
#include "technology/precision.hpp"

namespace scalesweep::study {
namespace {

using catalog::Section;

std::vector<std::string> known_formats() {
  return std::vector<std::string>(technology::precision_names.begin(),
                                  technology::precision_names.end());
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Looks up the names on the axes of a spec that may be incomplete.
class NameCheck {
 public:
  NameCheck(const space::Spec& spec, const catalog::Catalog& catalog, Diagnostics& diagnostics)
      : spec_(spec), catalog_(catalog), diagnostics_(diagnostics) {}

  // `noun` is what a value of the axis is called.
  void in_catalog(const std::string& axis_name, Section section, const std::string& noun) {
    for_each_label(axis_name, [&](const std::string& name, const SourcePosition& position) {
      if (!catalog_.has(section, name)) {
        diagnostics_.error(position, fmt::format("the catalog has no {} '{}'{}", noun, name,
                                                 catalog_.suggestion(section, name)));
      }
    });
  }
  void in_catalog(const std::string& axis_name, Section section) {
    in_catalog(axis_name, section, axis_name);
  }

  void in_words(const std::string& axis_name, const std::vector<std::string>& known) {
    for_each_label(axis_name, [&](const std::string& name, const SourcePosition& position) {
      if (!contains(known, name)) {
        diagnostics_.error(position, fmt::format("there is no {} '{}'{}", axis_name, name,
                                                 suggestion(name, known)));
      }
    });
  }

  // Names of formats, or of tables that name formats.
  void precisions() {
    const std::vector<std::string> known = known_formats();
    for_each_label("precision", [&](const std::string& name, const SourcePosition& position) {
      const bool table = std::any_of(spec_.precisions.begin(), spec_.precisions.end(),
                                     [&](const auto& one) { return one.name == name; });
      if (table && technology::precision_from(name)) {
        diagnostics_.error(position,
                           fmt::format("'{}' is a format; give this table another name", name));
      } else if (!table && !technology::precision_from(name)) {
        diagnostics_.error(
            position, fmt::format("there is no precision '{}'{}", name, instead_of(name, known)));
      }
    });
    for (const space::PrecisionTable& table : spec_.precisions) {
      for (const auto& [tensors, format, position] : table.formats) {
        if (!knows_format(spec_.kind, tensors, format)) {
          diagnostics_.error(position, fmt::format("there is no precision '{}' for {}{}", format,
                                                   tensors, instead_of(format, known)));
        }
      }
    }
  }

  // Rotary positions beyond those of the training go wrong slowly: a warning for each model, of the
  // longest request.
  void contexts() {
    Longest longest;
    for (const space::RequestClass& one : spec_.requests) {
      longest.raise(one.prompt, one.output, one.position);
    }
    for_each_value("prompt", [&](double prompt, const std::string&, const SourcePosition& at) {
      for_each_value("output", [&](double output, const std::string&, const SourcePosition&) {
        longest.raise(prompt, output, at);
      });
    });
    for_each_label("model", [&](const std::string& name, const SourcePosition&) {
      if (!catalog_.has(Section::models, name)) {
        return;
      }
      const auto positions = static_cast<double>(catalog_.model(name).max_positions);
      if (positions > 0.0 && longest.prompt + longest.output > positions) {
        diagnostics_.warning(
            longest.position,
            fmt::format("a prompt of {} and an output of {} tokens are more than the context of "
                        "{}, {} tokens; estimates go on as if it had more",
                        longest.prompt, longest.output, name, positions));
      }
    });
  }

  // A node must be in every series that the spec asks for, or beyond its end if that is asked for.
  void nodes() {
    std::vector<std::string> scalings;
    for_each_label("scaling", [&](const std::string& name, const SourcePosition&) {
      if (contains(catalog_.scalings(), name)) {
        scalings.push_back(name);
      }
    });
    for_each_label("logic", [&](const std::string& node, const SourcePosition& position) {
      const std::string base = node.substr(0, node.rfind('+'));
      if (base != node && catalog_.has(Section::logic, base)) {
        node_beyond(node, scalings, position);
      } else if (!catalog_.has(Section::logic, node)) {
        diagnostics_.error(position, fmt::format("the catalog has no logic '{}'{}", node,
                                                 catalog_.suggestion(Section::logic, node)));
      } else {
        node_within(node, scalings, position);
      }
    });
  }

  // A limit above what a device draws anyway changes nothing: that is never meant for all devices.
  void power_limits() {
    for_each_value("power_limit", [&](double limit_w, const std::string& label,
                                      const SourcePosition& position) {
      std::vector<std::string> unlimited;
      std::size_t devices = 0;
      for_each_label("device", [&](const std::string& name, const SourcePosition&) {
        ++devices;
        if (!catalog_.has(Section::devices, name)) {
          return;
        }
        const double own_w = catalog_.device(name).thermal_design_power.si();
        if (limit_w > own_w) {
          unlimited.push_back(
              fmt::format("{} ({})", name, config::quantity_text(own_w, config::Dimension::watts)));
        }
      });
      if (unlimited.empty()) {
        return;
      }
      const std::string what = fmt::format("power_limit {} is above the design power of {}", label,
                                           join(unlimited, ", "));
      if (unlimited.size() == devices) {
        diagnostics_.error(position, what + " and limits nothing; give a lower one");
      } else {
        diagnostics_.warning(position, what + ", which stays as it is");
      }
    });
  }

  // What the kind of workload asks of a framework, and of a model.
  void answers() {
    const bool training = spec_.kind == parallel::WorkloadKind::training;
    for_each_label("framework", [&](const std::string& name, const SourcePosition& position) {
      if (!catalog_.has(Section::frameworks, name)) {
        return;
      }
      const workload::Framework& framework = catalog_.framework(name);
      if (!(training ? framework.trains : framework.answers)) {
        diagnostics_.error(position,
                           fmt::format("how '{}' {} is not in the catalog; choose one of {}", name,
                                       training ? "trains" : "answers requests",
                                       join(frameworks_that([&](const workload::Framework& other) {
                                              return training ? other.trains : other.answers;
                                            }),
                                            ", ")));
      }
    });
    for_each_label("model", [&](const std::string& name, const SourcePosition& position) {
      if (!training && catalog_.has(Section::models, name) && !catalog_.model(name).causal) {
        diagnostics_.error(position, fmt::format("'{}' is an encoder and has no next tokens; "
                                                 "choose a decoder",
                                                 name));
      }
    });
  }

  void prefill_shares() {
    const auto batching = space::find_axis(spec_.axes, "batching");
    if (!batching || !space::find_axis(spec_.axes, "prefill_share") ||
        !contains(spec_.axes[*batching].labels, "disaggregated")) {
      return;
    }
    for_each_label("batching", [&](const std::string& name, const SourcePosition& position) {
      if (name != "disaggregated") {
        diagnostics_.warning(position, fmt::format("prefill_share changes nothing with batching = "
                                                   "\"{}\": its points are the same for each",
                                                   name));
      }
    });
  }

 private:
  // Formats of four bits are stored, and multiplied as something wider.
  std::string instead_of(const std::string& format, const std::vector<std::string>& known) const {
    return format == "int4" && spec_.kind != parallel::WorkloadKind::training
               ? "; int4 is only stored: write for example { name = \"w4a16\", weights = \"int4\", "
                 "operands = \"bf16\" }"
               : suggestion(format, known);
  }

  template <typename Condition>
  std::vector<std::string> frameworks_that(Condition&& condition) const {
    std::vector<std::string> names;
    for (const std::string& name : catalog_.names(Section::frameworks)) {
      if (condition(catalog_.framework(name))) {
        names.push_back(name);
      }
    }
    return names;
  }

  struct Longest {
    double prompt = 0.0;
    double output = 0.0;
    SourcePosition position;

    void raise(double new_prompt, double new_output, const SourcePosition& at) {
      if (new_prompt + new_output > prompt + output) {
        *this = {new_prompt, new_output, at};
      }
    }
  };

  void node_within(const std::string& node, const std::vector<std::string>& scalings,
                   const SourcePosition& position) {
    for (const std::string& scaling : scalings) {
      if (!catalog_.has_logic(node, scaling)) {
        diagnostics_.error(position, fmt::format("the scaling '{}' has no node '{}'; take it out "
                                                 "or choose another scaling",
                                                 scaling, node));
      }
    }
  }

  void node_beyond(const std::string& node, const std::vector<std::string>& scalings,
                   const SourcePosition& position) {
    for (const std::string& scaling : scalings) {
      const std::string last = catalog_.nodes(scaling).back();
      if (!catalog_.extrapolates(node, scaling)) {
        diagnostics_.error(
            position, fmt::format("'{0}' is no node: the scaling '{1}' ends with '{2}' and goes on "
                                  "only from there, with one to nine steps, '{2}+1' to '{2}+9'",
                                  node, scaling, last));
      } else if (!spec_.extrapolate) {
        diagnostics_.error(position,
                           fmt::format("'{}' lies beyond '{}', the last node of the scaling '{}'; "
                                       "if you want its factors by arithmetic, write extrapolate = "
                                       "true in [system]",
                                       node, last, scaling));
      } else {
        diagnostics_.warning(
            position, fmt::format("the factors of '{}' are arithmetic, no forecast: each changes "
                                  "once more as in the last step of the scaling '{}'",
                                  node, scaling));
      }
    }
  }

  template <typename Function>
  void for_each_value(const std::string& axis_name, Function&& function) {
    if (const auto index = space::find_axis(spec_.axes, axis_name)) {
      const space::Axis& axis = spec_.axes[*index];
      for (std::size_t i = 0; i < axis.size(); ++i) {
        function(axis.values[i], axis.labels[i], axis.positions[i]);
      }
    }
  }

  template <typename Function>
  void for_each_label(const std::string& axis_name, Function&& function) {
    for_each_value(axis_name, [&](double, const std::string& label,
                                  const SourcePosition& position) { function(label, position); });
  }

  const space::Spec& spec_;
  const catalog::Catalog& catalog_;
  Diagnostics& diagnostics_;
};

}  // namespace

void Resolver::check(const space::Spec& spec, const catalog::Catalog& catalog,
                     Diagnostics& diagnostics) {
  NameCheck check(spec, catalog, diagnostics);
  check.in_catalog("model", Section::models);
  check.in_catalog("framework", Section::frameworks);
  check.in_catalog("device", Section::devices);
  check.in_catalog("memory_of", Section::devices, "device");
  check.in_catalog("template", Section::templates);
  check.in_catalog("memory", Section::memories);
  check.in_catalog("package", Section::packages);
  check.in_catalog("scale_up", Section::scale_up);
  check.in_catalog("scale_out", Section::scale_out);
  check.in_catalog("topology", Section::topologies);
  check.in_catalog("economics", Section::economics, "assumptions");
  check.in_words("scaling", catalog.scalings());
  check.precisions();
  check.contexts();
  check.answers();
  check.prefill_shares();
  check.nodes();
  check.power_limits();
}

}  // namespace scalesweep::study

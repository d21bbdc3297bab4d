// Whether nodes and limits of a spec go with the technology of a catalog.
#include <fmt/core.h>

#include <algorithm>

#include "config/quantity_text.hpp"
#include "core/text.hpp"
#include "study/resolve/check_names.hpp"

namespace scalesweep::study {
namespace {

using catalog::Catalog;
using catalog::Section;

std::vector<std::string> known_scalings(const space::Spec& spec, const Catalog& catalog) {
  const std::vector<std::string>& known = catalog.scalings();
  std::vector<std::string> scalings;
  for_each_label(spec, "scaling", [&](const std::string& name, const SourcePosition&) {
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      scalings.push_back(name);
    }
  });
  return scalings;
}

void check_within(const Catalog& catalog, const std::string& node, const std::string& scaling,
                  const SourcePosition& position, Diagnostics& diagnostics) {
  if (!catalog.has_logic(node, scaling)) {
    diagnostics.error(position, fmt::format("the scaling '{}' has no node '{}'; take it out or "
                                            "choose another scaling",
                                            scaling, node));
  }
}

void check_beyond(const Catalog& catalog, const std::string& node, const std::string& scaling,
                  bool extrapolate, const SourcePosition& position, Diagnostics& diagnostics) {
  const std::string last = catalog.nodes(scaling).back();
  if (!catalog.extrapolates(node, scaling)) {
    diagnostics.error(position,
                      fmt::format("'{0}' is no node: the scaling '{1}' ends with '{2}' and goes on "
                                  "only from there, with one to nine steps, '{2}+1' to '{2}+9'",
                                  node, scaling, last));
  } else if (!extrapolate) {
    diagnostics.error(position,
                      fmt::format("'{}' lies beyond '{}', the last node of the scaling '{}'; if "
                                  "you want its factors by arithmetic, write extrapolate = true in "
                                  "[system]",
                                  node, last, scaling));
  } else {
    diagnostics.warning(position,
                        fmt::format("the factors of '{}' are arithmetic, no forecast: each changes "
                                    "once more as in the last step of the scaling '{}'",
                                    node, scaling));
  }
}

// A link with a domain that is asked for, at the place that says so.
void check_domain(const Catalog& catalog, const std::string& link, int domain,
                  const SourcePosition& position, Diagnostics& diagnostics) {
  if (!catalog.has(Section::scale_up, link)) {
    return;
  }
  if (const auto uneven = catalog.uneven(link, domain)) {
    diagnostics.error(position, fmt::format("{}: {}", link, catalog::to_string(*uneven, domain)));
  }
}

}  // namespace

void check_domains(const space::Spec& spec, const Catalog& catalog, Diagnostics& diagnostics) {
  const bool links = space::find_axis(spec.axes, "scale_up").has_value();
  const bool domains = space::find_axis(spec.axes, "scale_up_domain").has_value();
  const auto with_domains = [&](const std::string& link) {
    for_each_value(spec, "scale_up_domain",
                   [&](double domain, const std::string&, const SourcePosition& position) {
                     check_domain(catalog, link, static_cast<int>(domain), position, diagnostics);
                   });
  };
  if (links && domains) {
    for_each_label(spec, "scale_up",
                   [&](const std::string& link, const SourcePosition&) { with_domains(link); });
    return;
  }
  for_each_label(spec, "device", [&](const std::string& device, const SourcePosition&) {
    if (!catalog.has(Section::devices, device)) {
      return;
    }
    const catalog::CataloguedSystem usual = catalog.usual_system(device);
    if (domains) {
      with_domains(*usual.scale_up);
    }
    for_each_label(spec, "scale_up", [&](const std::string& link, const SourcePosition& position) {
      check_domain(catalog, link, *usual.domain, position, diagnostics);
    });
  });
}

void check_nodes(const space::Spec& spec, const Catalog& catalog, Diagnostics& diagnostics) {
  const std::vector<std::string> scalings = known_scalings(spec, catalog);
  for_each_label(spec, "logic", [&](const std::string& node, const SourcePosition& position) {
    const std::string base = node.substr(0, node.rfind('+'));
    const bool beyond = base != node && catalog.has(Section::logic, base);
    if (!beyond && !catalog.has(Section::logic, node)) {
      diagnostics.error(position, fmt::format("the catalog has no logic '{}'{}", node,
                                              catalog.suggestion(Section::logic, node)));
      return;
    }
    for (const std::string& scaling : scalings) {
      if (beyond) {
        check_beyond(catalog, node, scaling, spec.extrapolate, position, diagnostics);
      } else {
        check_within(catalog, node, scaling, position, diagnostics);
      }
    }
  });
}

void check_power_limits(const space::Spec& spec, const Catalog& catalog, Diagnostics& diagnostics) {
  for_each_value(
      spec, "power_limit",
      [&](double limit_w, const std::string& label, const SourcePosition& position) {
        std::vector<std::string> unlimited;
        std::size_t devices = 0;
        for_each_label(spec, "device", [&](const std::string& name, const SourcePosition&) {
          ++devices;
          if (!catalog.has(Section::devices, name)) {
            return;
          }
          const technology::Device& device = catalog.device(name);
          const double own_w = device.thermal_design_power.si();
          if (const double idle_w = device.idle_power.si(); limit_w <= idle_w) {
            const auto watts = [](double value) {
              return config::quantity_text(value, config::Dimension::watts);
            };
            diagnostics.error(
                position,
                fmt::format("power_limit {} is not above the {} that {} burns without work ({} too "
                            "little); give a higher one",
                            label, watts(idle_w), name, watts(idle_w - limit_w)));
          }
          if (limit_w > own_w) {
            unlimited.push_back(fmt::format(
                "{} ({})", name, config::quantity_text(own_w, config::Dimension::watts)));
          }
        });
        if (unlimited.empty()) {
          return;
        }
        const std::string what = fmt::format("power_limit {} is above the design power of {}",
                                             label, join(unlimited, ", "));
        if (unlimited.size() == devices) {
          diagnostics.error(position, what + " and limits nothing; give a lower one");
        } else {
          diagnostics.warning(position, what + ", which stays as it is");
        }
      });
}

}  // namespace scalesweep::study

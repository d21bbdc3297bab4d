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

std::string watts(double value) {
  return config::quantity_text(value, config::Dimension::watts);
}

// One limit, with all devices that it is for.
void check_power_limit(const space::Spec& spec, const Catalog& catalog, const ValueAt& limit,
                       Diagnostics& diagnostics) {
  std::vector<std::string> unlimited;
  std::size_t devices = 0;
  for_each_pair(spec, "power_limit", "device", [&](const ValueAt& own, const ValueAt& name) {
    if (&own.label != &limit.label) {
      return;
    }
    ++devices;
    if (!catalog.has(Section::devices, name.label)) {
      return;
    }
    const technology::Device& device = catalog.device(name.label);
    const double own_w = device.thermal_design_power.si();
    if (const double idle_w = device.idle_power.si(); limit.number <= idle_w) {
      diagnostics.error(
          limit.position,
          fmt::format("power_limit {} is not above the {} that {} burns without work ({} too "
                      "little); give a higher one",
                      limit.label, watts(idle_w), name.label, watts(idle_w - limit.number)));
    }
    if (limit.number > own_w) {
      unlimited.push_back(fmt::format("{} ({})", name.label, watts(own_w)));
    }
  });
  if (unlimited.empty()) {
    return;
  }
  const std::string what = fmt::format("power_limit {} is above the design power of {}",
                                       limit.label, join(unlimited, ", "));
  if (unlimited.size() == devices) {
    diagnostics.error(limit.position, what + " and limits nothing; give a lower one");
  } else {
    diagnostics.warning(limit.position, what + ", which stays as it is");
  }
}

}  // namespace

void check_domains(const space::Spec& spec, const Catalog& catalog, Diagnostics& diagnostics) {
  const bool links = space::find_axis(spec.axes, "scale_up").has_value();
  const bool domains = space::find_axis(spec.axes, "scale_up_domain").has_value();
  const auto check_pair = [&](const std::string& link, double domain, const ValueAt& at) {
    check_domain(catalog, link, static_cast<int>(domain), at.position, diagnostics);
  };
  if (links && domains) {
    for_each_pair(spec, "scale_up", "scale_up_domain",
                  [&](const ValueAt& link, const ValueAt& domain) {
                    check_pair(link.label, domain.number, domain);
                  });
    return;
  }
  // What of the two is not an axis is that of the device.
  for_each_pair(spec, "device", "scale_up_domain",
                [&](const ValueAt& device, const ValueAt& domain) {
                  if (catalog.has(Section::devices, device.label)) {
                    check_pair(*catalog.usual_system(device.label).scale_up, domain.number, domain);
                  }
                });
  for_each_pair(spec, "device", "scale_up", [&](const ValueAt& device, const ValueAt& link) {
    if (catalog.has(Section::devices, device.label)) {
      check_pair(link.label, *catalog.usual_system(device.label).domain, link);
    }
  });
}

void check_nodes(const space::Spec& spec, const Catalog& catalog, Diagnostics& diagnostics) {
  const auto lies_beyond = [&](const std::string& node) {
    const std::string base = node.substr(0, node.rfind('+'));
    return base != node && catalog.has(Section::logic, base);
  };
  for_each_label(spec, "logic", [&](const std::string& node, const SourcePosition& position) {
    if (!lies_beyond(node) && catalog.meant(Section::logic, node).empty()) {
      diagnostics.error(position, fmt::format("the catalog has no logic '{}'{}", node,
                                              catalog.suggestion(Section::logic, node)));
    }
  });
  const std::vector<std::string> known = catalog.scalings();
  for_each_pair(spec, "logic", "scaling", [&](const ValueAt& node, const ValueAt& scaling) {
    if (std::find(known.begin(), known.end(), scaling.label) == known.end()) {
      return;
    }
    if (lies_beyond(node.label)) {
      check_beyond(catalog, node.label, scaling.label, spec.extrapolate, node.position,
                   diagnostics);
    } else if (catalog.has(Section::logic, node.label)) {
      check_within(catalog, node.label, scaling.label, node.position, diagnostics);
    }
  });
}

void check_power_limits(const space::Spec& spec, const Catalog& catalog, Diagnostics& diagnostics) {
  for_each_value(spec, "power_limit",
                 [&](double limit_w, const std::string& label, const SourcePosition& position) {
                   check_power_limit(spec, catalog, {limit_w, label, position}, diagnostics);
                 });
}

}  // namespace scalesweep::study

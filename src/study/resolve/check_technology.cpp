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

constexpr double pin_rate_rounding = 1e-9;

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

// "9.2 Gb/s"; the law that says so counts bytes.
std::string pin_rate_text(double bytes_per_s) {
  return fmt::format("{:.4g} Gb/s", bytes_per_s * 8e-9);
}

// One rate, with all memories that it is for.
void check_pin_rate(const space::Spec& spec, const Catalog& catalog, const ValueAt& rate,
                    Diagnostics& diagnostics) {
  std::vector<std::string> slower;
  std::size_t memories = 0;
  for_each_pair(spec, "pin_rate", "memory", [&](const ValueAt& own, const ValueAt& name) {
    if (&own.label != &rate.label) {
      return;
    }
    ++memories;
    if (!catalog.has(Section::memories, name.label) || catalog.memory(name.label).in_cores) {
      return;
    }
    const technology::MemoryTechnology& memory = catalog.memory(name.label);
    const double most = memory.stack_bandwidth.si() / memory.pins;
    if (rate.number > most * (1.0 + pin_rate_rounding)) {
      slower.push_back(fmt::format("{} ({})", name.label, pin_rate_text(most)));
    }
  });
  if (slower.empty()) {
    return;
  }
  const std::string what =
      fmt::format("pin_rate {} is above what a pin of {} carries", rate.label, join(slower, ", "));
  if (slower.size() == memories) {
    diagnostics.error(rate.position,
                      what + "; give a lower one, a faster memory, or an entry of your own");
  } else {
    diagnostics.warning(rate.position, what +
                                           ": no such parts are sold, and neither their price "
                                           "nor their energy is known");
  }
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

void check_pin_rates(const space::Spec& spec, const Catalog& catalog, Diagnostics& diagnostics) {
  for_each_value(spec, "pin_rate",
                 [&](double rate, const std::string& label, const SourcePosition& position) {
                   check_pin_rate(spec, catalog, {rate, label, position}, diagnostics);
                 });
}

void check_power_limits(const space::Spec& spec, const Catalog& catalog, Diagnostics& diagnostics) {
  for_each_value(spec, "power_limit",
                 [&](double limit_w, const std::string& label, const SourcePosition& position) {
                   check_power_limit(spec, catalog, {limit_w, label, position}, diagnostics);
                 });
}

}  // namespace scalesweep::study

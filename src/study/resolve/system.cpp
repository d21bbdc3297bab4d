#include "study/resolve/system.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "technology/precision.hpp"

namespace scalesweep::study {
namespace {

using catalog::CataloguedSystem;
using catalog::DerivedSystem;
using technology::Device;
using technology::Economics;

void refuse(SystemChoice& choice, Status status, std::string reason) {
  choice.status = status;
  choice.reason = std::move(reason);
  choice.system.reset();
}

// "fp16, bf16, fp8".
std::string multiplied_text(const Device& device) {
  std::vector<std::string_view> formats;
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    if (technology::matrix_peak(device, technology::Precision(p)).si() > 0.0) {
      formats.push_back(technology::precision_names[p]);
    }
  }
  return fmt::format("{}", fmt::join(formats, ", "));
}

// A format that a device has no matrix unit for.
void refuse_formats(SystemChoice& choice, const Device& device,
                    std::span<const technology::Precision> multiplied) {
  for (const technology::Precision format : multiplied) {
    if (choice.system && technology::matrix_peak(device, format).si() <= 0.0) {
      refuse(choice, Status::unsupported_precision,
             fmt::format("{} has no matrix unit for {} (it has {})", device.name,
                         technology::name_of(format), multiplied_text(device)));
    }
  }
}

// A limit that the device cannot be set to.
void refuse_limit(SystemChoice& choice) {
  const Device& device = choice.system->device;
  if (device.thermal_design_power < device.lowest_power_limit) {
    refuse(
        choice, status_of(technology::DeriveProblem::power_below_rest),
        fmt::format("{} cannot be set to a power limit below {:.4g} W; its limit is {:.4g} W",
                    device.name, device.lowest_power_limit.si(), device.thermal_design_power.si()));
  }
}

// Devices differ by their stacks where those launch kernels of libraries of their own.
AxisPosition stacks_with_libraries(const StudyAxes& axes) {
  const std::span<const std::string> stacks = axes.labels("framework");
  const bool any = std::any_of(stacks.begin(), stacks.end(), [&axes](const std::string& name) {
    return axes.catalog().names_libraries(name);
  });
  return any ? axes.find("framework") : std::nullopt;
}

}  // namespace

SystemResolver::SystemResolver(const StudyAxes& axes)
    : catalogued_devices_(axes.find("device").has_value()),
      scale_up_(axes.find("scale_up")),
      domain_(axes.find("scale_up_domain")),
      prefill_device_(axes.find("prefill_device")),
      economics_(axes.find("economics")),
      framework_(stacks_with_libraries(axes)),
      derived_rules_(axes),
      catalogued_rules_(axes),
      prefill_rules_(axes),
      changes_(axes),
      overrides_(axes) {}

std::vector<std::size_t> SystemResolver::positions() const {
  std::vector<std::size_t> positions;
  for (const AxisPosition& one : {scale_up_, domain_, prefill_device_, economics_, framework_}) {
    if (one) {
      positions.push_back(*one);
    }
  }
  (catalogued_devices_ ? catalogued_rules_.append_positions(positions)
                       : derived_rules_.append_positions(positions));
  prefill_rules_.append_positions(positions);
  changes_.append_positions(positions);
  overrides_.append_positions(positions);
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

SystemChoice SystemResolver::derived(const PointAxes& point,
                                     const technology::Shares& allocated) const {
  DerivedSystem wanted;
  wanted.budget.shares = allocated;
  derived_rules_.apply(point, wanted);
  catalog::DerivedResult result = point.catalog().derived_system(wanted);
  SystemChoice choice;
  choice.system = std::move(result.system);
  choice.derivation = std::move(result.derivation);
  if (const auto& infeasible = choice.derivation->infeasible) {
    choice.status = status_of(infeasible->problem);
    choice.reason = technology::to_string(*infeasible);
  } else {
    use_libraries(point, wanted.architecture, choice.system->device);
  }
  choice.asked = std::move(wanted);
  return choice;
}

SystemChoice SystemResolver::catalogued(const PointAxes& point) const {
  CataloguedSystem wanted;
  catalogued_rules_.apply(point, wanted);
  SystemChoice choice;
  choice.system = point.catalog().catalogued_system(wanted);
  use_libraries(point, wanted.device, choice.system->device);
  changes_.apply(point, choice.system->device);
  return choice;
}

void SystemResolver::use_libraries(const PointAxes& point, std::string_view hardware,
                                   technology::Device& device) const {
  if (framework_) {
    point.catalog().use_libraries(hardware, point[*framework_].label, device);
  }
}

// A domain larger than its link joins.
std::optional<SystemChoice> SystemResolver::beyond_link(const PointAxes& point) const {
  if (!scale_up_ || !domain_) {
    return std::nullopt;
  }
  const std::string& link = point[*scale_up_].label;
  const int domain = static_cast<int>(point[*domain_].number);
  const int largest = point.catalog().largest_domain(link);
  if (domain <= largest) {
    return std::nullopt;
  }
  SystemChoice choice;
  refuse(choice, Status::domain_exceeds_link,
         fmt::format("{} joins at most {} devices, the domain has {}", link, largest, domain));
  return choice;
}

void SystemResolver::add_prefill(const PointAxes& point,
                                 std::span<const technology::Precision> multiplied,
                                 SystemChoice& choice) const {
  if (!prefill_device_) {
    return;
  }
  keys::PrefillSystem wanted;
  prefill_rules_.apply(point, wanted);
  choice.prefill_system = point.catalog().catalogued_system(wanted.system);
  use_libraries(point, wanted.system.device, choice.prefill_system->device);
  choice.prefill_ownership = point.catalog().ownership(*choice.prefill_system, economics(point));
  refuse_formats(choice, choice.prefill_system->device, multiplied);
}

technology::Economics SystemResolver::economics(const PointAxes& point) const {
  Economics economics =
      point.catalog().economics(point.label_or(economics_, catalog::default_economics));
  overrides_.apply(point, economics);
  return economics;
}

SystemChoice SystemResolver::at(const PointAxes& point, const technology::Shares& allocated,
                                std::span<const technology::Precision> multiplied) const {
  if (auto choice = beyond_link(point)) {
    return *std::move(choice);
  }
  SystemChoice choice = catalogued_devices_ ? catalogued(point) : derived(point, allocated);
  if (choice.system) {
    refuse_formats(choice, choice.system->device, multiplied);
  }
  if (choice.system) {
    refuse_limit(choice);
  }
  if (choice.system) {
    choice.ownership = point.catalog().ownership(*choice.system, economics(point));
    add_prefill(point, multiplied, choice);
  }
  return choice;
}

}  // namespace scalesweep::study

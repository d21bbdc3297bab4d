#include "study/resolve/system.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "technology/precision.hpp"

namespace scalesweep::study {
namespace {

using catalog::CataloguedSystem;
using catalog::DerivedSystem;
using technology::Device;
using technology::Economics;

constexpr auto derived_axes = std::to_array<AxisRule<DerivedSystem>>({
    {"template", [](DerivedSystem& s, const AxisValue& v) { s.architecture = v.label; }},
    {"logic", [](DerivedSystem& s, const AxisValue& v) { s.logic = v.label; }},
    {"scaling", [](DerivedSystem& s, const AxisValue& v) { s.scaling = v.label; }},
    {"memory", [](DerivedSystem& s, const AxisValue& v) { s.memory = v.label; }},
    {"package", [](DerivedSystem& s, const AxisValue& v) { s.package = v.label; }},
    {"die_area",
     [](DerivedSystem& s, const AxisValue& v) { s.budget.die_area = SquareMetres::si(v.number); }},
    {"dies",
     [](DerivedSystem& s, const AxisValue& v) { s.budget.dies = static_cast<int>(v.number); }},
    {"power", [](DerivedSystem& s, const AxisValue& v) { s.budget.power = Watts::si(v.number); }},
    {"power_sharing",
     [](DerivedSystem& s,
        const AxisValue&
            v) { s.budget.power_sharing = *technology::power_sharing_names.find(v.label); }},
    {"stacks",
     [](DerivedSystem& s, const AxisValue& v) { s.budget.stacks = static_cast<int>(v.number); }},
    {"pin_rate", [](DerivedSystem& s,
                    const AxisValue& v) { s.budget.pin_rate = BytesPerSecond::si(v.number); }},
    {"flop_per_clock",
     [](DerivedSystem& s, const AxisValue& v) { s.budget.flop_per_clock = v.number; }},
    {"core_area_share",
     [](DerivedSystem& s, const AxisValue& v) { s.budget.shares.core_area = v.number; }},
    {"memory_edge_share",
     [](DerivedSystem& s, const AxisValue& v) { s.budget.shares.memory_edge = v.number; }},
    {"memory_power_share",
     [](DerivedSystem& s, const AxisValue& v) { s.budget.shares.memory_power = v.number; }},
    {"scale_up", [](DerivedSystem& s, const AxisValue& v) { s.scale_up = v.label; }},
    {"scale_up_domain",
     [](DerivedSystem& s, const AxisValue& v) { s.domain = static_cast<int>(v.number); }},
    {"scale_out", [](DerivedSystem& s, const AxisValue& v) { s.scale_out = v.label; }},
    {"topology", [](DerivedSystem& s, const AxisValue& v) { s.topology = v.label; }},
    {"accelerators", [](DerivedSystem& s, const AxisValue& v) { s.endpoints = v.number; }},
});

constexpr auto catalogued_axes = std::to_array<AxisRule<CataloguedSystem>>({
    {"device", [](CataloguedSystem& s, const AxisValue& v) { s.device = v.label; }},
    {"scale_up", [](CataloguedSystem& s, const AxisValue& v) { s.scale_up = v.label; }},
    {"scale_up_domain",
     [](CataloguedSystem& s, const AxisValue& v) { s.domain = static_cast<int>(v.number); }},
    {"scale_out", [](CataloguedSystem& s, const AxisValue& v) { s.scale_out = v.label; }},
    {"topology", [](CataloguedSystem& s, const AxisValue& v) { s.topology = v.label; }},
    {"accelerators", [](CataloguedSystem& s, const AxisValue& v) { s.endpoints = v.number; }},
});

// Of the devices that process prompts; the network and what it is of are those of all.
constexpr auto prefill_axes = std::to_array<AxisRule<CataloguedSystem>>({
    {"prefill_device", [](CataloguedSystem& s, const AxisValue& v) { s.device = v.label; }},
    {"scale_out", [](CataloguedSystem& s, const AxisValue& v) { s.scale_out = v.label; }},
    {"topology", [](CataloguedSystem& s, const AxisValue& v) { s.topology = v.label; }},
    {"accelerators", [](CataloguedSystem& s, const AxisValue& v) { s.endpoints = v.number; }},
});

// What changes a catalogued device.
constexpr auto change_axes = std::to_array<AxisRule<Device>>({
    {"memory_of",
     [](Device& device, const AxisValue& v) {
       const Device& other = v.catalog.device(v.label);
       device.dram = other.dram;
       device.memory = other.memory;
       device.stacks = other.stacks;
     }},
    {"power_limit",
     [](Device& device, const AxisValue& v) {
       device.thermal_design_power = std::min(device.thermal_design_power, Watts::si(v.number));
     }},
});

constexpr auto economics_axes = std::to_array<AxisRule<Economics>>({
    {"energy_price",
     [](Economics& e, const AxisValue& v) { e.energy_price = UsdPerJoule::si(v.number); }},
    {"power_usage_effectiveness",
     [](Economics& e, const AxisValue& v) { e.power_usage_effectiveness = v.number; }},
    {"grid_carbon",
     [](Economics& e, const AxisValue& v) { e.grid_carbon = KilogramsCo2PerJoule::si(v.number); }},
    {"lifetime", [](Economics& e, const AxisValue& v) { e.lifetime = Seconds::si(v.number); }},
    {"utilization", [](Economics& e, const AxisValue& v) { e.utilization = v.number; }},
    {"silicon_markup",
     [](Economics& e, const AxisValue& v) {
       e.silicon_markup = v.number;
       e.one_silicon_markup = true;
     }},
    {"parts_markup", [](Economics& e, const AxisValue& v) { e.parts_markup = v.number; }},
    {"network_markup", [](Economics& e, const AxisValue& v) { e.network_markup = v.number; }},
    {"rental_markup", [](Economics& e, const AxisValue& v) { e.rental_markup = v.number; }},
    {"facility_cost",
     [](Economics& e, const AxisValue& v) { e.facility_cost = UsdPerWatt::si(v.number); }},
    {"facility_lifetime",
     [](Economics& e, const AxisValue& v) { e.facility_lifetime = Seconds::si(v.number); }},
    {"delivery_cost",
     [](Economics& e, const AxisValue& v) { e.delivery_cost = UsdPerWatt::si(v.number); }},
    {"server_cost", [](Economics& e, const AxisValue& v) { e.server_cost = Usd::si(v.number); }},
    {"server_power",
     [](Economics& e, const AxisValue& v) { e.server_power = Watts::si(v.number); }},
    {"server_carbon",
     [](Economics& e, const AxisValue& v) { e.server_carbon = KilogramsCo2::si(v.number); }},
});

void refuse(SystemChoice& choice, Status status, std::string reason) {
  choice.status = status;
  choice.reason = std::move(reason);
  choice.system.reset();
}

// A format that a device has no matrix unit for.
void refuse_formats(SystemChoice& choice, const Device& device,
                    std::span<const technology::Precision> multiplied) {
  for (const technology::Precision format : multiplied) {
    if (choice.system && technology::matrix_peak(device, format).si() <= 0.0) {
      refuse(choice, Status::unsupported_precision,
             fmt::format("{} has no matrix unit for {}", device.name, technology::name_of(format)));
    }
  }
}

}  // namespace

SystemResolver::SystemResolver(const StudyAxes& axes)
    : catalogued_devices_(axes.find("device").has_value()),
      scale_up_(axes.find("scale_up")),
      domain_(axes.find("scale_up_domain")),
      prefill_device_(axes.find("prefill_device")),
      economics_(axes.find("economics")),
      derived_rules_(axes, derived_axes),
      catalogued_rules_(axes, catalogued_axes),
      prefill_rules_(axes, prefill_axes),
      changes_(axes, change_axes),
      overrides_(axes, economics_axes) {}

std::vector<std::size_t> SystemResolver::positions() const {
  std::vector<std::size_t> positions;
  for (const AxisPosition& one : {scale_up_, domain_, prefill_device_, economics_}) {
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
  }
  choice.asked = std::move(wanted);
  return choice;
}

SystemChoice SystemResolver::catalogued(const PointAxes& point) const {
  CataloguedSystem wanted;
  catalogued_rules_.apply(point, wanted);
  SystemChoice choice;
  choice.system = point.catalog().catalogued_system(wanted);
  changes_.apply(point, choice.system->device);
  return choice;
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
  CataloguedSystem wanted;
  prefill_rules_.apply(point, wanted);
  choice.prefill_system = point.catalog().catalogued_system(wanted);
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
    choice.ownership = point.catalog().ownership(*choice.system, economics(point));
    add_prefill(point, multiplied, choice);
  }
  return choice;
}

}  // namespace scalesweep::study

#include "catalog/read/twin_facts.hpp"

#include <fmt/format.h>

#include <array>

#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

struct Fact {
  std::string_view key;     // of the device
  std::string_view design;  // of the template; "" where only a device can say it
  std::string_view unit;    // after what the template says
};
// Budgets, and the numbers of the law of power.
constexpr std::array<Fact, 7> facts = {{
    {"logic", "reference_node", ""},
    {"die_area", "die.area", ""},
    {"stacks", "", ""},
    {"long_gemm_clock", "long_gemm_clock", ""},
    {"memory_access_energy", "memory_access_energy", ""},
    {"active_power", "core.active_power", " a core"},
    {"leakage_power", "core.leakage_power", " a core"},
}};

}  // namespace

std::vector<std::string> facts_lacking(const Entry& device, const Entry& design,
                                       const Entry& calibrated_on) {
  std::vector<std::string> lacking;
  for (const Fact& fact : facts) {
    if (device.value(fact.key) != nullptr) {
      continue;
    }
    const Value* otherwise =
        fact.design.empty() ? calibrated_on.value(fact.key) : design.value(fact.design);
    lacking.push_back(otherwise == nullptr
                          ? std::string(fact.key)
                          : fmt::format("{} ({}: {}{})", fact.key,
                                        fact.design.empty() ? calibrated_on.name : design.name,
                                        otherwise->text, fact.unit));
  }
  return lacking;
}

void check_twins(const CatalogData& data, Diagnostics& diagnostics) {
  for (const auto& [name, record] : data.devices) {
    if (record.architecture.empty()) {
      continue;
    }
    const Entry* device = data.entry(Section::devices, name);
    const Entry* design = data.entry(Section::templates, record.architecture);
    const Entry* base =
        design == nullptr
            ? nullptr
            : data.entry(Section::devices, data.templates.at(design->name).calibrated_on);
    if (device == nullptr || base == nullptr) {
      continue;  // an unknown name: already reported
    }
    const std::vector<std::string> lacking = facts_lacking(*device, *design, *base);
    if (!lacking.empty()) {
      diagnostics.error(device->position,
                        fmt::format("device {} names the template {} and lacks what a twin by it "
                                    "takes: {}; give what it has there, or take 'template' away",
                                    name, record.architecture, join(lacking, ", ")));
    }
  }
}

}  // namespace scalesweep::catalog

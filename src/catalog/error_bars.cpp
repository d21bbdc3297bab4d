// How far estimates were from measurements, looked up.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "catalog/data.hpp"
#include "workload/stacks/versions.hpp"

namespace scalesweep::catalog {
namespace {

constexpr std::string_view single_node = "single_node";
constexpr std::string_view multi_node = "multi_node";

// What was measured of a stack, for one that is asked for: of this very version, of all versions,
// or (0) of another one.
int nearness_of(std::string_view measured, std::string_view asked) {
  return measured == asked ? 2 : measured == workload::stack_name(asked).stack ? 1 : 0;
}

// Of a kind of work: each trait by the framework's own cases, else by those of all frameworks.
void add_traits(const Named<TraitRecord>& records, std::string_view framework, MeasuredWork work,
                technology::Uncertainty& found) {
  std::array<int, technology::trait_count> nearest{};
  for (const auto& [name, record] : records) {
    if (record.work != work) {
      continue;
    }
    if (!record.trait) {
      found.unmeasured = record.value;
      continue;
    }
    const auto of = static_cast<std::size_t>(*record.trait);
    technology::TraitUncertainty& trait = found.traits[of];
    if (const int nearness = nearness_of(record.framework, framework); nearness > nearest[of]) {
      nearest[of] = nearness;
      trait = {technology::Known::here, record.value};
    } else if (record.framework.empty() && trait.known != technology::Known::here) {
      trait = {technology::Known::elsewhere, record.value};
    }
  }
}

// That of the device and framework for what was measured of them; for the rest, as any of those
// that were measured could be: the root mean square of all of this kind of work, of both scales.
technology::Uncertainty found_in(const Named<UncertaintyRecord>& records, std::string_view device,
                                 std::string_view framework, MeasuredWork work) {
  technology::Uncertainty found;
  int nearest_single = 0;
  int nearest_multi = 0;
  double squares = 0.0;
  double count = 0.0;
  for (const auto& [name, record] : records) {
    if (record.work != work) {
      continue;
    }
    squares += record.relative * record.relative;
    count += 1.0;
    int& known = record.single_node ? nearest_single : nearest_multi;
    const int nearness = record.device == device ? nearness_of(record.framework, framework) : 0;
    if (nearness > known) {
      known = nearness;
      (record.single_node ? found.single_node : found.multi_node) = record.relative;
      (record.single_node ? found.single_node_measured : found.multi_node_measured) = true;
    }
  }
  const double others = count > 0.0 ? std::sqrt(squares / count) : 0.0;
  found.single_node = found.single_node_measured ? found.single_node : others;
  found.multi_node = found.multi_node_measured ? found.multi_node : others;
  return found;
}

// Reports entries of which another one tells the same; `what_of`: of a record, in words.
template <typename Record, typename WhatOf>
void check_told_once(const CatalogData& data, Section section, const Named<Record>& records,
                     const WhatOf& what_of, Diagnostics& diagnostics) {
  std::map<std::string, const Entry*> told;
  for (const auto& [name, record] : records) {
    const Entry* const entry = data.entry(section, name);
    const auto [first, is_new] = told.try_emplace(what_of(record), entry);
    if (!is_new) {
      const SourcePosition& other = first->second->position;
      diagnostics.error(
          entry->position,
          fmt::format("'{}' and '{}' ({}:{}) both tell {}; take one of them away", name,
                      first->second->name, other.file, other.line, first->first));
    }
  }
}

}  // namespace

void check_uncertainties(const CatalogData& data, Diagnostics& diagnostics) {
  check_told_once(
      data, Section::uncertainties, data.uncertainties,
      [](const UncertaintyRecord& record) {
        return fmt::format("how far {} of {} on {} was off, {}", measured_work_names[record.work],
                           record.framework, record.device,
                           record.single_node ? single_node : multi_node);
      },
      diagnostics);
  check_told_once(
      data, Section::traits, data.traits,
      [](const TraitRecord& record) {
        return fmt::format("how far {} was off with {}{}", measured_work_names[record.work],
                           record.trait ? technology::trait_names[*record.trait] : "any trait",
                           record.framework.empty() ? "" : ", of " + record.framework);
      },
      diagnostics);
}

technology::Uncertainty Catalog::uncertainty(std::string_view device, std::string_view framework,
                                             MeasuredWork work) const {
  const std::string device_name = canonical(Section::devices, device).value_or("");
  const std::string framework_name = canonical(Section::frameworks, framework).value_or("");
  technology::Uncertainty found = found_in(data_->uncertainties, device_name, framework_name, work);
  add_traits(data_->traits, framework_name, work, found);
  return found;
}

}  // namespace scalesweep::catalog

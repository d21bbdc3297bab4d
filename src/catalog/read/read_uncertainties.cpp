// How far estimates were from measurements, out of their entries, and looked up.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "catalog/data.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

constexpr std::string_view single_node = "single_node";
constexpr std::string_view multi_node = "multi_node";

// Of a kind of work: each trait by the framework's own cases, else by those of all frameworks.
void add_traits(const Named<TraitRecord>& records, std::string_view framework, MeasuredWork work,
                technology::Uncertainty& found) {
  for (const auto& [name, record] : records) {
    if (record.work != work) {
      continue;
    }
    if (!record.trait) {
      found.unmeasured = record.value;
      continue;
    }
    technology::TraitUncertainty& trait = found.traits[static_cast<std::size_t>(*record.trait)];
    if (record.framework == framework) {
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
  double squares = 0.0;
  double count = 0.0;
  for (const auto& [name, record] : records) {
    if (record.work != work) {
      continue;
    }
    squares += record.relative * record.relative;
    count += 1.0;
    if (record.device == device && record.framework == framework) {
      (record.single_node ? found.single_node : found.multi_node) = record.relative;
      (record.single_node ? found.single_node_measured : found.multi_node_measured) = true;
    }
  }
  const double others = count > 0.0 ? std::sqrt(squares / count) : 0.0;
  found.single_node = found.single_node_measured ? found.single_node : others;
  found.multi_node = found.multi_node_measured ? found.multi_node : others;
  return found;
}

// Training where it is not said.
MeasuredWork read_work(EntryReader& entry) {
  const std::optional<Located> work = entry.given_text("work");
  if (!work) {
    return MeasuredWork::training;
  }
  const auto found = measured_work_names.find(work->text);
  if (!found) {
    entry.table().error("work", fmt::format("'{}' is neither training nor inference", work->text));
  }
  return found.value_or(MeasuredWork::training);
}

}  // namespace

UncertaintyRecord read_uncertainty(EntryReader& entry, std::vector<Reference>& references) {
  UncertaintyRecord record;
  const Located device = entry.text("device");
  const Located framework = entry.text("framework");
  references.push_back({Section::devices, device});
  references.push_back({Section::frameworks, framework});
  record.device = device.text;
  record.framework = framework.text;
  const Located scale = entry.text("scale");
  if (!scale.text.empty() && scale.text != single_node && scale.text != multi_node) {
    const std::array<std::string, 2> scales = {std::string(single_node), std::string(multi_node)};
    entry.table().error(
        "scale", fmt::format("unknown scale '{}'{}", scale.text, suggestion(scale.text, scales)));
  }
  record.work = read_work(entry);
  record.single_node = scale.text == single_node;
  record.relative = entry.value("relative");
  record.rows = entry.integer("rows");
  record.date = entry.text("date").text;
  return record;
}

TraitRecord read_trait(EntryReader& entry, std::vector<Reference>& references) {
  TraitRecord record;
  entry.either({"trait", "factor", "framework"}, {"relative"});
  const std::optional<Located> trait = entry.given_text("trait");
  const std::optional<Located> framework = entry.given_text("framework");
  record.rows = entry.given_integer("rows").value_or(0);
  record.work = read_work(entry);
  record.value = entry.needed(trait ? "factor" : "relative");
  if (entry.has(trait ? "relative" : "factor")) {
    entry.table().error(trait ? "relative" : "factor",
                        trait ? "'relative' belongs to an entry without 'trait'"
                              : "'factor' belongs to an entry with 'trait'");
  }
  if (framework && !trait) {
    entry.table().error("framework", "'framework' needs 'trait': what was measured in it");
  }
  if (trait) {
    record.trait = technology::trait_names.find(trait->text);
    if (!record.trait) {
      entry.table().error("trait",
                          fmt::format("unknown trait '{}'{}", trait->text,
                                      suggestion(trait->text, technology::trait_names.list())));
    }
  }
  if (framework) {
    references.push_back({Section::frameworks, *framework});
    record.framework = framework->text;
  }
  return record;
}

namespace {

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

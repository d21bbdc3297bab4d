// How far estimates were from measurements, looked up.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
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

// Of a kind of work: each trait by the framework's own cases, else by those of all frameworks; one
// that no case has adds what its entry says, else what any adds.
void add_traits(const Named<TraitRecord>& records, std::string_view framework, MeasuredWork work,
                technology::Uncertainty& found) {
  std::array<int, technology::trait_count> nearest{};
  double any = 0.0;
  std::array<std::optional<double>, technology::trait_count> added;
  for (const auto& [name, record] : records) {
    if (record.work != work) {
      continue;
    }
    if (!record.trait) {
      any = record.value;
      continue;
    }
    const auto of = static_cast<std::size_t>(*record.trait);
    if (technology::is_evidence(*record.trait)) {
      added[of] = record.value;
      continue;
    }
    technology::TraitUncertainty& trait = found.traits[of];
    if (const int nearness = nearness_of(record.framework, framework); nearness > nearest[of]) {
      nearest[of] = nearness;
      trait = {technology::Known::here, record.value};
    } else if (record.framework.empty() && trait.known != technology::Known::here) {
      trait = {technology::Known::elsewhere, record.value};
    }
  }
  for (std::size_t i = 0; i < technology::trait_count; ++i) {
    found.traits[i].added = added[i].value_or(any);
  }
}

// What an entry says of a device that others share. Of a template: of the devices that name it.
struct Kin {
  std::string device;
  std::string architecture;
  std::string maker;
  bool is_claimed = false;
};

Kin kin_of(const CatalogData& data, std::string_view hardware) {
  const Entry* const device = data.entry(Section::devices, hardware);
  const auto found_device =
      device == nullptr ? data.devices.end() : data.devices.find(device->name);
  if (found_device != data.devices.end()) {
    const DeviceRecord& record = found_device->second;
    return {device->name, record.architecture, record.maker, record.is_claimed};
  }
  Kin found;
  if (const Entry* const own = data.entry(Section::templates, hardware)) {
    found.architecture = own->name;
    for (const auto& [name, record] : data.devices) {
      if (record.architecture == own->name) {
        found.maker = record.maker;
      }
    }
  }
  return found;
}

// What of a device and a framework any case of a kind of work has.
struct Evidence {
  bool device = false;
  bool architecture = false;
  bool maker = false;
  bool stack = false;
  bool version = false;

  technology::Traits lacks() const {
    technology::Traits found;
    const auto set = [&found](technology::Trait trait) {
      found.set(static_cast<std::size_t>(trait));
    };
    if (!device) {
      set(architecture ? technology::Trait::device_not_measured
          : maker      ? technology::Trait::architecture_not_measured
                       : technology::Trait::maker_not_measured);
    }
    if (!version) {
      set(stack ? technology::Trait::version_not_measured : technology::Trait::stack_not_measured);
    }
    if (device && version) {
      set(technology::Trait::pair_not_measured);
    }
    return found;
  }
};

bool is_same(const std::string& one, const std::string& other) {
  return !one.empty() && one == other;
}

// All records of a kind of work, held against a device and a framework.
class Found {
 public:
  Found(Kin kin, std::string_view framework)
      : kin_(std::move(kin)),
        framework_(framework),
        stack_(workload::stack_name(framework).stack) {}

  void add(const UncertaintyRecord& record) {
    const int nearness = nearness_of(record.framework, framework_);
    const bool same_stack = nearness > 0 || workload::stack_name(record.framework).stack == stack_;
    const bool same_device = is_same(record.device, kin_.device);
    const bool same_architecture = is_same(record.architecture, kin_.architecture);
    const bool same_maker = is_same(record.maker, kin_.maker);
    all_.add(record.relative);
    if (same_maker) {
      of_maker_.add(record.relative);
    }
    evidence_.device |= same_device;
    evidence_.architecture |= same_architecture;
    evidence_.maker |= same_maker;
    evidence_.version |= nearness > 0;
    evidence_.stack |= same_stack;
    if (same_stack && (same_device || same_architecture)) {
      double& relative = nearness > 0 ? of_version_ : of_stack_;
      relative = std::max(relative, record.relative);
    }
    if (same_device) {
      of_device_ = std::min(of_device_.value_or(record.relative), record.relative);
    }
    Nearest& nearest = record.single_node ? single_node_ : multi_node_;
    if (same_device && nearness > nearest.nearness) {
      nearest = {nearness, record.relative};
    }
  }

  // Of the regime itself; else of the same device and framework at the other scale; else as any
  // of its maker's could be, or of all makers', and never below what a relative has: the same stack
  // on the same device or architecture, and the best known stack of the device.
  technology::Uncertainty uncertainty() const {
    return {of_scale(single_node_, multi_node_), of_scale(multi_node_, single_node_), {}};
  }

 private:
  struct Nearest {
    int nearness = 0;
    double relative = 0.0;
  };

  technology::ScaleUncertainty of_scale(const Nearest& own, const Nearest& other) const {
    technology::ScaleUncertainty found;
    if (own.nearness > 0) {
      found.relative = own.relative;
      return found;
    }
    if (other.nearness > 0) {
      found.relative = other.relative;
      found.lacks.set(static_cast<std::size_t>(technology::Trait::scale_not_measured));
    } else if (all_.count > 0.0) {
      const MeanSquare& kin = of_maker_.count > 0.0 ? of_maker_ : all_;
      found.relative = std::max(
          {kin.root(), of_version_ > 0.0 ? of_version_ : of_stack_, of_device_.value_or(0.0)});
      found.lacks = evidence_.lacks();
    }
    if (kin_.is_claimed && found.relative > 0.0) {
      found.lacks.set(static_cast<std::size_t>(technology::Trait::claimed_peak));
    }
    return found;
  }

  struct MeanSquare {
    double squares = 0.0;
    double count = 0.0;

    void add(double value) {
      squares += value * value;
      count += 1.0;
    }
    double root() const { return std::sqrt(squares / count); }
  };

  Kin kin_;
  std::string_view framework_;
  std::string_view stack_;
  Evidence evidence_;
  Nearest single_node_;
  Nearest multi_node_;
  MeanSquare all_;
  MeanSquare of_maker_;
  double of_version_ = 0.0;  // the largest of the same version on kin; of other versions
  double of_stack_ = 0.0;
  std::optional<double> of_device_;  // the smallest
};

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

void complete_uncertainties(CatalogData& data) {
  for (auto& [name, record] : data.uncertainties) {
    const Kin of = kin_of(data, record.device);
    record.architecture = record.architecture.empty() ? of.architecture : record.architecture;
    record.maker = record.maker.empty() ? of.maker : record.maker;
  }
}

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

technology::Uncertainty Catalog::uncertainty(std::string_view hardware, std::string_view framework,
                                             MeasuredWork work) const {
  const std::string framework_name = canonical(Section::frameworks, framework).value_or("");
  Found records(kin_of(*data_, hardware), framework_name);
  for (const auto& [name, record] : data_->uncertainties) {
    if (record.work == work) {
      records.add(record);
    }
  }
  technology::Uncertainty found = records.uncertainty();
  add_traits(data_->traits, framework_name, work, found);
  return found;
}

}  // namespace scalesweep::catalog

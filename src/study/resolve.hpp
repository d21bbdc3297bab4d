// The names on a spec's axes, looked up in a catalog: from axis indices to a job and a system.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "estimator/training.hpp"
#include "space/spec.hpp"
#include "study/schema.hpp"
#include "technology/derive.hpp"
#include "technology/device.hpp"

namespace scalesweep::study {

// The system of a point, or why there is none.
struct SystemChoice {
  Status status = Status::ok;
  std::string reason;                                // a sentence; "" if ok
  std::optional<technology::System> system;          // if ok
  std::optional<technology::Derivation> derivation;  // of a derived device, also where it failed
};

class Resolver {
 public:
  // Reports every name that the catalog lacks, at its place in the spec, with the closest one. Axes
  // may be missing where the spec has other mistakes.
  static void check(const std::vector<space::Axis>& axes, const catalog::Catalog& catalog,
                    Diagnostics& diagnostics);
  // Of a complete spec whose names were checked.
  Resolver(std::vector<space::Axis> axes, std::shared_ptr<const catalog::Catalog> catalog);

  estimator::TrainingJob job(std::span<const std::int32_t> axis_index) const;
  double accelerators(std::span<const std::int32_t> axis_index) const;
  SystemChoice system(std::span<const std::int32_t> axis_index) const;

  // Entries of the catalog that the study rests on, in catalog order.
  const std::vector<const catalog::Entry*>& entries() const { return entries_; }

 private:
  // An axis that may be absent.
  struct Coordinate {
    const space::Axis* axis = nullptr;
    std::size_t index = 0;

    bool exists() const { return axis != nullptr; }
    const std::string& label(std::span<const std::int32_t> axis_index) const {
      return axis->labels[static_cast<std::size_t>(axis_index[index])];
    }
    double value(std::span<const std::int32_t> axis_index) const {
      return axis->values[static_cast<std::size_t>(axis_index[index])];
    }
  };

  Coordinate coordinate(std::string_view name) const;
  using EntryName = std::pair<catalog::Section, std::string>;
  std::vector<std::string> scalings_used() const;
  std::vector<EntryName> implied_entries() const;
  void collect_entries();
  SystemChoice derived(std::span<const std::int32_t> axis_index) const;
  SystemChoice catalogued(std::span<const std::int32_t> axis_index) const;

  std::shared_ptr<const std::vector<space::Axis>> axes_;
  std::shared_ptr<const catalog::Catalog> catalog_;
  std::vector<const catalog::Entry*> entries_;
  Coordinate model_, sequence_, global_batch_, precision_, attention_, framework_, accelerators_;
  Coordinate device_, architecture_, logic_, scaling_, memory_;
  Coordinate die_area_, dies_, power_, stacks_;
  Coordinate scale_up_, scale_up_domain_, scale_out_;
};

}  // namespace scalesweep::study

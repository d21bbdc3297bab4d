// The system of a point: catalogued, or derived from its budgets.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "keys/prefill_system.hpp"
#include "study/columns/schema.hpp"
#include "study/resolve/point_axes.hpp"
#include "technology/cost.hpp"
#include "technology/derive/derive.hpp"
#include "technology/device.hpp"
#include "technology/economics.hpp"

namespace scalesweep::study {

// The system of a point, or why there is none.
struct SystemChoice {
  Status status = Status::ok;
  std::string reason;                        // a sentence; "" if ok
  std::optional<technology::System> system;  // if ok
  // Of a derived device: what was asked for, and what became of it, also where it failed.
  std::optional<catalog::DerivedSystem> asked;
  std::optional<technology::Derivation> derivation;
  // What the system costs and emits; nothing if the catalog does not know what making it takes.
  std::optional<technology::Ownership> ownership;
  // The same of the devices that process prompts, where they are others.
  std::optional<technology::System> prefill_system;
  std::optional<technology::Ownership> prefill_ownership;
};

class SystemResolver {
 public:
  explicit SystemResolver(const StudyAxes& axes);

  // `allocated` are the shares of a derived device that no axis says; `multiplied` the formats that
  // need a matrix unit.
  SystemChoice at(const PointAxes& point, const technology::Shares& allocated,
                  std::span<const technology::Precision> multiplied) const;
  // Positions of the axes on which that depends, each once, ascending.
  std::vector<std::size_t> positions() const;

 private:
  SystemChoice derived(const PointAxes& point, const technology::Shares& allocated) const;
  SystemChoice catalogued(const PointAxes& point) const;
  // Gives a device the kernels of the libraries that the point's stack names.
  void use_libraries(const PointAxes& point, std::string_view hardware,
                     technology::Device& device) const;
  // Adds what processes prompts, of a study with a pool of its own for them.
  void add_prefill(const PointAxes& point, std::span<const technology::Precision> multiplied,
                   SystemChoice& choice) const;
  std::optional<SystemChoice> beyond_link(const PointAxes& point) const;
  // Assumptions of the catalog with those that the spec replaces.
  technology::Economics economics(const PointAxes& point) const;

  bool catalogued_devices_;
  AxisPosition scale_up_;
  AxisPosition domain_;
  AxisPosition prefill_device_;
  AxisPosition economics_;
  AxisPosition framework_;  // where any of its stacks names libraries
  AxisRules<catalog::DerivedSystem> derived_rules_;
  AxisRules<catalog::CataloguedSystem> catalogued_rules_;
  AxisRules<keys::PrefillSystem> prefill_rules_;
  AxisRules<technology::Device> changes_;
  AxisRules<technology::Economics> overrides_;
};

}  // namespace scalesweep::study

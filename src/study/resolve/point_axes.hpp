// The axes of a study, and the values of one point on them.
//
// Names are looked up once for a study: whoever needs an axis keeps its position, or the rules of
// where the values of axes go, which the rows of their keys say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "keys/row.hpp"
#include "space/read/spec.hpp"

namespace scalesweep::study {

// Where an axis stands; nothing in a study that does not have it.
using AxisPosition = std::optional<std::size_t>;

using keys::AxisValue;

// The values of one point. Refers to its study and to the indices.
class PointAxes {
 public:
  PointAxes(const std::vector<space::Axis>& axes, const catalog::Catalog& catalog,
            std::span<const std::int32_t> index)
      : axes_(axes), catalog_(catalog), index_(index) {}

  AxisValue operator[](std::size_t position) const {
    const space::Axis& axis = axes_[position];
    const auto index = static_cast<std::size_t>(index_[position]);
    return {index, axis.labels[index], axis.values[index], catalog_};
  }
  std::string_view label_or(AxisPosition position, std::string_view otherwise) const {
    return position ? std::string_view((*this)[*position].label) : otherwise;
  }
  std::size_t index_or(AxisPosition position, std::size_t otherwise) const {
    return position ? (*this)[*position].index : otherwise;
  }
  const catalog::Catalog& catalog() const { return catalog_; }

 private:
  const std::vector<space::Axis>& axes_;
  const catalog::Catalog& catalog_;
  std::span<const std::int32_t> index_;
};

// Copies share the axes and the catalog.
class StudyAxes {
 public:
  // `looked_for`, if it is there, takes the names that are looked for; it outlives all copies.
  StudyAxes(std::vector<space::Axis> axes, std::shared_ptr<const catalog::Catalog> catalog,
            std::set<std::string, std::less<>>* looked_for = nullptr)
      : axes_(std::make_shared<const std::vector<space::Axis>>(std::move(axes))),
        catalog_(std::move(catalog)),
        looked_for_(looked_for) {}

  PointAxes at(std::span<const std::int32_t> index) const { return {*axes_, *catalog_, index}; }
  AxisPosition find(std::string_view name) const {
    if (looked_for_ != nullptr) {
      looked_for_->emplace(name);
    }
    return space::find_axis(*axes_, std::string(name));
  }
  // Of an axis that may be absent: none then.
  std::span<const std::string> labels(std::string_view name) const {
    const AxisPosition position = find(name);
    return position ? std::span((*axes_)[*position].labels) : std::span<const std::string>();
  }
  const catalog::Catalog& catalog() const { return *catalog_; }

 private:
  std::shared_ptr<const std::vector<space::Axis>> axes_;
  std::shared_ptr<const catalog::Catalog> catalog_;
  std::set<std::string, std::less<>>* looked_for_;
};

// What the axes of a study say of a target, by the setters of their keys. What no axis says stays
// as it is.
template <typename Target>
class AxisRules {
 public:
  explicit AxisRules(const StudyAxes& axes, std::span<const keys::Row> rows = keys::axis_rows()) {
    for (const keys::AxisSetter& setter : keys::setters_of(keys::target_of<Target>, rows)) {
      if (const AxisPosition position = axes.find(setter.axis)) {
        rules_.push_back({*position, setter.set});
      }
    }
  }

  void apply(const PointAxes& point, Target& target) const {
    for (const auto& [position, set] : rules_) {
      set(&target, point[position]);
    }
  }
  void append_positions(std::vector<std::size_t>& positions) const {
    for (const Placed& rule : rules_) {
      positions.push_back(rule.position);
    }
  }

 private:
  struct Placed {
    std::size_t position;
    void (*set)(void* target, const AxisValue& value);
  };
  std::vector<Placed> rules_;
};

}  // namespace scalesweep::study

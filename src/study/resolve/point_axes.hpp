// The axes of a study, and the values of one point on them.
//
// Names are looked up once for a study: whoever needs an axis keeps its position, or a table of
// rules that say where the values of axes go.
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
#include "space/spec/spec.hpp"

namespace scalesweep::study {

// Where an axis stands; nothing in a study that does not have it.
using AxisPosition = std::optional<std::size_t>;

// The value of a point on one axis.
struct AxisValue {
  std::size_t index;         // on the axis
  const std::string& label;  // "N5"
  double number;             // SI
  const catalog::Catalog& catalog;

  std::int64_t integer() const { return static_cast<std::int64_t>(number); }
};

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

// Where the value of an axis goes.
template <typename Target>
struct AxisRule {
  std::string_view axis;
  void (*set)(Target& target, const AxisValue& value);
};

// Those rules of a table whose axes a study has, in the order of the table. What no axis says stays
// as it is.
template <typename Target>
class AxisRules {
 public:
  AxisRules(const StudyAxes& axes, std::span<const AxisRule<Target>> table) {
    for (const AxisRule<Target>& rule : table) {
      if (const AxisPosition position = axes.find(rule.axis)) {
        rules_.push_back({*position, rule.set});
      }
    }
  }

  void apply(const PointAxes& point, Target& target) const {
    for (const auto& [position, set] : rules_) {
      set(target, point[position]);
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
    void (*set)(Target& target, const AxisValue& value);
  };
  std::vector<Placed> rules_;
};

}  // namespace scalesweep::study

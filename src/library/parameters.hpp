// What the points of a study are combinations of: its axes, then the fields of layouts.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "parallel/fields.hpp"
#include "study/study.hpp"

namespace scalesweep::library {

enum class Choice : std::uint8_t { axis, together, layout, derived };

struct Parameter {
  std::string name;
  std::string units;
  std::string description;
  std::string follows;  // of an axis that varies together with another
  Choice choice = Choice::axis;
  std::vector<std::string> labels;
  std::vector<double> values;              // empty where the labels are names
  const parallel::Field* field = nullptr;  // of layouts
  std::vector<std::int32_t> field_values;  // ascending, one for each label
};

std::vector<Parameter> parameters_of(const study::Study& study);

// By parameter the place of what a point has.
std::vector<std::int32_t> choices_of(const study::Study& study,
                                     std::span<const Parameter> parameters, PointId id);

// No valid point has the choices, or several have.
struct NoPoint : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The one point that has these choices; -1 leaves one open. Throws NoPoint, and Failure(usage) for
// a choice that is none.
PointId id_of(const study::Study& study, std::span<const Parameter> parameters,
              std::span<const std::int32_t> choices);

}  // namespace scalesweep::library

// Which columns an estimate fills, kind by kind: the time and its parts, figures, labels.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "parallel/enumerate.hpp"

namespace scalesweep::study {

using parallel::WorkloadKind;

struct Described {
  const char* name;
  const char* units;
  const char* long_name;
  const char* description;
};

// Names instead of numbers; a row without an estimate has "none" after them.
struct LabelColumn {
  const char* name;
  const char* long_name;
  const char* description;
  std::span<const std::string_view> words;
};

// In the order in which they are written. figures.hpp fills them.
struct EstimateColumns {
  Described time;  // what charges and phases sum to
  std::span<const std::string_view> phases;
  std::span<const Described> figures;
  std::span<const LabelColumn> labels;
  // What a study minimises that says nothing, and what the better of two points has less of.
  std::array<std::string_view, 3> objectives;
  std::string_view better;

  std::size_t numbers() const { return phases.size() + figures.size(); }
};

const EstimateColumns& estimate_columns(WorkloadKind kind);

}  // namespace scalesweep::study

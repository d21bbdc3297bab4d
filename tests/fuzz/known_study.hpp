// The catalog that ships, and a small study on it whose columns and axes conditions may name.
#pragma once

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "study/study.hpp"
#include "support/shipped_catalog.hpp"
#include "support/small_study.hpp"

namespace scalesweep::fuzz {

// Loaded once, and not counted as lost at the end.
inline const std::shared_ptr<const catalog::Catalog>& known_catalog() {
  static const auto known = std::make_shared<const catalog::Catalog>(test::shipped_catalog());
  return known;
}

inline std::optional<study::Study> study_of(const std::string& spec, Diagnostics& diagnostics) {
  return study::Study::of({"spec.toml", spec, known_catalog()}, diagnostics);
}

inline const study::Study& known_study() {
  static const study::Study known = [] {
    Diagnostics diagnostics;
    const auto study = study_of(test::small_spec(), diagnostics);
    if (!study) {
      throw std::runtime_error(diagnostics.text());
    }
    return *study;
  }();
  return known;
}

inline engine::RangeResult empty_result(const study::Study& study) {
  return {store::Table(study.description().schema), store::zero_counts(study.description()),
          std::numeric_limits<double>::infinity()};
}

}  // namespace scalesweep::fuzz

#include "technology/uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace scalesweep::technology {

double relative_uncertainty(const Uncertainty& uncertainty, double devices, const Traits& traits) {
  const double bar = devices <= devices_per_node ? uncertainty.single_node : uncertainty.multi_node;
  if (bar <= 0.0 || traits.none()) {
    return bar;
  }
  double factor = 1.0;
  double added = 0.0;
  for (std::size_t i = 0; i < trait_count; ++i) {
    if (!traits[i]) {
      continue;
    }
    const TraitUncertainty& trait = uncertainty.traits[i];
    if (trait.known == Known::nowhere) {
      added += uncertainty.unmeasured * uncertainty.unmeasured;
    } else {
      factor = std::max(factor, trait.factor);
    }
  }
  return added > 0.0 ? std::hypot(factor * bar, std::sqrt(added)) : factor * bar;
}

std::size_t least_known(const Uncertainty& uncertainty, const Traits& traits) {
  std::size_t i = uncertainty.unmeasured > 0.0 ? 0 : trait_count;
  while (i < trait_count && !(traits[i] && uncertainty.traits[i].known == Known::nowhere)) {
    ++i;
  }
  return i;
}

std::vector<std::string_view> names_of(const Traits& traits) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < trait_count; ++i) {
    if (traits[i]) {
      names.push_back(trait_names[i]);
    }
  }
  return names;
}

Traits known_as(const Uncertainty& uncertainty, const Traits& traits, Known known) {
  Traits found;
  for (std::size_t i = 0; i < trait_count; ++i) {
    found[i] = traits[i] && uncertainty.traits[i].known == known;
  }
  return found;
}

}  // namespace scalesweep::technology

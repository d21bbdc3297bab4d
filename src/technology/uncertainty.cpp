#include "technology/uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace scalesweep::technology {

double relative_uncertainty(const Uncertainty& uncertainty, double devices, const Traits& traits) {
  const ScaleUncertainty& at = at_scale(uncertainty, devices);
  const Traits all = traits | at.lacks;
  if (at.relative <= 0.0 || all.none()) {
    return at.relative;
  }
  double factor = 1.0;
  double added = 0.0;  // squared
  for (std::size_t i = 0; i < trait_count; ++i) {
    if (!all[i]) {
      continue;
    }
    const TraitUncertainty& trait = uncertainty.traits[i];
    if (trait.known == Known::nowhere) {
      added += trait.added * trait.added;
    } else {
      factor = std::max(factor, trait.factor);
    }
  }
  return added > 0.0 ? std::hypot(factor * at.relative, std::sqrt(added)) : factor * at.relative;
}

std::size_t least_known(const Uncertainty& uncertainty, double devices, const Traits& traits) {
  const ScaleUncertainty& at = at_scale(uncertainty, devices);
  if (at.relative <= 0.0) {
    return trait_count;
  }
  const Traits all = traits | at.lacks;
  std::size_t i = 0;
  while (i < trait_count && !(all[i] && uncertainty.traits[i].known == Known::nowhere)) {
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

#include "parallel/strategy.hpp"

namespace scalesweep::parallel {

std::optional<Recompute> recompute_from(std::string_view name) {
  for (std::size_t i = 0; i < recompute_names.size(); ++i) {
    if (recompute_names[i] == name) {
      return static_cast<Recompute>(i);
    }
  }
  return std::nullopt;
}

}  // namespace scalesweep::parallel

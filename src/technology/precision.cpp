#include "technology/precision.hpp"

namespace scalesweep::technology {

std::optional<Precision> precision_from(std::string_view name) {
  for (std::size_t i = 0; i < precision_count; ++i) {
    if (precision_names[i] == name) {
      return static_cast<Precision>(i);
    }
  }
  return name == "nvfp4" ? std::optional(Precision::fp4) : std::nullopt;
}

}  // namespace scalesweep::technology

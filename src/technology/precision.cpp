#include "technology/precision.hpp"

namespace scalesweep::technology {

std::optional<Precision> precision_from(std::string_view name) {
  for (std::size_t i = 0; i < precision_count; ++i) {
    if (precision_names[i] == name) {
      return static_cast<Precision>(i);
    }
  }
  return std::nullopt;
}

}  // namespace scalesweep::technology

#include "technology/precision.hpp"

namespace scalesweep::technology {

std::optional<Precision> precision_from(std::string_view name) {
  return name == "nvfp4" ? Precision::fp4 : precision_names.find(name);
}

}  // namespace scalesweep::technology

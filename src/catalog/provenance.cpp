#include "catalog/provenance.hpp"

#include <algorithm>

namespace scalesweep::catalog {
namespace {

template <typename Enum, std::size_t n>
std::optional<Enum> enum_from(std::string_view name, const std::array<std::string_view, n>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    return std::nullopt;
  }
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::optional<Section> section_from(std::string_view name) {
  return enum_from<Section>(name, section_names);
}

std::optional<SourceKind> source_kind_from(std::string_view name) {
  return enum_from<SourceKind>(name, source_kind_names);
}

}  // namespace scalesweep::catalog

#include "catalog/load/references.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

// A template can be derived in every series, so its node must be in each.
void check_reference_node(const Located& node, const CatalogData& data, Diagnostics& diagnostics) {
  for (const std::string& series : data.series_names) {
    if (!data.logic.contains(series + "/" + node.text)) {
      diagnostics.error(node.position,
                        fmt::format("the series '{}' of logic nodes has no node '{}'{}", series,
                                    node.text, suggestion(node.text, data.node_names)));
    }
  }
}

// What studies rest on where they name no other must be there once an entry of `user` is.
void require(Section user, Section section, std::string_view name, const CatalogData& data,
             Diagnostics& diagnostics) {
  const auto first = std::find_if(data.entries.begin(), data.entries.end(),
                                  [user](const Entry& entry) { return entry.section == user; });
  if (first != data.entries.end() &&
      !data.index[static_cast<std::size_t>(section)].contains(name)) {
    diagnostics.error(
        first->position,
        fmt::format("entries of {} need an entry '{}' among {} for studies that name no "
                    "other; copy it from the catalog that ships",
                    name_of(user), name, name_of(section)));
  }
}

}  // namespace

void check_reference(const Reference& reference, const CatalogData& data,
                     Diagnostics& diagnostics) {
  if (reference.name.text.empty()) {
    return;  // missing: already reported
  }
  if (reference.section == Section::logic) {
    check_reference_node(reference.name, data, diagnostics);
    return;
  }
  const auto& index = data.index[static_cast<std::size_t>(reference.section)];
  std::vector<std::string> known;
  for (const auto& [name, entry] : index) {
    known.push_back(name);
  }
  std::string name = reference.name.text;
  if (reference.section == Section::scale_out) {
    const auto split = split_ports(name);
    name = split ? split->first : name;
    for (std::string& candidate : known) {
      candidate += fmt::format("x{}", split ? split->second : 8);
    }
  }
  if (!index.contains(name)) {
    const std::string near = near_name(reference.name.text, known);
    diagnostics.error(
        reference.name.position,
        fmt::format("no entry '{}' among {}{}", reference.name.text, name_of(reference.section),
                    near.empty() ? suggestion(reference.name.text, known) : near));
  }
}

void check_references(const std::vector<Reference>& references, const CatalogData& data,
                      Diagnostics& diagnostics) {
  for (const Reference& reference : references) {
    check_reference(reference, data, diagnostics);
  }
  require(Section::scale_out, Section::topologies, default_topology, data, diagnostics);
  require(Section::templates, Section::packages, default_package, data, diagnostics);
  require(Section::devices, Section::packages, default_package, data, diagnostics);
  require(Section::devices, Section::economics, default_economics, data, diagnostics);
  require(Section::devices, Section::fits, default_fit, data, diagnostics);
}

}  // namespace scalesweep::catalog

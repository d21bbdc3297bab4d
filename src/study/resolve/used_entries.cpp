#include "study/resolve/used_entries.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/contracts.hpp"
#include "space/axes/workload_axes.hpp"
#include "space/keys/spec_keys.hpp"

namespace scalesweep::study {
namespace {

using catalog::Section;

using EntryNames = std::vector<std::pair<Section, std::string>>;

std::vector<std::string> scalings_used(const StudyAxes& axes) {
  const auto scalings = axes.labels("scaling");
  return scalings.empty() ? std::vector<std::string>{std::string(catalog::default_scaling)}
                          : std::vector<std::string>(scalings.begin(), scalings.end());
}

// A node as foundries state it: voltages of devices and energies of templates are of that.
void imply_foundry_node(const std::string& node, EntryNames& names) {
  names.emplace_back(Section::logic, fmt::format("{}/{}", catalog::default_scaling, node));
}

void imply_making(const technology::Device& device, EntryNames& names) {
  imply_foundry_node(device.logic, names);
  names.emplace_back(Section::memories, device.memory);
  names.emplace_back(Section::packages, device.package);
  names.emplace_back(Section::processes, device.logic);
}

// The product whose price says what the maker asks for dies, if another one does.
void imply_price(const catalog::Catalog& catalog, const std::string& name, EntryNames& names) {
  const std::string& like = catalog.device(name).priced_like;
  const bool other = !like.empty() && catalog.canonical(Section::devices, like) != name;
  if (other) {
    names.emplace_back(Section::devices, like);
    imply_making(catalog.device(like), names);
  }
}

// Links, and what making the device takes.
void imply_by_device(const catalog::Catalog& catalog, const std::string& name, EntryNames& names) {
  const catalog::CataloguedSystem usual = catalog.usual_system(name);
  names.emplace_back(Section::scale_up, usual.scale_up.value_or(""));
  names.emplace_back(Section::scale_out, usual.scale_out.value_or(""));
  imply_making(catalog.device(name), names);
  imply_price(catalog, name, names);
}

// The device that a template is calibrated on, whose energies and price it takes.
void imply_by_template(const catalog::Catalog& catalog, const std::vector<std::string>& scalings,
                       const std::string& name, EntryNames& names) {
  const technology::DeviceTemplate& open = catalog.architecture(name);
  for (const std::string& scaling : scalings) {
    names.emplace_back(Section::logic, scaling + "/" + open.reference_node);
  }
  imply_foundry_node(open.reference_node, names);
  names.emplace_back(Section::devices, open.calibrated_on);
  imply_making(catalog.device(open.calibrated_on), names);
  imply_price(catalog, open.calibrated_on, names);
}

// The node in every series, and making its wafers; beyond a series, its last two nodes.
void imply_by_node(const catalog::Catalog& catalog, const std::vector<std::string>& scalings,
                   const std::string& node, EntryNames& names) {
  for (const std::string& scaling : scalings) {
    std::vector<std::string> used = {catalog.canonical(Section::logic, node).value_or(node)};
    if (catalog.extrapolates(node, scaling)) {
      const std::vector<std::string> series = catalog.nodes(scaling);
      used.assign(series.end() - 2, series.end());
    }
    for (const std::string& name : used) {
      names.emplace_back(Section::logic, scaling + "/" + name);
      names.emplace_back(Section::processes, name);
    }
  }
}

// What stands for an axis that the study does not have.
void imply_defaults(const StudyAxes& axes, const space::WorkloadForm& form, EntryNames& names) {
  if (!axes.find("package") && !axes.find("device")) {
    names.emplace_back(Section::packages, catalog::default_package);
  }
  if (!axes.find("topology")) {
    names.emplace_back(Section::topologies, catalog::default_topology);
  }
  if (!axes.find("economics")) {
    names.emplace_back(Section::economics, catalog::default_economics);
  }
  const std::span<const std::string> works = axes.labels("work");
  const bool trains =
      !form.has("work") || std::find(works.begin(), works.end(), "training") != works.end();
  if (trains && form.has("optimizer") && !axes.find("optimizer")) {
    names.emplace_back(Section::optimizers, catalog::default_optimizer);
  }
  if (axes.find("tokens") || axes.find("steps")) {
    names.emplace_back(Section::reliability, catalog::default_reliability);
    names.emplace_back(Section::storage, catalog::default_storage);
  }
}

// What the devices and templates of the study rest on beside their own entries.
EntryNames implied_entries(const StudyAxes& axes, const space::WorkloadForm& form) {
  const catalog::Catalog& catalog = axes.catalog();
  const std::vector<std::string> scalings = scalings_used(axes);
  EntryNames names;
  for (const NamedAxis& named : named_axes()) {
    for (const std::string& name : axes.labels(named.axis)) {
      if (named.section == Section::devices) {
        imply_by_device(catalog, name, names);
      } else if (named.section == Section::logic) {
        imply_by_node(catalog, scalings, name, names);
      } else if (named.section == Section::templates) {
        imply_by_template(catalog, scalings, name, names);
      }
    }
  }
  imply_defaults(axes, form, names);
  for (const Section section :
       {Section::uncertainties, Section::traits, Section::fits, Section::libraries}) {
    for (const std::string& name : catalog.names(section)) {
      names.emplace_back(section, name);
    }
  }
  return names;
}

// Each once.
std::vector<const catalog::Entry*> in_catalog_order(
    const catalog::Catalog& catalog, const std::vector<const catalog::Entry*>& chosen) {
  std::vector<const catalog::Entry*> entries;
  for (const catalog::Entry& entry : catalog.entries()) {
    if (std::find(chosen.begin(), chosen.end(), &entry) != chosen.end()) {
      entries.push_back(&entry);
    }
  }
  return entries;
}

// What has the values that an entry lacks; nothing if it has all.
const catalog::Entry* base_of(const catalog::Catalog& catalog, const catalog::Entry& entry) {
  const std::string& name = entry.predecessor.empty() ? entry.like : entry.predecessor;
  return name.empty() ? nullptr : catalog.entry(entry.section, name);
}

}  // namespace

const std::vector<NamedAxis>& named_axes() {
  static const std::vector<NamedAxis> all = [] {
    std::vector<NamedAxis> axes;
    for (const space::Key& key : space::spec_keys()) {
      const bool is_known = std::any_of(axes.begin(), axes.end(), [&key](const NamedAxis& named) {
        return named.axis == key.axis;
      });
      if (!key.names.section.empty() && !is_known) {
        const auto section = catalog::section_names.find(key.names.section);
        SCALESWEEP_EXPECT(section.has_value());
        axes.push_back({key.axis, *section, key.names.noun, key.names.others});
      }
    }
    return axes;
  }();
  return all;
}

std::vector<const catalog::Entry*> used_entries(const StudyAxes& axes,
                                                const space::WorkloadForm& form) {
  EntryNames names = implied_entries(axes, form);
  for (const NamedAxis& named : named_axes()) {
    for (const std::string& name : axes.labels(named.axis)) {
      names.emplace_back(named.section, name);
    }
  }
  std::vector<const catalog::Entry*> used;
  for (const auto& [section, name] : names) {
    used.push_back(axes.catalog().entry(section, name));
  }
  for (std::size_t i = 0; i < used.size(); ++i) {  // what is added may have others inside in turn
    if (used[i] != nullptr && !used[i]->inside.empty()) {
      used.push_back(axes.catalog().entry(used[i]->section, used[i]->inside));
    }
  }
  return in_catalog_order(axes.catalog(), used);
}

std::vector<const catalog::Entry*> with_bases(const catalog::Catalog& catalog,
                                              std::vector<const catalog::Entry*> entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {  // what is added may rest on others in turn
    const catalog::Entry* const base = base_of(catalog, *entries[i]);
    if (base == nullptr) {
      continue;
    }
    entries.push_back(base);
    if (base->section == catalog::Section::models && !base->inside.empty()) {
      entries.push_back(catalog.entry(base->section, base->inside));  // read with it
    }
  }
  return in_catalog_order(catalog, entries);
}

std::vector<std::string> extrapolated_nodes(const StudyAxes& axes) {
  std::vector<std::string> names;
  for (const std::string& scaling : scalings_used(axes)) {
    for (const std::string& node : axes.labels("logic")) {
      if (axes.catalog().extrapolates(node, scaling)) {
        names.push_back(fmt::format("logic {}/{} (extrapolated)", scaling, node));
      }
    }
  }
  return names;
}

}  // namespace scalesweep::study

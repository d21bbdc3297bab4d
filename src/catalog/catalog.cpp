#include "catalog/catalog.hpp"

#include <fmt/format.h>

#include "catalog/data.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

constexpr std::size_t index_of(Section section) {
  return static_cast<std::size_t>(section);
}

[[noreturn]] void unknown(Section section, std::string_view name) {
  throw Failure(ExitCode::internal,
                fmt::format("no entry '{}' among {} of the catalog", name, name_of(section)));
}

template <typename Record>
const Record& record(const Named<Record>& records, Section section,
                     const std::optional<std::string>& name, std::string_view asked) {
  const auto found = name ? records.find(*name) : records.end();
  if (found == records.end()) {
    unknown(section, asked);
  }
  return found->second;
}

std::string with_ports(const std::string& technology, std::int64_t ports) {
  return fmt::format("{}x{}", technology, ports);
}

}  // namespace

std::vector<std::string> Catalog::names(Section section) const {
  if (section == Section::logic) {
    return data_->node_names;
  }
  std::vector<std::string> names;
  for (const Entry& entry : data_->entries) {
    if (entry.section != section) {
      continue;
    }
    if (section != Section::scale_out) {
      names.push_back(entry.name);
      continue;
    }
    for (const std::int64_t ports : data_->ports.at(entry.name).ports) {
      names.push_back(with_ports(entry.name, ports));
    }
  }
  return names;
}

std::optional<std::string> Catalog::canonical(Section section, std::string_view name) const {
  if (section == Section::logic) {
    const auto& nodes = data_->node_names;
    const bool known = std::find(nodes.begin(), nodes.end(), name) != nodes.end();
    return known ? std::optional(std::string(name)) : std::nullopt;
  }
  const auto& index = data_->index[index_of(section)];
  if (section == Section::scale_out) {
    const auto split = split_ports(name);
    const auto found = split ? index.find(split->first) : index.end();
    return found == index.end()
               ? std::nullopt
               : std::optional(with_ports(data_->entries[found->second].name, split->second));
  }
  const auto found = index.find(name);
  return found == index.end() ? std::nullopt : std::optional(data_->entries[found->second].name);
}

bool Catalog::has(Section section, std::string_view name_or_alias) const {
  return canonical(section, name_or_alias).has_value();
}

std::string Catalog::suggestion(Section section, std::string_view name) const {
  std::vector<std::string> known = names(section);
  if (section != Section::logic && section != Section::scale_out) {
    // A misspelt alias is answered by the alias; the full list holds canonical names only.
    std::vector<std::string> aliases;
    for (const auto& [alias, entry] : data_->index[index_of(section)]) {
      aliases.push_back(alias);
    }
    if (const std::optional<std::string> best = closest(name, aliases)) {
      known = {*best};
    }
  }
  return scalesweep::suggestion(name, known);
}

const Entry* Catalog::entry(Section section, std::string_view name) const {
  const auto& index = data_->index[index_of(section)];
  auto found = index.find(name);
  if (found == index.end() && section == Section::scale_out) {
    const auto split = split_ports(name);
    found = split ? index.find(split->first) : index.end();
  }
  return found == index.end() ? nullptr : &data_->entries[found->second];
}

const std::vector<Entry>& Catalog::entries() const {
  return data_->entries;
}

std::vector<std::string> Catalog::scalings() const {
  return data_->series_names;
}

bool Catalog::has_logic(std::string_view node, std::string_view scaling) const {
  return data_->logic.contains(fmt::format("{}/{}", scaling, node));
}

const workload::TransformerModel& Catalog::model(std::string_view name) const {
  return record(data_->models, Section::models, canonical(Section::models, name), name);
}

const workload::Framework& Catalog::framework(std::string_view name) const {
  return record(data_->frameworks, Section::frameworks, canonical(Section::frameworks, name), name);
}

const technology::Device& Catalog::device(std::string_view name) const {
  return record(data_->devices, Section::devices, canonical(Section::devices, name), name).device;
}

const technology::LogicNode& Catalog::logic(std::string_view node, std::string_view scaling) const {
  const std::string name = fmt::format("{}/{}", scaling, node);
  return record(data_->logic, Section::logic, name, name);
}

const technology::MemoryTechnology& Catalog::memory(std::string_view name) const {
  return record(data_->memories, Section::memories, canonical(Section::memories, name), name);
}

const technology::DeviceTemplate& Catalog::architecture(std::string_view name) const {
  return record(data_->templates, Section::templates, canonical(Section::templates, name), name);
}

const technology::Network& Catalog::scale_up(std::string_view name) const {
  return record(data_->links, Section::scale_up, canonical(Section::scale_up, name), name).network;
}

int Catalog::largest_domain(std::string_view name) const {
  return record(data_->links, Section::scale_up, canonical(Section::scale_up, name), name)
      .largest_domain;
}

technology::Network Catalog::scale_out(std::string_view name) const {
  const std::optional<std::string> full = canonical(Section::scale_out, name);
  if (!full) {
    unknown(Section::scale_out, name);
  }
  const auto split = split_ports(*full);
  technology::Network network = data_->ports.at(split->first).network;
  const double share = static_cast<double>(split->second) / devices_per_port_group;
  network.name = *full;
  network.bandwidth *= share;
  network.half_size *= share;  // the same time
  return network;
}

CataloguedSystem Catalog::usual_system(std::string_view name) const {
  return record(data_->devices, Section::devices, canonical(Section::devices, name), name).usual;
}

technology::System Catalog::catalogued_system(const CataloguedSystem& choice) const {
  const CataloguedSystem usual = usual_system(choice.device);
  technology::System system;
  system.device = device(choice.device);
  system.scale_up = scale_up(choice.scale_up.value_or(*usual.scale_up));
  system.scale_up_domain = choice.domain.value_or(*usual.domain);
  system.scale_out = scale_out(choice.scale_out.value_or(*usual.scale_out));
  return system;
}

DerivedResult Catalog::derived_system(const DerivedSystem& choice) const {
  const technology::DeviceTemplate& open = architecture(choice.architecture);
  const technology::Network& link = scale_up(choice.scale_up);
  DerivedResult result;
  result.derivation = technology::derive(open, logic(choice.logic, choice.scaling),
                                         logic(open.reference_node, choice.scaling),
                                         memory(choice.memory), link, choice.budget);
  if (!result.derivation.infeasible) {
    result.system = technology::System{result.derivation.device, link, choice.domain,
                                       scale_out(choice.scale_out)};
  }
  return result;
}

}  // namespace scalesweep::catalog

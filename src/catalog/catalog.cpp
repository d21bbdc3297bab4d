#include "catalog/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "catalog/data.hpp"
#include "catalog/read/twin_facts.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "workload/stacks/versions.hpp"

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

// "A10+2" -> ("A10", 2); nothing if the text has another form.
std::optional<std::pair<std::string, int>> split_extrapolated(std::string_view node) {
  const std::size_t plus = node.rfind('+');
  if (plus == std::string_view::npos || plus == 0) {
    return std::nullopt;
  }
  const std::string_view steps = node.substr(plus + 1);
  if (steps.size() != 1 || steps[0] < '1' || steps[0] > '9') {
    return std::nullopt;
  }
  return std::pair{std::string(node.substr(0, plus)), steps[0] - '0'};
}

double sixteen_bit_peak(const technology::Device& device) {
  const auto& peak = device.tensor_peak;
  return peak[technology::index_of(technology::sixteen_bit(peak))].si();
}

// Of a stack that is known, but not in the version of this name; "" otherwise.
std::string known_versions(const CatalogData& data, std::string_view name) {
  const workload::StackName asked = workload::stack_name(name);
  if (asked.version.empty() || data.entry(Section::frameworks, asked.stack) == nullptr) {
    return "";
  }
  std::vector<std::string> versions;
  for (const auto& [known, place] : data.index[index_of(Section::frameworks)]) {
    const workload::StackName one = workload::stack_name(known);
    if (one.stack == asked.stack && !one.version.empty()) {
      versions.emplace_back(one.version);
    }
  }
  return versions.empty() ? fmt::format(
                                "; of '{}' it has one version, which nobody says; leave "
                                "'@{}' out",
                                asked.stack, asked.version)
                          : fmt::format("; of '{}' it has {}", asked.stack, join(versions, ", "));
}

// A template has the library of the device that it is calibrated on.
const CollectiveTimes& collectives_of(const CatalogData& data,
                                      const technology::DeviceTemplate& open) {
  return data.devices.at(data.entry(Section::devices, open.calibrated_on)->name).collectives;
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
    const auto alias = data_->node_aliases.find(name);
    const std::string node = alias == data_->node_aliases.end() ? std::string(name) : alias->second;
    const auto& nodes = data_->node_names;
    const bool known = std::find(nodes.begin(), nodes.end(), node) != nodes.end();
    return known ? std::optional(node) : std::nullopt;
  }
  if (section == Section::scale_out) {
    const auto split = split_ports(name);
    const Entry* const found = split ? data_->entry(section, split->first) : nullptr;
    return found == nullptr ? std::nullopt : std::optional(with_ports(found->name, split->second));
  }
  const Entry* const found = data_->entry(section, name);
  return found == nullptr ? std::nullopt : std::optional(found->name);
}

bool Catalog::has(Section section, std::string_view name_or_alias) const {
  return canonical(section, name_or_alias).has_value();
}

std::string Catalog::suggestion(Section section, std::string_view name) const {
  if (section == Section::frameworks) {
    if (const std::string versions = known_versions(*data_, name); !versions.empty()) {
      return versions;
    }
  }
  const std::vector<std::string> known = names(section);
  std::vector<std::string> spellings = known;
  if (section != Section::logic && section != Section::scale_out) {
    // A misspelt alias is answered by the alias; the full list holds canonical names only.
    spellings.clear();
    for (const auto& [alias, entry] : data_->index[index_of(section)]) {
      spellings.push_back(alias);
    }
  }
  const std::string near = near_name(name, spellings);
  if (!near.empty()) {
    return near;
  }
  const std::string among = scalesweep::suggestion(name, known);
  const bool is_like_none = among.ends_with(" more");
  if (!is_like_none && !among.starts_with("; the nearest of")) {
    return among;
  }
  return fmt::format("{}; 'scalesweep catalog list --kind {}' lists them",
                     is_like_none ? "" : among, name_of(section));
}

const Entry* Catalog::entry(Section section, std::string_view name) const {
  const Entry* const found = data_->entry(section, name);
  if (found != nullptr || section != Section::scale_out) {
    return found;
  }
  const auto split = split_ports(name);
  return split ? data_->entry(section, split->first) : nullptr;
}

const std::vector<Entry>& Catalog::entries() const {
  return data_->entries;
}

std::vector<std::shared_ptr<const Overlay>> Catalog::overlays() const {
  std::vector<std::shared_ptr<const Overlay>> overlays = data_->overlays;
  std::sort(overlays.begin(), overlays.end(), [](const auto& one, const auto& other) {
    return std::tie(one->name, one->sha256) < std::tie(other->name, other->sha256);
  });
  return overlays;
}

std::vector<std::string> Catalog::scalings() const {
  return data_->series_names;
}

bool Catalog::has_logic(std::string_view node, std::string_view scaling) const {
  const std::optional<std::string> name = canonical(Section::logic, node);
  return name && data_->logic.contains(fmt::format("{}/{}", scaling, *name));
}

std::vector<std::string> Catalog::nodes(std::string_view scaling) const {
  std::vector<std::string> nodes;
  for (const std::string& node : data_->node_names) {
    if (has_logic(node, scaling)) {
      nodes.push_back(node);
    }
  }
  return nodes;
}

bool Catalog::extrapolates(std::string_view node, std::string_view scaling) const {
  const auto beyond = split_extrapolated(node);
  if (!beyond) {
    return false;  // of almost every name, and asked for every device
  }
  const std::vector<std::string> series = nodes(scaling);
  return series.size() > 1 && canonical(Section::logic, beyond->first) == series.back();
}

const workload::TransformerModel& Catalog::model(std::string_view name) const {
  return record(data_->models, Section::models, canonical(Section::models, name), name).model;
}

const workload::RecommendationModel& Catalog::recommender(std::string_view name) const {
  return record(data_->recommenders, Section::recommenders, canonical(Section::recommenders, name),
                name);
}

const workload::DiffusionModel& Catalog::diffusion_model(std::string_view name) const {
  return record(data_->diffusion_models, Section::diffusion_models,
                canonical(Section::diffusion_models, name), name);
}

const workload::Framework& Catalog::framework(std::string_view name) const {
  return *record(data_->frameworks, Section::frameworks, canonical(Section::frameworks, name),
                 name);
}

const technology::Device& Catalog::device(std::string_view name) const {
  return record(data_->devices, Section::devices, canonical(Section::devices, name), name).device;
}

technology::LogicNode Catalog::logic(std::string_view node, std::string_view scaling) const {
  const auto named = [&](const std::string& plain) {
    const std::string name = fmt::format("{}/{}", scaling, plain);
    return record(data_->logic, Section::logic, name, name);
  };
  if (!extrapolates(node, scaling)) {
    return named(canonical(Section::logic, node).value_or(std::string(node)));
  }
  const std::vector<std::string> series = nodes(scaling);
  technology::LogicNode beyond = technology::extrapolate(
      named(series.back()), named(series[series.size() - 2]), split_extrapolated(node)->second);
  beyond.name = node;
  return beyond;
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

technology::Network Catalog::scale_out(std::string_view name, std::string_view topology_name,
                                       double endpoints) const {
  const PortsOfDevice ports = ports_of(name);
  technology::Network network =
      technology::on_topology(ports.record->technology, topology(topology_name),
                              std::max(1.0, endpoints * ports.per_device));
  network.name = ports.name;
  technology::widen(network, ports.per_device);
  return network;
}

Catalog::PortsOfDevice Catalog::ports_of(std::string_view scale_out) const {
  const std::optional<std::string> full = canonical(Section::scale_out, scale_out);
  if (!full) {
    unknown(Section::scale_out, scale_out);
  }
  const auto split = split_ports(*full);
  return {*full, &data_->ports.at(split->first),
          static_cast<double>(split->second) / devices_per_port_group};
}

std::vector<technology::LinkLevel> Catalog::scale_up_levels(std::string_view name,
                                                            int domain) const {
  const auto link = [this](std::string_view of) -> const LinkRecord& {
    return record(data_->links, Section::scale_up, canonical(Section::scale_up, of), of);
  };
  const LinkRecord* outer = &link(name);
  std::vector<technology::LinkLevel> levels = {{outer->network, domain}};
  while (!outer->inside.link.text.empty()) {
    const int size = outer->inside.size;
    outer = &link(outer->inside.link.text);
    if (size < levels.front().size) {
      levels.insert(levels.begin(), {outer->network, size});
    } else {
      levels.front().link = outer->network;  // the whole domain is part of one block
    }
  }
  return levels;
}

std::vector<technology::LinkLevel> Catalog::scale_out_levels(const ScaleOut& wanted) const {
  std::vector<technology::LinkLevel> levels;
  // Whole domains, as many as there is room for.
  const auto rounded = [&](double devices) {
    return static_cast<int>(devices / wanted.domain) * wanted.domain;
  };
  std::string name = wanted.name;
  double devices = wanted.endpoints;
  int size = 0;
  while (true) {
    const PortsOfDevice ports = ports_of(name);
    std::vector<technology::FabricLevel> fabric =
        technology::fabric_levels(ports.record->technology, topology(wanted.topology),
                                  std::max(1.0, devices * ports.per_device));
    const Inside& inside = ports.record->inside;
    const int inside_size = inside.link.text.empty() ? 0 : rounded(inside.size);
    for (std::size_t i = fabric.size(); i > 0; --i) {
      technology::FabricLevel& level = fabric[i - 1];
      const bool all = i == fabric.size();
      const int block = all ? size : rounded(level.endpoints / ports.per_device);
      if (all || block > std::max(wanted.domain, inside_size)) {
        level.network.name = ports.name;
        technology::widen(level.network, ports.per_device);
        levels.insert(levels.begin(), {std::move(level.network), block});
      }
    }
    if (inside_size <= wanted.domain) {
      return levels;
    }
    name = inside.link.text;
    devices = std::min<double>(devices, inside_size);
    size = inside_size;
  }
}

technology::System Catalog::joined(technology::Device device,
                                   std::vector<technology::LinkLevel> scale_up,
                                   const ScaleOut& beyond) const {
  technology::System system;
  system.device = std::move(device);
  system.levels = std::move(scale_up);
  system.domain_level = system.levels.size() - 1;
  std::ranges::move(scale_out_levels(beyond), std::back_inserter(system.levels));
  return system;
}

std::optional<UnevenDomain> Catalog::uneven(std::string_view name, int domain) const {
  return uneven_domain(*data_, name, domain);
}

const technology::Package& Catalog::package(std::string_view name) const {
  return record(data_->packages, Section::packages, canonical(Section::packages, name), name);
}

const technology::Topology& Catalog::topology(std::string_view name) const {
  return record(data_->topologies, Section::topologies, canonical(Section::topologies, name), name);
}

const technology::Economics& Catalog::economics(std::string_view name) const {
  return record(data_->economics, Section::economics, canonical(Section::economics, name), name);
}

const workload::Optimizer& Catalog::optimizer(std::string_view name) const {
  return record(data_->optimizers, Section::optimizers, canonical(Section::optimizers, name), name);
}

const technology::Reliability& Catalog::reliability(std::string_view name) const {
  return record(data_->reliability, Section::reliability, canonical(Section::reliability, name),
                name);
}

const technology::Storage& Catalog::storage(std::string_view name) const {
  return record(data_->storage, Section::storage, canonical(Section::storage, name), name);
}

std::optional<technology::Process> Catalog::process(std::string_view node) const {
  const auto beyond = split_extrapolated(node);
  if (!beyond) {
    const auto name = canonical(Section::processes, node);
    return name ? std::optional(data_->processes.at(*name)) : std::nullopt;
  }
  const auto last = canonical(Section::processes, beyond->first);
  const std::vector<std::string> known = names(Section::processes);
  const auto found = last ? std::find(known.begin(), known.end(), *last) : known.end();
  if (found == known.end() || found == known.begin()) {
    return std::nullopt;
  }
  return technology::extrapolate(data_->processes.at(*found), data_->processes.at(*(found - 1)),
                                 beyond->second);
}

CataloguedSystem Catalog::usual_system(std::string_view name) const {
  return record(data_->devices, Section::devices, canonical(Section::devices, name), name).usual;
}

const std::string& Catalog::architecture_of(std::string_view name) const {
  return record(data_->devices, Section::devices, canonical(Section::devices, name), name)
      .architecture;
}

std::vector<std::string> Catalog::missing_facts(std::string_view device,
                                                std::string_view architecture) const {
  const Entry* of = entry(Section::devices, device);
  const Entry* by = entry(Section::templates, architecture);
  if (of == nullptr || by == nullptr) {
    unknown(of == nullptr ? Section::devices : Section::templates,
            of == nullptr ? device : architecture);
  }
  return facts_lacking(*of, *by,
                       *entry(Section::devices, this->architecture(by->name).calibrated_on));
}

technology::System Catalog::catalogued_system(const CataloguedSystem& choice) const {
  const DeviceRecord& found = record(data_->devices, Section::devices,
                                     canonical(Section::devices, choice.device), choice.device);
  const CataloguedSystem& usual = found.usual;
  const int domain = choice.domain.value_or(*usual.domain);
  std::vector<technology::LinkLevel> inside =
      scale_up_levels(choice.scale_up.value_or(*usual.scale_up), domain);
  for (technology::LinkLevel& level : inside) {
    found.collectives.add_to(level.link);
  }
  return joined(
      found.device, std::move(inside),
      {choice.scale_out.value_or(*usual.scale_out), choice.topology, choice.endpoints, domain});
}

technology::Parts Catalog::parts(const DerivedSystem& choice) const {
  const technology::DeviceTemplate& open = architecture(choice.architecture);
  technology::Network link = scale_up(choice.scale_up);
  collectives_of(*data_, open).add_to(link);
  return {open,
          logic(choice.logic, choice.scaling),
          logic(open.reference_node, choice.scaling),
          memory(choice.memory),
          std::move(link),
          package(choice.package)};
}

DerivedResult Catalog::derived_system(const DerivedSystem& choice) const {
  DerivedResult result;
  result.derivation = technology::derive(parts(choice), choice.budget);
  if (!result.derivation.infeasible) {
    std::vector<technology::LinkLevel> inside = scale_up_levels(choice.scale_up, choice.domain);
    const technology::Network& placed = result.derivation.scale_up;
    const double width = placed.bandwidth / scale_up(choice.scale_up).bandwidth;
    for (technology::LinkLevel& level : inside) {
      if (level.link.name == placed.name) {
        level.link = placed;
      } else {
        technology::widen(level.link, width);
        collectives_of(*data_, architecture(choice.architecture)).add_to(level.link);
      }
    }
    result.system = joined(result.derivation.device, std::move(inside),
                           {choice.scale_out, choice.topology, choice.endpoints, choice.domain});
  }
  return result;
}

std::optional<DerivedSystem> Catalog::published_budget(std::string_view name,
                                                       std::string_view architecture) const {
  const technology::Device& sold = device(name);
  const CataloguedSystem usual = usual_system(name);
  const bool known = has_logic(sold.logic, default_scaling) && sold.die_area.si() > 0.0 &&
                     sold.stacks > 0 && has(Section::memories, sold.memory) &&
                     sixteen_bit_peak(sold) > 0.0;
  if (!known) {
    return std::nullopt;
  }
  DerivedSystem like;
  like.architecture = architecture;
  like.logic = sold.logic;
  like.memory = sold.memory;
  like.package = sold.package;
  like.scale_up = *usual.scale_up;
  like.domain = *usual.domain;
  like.scale_out = *usual.scale_out;
  technology::Budget& budget = like.budget;
  budget.die_area = sold.die_area;
  budget.dies = sold.dies;
  budget.power = sold.thermal_design_power;
  budget.stacks = sold.stacks;
  if (!memory(sold.memory).in_cores) {
    const double pins = static_cast<double>(memory(sold.memory).pins) * sold.stacks;
    budget.pin_rate = sold.dram.bandwidth / pins;
  }
  const double flop = sixteen_bit_peak(sold) / (static_cast<double>(sold.cores) * sold.clock.si());
  budget.flop_per_clock = std::exp2(std::round(std::log2(flop)));
  return like;
}

}  // namespace scalesweep::catalog

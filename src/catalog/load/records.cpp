#include "catalog/load/records.hpp"

namespace scalesweep::catalog {
namespace {

void store_logic(EntryReader& reader, const std::string& name, CatalogData& data) {
  const std::size_t slash = name.rfind('/');
  data.logic.try_emplace(name, read_logic(reader, name.substr(0, slash), name.substr(slash + 1)));
}

void store_template(EntryReader& reader, const std::string& name, CatalogData& data,
                    std::vector<Reference>& references) {
  const auto position = reader.table().position("reference_node");
  const technology::DeviceTemplate read = read_template(reader, name, references);
  references.push_back({Section::logic, {read.reference_node, position}});
  data.templates.try_emplace(name, read);
}

void store_model(Section section, EntryReader& reader, const std::string& name, CatalogData& data) {
  if (section == Section::recommenders) {
    data.recommenders.try_emplace(name, read_recommender(reader, name));
  } else if (section == Section::diffusion_models) {
    data.diffusion_models.try_emplace(name, read_diffusion_model(reader, name));
  } else {
    data.models.try_emplace(name, read_model(reader, name));
  }
}

// What was fitted to measurements, and how far they were off.
void store_fitted(Section section, EntryReader& reader, const std::string& name, CatalogData& data,
                  std::vector<Reference>& references) {
  if (section == Section::uncertainties) {
    data.uncertainties.try_emplace(name, read_uncertainty(reader, references));
  } else if (section == Section::traits) {
    data.traits.try_emplace(name, read_trait(reader, references));
  } else if (section == Section::libraries) {
    data.libraries.try_emplace(name, read_library(reader, references));
  } else {
    data.fits.try_emplace(name, read_fit(reader));
  }
}

}  // namespace

void store_record(Section section, EntryReader& reader, const std::string& name, CatalogData& data,
                  std::vector<Reference>& references) {
  switch (section) {
    case Section::devices:
      data.devices.try_emplace(name, read_device(reader, name, references));
      return;
    case Section::logic:
      store_logic(reader, name, data);
      return;
    case Section::memories:
      data.memories.try_emplace(name, read_memory(reader, name));
      return;
    case Section::scale_up:
      data.links.try_emplace(name, read_link(reader, name, references));
      return;
    case Section::scale_out:
      data.ports.try_emplace(name, read_ports(reader, name, references));
      return;
    case Section::templates:
      store_template(reader, name, data, references);
      return;
    case Section::models:
    case Section::recommenders:
    case Section::diffusion_models:
      store_model(section, reader, name, data);
      return;
    case Section::frameworks:
      data.frameworks.try_emplace(name, read_framework(reader, name));
      return;
    case Section::optimizers:
      data.optimizers.try_emplace(name, read_optimizer(reader, name));
      return;
    case Section::processes:
      data.processes.try_emplace(name, read_process(reader, name));
      return;
    case Section::packages:
      data.packages.try_emplace(name, read_package(reader, name));
      return;
    case Section::topologies:
      data.topologies.try_emplace(name, read_topology(reader, name));
      return;
    case Section::economics:
      data.economics.try_emplace(name, read_economics(reader, name));
      return;
    case Section::reliability:
      data.reliability.try_emplace(name, read_reliability(reader, name));
      return;
    case Section::storage:
      data.storage.try_emplace(name, read_storage(reader, name));
      return;
    case Section::uncertainties:
    case Section::traits:
    case Section::fits:
    case Section::libraries:
      store_fitted(section, reader, name, data, references);
  }
}

}  // namespace scalesweep::catalog

// What a loaded catalog holds. Internal to the layer.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/provenance.hpp"
#include "catalog/read/entry_reader.hpp"
#include "catalog/systems.hpp"
#include "technology/cost.hpp"
#include "technology/reliability.hpp"
#include "technology/topology.hpp"
#include "technology/uncertainty.hpp"
#include "workload/diffusion/diffusion.hpp"
#include "workload/model.hpp"
#include "workload/recommendation/recommendation.hpp"
#include "workload/training/optimizer.hpp"

namespace scalesweep::workload {
struct Framework;
}

namespace scalesweep::catalog {

// Blocks of `size` devices that another entry of the section joins, inside what an entry joins;
// none where the name is empty.
struct Inside {
  Located link;
  int size = 0;
};

struct LinkRecord {
  technology::Network network;
  int largest_domain = 1;
  Inside inside;
};

// A scale-out technology by the port.
struct PortRecord {
  technology::PortTechnology technology;  // bandwidth, half_size and costs of one port
  std::vector<std::int64_t> ports;
  Inside inside;
};

// Devices that share the ports of "HDRx8".
inline constexpr int devices_per_port_group = 8;

// What the library of collectives on a device takes beside the times of the link, whatever link
// that is: they belong to its software, and a link is as fast with the next library as with this.
struct CollectiveTimes {
  Seconds latency;           // of a step
  Seconds call_latency;      // of a call
  Seconds handshake;         // of a step that hands buffers over
  Seconds one_shot_latency;  // of a call of kernels that read the peers' buffers

  void add_to(technology::Network& link) const {
    link.latency += latency;
    link.call_latency += call_latency;
    link.handshake += handshake;
    link.one_shot_latency += one_shot_latency;
  }
};

struct DeviceRecord {
  technology::Device device;
  CollectiveTimes collectives;
  std::string architecture;  // template of its twin, "" if it names none
  std::string maker;         // "" if it names none
  bool is_claimed = false;   // a peak of it was announced, and it is not sold
  // Of a long GEMM over that of a short one, at the design power: energies that are not given
  // follow from it.
  std::array<double, technology::precision_count> long_gemm_clock{};
  double usual_gemm_clock = 1.0;  // of precisions that the entry says nothing of
  CataloguedSystem usual;
  std::optional<Usd> price;  // as published
};

// How far estimates were from the measurements of one device, framework, kind of work and scale.
struct UncertaintyRecord {
  std::string device;  // canonical names, as the file has to write them
  std::string framework;
  MeasuredWork work = MeasuredWork::training;
  bool single_node = false;
  double relative = 0.0;  // two of three measurements were within it
  std::int64_t rows = 0;
  std::string date;
  std::string architecture;  // of the device, as its entry has it
  std::string maker;
};

// How much further off the cases with a trait were than others of their devices, frameworks and
// scales, of one framework or, without one, of all; or what one adds that no case has: this one,
// or, without a trait, any.
struct TraitRecord {
  std::optional<technology::Trait> trait;
  std::string framework;  // canonical
  MeasuredWork work = MeasuredWork::training;
  double value = 0.0;  // a factor; relative where it is what one adds
  std::int64_t rows = 0;
};

struct ModelRecord {
  workload::TransformerModel model;
  Located encoder = {};  // another model; none where it is empty
};

// Of kernels and collectives on all devices.
struct FitRecord {
  technology::MatMulFit matmul;
  technology::AttentionFit attention;
  technology::CollectiveFit collectives;
};

// Kernels that a library may have in place of those of the device's entry.
enum class LibraryKernels : std::uint8_t { gemm, attention, experts, collectives };
inline constexpr auto library_kernels_names =
    enum_names<LibraryKernels>("gemm", "attention", "experts", "collectives");

// What the kernels of a library take on one device, in place of what the device's entry says.
struct LibraryRecord {
  std::string library;   // as stacks name it
  std::string hardware;  // a device, or a template for all that is derived from it
  LibraryKernels kernels = LibraryKernels::gemm;
  std::array<double, technology::precision_count> tensor_sustained{};  // 0: that of the device
  // None: those of the device.
  std::optional<technology::MatMulKernels> matmul;
  std::optional<technology::AttentionKernels> attention;
  std::optional<technology::ExpertKernels> experts;
  std::optional<technology::AllReduceKernels> all_reduce;
  std::string fit;  // an entry of fits, or ""
};

template <typename Record>
using Named = std::map<std::string, Record, std::less<>>;

struct CatalogData {
  std::vector<Entry> entries;  // in the order of the files, and of load/order.hpp
  std::vector<std::shared_ptr<const Overlay>> overlays;
  // Name or alias -> index of the entry, one map a section.
  std::array<Named<std::size_t>, section_count> index;

  Named<DeviceRecord> devices;
  Named<technology::LogicNode> logic;  // "foundry/N7"
  Named<technology::MemoryTechnology> memories;
  Named<LinkRecord> links;
  Named<PortRecord> ports;  // "HDR"
  Named<technology::DeviceTemplate> templates;
  Named<ModelRecord> models;
  Named<workload::RecommendationModel> recommenders;
  Named<workload::DiffusionModel> diffusion_models;
  Named<std::shared_ptr<const workload::Framework>> frameworks;
  Named<workload::Optimizer> optimizers;
  Named<technology::Process> processes;
  Named<technology::Package> packages;
  Named<technology::Topology> topologies;
  Named<technology::Economics> economics;
  Named<technology::Reliability> reliability;
  Named<technology::Storage> storage;
  Named<UncertaintyRecord> uncertainties;
  Named<TraitRecord> traits;
  Named<FitRecord> fits;
  Named<LibraryRecord> libraries;

  std::vector<std::string> node_names;    // each once, in file order
  Named<std::string> node_aliases;        // "N1" -> "A10"
  std::vector<std::string> series_names;  // each once, in file order

  // By name or alias; nothing where there is none.
  const Entry* entry(Section section, std::string_view name) const {
    const Named<std::size_t>& names = index[static_cast<std::size_t>(section)];
    const auto found = names.find(name);
    return found == names.end() ? nullptr : &entries[found->second];
  }
};

// A name in one entry that must be that of another.
struct Reference {
  Section section;
  Located name;
};

// Readers of one entry each. Names that need checking against other files go to `references`.
DeviceRecord read_device(EntryReader& entry, const std::string& name,
                         std::vector<Reference>& references);
technology::LogicNode read_logic(EntryReader& entry, const std::string& series,
                                 const std::string& name);
technology::MemoryTechnology read_memory(EntryReader& entry, const std::string& name);
LinkRecord read_link(EntryReader& entry, const std::string& name,
                     std::vector<Reference>& references);
PortRecord read_ports(EntryReader& entry, const std::string& name,
                      std::vector<Reference>& references);
technology::DeviceTemplate read_template(EntryReader& entry, const std::string& name,
                                         std::vector<Reference>& references);
ModelRecord read_model(EntryReader& entry, const std::string& name);
workload::RecommendationModel read_recommender(EntryReader& entry, const std::string& name);
workload::DiffusionModel read_diffusion_model(EntryReader& entry, const std::string& name);
std::shared_ptr<const workload::Framework> read_framework(EntryReader& entry,
                                                          const std::string& name);
workload::Optimizer read_optimizer(EntryReader& entry, const std::string& name);
technology::Process read_process(EntryReader& entry, const std::string& name);
technology::Package read_package(EntryReader& entry, const std::string& name);
technology::Topology read_topology(EntryReader& entry, const std::string& name);
technology::Economics read_economics(EntryReader& entry, const std::string& name);
technology::Reliability read_reliability(EntryReader& entry, const std::string& name);
technology::Storage read_storage(EntryReader& entry, const std::string& name);
FitRecord read_fit(EntryReader& entry);
LibraryRecord read_library(EntryReader& entry, std::vector<Reference>& references);
UncertaintyRecord read_uncertainty(EntryReader& entry, std::vector<Reference>& references);
TraitRecord read_trait(EntryReader& entry, std::vector<Reference>& references);

// Whether each is told once: under which name nobody asks.
void check_uncertainties(const CatalogData& data, Diagnostics& diagnostics);
// Gives them what the entries of their devices say and they do not, once all are read.
void complete_uncertainties(CatalogData& data);

// The names of libraries whose kernels a stack launches.
const std::vector<std::string>& libraries_of(const workload::Framework& framework);
// Whether stacks name libraries that there are, and each constant is told once.
void check_libraries(const CatalogData& data, Diagnostics& diagnostics);

// Gives models the encoders that they name: what can only be done when all models are read.
void join_encoders(CatalogData& data, Diagnostics& diagnostics);

// Whether the levels of links inside each other fit: what can be checked when names are known to be
// there.
void check_levels(const CatalogData& data, Diagnostics& diagnostics);
std::optional<UnevenDomain> uneven_domain(const CatalogData& data, std::string_view scale_up,
                                          int domain);

// "HDRx8" -> ("HDR", 8); nothing if the text has another form.
std::optional<std::pair<std::string, std::int64_t>> split_ports(std::string_view name);
// And back.
std::string with_ports(const std::string& technology, std::int64_t ports);

}  // namespace scalesweep::catalog

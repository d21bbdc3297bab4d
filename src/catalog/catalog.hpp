// What is known about devices, technologies, networks and models: read from the TOML files of a
// folder (nodes/), every value with its source. Knows no study and estimates nothing.
//
//   Diagnostics diagnostics;
//   auto catalog = Catalog::load(folder, diagnostics);            // all mistakes in one pass
//   auto system = catalog->catalogued_system({.device = "h100-sxm", .scale_out = "NDRx8"});
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/places.hpp"
#include "catalog/provenance.hpp"
#include "catalog/systems.hpp"
#include "core/diagnostic.hpp"
#include "technology/cost.hpp"
#include "technology/derive/derive.hpp"
#include "technology/device.hpp"
#include "technology/reliability.hpp"
#include "technology/topology.hpp"
#include "technology/uncertainty.hpp"

namespace scalesweep::workload {
struct DiffusionModel;
struct Framework;
struct Optimizer;
struct RecommendationModel;
struct TransformerModel;
}  // namespace scalesweep::workload

namespace scalesweep::catalog {

struct CatalogData;
struct PortRecord;

// Whether a place is a catalog by itself and no overlay: a folder that has what all devices take.
bool is_catalog(const std::filesystem::path& place);

// Read once, then immutable. Functions that take names expect that has() them (callers report an
// unknown name at the place where the user wrote it, with suggestion()); they throw
// Failure(internal) otherwise.
class Catalog {
 public:
  // Nothing if there was an error. A name that stands twice is one, in overlays as well. Files of
  // the folder are read in the order of their names.
  static std::optional<Catalog> load(const std::filesystem::path& folder, Diagnostics& diagnostics);
  static std::optional<Catalog> load(const Places& places, Diagnostics& diagnostics);
  // Of entries that were taken out of a catalog, their texts one after the other as a study's file
  // holds them. Their names may be of entries left behind, which has() then says; a value has the
  // key of its source in the place of the citation. `name`: of the text, for messages. `overlays`:
  // that entries were taken from.
  static std::optional<Catalog> of_entries(const std::string& name, const std::string& text,
                                           Diagnostics& diagnostics,
                                           const OverlaysByEntry& overlays = {});

  // Canonical names in file order. For logic: node names without the series ("N7"), each once.
  std::vector<std::string> names(Section section) const;
  bool has(Section section, std::string_view name_or_alias) const;
  // "; did you mean 'h100-sxm'?", " (nearest: 'h200', another generation or size)" or "; known are
  // ...".
  std::string suggestion(Section section, std::string_view name) const;
  // Canonical name of a name or alias; nothing if unknown.
  std::optional<std::string> canonical(Section section, std::string_view name_or_alias) const;

  // The names that `written` may stand for: itself where it is a name or alias, else those that
  // differ in letter case alone, else those that it abbreviates. True names, each entry once; of a
  // node the name or alias that is meant, with the steps beyond a series ("a10+1" is "A10+1").
  std::vector<std::string> meant(Section section, std::string_view written) const;

  // Where an entry stands, its text, and each value with its source; nullptr if unknown. Entries of
  // logic are named "foundry/N7".
  const Entry* entry(Section section, std::string_view name_or_alias) const;
  const std::vector<Entry>& entries() const;
  // The files that were loaded beside the catalog, by their names.
  std::vector<std::shared_ptr<const Overlay>> overlays() const;

  // Series of node factors ("foundry", "iso-performance") and whether one holds a node.
  std::vector<std::string> scalings() const;
  bool has_logic(std::string_view node, std::string_view scaling) const;
  // Of one series, in file order, which is that of technology.
  std::vector<std::string> nodes(std::string_view scaling) const;
  // Whether "A10+1" stands for a step beyond the last node of a series: every factor once more by
  // what the last two nodes differ. logic() and process() then give it, marked by its name.
  bool extrapolates(std::string_view node, std::string_view scaling) const;

  const workload::TransformerModel& model(std::string_view name) const;
  const workload::RecommendationModel& recommender(std::string_view name) const;
  const workload::DiffusionModel& diffusion_model(std::string_view name) const;
  const workload::Framework& framework(std::string_view name) const;
  // What a stack is called on a device: "vllm-rocm" of vllm on an MI300X; its own name where it has
  // no port there.
  std::string stack_on(std::string_view device, std::string_view stack) const;
  // The entry of a stack for a version ("0.12.1", "0.5.9-rocm700"): the newest that is not newer;
  // where nobody says one, the newest that was out on a day ("2026-02-11"). The oldest where all
  // are later; the stack itself where neither is known or none of its entries is of a version.
  std::string version_of(std::string_view stack, std::string_view version,
                         std::string_view day) const;
  const technology::Device& device(std::string_view name) const;
  technology::LogicNode logic(std::string_view node, std::string_view scaling) const;
  const technology::MemoryTechnology& memory(std::string_view name) const;
  const technology::DeviceTemplate& architecture(std::string_view name) const;
  const technology::Network& scale_up(std::string_view name) const;
  // "HDRx8": eight ports for every eight devices, so that a device has one port's bandwidth;
  // "HDRx1": one port for every eight devices, an eighth each. The number of devices that share the
  // ports is eight whatever the scale-up domain is. Hops are those of `endpoints` devices on a
  // topology.
  technology::Network scale_out(std::string_view name, std::string_view topology = default_topology,
                                double endpoints = 1024) const;
  // The levels of links inside a domain of a link technology, from the inside out; and those of the
  // network between domains, whose blocks hold whole blocks of the level inside them.
  std::vector<technology::LinkLevel> scale_up_levels(std::string_view name, int domain) const;
  std::vector<technology::LinkLevel> scale_out_levels(const ScaleOut& wanted) const;
  const technology::Package& package(std::string_view name) const;
  const technology::Topology& topology(std::string_view name) const;
  const technology::Economics& economics(std::string_view name = default_economics) const;
  const workload::Optimizer& optimizer(std::string_view name = default_optimizer) const;
  const technology::Reliability& reliability(std::string_view name = default_reliability) const;
  const technology::Storage& storage(std::string_view name = default_storage) const;
  // How far estimates were from measurements of this device and framework. Where they were not
  // measured: what those were that come nearest, and what of them nobody measured, which adds to
  // it. `hardware`: the entry of a device, or of the template that one is derived from.
  technology::Uncertainty uncertainty(std::string_view hardware, std::string_view framework,
                                      MeasuredWork work = MeasuredWork::training) const;
  // Gives a device, or one derived from a template, the kernels of a library that it has for it, or
  // of those that a stack names. `hardware`: the entry of the device, or that of the template.
  void use_library(std::string_view hardware, std::string_view library,
                   technology::Device& device) const;
  void use_libraries(std::string_view hardware, std::string_view framework,
                     technology::Device& device) const;
  bool names_libraries(std::string_view framework) const;
  // What making wafers of a node costs; nothing if the catalog does not say.
  std::optional<technology::Process> process(std::string_view node) const;
  // Largest scale-up domain of a link technology.
  int largest_domain(std::string_view scale_up) const;
  // The first level inside a link that does not go into a domain of so many devices.
  std::optional<UnevenDomain> uneven(std::string_view scale_up, int domain) const;
  // What a catalogued device has where a study does not say.
  CataloguedSystem usual_system(std::string_view device) const;

  technology::System catalogued_system(const CataloguedSystem& choice) const;
  technology::Parts parts(const DerivedSystem& choice) const;
  // The template that a catalogued device names as its own; "" if it names none.
  const std::string& architecture_of(std::string_view device) const;
  // What a twin of a device by a template takes and the device's entry lacks, each with what the
  // template would put there: "die_area (hopper: 814 mm2)". Empty if it lacks nothing.
  std::vector<std::string> missing_facts(std::string_view device,
                                         std::string_view architecture) const;
  // What is published of a catalogued device and its technology, without what the law of derived
  // devices predicts: node, memory with its pin rate, links, package, areas, power and the width of
  // its matrix units (to the next power of two). Nothing if the catalog does not know all of that.
  std::optional<DerivedSystem> published_budget(std::string_view device,
                                                std::string_view architecture) const;
  DerivedResult derived_system(const DerivedSystem& choice) const;
  // What a system costs and emits; nothing if the device's die area or process is not known.
  std::optional<technology::Ownership> ownership(const technology::System& system,
                                                 const technology::Economics& economics) const;

 private:
  // "HDRx4": the ports of HDR, half of one for a device.
  struct PortsOfDevice {
    std::string name;
    const PortRecord* record = nullptr;
    double per_device = 1.0;
  };
  PortsOfDevice ports_of(std::string_view scale_out) const;
  technology::System joined(technology::Device device, std::vector<technology::LinkLevel> scale_up,
                            const ScaleOut& beyond) const;

  std::shared_ptr<const CatalogData> data_;
};

}  // namespace scalesweep::catalog
